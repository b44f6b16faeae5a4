//! Conformance cases: a program, and what it must print.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the first lines of a program say about its run.
#[derive(Debug, Default)]
struct Directives {
    exit: Option<i32>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    /// What the error output contains whatever runs the program.
    errors: Vec<String>,
    /// What the machine's reports contain besides: places, calls, warnings.
    reports: Vec<String>,
}

/// A program with its expectation.
#[derive(Debug)]
pub struct Case {
    /// Its path below the folder of all cases, without the extension.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    expected: Vec<u8>,
    directives: Directives,
}

/// What a run of a case gave.
#[derive(Debug)]
pub struct Outcome {
    /// Exit code; none when it was ended by a signal.
    pub exit: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// All cases below a folder, by name. A case is a file `NAME.lk`, or `main.lk` in a folder `NAME` with its other files.
///
/// # Errors
/// Files that cannot be read, and programs without an expectation.
pub fn find_cases(folder: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    walk(folder, folder, &mut cases)?;
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn walk(root: &Path, folder: &Path, cases: &mut Vec<Case>) -> io::Result<()> {
    let main = folder.join("main.lk");
    if main.is_file() {
        cases.push(Case::read(root, main, folder)?);
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(root, &path, cases)?;
        } else if path.extension().is_some_and(|extension| extension == "lk") {
            let name = path.with_extension("");
            cases.push(Case::read(root, path, &name)?);
        }
    }
    Ok(())
}

impl Case {
    fn read(root: &Path, program: PathBuf, name: &Path) -> io::Result<Self> {
        let text = String::from_utf8_lossy(&std::fs::read(&program)?).into_owned();
        let mut directives = Directives::default();
        let mut needs_output = true;
        for line in text.lines().map_while(|line| line.strip_prefix("//! ")) {
            let (key, value) = line.split_once(": ").unwrap_or((line, ""));
            match key {
                "exit" => directives.exit = value.parse().ok(),
                "args" => directives.args = value.split_whitespace().map(str::to_owned).collect(),
                "env" => {
                    let (name, value) = value.split_once('=').unwrap_or((value, ""));
                    directives.env.push((name.to_owned(), value.to_owned()));
                }
                "stderr" => directives.reports.push(value.to_owned()),
                "load-error" | "run-error" => {
                    directives.exit = Some(1);
                    directives.errors.push(value.to_owned());
                    needs_output &= key != "load-error";
                }
                _ => {
                    let message = format!("{}: unknown directive '{key}'", program.display());
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
            }
        }
        let output = program.with_extension("out");
        let expected = if needs_output || output.is_file() {
            std::fs::read(&output)
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", output.display())))?
        } else {
            Vec::new()
        };
        let name = name.strip_prefix(root).unwrap_or(name).display().to_string();
        Ok(Self { name, program, expected, directives })
    }

    /// What the program prints, if it ends well and is given no arguments.
    #[must_use]
    pub fn plain_output(&self) -> Option<&[u8]> {
        let Directives { exit, args, errors, reports, .. } = &self.directives;
        let is_plain = exit.unwrap_or(0) == 0 && args.is_empty() && errors.is_empty() && reports.is_empty();
        is_plain.then_some(&self.expected)
    }

    /// Gives a command the variables that the program wants.
    pub fn set_environment(&self, command: &mut Command) {
        command.envs(self.directives.env.iter().map(|(name, value)| (name, value)));
    }

    /// Runs a command on the program: `command` is completed with the program's path and arguments.
    ///
    /// # Errors
    /// A command that cannot be started, or one that takes longer than `limit` (it is ended then).
    pub fn run(&self, mut command: Command, limit: Duration) -> io::Result<Outcome> {
        command.arg(&self.program).args(&self.directives.args);
        self.set_environment(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().map(read_in_background);
        let stderr = child.stderr.take().map(read_in_background);
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                return Err(io::Error::new(io::ErrorKind::TimedOut, format!("did not end within {limit:?}")));
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let collect = |reader: Option<std::thread::JoinHandle<Vec<u8>>>| {
            reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
        };
        Ok(Outcome { exit: status.code(), stdout: collect(stdout), stderr: collect(stderr) })
    }

    /// Compares an outcome with the expectation; what the `stderr:` lines say only with `reports`.
    ///
    /// # Errors
    /// What differs, for people.
    pub fn judge(&self, outcome: &Outcome, reports: bool) -> Result<(), String> {
        let stderr = String::from_utf8_lossy(&outcome.stderr);
        let mut wrong = Vec::new();
        if outcome.stdout != self.expected {
            wrong.push(format!(
                "output differs\n--- expected\n{}\n--- got\n{}",
                String::from_utf8_lossy(&self.expected),
                String::from_utf8_lossy(&outcome.stdout)
            ));
        }
        let exit = self.directives.exit.unwrap_or(0);
        if outcome.exit != Some(exit) {
            wrong.push(format!("exit code {:?}, expected {exit}", outcome.exit));
        }
        let reports = if reports { self.directives.reports.as_slice() } else { &[] };
        let wanted = self.directives.errors.iter().chain(reports);
        for text in wanted.filter(|text| !stderr.contains(text.as_str())) {
            wrong.push(format!("error output does not contain: {text}"));
        }
        if wrong.is_empty() {
            return Ok(());
        }
        wrong.push(format!("--- error output\n{stderr}"));
        Err(wrong.join("\n"))
    }

    /// Replaces the expected output by what was printed.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn bless(&self, outcome: &Outcome) -> io::Result<()> {
        std::fs::write(self.program.with_extension("out"), &outcome.stdout)
    }
}

fn read_in_background(mut pipe: impl io::Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is what there is.
        let _partial = io::Read::read_to_end(&mut pipe, &mut bytes);
        bytes
    })
}
