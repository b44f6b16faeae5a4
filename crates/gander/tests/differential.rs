//! Random programs on the machine and on the oracle: the same output, the same thrown value.
//!
//! A bounded number runs in every test run; `./test --long` runs thousands. A program that differs is shrunk and printed:
//! keep it as a conformance case.

use std::path::Path;

/// Programs in a normal run.
const FEW: u64 = 150;
/// Programs in a long run.
const MANY: u64 = 5_000;
/// Statements in a program, about.
const SIZE: usize = 40;

/// What a program did: its output, and the error it ended with.
fn on_the_machine(text: &str) -> (String, String) {
    gander::observe(Path::new("random.lk"), text)
}

fn on_the_oracle(text: &str) -> (String, String) {
    oracle::observe(Path::new("random.lk"), text, gander::registry())
}

fn differs(text: &str) -> bool {
    on_the_machine(text) != on_the_oracle(text)
}

fn compare(seeds: std::ops::Range<u64>) -> Result<(), String> {
    for seed in seeds {
        let text = oracle::generate(seed, SIZE);
        if differs(&text) {
            let small = oracle::shrink(&text, differs);
            let (machine, oracle) = (on_the_machine(&small), on_the_oracle(&small));
            return Err(format!("seed {seed}\n{small}\n--- machine\n{machine:?}\n--- oracle\n{oracle:?}"));
        }
    }
    Ok(())
}

#[test]
fn random_programs_do_the_same_on_both_engines() {
    let count = if std::env::var("GANDER_LONG_TESTS").is_ok_and(|long| long == "1") { MANY } else { FEW };
    let base: u64 = std::env::var("GANDER_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    // The oracle recurses on the native stack.
    let work = move || compare(base..base + count);
    let thread = std::thread::Builder::new().stack_size(4 << 30).spawn(work).expect("a thread can be started");
    let outcome = thread.join().expect("neither engine panics");
    if let Err(difference) = outcome {
        panic!("{difference}");
    }
}
