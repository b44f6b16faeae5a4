//! What keeps the builtins' declarations true: names, documentation, examples, and the reference page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a program and gives what it printed, or what went wrong.
fn run(program: &str, name: &str) -> Result<String, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name.replace("::", "-"));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let file = folder.join("example.lk");
    test_support::run_example(env!("CARGO_BIN_EXE_gander"), program, &file)
}

/// The fenced `look` blocks of a documentation text.
fn examples(doc: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = doc.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "```look" {
            found.push(lines.by_ref().take_while(|line| line.trim() != "```").collect::<Vec<_>>().join("\n"));
        }
    }
    found
}

/// The outputs that an example states: what stands after `// ` on lines that print.
fn stated(example: &str) -> Vec<&str> {
    let prints = example.lines().filter(|line| line.contains("print("));
    prints.filter_map(|line| line.rsplit_once("// ").map(|(_, text)| text.trim_end())).collect()
}

#[test]
fn the_list_of_names_is_the_registry() {
    let text =
        std::fs::read_to_string(root().join("crates/stdlib/names.txt")).expect("the list is part of the project");
    let listed: BTreeSet<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let registry = gander::registry();
    let names: Vec<String> = registry.signatures().iter().map(bytecode::Signature::full_name).collect();
    let registered: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(names.len(), registered.len(), "no name is declared twice");
    let missing: Vec<_> = listed.difference(&registered).collect();
    let unlisted: Vec<_> = registered.difference(&listed).collect();
    assert!(missing.is_empty(), "listed in crates/stdlib/names.txt but not declared: {missing:?}");
    assert!(unlisted.is_empty(), "declared but not listed in crates/stdlib/names.txt: {unlisted:?}");
}

#[test]
fn every_builtin_is_documented_with_an_example_that_runs() {
    let registry = gander::registry();
    let mut wrong = BTreeMap::new();
    let mut checked = 0;
    for signature in registry.signatures().iter() {
        let name = signature.full_name();
        let first = signature.doc.trim().lines().next().unwrap_or("").trim();
        if !first.ends_with('.') && !signature.doc.trim().contains('.') {
            wrong.insert(name, "the documentation does not begin with a sentence".to_owned());
            continue;
        }
        let examples = examples(signature.doc);
        if examples.is_empty() {
            wrong.insert(name, "there is no example".to_owned());
            continue;
        }
        for example in examples {
            let expected = stated(&example).join("\n");
            match run(&example, &name) {
                Ok(printed) if expected.is_empty() || printed.trim_end() == expected => checked += 1,
                Ok(printed) => {
                    wrong.insert(name.clone(), format!("states {expected:?}, prints {printed:?}"));
                }
                Err(error) => {
                    wrong.insert(name.clone(), error);
                }
            }
        }
    }
    let report: Vec<String> = wrong.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    assert!(wrong.is_empty(), "{} of the builtins:\n{}", wrong.len(), report.join("\n"));
    assert!(checked >= registry.builtins().len(), "every builtin's example was run");
}

#[test]
fn a_wrong_number_of_arguments_has_one_wording() {
    for signature in gander::registry().signatures().iter() {
        let name = signature.full_name();
        let mut counts = Vec::new();
        counts.extend(signature.min_args().checked_sub(1));
        counts.extend(signature.max_args().map(|max| max + 1));
        for count in counts {
            let args = vec!["0"; count].join(", ");
            let program = format!("try {{ {name}({args}) }} catch ($e) {{ print($e) }}\n");
            let expected = signature.arity_error(count).expect("the number is outside the range");
            assert_eq!(run(&program, &format!("arity-{name}")).as_deref().map(str::trim_end), Ok(&*expected));
        }
    }
}

#[test]
fn the_reference_pages_are_what_doc_prints() {
    for (flag, page) in [("--markdown", "docs/builtins.md"), ("--settings", "docs/settings.md")] {
        let output = Command::new(env!("CARGO_BIN_EXE_gander")).args(["doc", flag]).output().expect("gander runs");
        let text = std::fs::read_to_string(root().join(page)).expect("the page is part of the project");
        assert!(text.as_bytes() == output.stdout, "{page} is out of date: cargo run -- doc {flag} > {page}");
    }
}
