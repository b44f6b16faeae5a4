//! Log lines, to the standard error output or to one file a day.
//!
//! Where they go is a matter of the whole process, not of one program thread. A message is one line whatever is in it,
//! so that nobody can forge another.

use crate::date;
use crate::env;
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
enum Level {
    Debug,
    Info,
    Warn,
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
}

/// Longer messages are cut.
const MAX_MESSAGE: usize = 64 << 10;

#[derive(Debug)]
struct Log {
    /// Lines below this are dropped.
    level: Level,
    /// True to write to the standard error output beside a file.
    verbose: bool,
    target: Target,
}

#[derive(Debug)]
enum Target {
    StandardError,
    Files(DailyFile),
}

/// The log; made from the environment when first used.
static LOG: Mutex<Option<Log>> = Mutex::new(None);

impl Log {
    fn from_environment(cx: &mut Cx<'_>) -> Self {
        let mut setting = |name: &[u8]| env::lookup(cx, name).ok().flatten();
        let development = setting(b"APP_ENV").is_some_and(|value| value == b"development");
        let debug = development || setting(b"APP_DEBUG").is_some_and(|value| value == b"true");
        let folder = setting(b"LOG_DIR").filter(|folder| !folder.is_empty());
        let target = match folder.map(|folder| DailyFile::in_folder(&folder_path(cx, &folder))) {
            None => Target::StandardError,
            Some(Ok(file)) => Target::Files(file),
            Some(Err(problem)) => {
                to_standard_error(format!("log: {problem} (from LOG_DIR); writing here instead\n").as_bytes());
                Target::StandardError
            }
        };
        Self { level: if debug { Level::Debug } else { Level::Info }, verbose: debug, target }
    }

    fn write(&mut self, now: DateTime, line: &[u8]) {
        let in_file = match &mut self.target {
            Target::StandardError => false,
            Target::Files(file) => match file.write(now, line) {
                Ok(()) => true,
                Err(problem) => {
                    to_standard_error(format!("log: {problem}; writing here instead\n").as_bytes());
                    false
                }
            },
        };
        if !in_file || self.verbose {
            to_standard_error(line);
        }
    }
}

fn to_standard_error(line: &[u8]) {
    // There is nowhere left to report a failure to.
    let _lost_when_closed = std::io::stderr().lock().write_all(line);
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

/// Runs `work` on the log. Another thread's panic in the middle of a line leaves it usable.
fn with_log<T>(cx: &mut Cx<'_>, work: impl FnOnce(&mut Log) -> T) -> T {
    let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
    work(log.get_or_insert_with(|| Log::from_environment(cx)))
}

/// Logs a message under a label. `message` is asked for only when it is wanted.
fn log(cx: &mut Cx<'_>, level: Level, label: &str, message: impl FnOnce() -> Vec<u8>) {
    with_log(cx, |log| {
        if level >= log.level {
            let now = date::now();
            log.write(now, &line(now, label, &message()));
        }
    });
}

fn line(now: DateTime, label: &str, message: &[u8]) -> Vec<u8> {
    let stamp = now.strftime("%Y-%m-%d %H:%M:%S.%3f");
    let mut line = format!("[{stamp}] [{label}] ").into_bytes();
    push_escaped(&mut line, message.get(..MAX_MESSAGE).unwrap_or(message));
    if message.len() > MAX_MESSAGE {
        line.extend_from_slice(format!("… ({} bytes)", message.len()).as_bytes());
    }
    line.push(b'\n');
    line
}

/// Appends text as one line: line breaks and other control characters are written as escapes.
fn push_escaped(out: &mut Vec<u8>, text: &[u8]) {
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\t' || !(c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                out.extend(c.escape_default().map(|c| c as u8));
            }
        }
        out.extend(chunk.invalid().iter().flat_map(|byte| std::ascii::escape_default(*byte)));
    }
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
        let target = if folder.is_empty() {
            Target::StandardError
        } else {
            let file = DailyFile::in_folder(&folder_path(cx, folder));
            Target::Files(file.map_err(|problem| Thrown::error(format!("log::configure(): {problem}")))?)
        };
        with_log(cx, |log| *log = Log { level, verbose, target });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, call_in, error_in, isolate_in};
    use vm::Host;

    #[test]
    fn a_message_is_one_line() {
        let now = jiff::civil::datetime(2026, 6, 9, 14, 32, 1, 45_000_000);
        let line = |message: &[u8]| String::from_utf8(line(now, "INFO", message)).expect("UTF-8");
        assert_eq!(line(b"a\tb \\ \xc3\xa7"), "[2026-06-09 14:32:01.045] [INFO] a\tb \\ ç\n");
        let forged = "x\n[2026-06-09] [ERROR] y\r\u{1b}[2J\u{85}\u{2028}\0".as_bytes();
        let expected = "x\\n[2026-06-09] [ERROR] y\\r\\u{1b}[2J\\u{85}\\u{2028}\\u{0}\n";
        assert_eq!(line(forged), format!("[2026-06-09 14:32:01.045] [INFO] {expected}"));
        assert!(line(b"a\xff\xc3").ends_with("] a\\xff\\xc3\n"));
        let long = line("ç".repeat(MAX_MESSAGE).as_bytes());
        assert!(long.ends_with("… (131072 bytes)\n") && long.len() < MAX_MESSAGE + 100);
    }

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
