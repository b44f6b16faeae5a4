//! Golden files: every `NAME.lk` below `golden/` is parsed and compared with `NAME.tree` beside it, which holds the tree
//! and the rendered warnings, or only the rendered diagnostics when there is an error. `GANDER_BLESS=1` writes them anew.

#![allow(
    clippy::disallowed_methods,
    reason = "tests read their cases; only the crate itself is without files and clocks"
)]

use libtest_mimic::{Arguments, Failed, Trial};
use source::{Source, SourceMap, Style};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut cases = Vec::new();
    if let Err(error) = collect(&root, &mut cases) {
        eprintln!("cannot read {}: {error}", root.display());
        return ExitCode::FAILURE;
    }
    let trials = cases.into_iter().map(|case| {
        let name = case.strip_prefix(&root).unwrap_or(&case).with_extension("");
        Trial::test(name.display().to_string(), move || check(&case))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn collect(folder: &Path, cases: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, cases)?;
        } else if path.extension().is_some_and(|extension| extension == "lk") {
            cases.push(path);
        }
    }
    Ok(())
}

fn check(case: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(case)?;
    let actual = expectation(case, &text);
    let golden = case.with_extension("tree");
    if std::env::var_os("GANDER_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&golden, actual)?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(&golden)
        .map_err(|error| format!("{}: {error}; GANDER_BLESS=1 writes it", golden.display()))?;
    if actual == expected {
        return Ok(());
    }
    Err(format!("{} differs\n--- expected\n{expected}\n--- actual\n{actual}", golden.display()).into())
}

fn expectation(case: &Path, text: &str) -> String {
    let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut sources = SourceMap::new();
    let id = sources.add(Source::new(name, text));
    let parsed = syntax::parse(id, text);
    let tree = if parsed.has_errors() { String::new() } else { syntax::dump(&parsed.program) };
    let diagnostics = parsed.diagnostics.iter().map(|found| source::render(found, &sources, Style::Plain));
    std::iter::once(tree).chain(diagnostics).collect()
}
