//! A failure with all that a developer wants to see of it.

use super::value;
use crate::answer::{Cause, Failure};
use crate::application::Application;
use crate::context::Context;
use crate::error_page::{self, BODY_PREVIEW, Finding, Frame, Place, RequestShown};
use http::{Body, Status};
use vm::TraceEntry;

/// The name of the server as the page tells it.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Everything about a failure. May wait for the disk, to show the body.
pub(super) fn shown(context: &Context, failure: &Failure, status: Status) -> error_page::Failure {
    let application = &context.application;
    let route = context.route.and_then(|at| application.routes.get(at as usize));
    let (warnings, hint) = findings(application, failure);
    error_page::Failure {
        status,
        kind: match failure.cause {
            Cause::Thrown(_) => "Runtime Error".to_owned(),
            Cause::Timeout | Cause::Abandoned => "Request Timeout".to_owned(),
            Cause::Memory => "Out of Memory".to_owned(),
        },
        message: failure.message(),
        hint,
        error_id: failure.id.clone(),
        frames: failure.trace.iter().map(|entry| frame(application, entry)).collect(),
        request: request(context),
        route: route.map(|route| format!("{} {}", route.method, route.pattern)),
        handler: None,
        warnings,
        version: VERSION.to_owned(),
    }
}

fn frame(application: &Application, entry: &TraceEntry) -> Frame {
    let arguments = entry.arguments.iter().map(|(name, argument)| (name.clone(), value::shown(argument)));
    Frame {
        function: entry.function.clone(),
        arguments: arguments.collect(),
        place: Place::of(application.sources.get(entry.source), entry.span),
        is_library: false,
    }
}

/// What the compiler has warned of in the files of the trace, and the hint of the warning at the place itself.
fn findings(application: &Application, failure: &Failure) -> (Vec<Finding>, Option<String>) {
    let place = failure.trace.first().map(|entry| (entry.source, entry.span.start));
    let mut hint = match failure.cause {
        Cause::Thrown(_) => None,
        Cause::Timeout => Some("A longer time can be given with --request-timeout.".to_owned()),
        Cause::Abandoned => Some("A longer time can be given with --half-close-timeout.".to_owned()),
        Cause::Memory => Some("More memory can be given with --request-memory.".to_owned()),
    };
    let mut shown = Vec::new();
    for warning in application.warnings.iter() {
        let Some(label) = warning.labels.first() else { continue };
        if Some((label.source, label.span.start)) == place {
            hint = warning.hint.clone().or(hint);
        }
        if failure.trace.iter().any(|entry| entry.source == label.source) {
            shown.push(Finding::of(warning, &application.sources));
        }
    }
    (shown, hint)
}

fn request(context: &Context) -> RequestShown {
    let request = context.request.as_ref();
    let headers = request.into_iter().flat_map(http::Request::headers);
    let (body, body_bytes) = request.map(|request| preview(request.body())).unwrap_or_default();
    let form = context.form.iter().flat_map(|form| form.fields.iter());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    RequestShown {
        method: context.method().to_owned(),
        target: request.map_or("/", http::Request::target).to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_vec())).collect(),
        body,
        body_bytes,
        form: form.map(|(name, value)| (text(name), text(value))).collect(),
        peer: context.client_address().to_string(),
        server: "localhost".to_owned(),
        is_tls: false,
    }
}

/// The first bytes of a body and its length.
fn preview(body: Body<'_>) -> (Vec<u8>, u64) {
    match body {
        Body::Memory(bytes) => {
            let first = bytes.get(..BODY_PREVIEW).unwrap_or(bytes);
            (first.to_vec(), bytes.len() as u64)
        }
        Body::File(file, length) => {
            let file = file.try_clone();
            let read = stdlib::helper::run(move || -> std::io::Result<Vec<u8>> {
                use std::os::unix::fs::FileExt;
                let mut bytes = vec![0; BODY_PREVIEW];
                let count = file?.read_at(&mut bytes, 0)?;
                bytes.truncate(count);
                Ok(bytes)
            });
            (read.ok().and_then(Result::ok).unwrap_or_default(), length)
        }
    }
}
