//! What a developer sees when a handler fails: the error, the source it happened in, the calls that led there and the
//! request, as a page, as JSON or as plain text, whichever the client reads.
//!
//! Every text of the input is taken to be hostile: it may come from the client. What is written passes [`Markup::text`],
//! the JSON writer or [`visible`], so it can neither become markup, nor drive a terminal, nor reorder a line. Values whose
//! names say that they are secret are not shown (`secret`).
//!
//! [`Markup::text`]: markup::Markup::text
//! [`visible`]: visible::push

mod curl;
mod document;
mod excerpt;
mod finding;
mod highlight;
pub(crate) mod json;
pub(crate) mod markup;
mod place;
mod preview;
mod report;
mod secret;
pub(crate) mod shell;
mod text;
mod visible;
mod wanted;

pub(crate) use curl::curl;
pub(crate) use document::html;
pub(crate) use finding::Finding;
pub(crate) use place::Place;
pub(crate) use report::json;
pub(crate) use secret::is_secret;
pub(crate) use text::text;
pub(crate) use wanted::{Page, Wanted, wanted};

use http::Status;

/// The bytes of a body that are worth giving to [`RequestShown::body`].
pub(crate) const BODY_PREVIEW: usize = 16 * 1024;

/// A handler's failure and all that is known about it.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// The status of the response.
    pub(crate) status: Status,
    /// What kind of error: `Runtime Error`, `Request Timeout`.
    pub(crate) kind: String,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// The id under which it stands in the log.
    pub(crate) error_id: String,
    /// The calls that led there, innermost first; may be empty.
    pub(crate) frames: Vec<Frame>,
    /// The request.
    pub(crate) request: RequestShown,
    /// Method and pattern of the route, if one was found.
    pub(crate) route: Option<String>,
    /// The function that handles the route.
    pub(crate) handler: Option<String>,
    /// What the compiler has warned of in the files of the frames.
    pub(crate) warnings: Vec<Finding>,
    /// The server's version.
    pub(crate) version: String,
}

/// A call that was not over when the error happened.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Name of the function; empty for the top level of a file.
    pub(crate) function: String,
    /// Names and values of its parameters, where they are known.
    pub(crate) arguments: Vec<(String, String)>,
    /// The expression that was being evaluated.
    pub(crate) place: Place,
    /// Does it belong to an installed module and not to the program itself?
    pub(crate) is_library: bool,
}

/// A request as it is shown.
#[derive(Clone, Debug)]
pub(crate) struct RequestShown {
    /// The method.
    pub(crate) method: String,
    /// The target of the request line, not decoded.
    pub(crate) target: String,
    /// The fields in the order they came.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    /// The first bytes of the body, at most [`BODY_PREVIEW`].
    pub(crate) body: Vec<u8>,
    /// How many bytes the body has.
    pub(crate) body_bytes: u64,
    /// Names and values of the fields of a form, decoded; empty if the body is no form.
    pub(crate) form: Vec<(String, String)>,
    /// Address of the client.
    pub(crate) peer: String,
    /// Host and port to repeat the request at if it names no host itself.
    pub(crate) server: String,
    /// Did it come by TLS?
    pub(crate) is_tls: bool,
}

impl RequestShown {
    /// The value of the first field of this name.
    fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_slice())
    }

    /// Names and values of the form's fields without secrets.
    fn form(&self) -> impl Iterator<Item = (&str, &str)> {
        self.form.iter().map(|(name, value)| shown_pair(name, value))
    }

    /// Does [`RequestShown::body`] hold less than the whole body?
    fn is_cut(&self) -> bool {
        (self.body.len() as u64) < self.body_bytes
    }
}

impl Frame {
    /// The name to show.
    fn name(&self) -> &str {
        if self.function.is_empty() { "top level" } else { visible::shorten(&self.function) }
    }

    /// Names and values of its parameters without secrets.
    fn arguments(&self) -> impl Iterator<Item = (&str, &str)> {
        self.arguments.iter().map(|(name, value)| shown_pair(name, value))
    }
}

/// Name and value as they are shown: a secret is not.
fn shown_pair<'t>(name: &'t str, value: &'t str) -> (&'t str, &'t str) {
    let value = if secret::is_secret(name) { secret::HIDDEN } else { visible::shorten(value) };
    (visible::shorten(name), value)
}

impl Failure {
    /// The frame to show first: the innermost one of the program itself, else the innermost.
    fn main_frame(&self) -> Option<(usize, &Frame)> {
        let mut frames = self.frames.iter().enumerate();
        frames.find(|(_, frame)| !frame.is_library).or_else(|| self.frames.first().map(|frame| (0, frame)))
    }

    /// The failure in the form the client reads.
    pub(crate) fn page(&self, wanted: Wanted) -> Page {
        let body = match wanted {
            Wanted::Html => html(self),
            Wanted::Json => json(self),
            Wanted::Text => text(self),
        };
        Page { content_type: wanted.content_type(), body }
    }
}

#[cfg(test)]
mod tests;
