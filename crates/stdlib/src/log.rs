//! Log lines, to the standard error output or to one file a day.
//!
//! Where they go is a matter of the whole process, not of one program thread. In a server a thread of its own writes them.

mod journal;
mod line;

pub use journal::{Journal, lost};
pub use line::{Format, format, set_format};

use crate::date;
use crate::env;
use crate::helper;
use jiff::civil::DateTime;
use macros::module;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use vm::text::{push_text, to_text};
use vm::{Cx, Number, Thrown, Value};

/// How much a line matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Only while developing.
    Debug,
    /// Normal work.
    Info,
    /// Should be looked at.
    Warn,
    /// Something failed.
    Error,
}

impl Level {
    fn read(name: &[u8]) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"debug" => Self::Debug,
            b"info" => Self::Info,
            b"warn" | b"warning" => Self::Warn,
            b"error" => Self::Error,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// Which lines of the program are written, and where.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// Lines below this are dropped.
    level: Level,
    /// True to write to the standard error output beside a file.
    verbose: bool,
}

/// Made from the environment when first used.
static RULES: Mutex<Option<Rules>> = Mutex::new(None);

/// The file of the day, if there is one. Whoever holds it may wait for the disk.
static FILE: Mutex<Option<DailyFile>> = Mutex::new(None);

fn rules(cx: &mut Cx<'_>) -> Rules {
    let mut rules = RULES.lock().unwrap_or_else(PoisonError::into_inner);
    *rules.get_or_insert_with(|| from_environment(cx))
}

fn from_environment(cx: &mut Cx<'_>) -> Rules {
    let mut setting = |name: &[u8]| env::lookup(cx, name).ok().flatten();
    let development = setting(b"APP_ENV").is_some_and(|value| value == b"development");
    let debug = development || setting(b"APP_DEBUG").is_some_and(|value| value == b"true");
    let folder = setting(b"LOG_DIR").filter(|folder| !folder.is_empty());
    if let Some(folder) = folder.map(|folder| folder_path(cx, &folder)) {
        journal::run_later(0, move || match DailyFile::in_folder(&folder) {
            Ok(file) => *FILE.lock().unwrap_or_else(PoisonError::into_inner) = Some(file),
            Err(problem) => {
                let text = format!("log: {problem} (from LOG_DIR); writing here instead");
                journal::to_standard_error(&line::line(Level::Warn, "WARN", text.as_bytes(), &[]));
            }
        });
    }
    Rules { level: if debug { Level::Debug } else { Level::Info }, verbose: debug }
}

/// Writes a line to the file of the day if there is one, else, or besides, to the standard error output.
fn write(now: DateTime, line: &[u8], verbose: bool) {
    let mut file = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let in_file = match file.as_mut().map(|file| file.write(now, line)) {
        None => false,
        Some(Ok(())) => true,
        Some(Err(problem)) => {
            let text = format!("log: {problem}; writing here instead");
            journal::to_standard_error(&line::line(Level::Warn, "WARN", text.as_bytes(), &[]));
            false
        }
    };
    if !in_file || verbose {
        journal::to_standard_error(line);
    }
}

/// A folder of log files; a relative one stands beside the main script.
fn folder_path(cx: &Cx<'_>, folder: &[u8]) -> PathBuf {
    cx.host().root.join(String::from_utf8_lossy(folder).as_ref())
}

/// `look-YYYY-MM-DD.log` in a folder.
#[derive(Debug)]
struct DailyFile {
    folder: PathBuf,
    open: Option<(jiff::civil::Date, File)>,
}

impl DailyFile {
    fn in_folder(folder: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot use {} for log files: {error}", folder.display()))?;
        let mut file = Self { folder: folder.to_owned(), open: None };
        // Opened at once, so that a folder that cannot be written to is an error now and not with the first line.
        file.of_day(date::now())?;
        Ok(file)
    }

