//! One renderer for diagnostics: colour, plain, JSON.

use crate::{Diagnostic, Label, Severity, SourceMap};

/// How to write for the place the text goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// For a pipe or a file.
    Plain,
    /// For a terminal: ANSI colours.
    Colour,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

/// Renders a diagnostic with its source lines and carets. Ends with a newline.
///
/// The first lines keep the form that programs match on: `Parse Error: …`, `File: …`, `Line: L, Column: C`.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    let colour = match diagnostic.severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
    };
    let code = if diagnostic.code.is_empty() { String::new() } else { format!(" [{}]", diagnostic.code) };
    let head = style.paint(colour, &format!("{}:", diagnostic.kind));
    let mut out = format!("{head} {}{code}\n", diagnostic.message);
    for (index, label) in diagnostic.labels.iter().enumerate() {
        let source = sources.get(label.source);
        let at = source.location(label.span.start);
        if index == 0 {
            out.push_str(&format!("File: {}\nLine: {}, Column: {}\n", source.name(), at.line, at.column));
        } else {
            out.push_str(&format!("{} {}:{}:{}\n", style.paint("1;34", "see"), source.name(), at.line, at.column));
        }
        out.push_str(&excerpt(label, sources, style, colour));
    }
    if let Some(hint) = &diagnostic.hint {
        out.push_str(&format!("{} {hint}\n", style.paint("1;36", "hint:")));
    }
    out
}

/// The line of a label with a caret line below it. Long lines are cut to a window around the place.
fn excerpt(label: &Label, sources: &SourceMap, style: Style, colour: &str) -> String {
    const WINDOW: usize = 100;
    let source = sources.get(label.source);
    let at = source.location(label.span.start);
    let line: Vec<char> = source.line_text(at.line).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let column = (at.column as usize - 1).min(line.len());
    let first = column.saturating_sub(WINDOW - 20);
    let shown: String = line.iter().skip(first).take(WINDOW).collect();
    let width = source.slice(label.span).lines().next().unwrap_or("").chars().count();
    let carets = width.clamp(1, (WINDOW + first).saturating_sub(column).max(1)).min((line.len() - column).max(1));
    let number = at.line.to_string();
    let gutter = " ".repeat(number.len());
    let bar = style.paint("1;34", "|");
    let marks = style.paint(colour, &"^".repeat(carets));
    let text = if label.text.is_empty() { String::new() } else { format!(" {}", style.paint(colour, &label.text)) };
    format!(
        "{gutter} {bar}\n{} {bar} {}\n{gutter} {bar} {}{marks}{text}\n",
        style.paint("1;34", &number),
        shown.trim_end(),
        " ".repeat(column - first),
    )
}

/// Renders a diagnostic as one JSON object on one line, without a newline.
pub fn render_json(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    let mut out = String::from("{\"severity\":");
    push_string(&mut out, if diagnostic.is_error() { "error" } else { "warning" });
    out.push_str(",\"kind\":");
    push_string(&mut out, diagnostic.kind);
    out.push_str(",\"code\":");
    push_string(&mut out, diagnostic.code);
    out.push_str(",\"message\":");
    push_string(&mut out, &diagnostic.message);
    if let Some(label) = diagnostic.labels.first() {
        let source = sources.get(label.source);
        let start = source.location(label.span.start);
        let end = source.location(label.span.end);
        out.push_str(",\"file\":");
        push_string(&mut out, source.name());
        out.push_str(&format!(
            ",\"line\":{},\"column\":{},\"end_line\":{},\"end_column\":{}",
            start.line, start.column, end.line, end.column
        ));
    }
    if let Some(hint) = &diagnostic.hint {
        out.push_str(",\"hint\":");
        push_string(&mut out, hint);
    }
    out.push('}');
    out
}

fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, Span};

    fn example() -> (SourceMap, Diagnostic) {
        let mut sources = SourceMap::new();
        let id = sources.add(Source::new("a.lk", "$x = 1\n\tprint($usr)\n"));
        let diagnostic =
            Diagnostic::parse_error(id, Span::new(14, 18), "Undefined variable: $usr").with_hint("did you mean $user?");
        (sources, diagnostic)
    }

    #[test]
    fn plain_shows_place_line_and_caret() {
        let (sources, diagnostic) = example();
        let expected = "Parse Error: Undefined variable: $usr\nFile: a.lk\nLine: 2, Column: 8\n  |\n2 |  print($usr)\n  |        ^^^^\nhint: did you mean $user?\n";
        assert_eq!(render(&diagnostic, &sources, Style::Plain), expected);
    }

    #[test]
    fn colour_only_adds_escapes() {
        let (sources, diagnostic) = example();
        let coloured = render(&diagnostic, &sources, Style::Colour);
        let mut plain = String::new();
        let mut skip = false;
        for c in coloured.chars() {
            match (skip, c) {
                (false, '\x1b') => skip = true,
                (false, c) => plain.push(c),
                (true, 'm') => skip = false,
                (true, _) => {}
            }
        }
        assert_eq!(plain, render(&diagnostic, &sources, Style::Plain));
        assert!(coloured.contains("\x1b["));
    }

    #[test]
    fn json_is_one_line() {
        let (sources, diagnostic) = example();
        assert_eq!(
            render_json(&diagnostic, &sources),
            r#"{"severity":"error","kind":"Parse Error","code":"","message":"Undefined variable: $usr","file":"a.lk","line":2,"column":8,"end_line":2,"end_column":12,"hint":"did you mean $user?"}"#
        );
    }

    #[test]
    fn a_place_past_the_end_does_not_panic() {
        let mut sources = SourceMap::new();
        let id = sources.add(Source::new("a.lk", "x"));
        let diagnostic = Diagnostic::parse_error(id, Span::new(50, 60), "m");
        assert!(render(&diagnostic, &sources, Style::Plain).contains("Line: 1"));
    }
}
