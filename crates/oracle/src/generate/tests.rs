//! Generated programs are the same for a seed, parse, and end.

use super::library::CALLS;
use super::{generate, generate_with};
use crate::{observe, shrink};
use std::path::Path;
use vm::Registry;

#[test]
fn library_calls_name_what_exists() {
    let registry = Registry::new(stdlib::ALL.iter().copied());
    for (name, call, _) in CALLS {
        let (module, function) = name.split_once("::").unwrap_or(("", name));
        assert!(registry.find(module, function).is_some(), "{name}");
        assert!(call.starts_with(name), "{call}");
    }
}

#[test]
fn the_same_seed_gives_the_same_program() {
    assert_eq!(generate(7, 40), generate(7, 40));
    assert_ne!(generate(7, 40), generate(8, 40));
    assert!(!generate_with(1, 40, &|_| false).contains("::"));
}

#[test]
fn most_programs_run_to_their_end() {
    let registry = Registry::new(stdlib::ALL.iter().copied());
    let ends: Vec<String> = (0..90)
        .filter(|seed| seed % 3 != 0)
        .map(|seed| observe(Path::new("random.lk"), &generate(seed, 40), registry.clone()).1)
        .collect();
    let (finished, refused) = (|end: &&String| end.is_empty(), |end: &&String| end.starts_with("refused"));
    assert!(ends.iter().filter(finished).count() >= 30, "{ends:#?}");
    assert!(ends.iter().filter(refused).count() <= 3, "{ends:#?}");
}

#[test]
fn shrinking_keeps_what_matters() {
    let program = generate(11, 40) + "if (true) { foreach ([1, 2, 3] as $v) { print(\"x\", 7 * (2 + 4)) } }\n";
    let small = shrink(&program, |text| text.contains("7 * ("));
    assert_eq!(small, "7 * (4)\n");
}
