//! What the compiler makes of small programs, as text: a change of it is a change somebody should look at.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bytecode");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "lk"));
    programs.sort();
    if programs.is_empty() {
        eprintln!("error: no programs found");
        return ExitCode::FAILURE;
    }
    let trial = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || check(&path))
    };
    libtest_mimic::run(&args, programs.into_iter().map(trial).collect()).exit_code()
}

fn check(path: &Path) -> Result<(), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gander"));
    let folder = path.parent().ok_or("a program stands in a folder")?;
    let file = path.file_name().ok_or("a program is a file")?;
    let output = command.current_dir(folder).args(["run", "--disassemble"]).arg(file).output()?;
    let printed = String::from_utf8(output.stdout)?;
    let expectation = path.with_extension("txt");
    if std::env::var_os("GANDER_BLESS").is_some() {
        std::fs::write(&expectation, &printed)?;
    }
    let expected = std::fs::read_to_string(&expectation)?;
    if printed == expected { Ok(()) } else { Err(format!("--- expected\n{expected}\n--- got\n{printed}").into()) }
}