    fn of_day(&mut self, now: DateTime) -> Result<&mut File, String> {
        let today = now.date();
        if self.open.as_ref().is_none_or(|(day, _)| *day != today) {
            let path = self.folder.join(format!("look-{today}.log"));
            let file = OpenOptions::new().create(true).append(true).open(&path);
            let file = file.map_err(|error| format!("cannot open {}: {error}", path.display()))?;
            self.open = Some((today, file));
        }
        self.open.as_mut().map(|(_, file)| file).ok_or_else(|| "no log file is open".to_owned())
    }

    /// Appends a line with one write, so that processes that share the file do not mix theirs.
    fn write(&mut self, now: DateTime, line: &[u8]) -> Result<(), String> {
        let written = self.of_day(now)?.write_all(line);
        written.map_err(|error| format!("cannot write to the log in {}: {error}", self.folder.display()))
    }
}

/// Logs a message under a label. `message` is asked for only when it is wanted.
fn log(cx: &mut Cx<'_>, level: Level, label: &str, message: impl FnOnce() -> Vec<u8>) {
    let Rules { level: least, verbose } = rules(cx);
    if level >= least {
        let now = date::now();
        let line = line::line(level, label, &message(), &[]);
        journal::run_later(line.len(), move || write(now, &line, verbose));
    }
}

/// Logs an event of the server to the standard error output: a label, a message for people, and details by name for
/// programs. Of the details, people see lists only.
pub fn event(level: Level, label: &str, message: &str, details: &[(&str, Value)]) {
    journal::write(&line::line(level, label, message.as_bytes(), details));
}

fn text_of(message: &Value) -> Vec<u8> {
    to_text(message).as_bytes().to_vec()
}

/// Memory of this process that is in use, in KiB; none where the system does not say.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[module(name = "log")]
pub mod builtins {
    //! Log lines.
    //!
    //! They go to the standard error output, or to a file a day in the folder that `log::configure` or the setting
    //! `LOG_DIR` names. `debug` lines are written when the setting `APP_ENV` is `development` or `APP_DEBUG` is `true`.

    use super::*;

    /// Logs what happens in normal work.
    ///
    /// ```look
    /// log::info("started")
    /// ```
    #[builtin(writes)]
    fn info(cx: &mut Cx<'_>, message: &Value) {
        log(cx, Level::Info, "INFO", || text_of(message));
    }

    /// Logs what failed.
    ///
    /// ```look
    /// log::error("no connection to the database")
    /// ```
    #[builtin(writes)]
    fn error(cx: &mut Cx<'_>, message: &Value) {
        log(cx, Level::Error, "ERROR", || text_of(message));
    }

    /// Logs what should be looked at.
    ///
    /// ```look
    /// log::warn("the disk is nearly full")
    /// ```
    #[builtin(writes)]
    fn warn(cx: &mut Cx<'_>, message: &Value) {
        log(cx, Level::Warn, "WARN", || text_of(message));
    }

    /// Logs what helps while developing; dropped otherwise.
    ///
    /// ```look
    /// log::debug(["step" => 3])
    /// ```
    #[builtin(writes)]
    fn debug(cx: &mut Cx<'_>, message: &Value) {
        log(cx, Level::Debug, "DEBUG", || text_of(message));
    }

    /// Logs a message and how much memory the process uses.
    ///
    /// ```look
    /// log::memory("after the import")
    /// ```
    #[builtin(writes)]
    fn memory(cx: &mut Cx<'_>, message: &Value) {
        log(cx, Level::Info, "MEMORY", || {
            let mut text = text_of(message);
            let resident = resident_kib().map_or_else(|| "unknown".to_owned(), |kib| format!("{} MB", kib / 1024));
            text.extend_from_slice(format!(" (resident memory: {resident})").as_bytes());
            text
        });
    }

