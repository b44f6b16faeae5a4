//! A failure as plain text: for a terminal, and to paste into a chat.

use super::preview::Preview;
use super::{Failure, Finding, excerpt, secret, visible};

/// The failure as text; ends with a line end.
pub(crate) fn text(failure: &Failure) -> String {
    let mut out = String::new();
    push_head(&mut out, &failure.kind, &failure.message);
    if let Some((_, frame)) = failure.main_frame() {
        push_line(&mut out, "at ", &frame.place.to_string());
        out.push('\n');
        excerpt::write_text(&mut out, &frame.place);
    }
    if let Some(hint) = &failure.hint {
        push_line(&mut out, "\nhint: ", hint);
    }
    if !failure.frames.is_empty() {
        out.push_str("\nStack, innermost call first:\n");
    }
    for frame in &failure.frames {
        push_line(&mut out, "  at ", &format!("{} ({})", frame.name(), frame.place));
        for (name, value) in frame.arguments() {
            push_line(&mut out, "       ", &format!("{name} = {value}"));
        }
    }
    push_request(&mut out, failure);
    for warning in &failure.warnings {
        out.push('\n');
        push_finding(&mut out, warning);
    }
    push_line(&mut out, "\nError id: ", &failure.error_id);
    push_line(&mut out, "Gander ", &failure.version);
    out
}

/// A finding of the compiler with its source.
pub(super) fn push_finding(out: &mut String, finding: &Finding) {
    push_head(out, &finding.kind, &finding.message);
    if let Some(place) = &finding.place {
        push_line(out, "at ", &place.to_string());
        excerpt::write_text(out, place);
    }
    if let Some(hint) = &finding.hint {
        push_line(out, "hint: ", hint);
    }
}

fn push_head(out: &mut String, kind: &str, message: &str) {
    visible::push_in_line(out, kind);
    out.push_str(": ");
    // A message may have several lines; what follows them cannot be told from the rest if they are not indented.
    visible::push(out, &visible::shorten(message).replace('\n', "\n  "));
    out.push('\n');
}

fn push_line(out: &mut String, label: &str, text: &str) {
    out.push_str(label);
    visible::push_in_line(out, visible::shorten(text));
    out.push('\n');
}

fn push_request(out: &mut String, failure: &Failure) {
    let request = &failure.request;
    push_line(out, "\nRequest: ", &format!("{} {}", request.method, secret::target(request)));
    let known = [("  route: ", &failure.route), ("  handler: ", &failure.handler)];
    for (label, value) in known {
        value.iter().for_each(|value| push_line(out, label, value));
    }
    push_line(out, "  from: ", &request.peer);
    for (name, value) in &request.headers {
        push_line(out, "  ", &format!("{name}: {}", String::from_utf8_lossy(&secret::header(name, value))));
    }
    for (name, value) in request.form() {
        push_line(out, "  form: ", &format!("{name} = {value}"));
    }
    let body = secret::body(request);
    let body = Preview::of(&body).text();
    if request.form.is_empty() && !body.is_empty() {
        push_line(out, "  body: ", &format!("{} bytes", request.body_bytes));
        body.lines().for_each(|line| push_line(out, "    ", line));
    }
}
