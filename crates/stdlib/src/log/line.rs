//! The form of log lines: text for people, or a JSON object for programs that collect them.
//!
//! An event is one line whatever is in it, so that nobody can forge another; in the text form further lines are indented.

use super::Level;
use crate::date;
use crate::json;
use jiff::Timestamp;
use jiff::civil::DateTime;
use std::sync::atomic::{AtomicU8, Ordering};
use vm::{Map, Str, Value};

/// How lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// `[2026-06-09 14:32:01.045] [INFO] message`.
    Text,
    /// The same with a coloured level, for terminals.
    Coloured,
    /// `{"time":"2026-06-09T12:32:01.045Z","level":"info","message":"message"}`.
    Json,
}

/// Longer messages are cut.
const MAX_MESSAGE: usize = 64 << 10;

static FORMAT: AtomicU8 = AtomicU8::new(Format::Text as u8);

/// Sets how lines look from now on.
pub fn set_format(format: Format) {
    FORMAT.store(format as u8, Ordering::Relaxed);
}

/// How lines look.
#[must_use]
pub fn format() -> Format {
    match FORMAT.load(Ordering::Relaxed) {
        code if code == Format::Json as u8 => Format::Json,
        code if code == Format::Coloured as u8 => Format::Coloured,
        _ => Format::Text,
    }
}

/// A line with its end. In the text form of the details only lists are shown, an indented line for each of their texts.
pub(super) fn line(level: Level, label: &str, message: &[u8], details: &[(&str, Value)]) -> Vec<u8> {
    match format() {
        Format::Json => json_line(Timestamp::now(), level, label, message, details),
        format => {
            let mut line = text_line(date::now(), level, label, message, format == Format::Coloured);
            let lists = details.iter().filter_map(|(_, value)| value.as_list());
            for text in lists.flat_map(|list| list.iter()) {
                line.extend_from_slice(b"    ");
                push_escaped(&mut line, vm::text::to_text(text).as_bytes());
                line.push(b'\n');
            }
            line
        }
    }
}

pub(super) fn text_line(now: DateTime, level: Level, label: &str, message: &[u8], is_coloured: bool) -> Vec<u8> {
    let stamp = now.strftime("%Y-%m-%d %H:%M:%S.%3f");
    let colour = match level {
        _ if !is_coloured => "",
        Level::Error => "\x1b[31m",
        Level::Warn => "\x1b[33m",
        Level::Info | Level::Debug => "\x1b[2m",
    };
    let end = if colour.is_empty() { "" } else { "\x1b[0m" };
    let mut line = format!("[{stamp}] {colour}[{label}]{end} ").into_bytes();
    push_cut(&mut line, message);
    line.push(b'\n');
    line
}

fn json_line(now: Timestamp, level: Level, label: &str, message: &[u8], details: &[(&str, Value)]) -> Vec<u8> {
    let mut map = Map::new();
    let mut set = |key: &str, value: Value| map.insert(Str::from(key), value);
    set("time", Value::str(format!("{now:.3}")));
    set("level", Value::str(level.name()));
    let event = label.to_ascii_lowercase();
    if event != level.name() {
        set("event", Value::str(event));
    }
    if !message.is_empty() {
        let mut text = Vec::new();
        push_cut(&mut text, message);
        set("message", Value::str(text));
    }
    for (name, value) in details {
        set(name, value.clone());
    }
    let mut line = Vec::new();
    if json::write(&mut line, &Value::from(map)).is_err() {
        line = br#"{"level":"error","message":"a log line was too long"}"#.to_vec();
    }
    line.push(b'\n');
    line
}

fn push_cut(out: &mut Vec<u8>, message: &[u8]) {
    push_escaped(out, message.get(..MAX_MESSAGE).unwrap_or(message));
    if message.len() > MAX_MESSAGE {
        out.extend_from_slice(format!("… ({} bytes)", message.len()).as_bytes());
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use vm::List;

    #[test]
    fn a_message_is_one_line() {
        let now = jiff::civil::datetime(2026, 6, 9, 14, 32, 1, 45_000_000);
        let line =
            |message: &[u8]| String::from_utf8(text_line(now, Level::Info, "INFO", message, false)).expect("UTF-8");
        assert_eq!(line(b"a\tb \\ \xc3\xa7"), "[2026-06-09 14:32:01.045] [INFO] a\tb \\ ç\n");
        let forged = "x\n[2026-06-09] [ERROR] y\r\u{1b}[2J\u{85}\u{2028}\0".as_bytes();
        let expected = "x\\n[2026-06-09] [ERROR] y\\r\\u{1b}[2J\\u{85}\\u{2028}\\u{0}\n";
        assert_eq!(line(forged), format!("[2026-06-09 14:32:01.045] [INFO] {expected}"));
        assert!(line(b"a\xff\xc3").ends_with("] a\\xff\\xc3\n"));
        let long = line("ç".repeat(MAX_MESSAGE).as_bytes());
        assert!(long.ends_with("… (131072 bytes)\n") && long.len() < MAX_MESSAGE + 100);
    }

    #[test]
    fn the_level_has_a_colour_on_a_terminal() {
        let now = jiff::civil::datetime(2026, 6, 9, 14, 32, 1, 0);
        let line = text_line(now, Level::Error, "ERROR", b"a", true);
        assert_eq!(line, b"[2026-06-09 14:32:01.000] \x1b[31m[ERROR]\x1b[0m a\n");
    }

    #[test]
    fn a_json_line_has_everything_by_name() {
        let now: Timestamp = "2026-06-09T12:32:01.045Z".parse().expect("a time");
        let calls = Value::from(List::from_iter([Value::str("main (a.lk:1:1)")]));
        let line = json_line(now, Level::Error, "failure", b"no \"such\"\nthing", &[("calls", calls)]);
        let expected = r#"{"time":"2026-06-09T12:32:01.045Z","level":"error","event":"failure","message":"no \"such\"\\nthing","calls":["main (a.lk:1:1)"]}"#;
        assert_eq!(String::from_utf8_lossy(&line), format!("{expected}\n"));
        let plain = json_line(now, Level::Info, "INFO", b"x", &[]);
        assert_eq!(plain, b"{\"time\":\"2026-06-09T12:32:01.045Z\",\"level\":\"info\",\"message\":\"x\"}\n");
    }
}
