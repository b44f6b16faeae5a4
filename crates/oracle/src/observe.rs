//! Running a program to see what it does.

use crate::evaluate::{Limits, run};
use crate::load::load;
use std::path::Path;
use std::sync::Arc;
use vm::text::to_text;
use vm::{Host, Isolate, Output, Registry, Thrown, ThrownKind};

/// Runs a program of one file and gives its output and its end, as [`end_of`] tells it; `refused: ` and the first message
/// for a program that does not start. The thread needs a stack for [`Limits::default`].
pub fn observe(main: &Path, text: &str, registry: Arc<Registry>) -> (String, String) {
    let alone = |_: &Path| Err("there are no other files".to_owned());
    let program = match load(main, text, &alone, registry.signatures()) {
        Ok(program) => program,
        Err(refused) => {
            let place = |error: &&source::Diagnostic| error.labels.first().map(|label| label.span.start);
            let first = refused.errors.iter().min_by_key(place).map_or("", |error| &error.message);
            return (String::new(), format!("refused: {first}"));
        }
    };
    let host = Host { script: main.display().to_string(), ..Host::default() };
    let mut isolate = Isolate::new(registry, Arc::new(host), Output::kept());
    let end = end_of(run(program, &mut isolate, Limits::default()));
    let output = String::from_utf8_lossy(&isolate.output().take()).into_owned();
    (output, end)
}

/// How a program ended: empty for its normal end, `exit N`, `stop`, or `threw: ` and the text of what it threw.
pub fn end_of(result: Result<(), Thrown>) -> String {
    match result.map_err(Thrown::into_kind) {
        Ok(()) => String::new(),
        Err(ThrownKind::Exit(code)) => format!("exit {code}"),
        Err(ThrownKind::Stop) => "stop".to_owned(),
        Err(ThrownKind::Value { value, .. }) => format!("threw: {}", to_text(&value).to_str_lossy()),
    }
}
