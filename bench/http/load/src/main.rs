//! HTTP/1.1 load with honest latencies: an open loop on a clock, a closed loop, idle connections, pipelining; every
//! answer checked, every connection counted. `load --help` tells the rest.

#![cfg_attr(test, allow(clippy::indexing_slicing, reason = "a panic fails the test"))]

mod answer;
mod arguments;
mod connection;
mod histogram;
mod report;
mod schedule;
mod tally;
mod worker;

use arguments::{Asked, Plan};
use std::num::NonZeroU64;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Barrier};
use tally::Tally;
use worker::{Crew, Worker};

fn main() -> ExitCode {
    let plan = match arguments::parse(std::env::args().skip(1)) {
        Ok(Asked::Run(plan)) => plan,
        Ok(Asked::Help) => {
            print!("{}", arguments::HELP);
            return ExitCode::SUCCESS;
        }
        Err(problem) => return unmeasured(&problem),
    };
    match run(&plan) {
        Ok(tally) => {
            println!("{}", if plan.json { report::json(&plan, &tally) } else { report::table(&plan, &tally) });
            ExitCode::from(u8::from(!tally.problems(&plan).is_empty()))
        }
        Err(problem) => unmeasured(&problem),
    }
}

fn unmeasured(problem: &str) -> ExitCode {
    eprintln!("load: {problem}");
    ExitCode::from(2)
}

fn run(plan: &Plan) -> Result<Tally, String> {
    raise_file_limit(plan)?;
    // A slack of 50 µs, the default, would be seen in every latency. Threads inherit it.
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1)).map_err(|error| error.to_string())?;
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stopped)).map_err(|error| error.to_string())?;
    }
    let threads = plan.threads as usize;
    let crew =
        Crew { ready: Barrier::new(threads), answered: Barrier::new(threads), failed: AtomicBool::new(false), stopped };
    let workers = (0..plan.threads).map(|index| Worker::new(plan, index)).collect::<Result<Vec<_>, _>>()?;
    let mut whole = Tally::default();
    std::thread::scope(|scope| {
        let running: Vec<_> = workers.into_iter().map(|worker| scope.spawn(|| worker.run(&crew))).collect();
        for thread in running {
            whole.merge(&thread.join().map_err(|_| "a thread panicked".to_owned())??);
        }
        Ok::<_, String>(())
    })?;
    Ok(whole)
}

/// Each connection is a file; a few more are for the tool.
fn raise_file_limit(plan: &Plan) -> Result<(), String> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let needed = u64::from(plan.connections) + 64;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    let maximum = limit.maximum.map_or(needed, |maximum| maximum.max(needed));
    setrlimit(Resource::Nofile, Rlimit { current: Some(needed), maximum: Some(maximum) })
        .map_err(|_| format!("{} connections need `ulimit -n {needed}`, which is not allowed here", plan.connections))
}