    /// Logs a database query and how many milliseconds it took.
    ///
    /// ```look
    /// log::query("SELECT * FROM orders", 1250)
    /// ```
    #[builtin(writes)]
    fn query(cx: &mut Cx<'_>, sql: &Value, milliseconds: Number) {
        log(cx, Level::Info, "QUERY", || {
            let mut text = Vec::new();
            push_text(&mut text, &Value::from(milliseconds));
            text.extend_from_slice(b" ms: ");
            push_text(&mut text, sql);
            text
        });
    }

    /// Sets where log lines go: a folder for one file a day, or `""` for the standard error output; with `verbose` to
    /// both. Lines less important than `level` (`debug`, `info`, `warn`, `error`) are dropped.
    ///
    /// A relative folder stands beside the main script; it is made when missing.
    ///
    /// ```look
    /// log::configure("", false, "warn")
    /// ```
    #[builtin(writes)]
    fn configure(
        cx: &mut Cx<'_>,
        folder: &[u8],
        #[default = false] verbose: bool,
        #[default = b"info"] level: &[u8],
    ) -> Result<(), Thrown> {
        let Some(level) = Level::read(level) else {
            let given = vm::text::describe(&Value::str(level));
            let message = format!("log::configure(): {given} is not a level; use debug, info, warn or error");
            return Err(Thrown::error(message));
        };
        let file = if folder.is_empty() {
            None
        } else {
            let folder = folder_path(cx, folder);
            let file = helper::run(move || DailyFile::in_folder(&folder))?;
            Some(file.map_err(|problem| Thrown::error(format!("log::configure(): {problem}")))?)
        };
        *RULES.lock().unwrap_or_else(PoisonError::into_inner) = Some(Rules { level, verbose });
        journal::run_later(0, move || *FILE.lock().unwrap_or_else(PoisonError::into_inner) = file);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, call_in, error_in, isolate_in};
    use vm::Host;

    #[test]
    fn lines_go_to_the_file_of_the_day() {
        // One test, since the log belongs to the process.
        let folder = Folder::new("log");
        let mut isolate = isolate_in(Host { root: folder.path().to_owned(), ..Host::default() });
        let mut call = |name: &str, args: Vec<Value>| call_in(&mut isolate, "log", name, args).expect("no error");
        call("configure", vec![Value::str("deep/logs"), Value::FALSE, Value::str("WARN")]);
        call("info", vec![Value::str("dropped")]);
        call("memory", vec![Value::str("dropped")]);
        call("warn", vec![Value::str("kept\nhere")]);
        call("configure", vec![Value::str("deep/logs")]);
        call("debug", vec![Value::str("dropped")]);
        call("info", vec![Value::int(5)]);
        call("memory", vec![Value::str("now")]);
        call("query", vec![Value::str("SELECT 1"), Value::float(1.5)]);
        call("error", vec![Value::NULL]);
        let day = date::now().date();
        let text = std::fs::read_to_string(folder.path().join(format!("deep/logs/look-{day}.log"))).expect("a file");
        let messages: Vec<&str> = text.lines().filter_map(|line| line.split_once("] ").map(|(_, rest)| rest)).collect();
        let [warn, info, memory, query, error] = messages.as_slice() else { panic!("five lines in {text}") };
        assert_eq!([*warn, *info], ["[WARN] kept\\nhere", "[INFO] 5"]);
        assert!(memory.starts_with("[MEMORY] now (resident memory: "), "{memory}");
        assert_eq!([*query, *error], ["[QUERY] 1.5 ms: SELECT 1", "[ERROR] null"]);
        std::fs::write(folder.path().join("file"), "").expect("writes");
        let message = error_in(&mut isolate, "log", "configure", vec![Value::str("file")]);
        assert!(message.starts_with("log::configure(): cannot use "), "{message}");
        let message = error_in(&mut isolate, "log", "configure", vec![Value::str(""), Value::TRUE, Value::str("loud")]);
        let expected = "log::configure(): string \"loud\" is not a level; use debug, info, warn or error";
        assert_eq!(message, expected);
        call_in(&mut isolate, "log", "configure", vec![Value::str("")]).expect("back to the standard error output");
    }
}
