//! Every conformance program on every engine, one trial each.
//!
//! The machine runs as a user would run it, through the `gander` binary. The oracle, and the check that no value outlives
//! its program, run in this binary, which starts itself again for each case (see [`engine`]).

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;
use test_support::{Case, find_cases};

/// Says which engine this process is, when it has been started by itself.
const ENGINE: &str = "GANDER_TEST_ENGINE";
/// Path of another binary to test, such as one that was built with a sanitizer.
const BINARY: &str = "GANDER_TEST_BINARY";
/// Set to rewrite expectations with what the machine prints.
const BLESS: &str = "GANDER_BLESS";
/// The exit code of a program that left values behind.
const LEAKED: u8 = 99;
/// No case may take longer.
const LIMIT: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    if let Ok(name) = std::env::var(ENGINE) {
        return engine(&name);
    }
    let args = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let cases = match find_cases(&folder) {
        Ok(cases) => cases,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = Vec::new();
    for case in cases {
        let case = Arc::new(case);
        for engine in ["vm", "leaks", "oracle"] {
            let case = Arc::clone(&case);
            trials.push(Trial::test(format!("{engine}::{}", case.name), move || check(&case, engine)));
        }
    }
    libtest_mimic::run(&args, trials).exit_code()
}

fn check(case: &Case, engine: &str) -> Result<(), Failed> {
    let mut command = if engine == "vm" {
        let binary = std::env::var_os(BINARY).unwrap_or_else(|| env!("CARGO_BIN_EXE_gander").into());
        let mut command = Command::new(binary);
        command.arg("run");
        command
    } else {
        let mut command = Command::new(std::env::current_exe()?);
        command.env(ENGINE, engine);
        command
    };
    command.env_remove(BLESS);
    let outcome = case.run(command, LIMIT)?;
    if engine == "vm" && std::env::var_os(BLESS).is_some() && case.judge(&outcome, true).is_err() {
        case.bless(&outcome)?;
    }
    case.judge(&outcome, engine != "oracle").map_err(Failed::from)
}

/// Runs the program in the first argument and ends as `gander run` would.
fn engine(name: &str) -> ExitCode {
    let mut args = std::env::args().skip(1);
    let file = PathBuf::from(args.next().unwrap_or_default());
    let rest: Vec<String> = args.collect();
    let oracle = name == "oracle";
    let work = move || if oracle { run_oracle(&file, rest) } else { run_and_count(&file, rest) };
    // The oracle recurses on the native stack; the pages are only used when it does.
    let thread = std::thread::Builder::new().stack_size(8 << 30).spawn(work);
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(ExitCode::from(101))
}

/// Runs on the machine, then checks that every value made meanwhile is gone.
fn run_and_count(file: &Path, args: Vec<String>) -> ExitCode {
    let before = vm::live_objects();
    let code = match gander::execute(file, args) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("error: {problem}");
            1
        }
    };
    vm::forget_shapes();
    let left = vm::live_objects() - before;
    if left != 0 {
        eprintln!("{left} values outlived the program");
        return ExitCode::from(LEAKED);
    }
    ExitCode::from(code)
}

/// Runs on the oracle. It keeps no call stack for reports, so an uncaught error is its message alone.
fn run_oracle(file: &Path, args: Vec<String>) -> ExitCode {
    let registry = gander::registry();
    let text = match compiler::Reader::read(&gander::Files, file) {
        Ok(text) => text,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(2);
        }
    };
    let read = |path: &Path| compiler::Reader::read(&gander::Files, path);
    let program = match oracle::load(file, &text, &read, registry.signatures()) {
        Ok(program) => program,
        Err(refused) => {
            for error in &refused.errors {
                eprint!("{}", source::render(error, &refused.sources, source::Style::Plain));
            }
            return ExitCode::FAILURE;
        }
    };
    let host = gander::host(file, args);
    let output = vm::Output::to(Box::new(std::io::stdout()));
    let mut isolate = vm::Isolate::new(registry, Arc::new(host), output);
    let result = oracle::run(program, &mut isolate, oracle::Limits::default());
    isolate.output().flush();
    match result.map_err(vm::Thrown::into_kind) {
        Ok(()) | Err(vm::ThrownKind::Stop) => ExitCode::SUCCESS,
        Err(vm::ThrownKind::Exit(code)) => ExitCode::from(code as u8),
        Err(vm::ThrownKind::Value { value, .. }) => {
            eprintln!("Runtime Error: {}", gander::error_message(&value));
            ExitCode::FAILURE
        }
    }
}
