//! A failure as an HTML page. It works without scripts; the script only adds the buttons that copy.

use super::markup::Markup;
use super::preview::Preview;
use super::shell::{MARK, Shell};
use super::{Failure, Finding, Frame, curl, excerpt, secret, text, visible};

/// Style and script of the pages for developers.
pub(super) const SHELL: Shell = Shell { style: include_str!("page.css"), script: include_str!("page.js") };

/// Bytes of a message from which on it is set smaller.
const LONG_MESSAGE: usize = 140;

/// The failure as an HTML document.
pub(crate) fn html(failure: &Failure) -> String {
    let message = visible::shorten(&failure.message);
    let title: String = message.lines().next().unwrap_or_default().chars().take(100).collect();
    SHELL.document(&format!("{} {title}", failure.status.code()), |out| {
        let request = &failure.request;
        out.raw("<header class=\"top\"><div class=\"wrap\"><span class=\"brand\">").raw(MARK).raw("Gander</span>");
        out.raw("<span class=\"call\"><span class=\"chip\">").text(visible::shorten(&request.method));
        out.raw("</span><span class=\"target\">").text(visible::shorten(&secret::target(request)));
        out.raw("</span></span></div></header>\n<main class=\"wrap\">\n");
        write_hero(out, failure, message);
        if let Some(hint) = &failure.hint {
            write_hint(out, hint);
        }
        write_stack(out, failure);
        write_request(out, failure);
        if !failure.warnings.is_empty() {
            out.raw(
                "<section aria-labelledby=\"warnings\"><div class=\"bar\"><h2 id=\"warnings\">Warnings</h2></div>\n",
            );
            failure.warnings.iter().for_each(|warning| write_warning(out, warning));
            out.raw("</section>\n");
        }
        out.raw("</main>\n<footer><div class=\"wrap\"><p>Error id <code>").text(&failure.error_id);
        out.raw("</code> · Gander ").text(&failure.version);
        out.raw("</p><p>You see this page because the server runs for development. ");
        out.raw("In production a client gets the status and the error id, nothing else.</p></div></footer>\n");
    })
}

fn write_hero(out: &mut Markup, failure: &Failure, message: &str) {
    out.raw("<div class=\"hero\"><p class=\"kind\"><span class=\"chip bad\">").number(failure.status.code());
    out.raw("</span>").text(&failure.kind).raw("</p>\n");
    out.raw(if message.len() > LONG_MESSAGE { "<h1 class=\"long\">" } else { "<h1>" }).text(message).raw("</h1>\n");
    if let Some((_, frame)) = failure.main_frame() {
        out.raw("<p class=\"where\">in ").text(frame.name()).raw(" at <code>").text(&frame.place.to_string());
        out.raw("</code></p>\n");
    }
    out.raw("</div>\n");
}

/// What to do about it.
pub(super) fn write_hint(out: &mut Markup, hint: &str) {
    out.raw("<p class=\"hint\"><b>Hint</b> ").text(visible::shorten(hint)).raw("</p>\n");
}

fn write_stack(out: &mut Markup, failure: &Failure) {
    out.raw("<section aria-labelledby=\"stack\"><div class=\"bar\"><h2 id=\"stack\">Stack</h2><span class=\"note\">");
    match failure.frames.len() {
        0 => out.raw("no call of the program was running"),
        1 => out.raw("one call"),
        count => out.number(count as u64).raw(" calls, innermost first"),
    };
    out.raw(
        "</span><button type=\"button\" data-copy=\"report\" aria-live=\"polite\" hidden>Copy as text</button></div>\n",
    );
    if let Some((main, _)) = failure.main_frame() {
        out.raw("<div class=\"card\">\n");
        failure.frames.iter().enumerate().for_each(|(index, frame)| write_frame(out, frame, index == main));
        out.raw("</div>\n");
    }
    // Copied by the button; a page without scripts has no use for it.
    out.raw("<pre id=\"report\" class=\"block\" hidden>").text(&text(failure)).raw("</pre></section>\n");
}

