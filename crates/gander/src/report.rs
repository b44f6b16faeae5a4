//! What a person sees when something goes wrong.

use source::{Diagnostic, Label, Severity, SourceMap, Style, render};
use std::io::IsTerminal;
use vm::{Thrown, ThrownKind, TraceEntry, Value, View, text};

/// How to write to standard error.
pub(crate) fn stderr_style() -> Style {
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() { Style::Colour } else { Style::Plain }
}

/// Prints diagnostics to standard error.
pub(crate) fn print_diagnostics<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>, sources: &SourceMap) {
    for diagnostic in diagnostics {
        eprint!("{}", render(diagnostic, sources, stderr_style()));
    }
}

/// The message of a thrown value: itself if it is text, `Type: message` if it was made by `error::new`.
pub fn error_message(value: &Value) -> String {
    if let View::Map(map) = value.view()
        && let (Some(ty), Some(message)) = (map.get(b"type"), map.get(b"message"))
    {
        return format!("{}: {}", text::to_text(ty).to_str_lossy(), text::to_text(message).to_str_lossy());
    }
    text::to_text(value).to_str_lossy().into_owned()
}

/// The report of an uncaught error: the message, the place, the calls that led there. Where the compiler has warned of the
/// place, its hint is shown too.
pub fn runtime_error(
    value: &Value,
    trace: &[TraceEntry],
    sources: &SourceMap,
    warnings: &[Diagnostic],
    style: Style,
) -> String {
    let warned = warnings.iter().find(|warning| {
        let place = warning.labels.first().map(|label| (label.source, label.span.start));
        place.is_some() && place == trace.first().map(|entry| (entry.source, entry.span.start))
    });
    let label = trace.first().map(|entry| Label { source: entry.source, span: entry.span, text: String::new() });
    let diagnostic = Diagnostic {
        severity: Severity::Error,
        kind: "Runtime Error",
        code: "",
        message: error_message(value),
        labels: label.into_iter().collect(),
        hint: warned.and_then(|warning| warning.hint.clone()),
    };
    let mut out = render(&diagnostic, sources, style);
    out.push_str("Stack trace:\n");
    for entry in trace {
        let source = sources.get(entry.source);
        let at = source.location(entry.span.start);
        let name = if entry.function.is_empty() { "top level" } else { &entry.function };
        out.push_str(&format!("  at {name} ({}:{}:{})\n", source.name(), at.line, at.column));
    }
    out
}

/// The exit code that a program's end asks for; prints an uncaught error.
pub fn exit_code(result: Result<(), Thrown>, sources: &SourceMap, warnings: &[Diagnostic]) -> u8 {
    match result.map_err(Thrown::into_kind) {
        Ok(()) | Err(ThrownKind::Stop) => 0,
        Err(ThrownKind::Exit(code)) => code as u8,
        Err(ThrownKind::Value { value, trace }) => {
            eprint!("{}", runtime_error(&value, &trace, sources, warnings, stderr_style()));
            1
        }
    }
}
