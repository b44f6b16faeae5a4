//! Errors that no part of the program caught: what the client sees of them, and the log.

mod shown;
mod value;

use crate::answer::{Cause, Failure};
use crate::application::Application;
use crate::context::Context;
use crate::reply::Mark;
use crate::rules::Rules;
use crate::{error_page, plain_page};
use http::Status;
use vm::{TraceEntry, Value, View, text};

/// A new error id: short enough to be read out, long enough to be found in a log.
pub(crate) fn new_id() -> String {
    format!("{:08x}", fastrand::u32(..))
}

/// The message of a thrown value: itself if it is text, `Type: message` if it was made by `error::new`.
#[must_use]
pub fn error_message(value: &Value) -> String {
    if let View::Map(map) = value.view()
        && let (Some(ty), Some(message)) = (map.get(b"type"), map.get(b"message"))
    {
        return format!("{}: {}", text::to_text(ty).to_str_lossy(), text::to_text(message).to_str_lossy());
    }
    text::to_text(value).to_str_lossy().into_owned()
}

impl Failure {
    /// The status of its response, unless the program has set another.
    pub(crate) fn status(&self) -> Status {
        match self.cause {
            Cause::Thrown(_) | Cause::Memory => Status::INTERNAL_SERVER_ERROR,
            Cause::Timeout | Cause::Abandoned => Status::SERVICE_UNAVAILABLE,
        }
    }

    /// What happened, in a sentence for the log and for developers.
    pub(crate) fn message(&self) -> String {
        match &self.cause {
            Cause::Thrown(value) => error_message(value),
            Cause::Timeout => "the request took longer than a request may (--request-timeout)".to_owned(),
            Cause::Abandoned => "the client has closed its side, and the request took longer than is worth while then \
                                 (--half-close-timeout)"
                .to_owned(),
            Cause::Memory => "the request took more memory than a request may (--request-memory)".to_owned(),
        }
    }
}

/// Makes the failure the answer: what the handler had set and printed is dropped, what filters had set stays.
pub(crate) fn describe(context: &mut Context, failure: &Failure, mark: Option<Mark>, rules: &Rules) {
    let reply = &mut context.reply;
    reply.go_back(mark);
    if reply.status == Status::OK || !matches!(failure.cause, Cause::Thrown(_)) {
        reply.status = failure.status();
    }
    let status = reply.status;
    let wanted = error_page::wanted(|name| context.header(name));
    let page = if rules.dev {
        shown::shown(context, failure, status).page(wanted)
    } else {
        plain_page::status_page(status, Some(&failure.id), wanted)
    };
    context.reply.set_page(page);
}

/// What stands in the log of a failure.
#[derive(Debug)]
pub(crate) struct Incident {
    /// Stands in the response too.
    pub(crate) id: String,
    pub(crate) status: Status,
    pub(crate) message: String,
    /// The calls that led there, innermost first: `function (file:line:column)`.
    pub(crate) calls: Vec<String>,
}

impl Incident {
    /// What is worth keeping of a failure once it has been answered.
    pub(crate) fn of(failure: &Failure, status: Status, application: &Application) -> Self {
        let call = |entry: &TraceEntry| {
            let source = application.sources.get(entry.source);
            let at = source.location(entry.span.start);
            let name = if entry.function.is_empty() { "top level" } else { &entry.function };
            format!("{name} ({}:{}:{})", source.name(), at.line, at.column)
        };
        let calls = failure.trace.iter().map(call).collect();
        Self { id: failure.id.clone(), status, message: failure.message(), calls }
    }
}