fn write_frame(out: &mut Markup, frame: &Frame, is_open: bool) {
    out.raw(if frame.is_library { "<details class=\"library\"" } else { "<details" });
    out.raw(if is_open { " open>" } else { ">" }).raw("<summary><span class=\"fn\">").text(frame.name()).raw("</span>");
    if frame.is_library {
        out.raw("<span class=\"tag\">module</span>");
    }
    out.raw("<span class=\"at\">").text(&frame.place.to_string()).raw("</span></summary>\n");
    excerpt::write_html(out, &frame.place);
    write_table(out, "values", "Arguments of the call", frame.arguments());
    out.raw("</details>\n");
}

/// A table of names and values; nothing if there are none.
fn write_table<N: AsRef<str>, V: AsRef<str>>(
    out: &mut Markup,
    class: &'static str,
    label: &'static str,
    rows: impl Iterator<Item = (N, V)>,
) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    out.raw("<table class=\"").raw(class).raw("\" aria-label=\"").raw(label).raw("\">\n");
    for (name, value) in rows {
        out.raw("<tr><th scope=\"row\">").text(name.as_ref()).raw("</th><td>").text(value.as_ref()).raw("</td></tr>\n");
    }
    out.raw("</table>\n");
}

fn write_request(out: &mut Markup, failure: &Failure) {
    let request = &failure.request;
    out.raw("<section aria-labelledby=\"request\"><div class=\"bar\"><h2 id=\"request\">Request</h2></div>\n");
    out.raw("<div class=\"card\">\n");
    let line = format!("{} {}", request.method, secret::target(request));
    let known = [
        ("Request line", Some(&line)),
        ("Route", failure.route.as_ref()),
        ("Handler", failure.handler.as_ref()),
        ("Client", Some(&request.peer)),
    ];
    write_table(
        out,
        "",
        "Request",
        known.into_iter().filter_map(|(name, value)| Some((name, visible::shorten(value?)))),
    );
    out.raw("</div>\n");
    if !request.headers.is_empty() {
        out.raw("<h3>Headers</h3>\n<div class=\"card\">\n");
        let headers = request.headers.iter().map(|(name, value)| {
            let value = secret::header(name, value);
            (name, visible::shorten(&String::from_utf8_lossy(&value)).to_owned())
        });
        write_table(out, "", "Headers", headers);
        out.raw("</div>\n");
    }
    if !request.form.is_empty() {
        out.raw("<h3>Form</h3>\n<div class=\"card\">\n");
        write_table(out, "", "Form", request.form());
        out.raw("</div>\n");
    }
    write_body(out, failure);
    out.raw("<div class=\"bar\"><h3>Send it again</h3>");
    out.raw("<button type=\"button\" data-copy=\"curl\" aria-live=\"polite\" hidden>Copy</button></div>\n");
    out.raw("<div class=\"card\"><pre id=\"curl\" class=\"block\" tabindex=\"0\">");
    let line = curl(request);
    out.text(&line).raw("</pre></div>\n");
    if line.contains(secret::HIDDEN) {
        out.raw("<p class=\"note\">Secrets are not shown: put yours where <code>").text(secret::HIDDEN);
        out.raw("</code> stands.</p>\n");
    }
    out.raw("</section>\n");
}

fn write_body(out: &mut Markup, failure: &Failure) {
    let request = &failure.request;
    let body = secret::body(request);
    let preview = Preview::of(&body);
    if !request.form.is_empty() || matches!(preview, Preview::Empty) {
        return;
    }
    out.raw("<div class=\"bar\"><h3>Body</h3><span class=\"note\">").number(request.body_bytes).raw(" bytes");
    out.raw(if request.is_cut() { ", the first of them shown" } else { "" }).raw("</span></div>\n");
    // A line feed right behind <pre> would be dropped.
    out.raw("<div class=\"card\"><pre class=\"block\" tabindex=\"0\">\n").text(&preview.text()).raw("</pre></div>\n");
}

fn write_warning(out: &mut Markup, warning: &Finding) {
    out.raw("<div class=\"warning\"><b>").text(&warning.kind).raw("</b> ").text(visible::shorten(&warning.message));
    if let Some(place) = &warning.place {
        out.raw("<p class=\"note\"><code>").text(&place.to_string()).raw("</code></p>");
    }
    if let Some(hint) = &warning.hint {
        out.raw("<p>").text(visible::shorten(hint)).raw("</p>");
    }
    out.raw("</div>\n");
}
