//! The language itself as a library.

use crate::helper;
use macros::module;
use vm::{Cx, Map, Str, SyntaxIssue, Thrown, Value};

#[module(name = "look")]
pub mod builtins {
    //! The language itself.

    use super::*;

    /// Checks a program without running it: its syntax, and that the functions it calls exist.
    ///
    /// Gives `ok`, and for the first error its `line` and `col` (both from 1) and what is wrong as `msg`; these are 0,
    /// 0 and `OK` when there is none.
    ///
    /// ```look
    /// $result = look::check("print(1")
    /// print($result["ok"], $result["line"])   // false 1
    /// ```
    #[builtin(waits)]
    fn check(cx: &mut Cx<'_>, source: &Str) -> Result<Map, Thrown> {
        let Some(check) = cx.host().check_syntax else {
            return Err(Thrown::error("look::check(): this program was started without a parser"));
        };
        let issue = match std::str::from_utf8(source.as_bytes()) {
            Ok(source) => {
                let source = source.to_owned();
                helper::run_deep(move || check(&source))?
            }
            Err(error) => Some(not_utf8(source.as_bytes().get(..error.valid_up_to()).unwrap_or_default())),
        };
        let ok = issue.is_none();
        let issue = issue.unwrap_or(SyntaxIssue { line: 0, column: 0, message: "OK".to_owned() });
        let entries = [
            ("ok", Value::bool(ok)),
            ("line", Value::int(i64::from(issue.line))),
            ("col", Value::int(i64::from(issue.column))),
            ("msg", Value::str(issue.message)),
        ];
        Ok(entries.into_iter().map(|(name, value)| (Str::from(name), value)).collect())
    }
}

/// The issue of a text that is UTF-8 up to here.
fn not_utf8(before: &[u8]) -> SyntaxIssue {
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    let column = vm::text::char_count(before.get(line_start..).unwrap_or_default());
    let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    SyntaxIssue { line: number(lines), column: number(column), message: "the text is not UTF-8".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{error, isolate_in, text_in};
    use vm::Host;

    #[test]
    fn the_parser_is_asked() {
        fn parser(source: &str) -> Option<SyntaxIssue> {
            (source != "good").then(|| SyntaxIssue { line: 3, column: 4, message: "bad".to_owned() })
        }
        let mut isolate = isolate_in(Host { check_syntax: Some(parser), ..Host::default() });
        let mut check = |source: &[u8]| text_in(&mut isolate, "look", "check", vec![Value::str(source)]);
        assert_eq!(check(b"good"), "[ok => true, line => 0, col => 0, msg => OK]");
        assert_eq!(check(b"anything"), "[ok => false, line => 3, col => 4, msg => bad]");
        assert_eq!(check(b"x\n\xc3\xa9\xff"), "[ok => false, line => 2, col => 2, msg => the text is not UTF-8]");
        let message = error("look", "check", vec![Value::str("good")]);
        assert_eq!(message, "look::check(): this program was started without a parser");
    }
}
