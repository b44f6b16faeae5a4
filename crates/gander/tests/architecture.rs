//! The rules between the crates, checked: who may use whom, who may be unsafe, how long a file may be, and that the paths
//! in CONTRIBUTING.md exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// No file of source text may be longer.
const MAX_LINES: usize = 900;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("the file is part of the project")
}

/// The table in ARCHITECTURE.md: crate → crates it may use.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let text = read("ARCHITECTURE.md");
    let rows = text.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|row| {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let name = cells.get(1).copied().unwrap_or_default();
            let uses = cells.get(3).copied().unwrap_or_default();
            let uses = uses.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
            (name.to_owned(), uses.collect())
        })
        .collect()
}

/// Dependencies between our crates, from their manifests: crate → crates it uses outside of tests.
fn actual() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("crates/ exists") {
        let folder = entry.expect("crates/ is readable").path();
        let name = folder.file_name().expect("a crate has a name").to_string_lossy().into_owned();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a crate has a manifest");
        let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let lines = section.lines().skip(1).take_while(|line| !line.starts_with('['));
        let ours = lines.filter_map(|line| line.strip_suffix(".workspace = true")).map(str::to_owned);
        found.insert(name, ours.collect());
    }
    found
}

#[test]
fn crates_use_only_what_the_table_allows() {
    let (allowed, actual) = (allowed(), actual());
    assert!(allowed.len() >= 10, "the table has a row for every crate");
    assert_eq!(
        allowed.keys().collect::<Vec<_>>(),
        actual.keys().collect::<Vec<_>>().into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(),
        "the table and crates/ name the same crates"
    );
    for (name, uses) in &actual {
        let known = allowed.get(name).expect("the table has every crate");
        let extra: Vec<&String> = uses.difference(known).collect();
        assert!(extra.is_empty(), "{name} uses {extra:?}, which ARCHITECTURE.md does not allow");
    }
}

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn only_the_machine_is_unsafe_and_no_file_is_too_long() {
    let mut files = Vec::new();
    source_files(&root().join("crates"), &mut files);
    assert!(files.len() > 50, "the walk finds the project's files");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("source text is UTF-8");
        let shown = file.display();
        let lines = text.lines().count();
        assert!(lines <= MAX_LINES, "{shown} has {lines} lines, the limit is {MAX_LINES}");
        assert!(text.starts_with("//!"), "{shown} does not say what it is for");
        let is_root = file.ends_with("src/lib.rs");
        let may_be_unsafe = file.components().any(|part| part.as_os_str() == "vm" || part.as_os_str() == "fiber");
        if is_root && !may_be_unsafe {
            let has_calls = file.with_file_name("sys.rs").exists();
            let rule = if has_calls { "#![deny(unsafe_code)]" } else { "#![forbid(unsafe_code)]" };
            assert!(text.contains(rule), "{shown} does not forbid unsafe code");
        }
        if !may_be_unsafe && !file.ends_with("http/src/sys.rs") {
            let opens = ["allow(unsafe", "expect(unsafe"].iter().any(|form| text.contains(form));
            assert!(!opens || file.ends_with("architecture.rs"), "{shown} lets unsafe code in");
        }
    }
}

#[test]
fn paths_in_the_recipes_exist() {
    let text = read("CONTRIBUTING.md");
    let words = text.split('`').skip(1).step_by(2).filter(|word| word.contains('/') && !word.contains(' '));
    let paths: Vec<&str> = words.filter(|word| !word.starts_with("./")).collect();
    assert!(paths.len() > 5, "the recipes name files");
    for path in paths {
        assert!(root().join(path).exists(), "CONTRIBUTING.md names {path}, which does not exist");
    }
}
