//! The bodies that the server itself gives to a status: they say what a client may know, and nothing of the program.

use crate::error_page::json::Json;
use crate::error_page::shell::Shell;
use crate::error_page::{Page, Wanted};
use http::Status;

const SHELL: Shell = Shell { style: include_str!("plain_page/page.css"), script: "" };

/// What to tell a visitor, for the statuses that a visitor meets.
fn advice(status: Status) -> &'static str {
    match status {
        Status::NOT_FOUND => "There is nothing at this address.",
        Status::METHOD_NOT_ALLOWED => "This address exists, but it does not answer this kind of request.",
        Status::CONTENT_TOO_LARGE => "What you sent is larger than this site accepts.",
        Status::TOO_MANY_REQUESTS => "Too many requests came from your network. Please wait a moment and try again.",
        Status::INTERNAL_SERVER_ERROR => "Something went wrong on our side. Please try again in a moment.",
        Status::SERVICE_UNAVAILABLE => "The site cannot answer just now. Please try again in a moment.",
        _ => "This request could not be answered.",
    }
}

/// The body for a status. An error id is told where there is one: it says nothing by itself, and finds the entry in the log.
///
/// The body for 404 is the text `404 Not Found` whatever the client reads: programs rely on it.
pub(crate) fn status_page(status: Status, error_id: Option<&str>, wanted: Wanted) -> Page {
    let wanted = if status == Status::NOT_FOUND { Wanted::Text } else { wanted };
    let body = match wanted {
        Wanted::Html => html(status, error_id),
        Wanted::Json => json(status, error_id),
        Wanted::Text => text(status, error_id),
    };
    Page { content_type: wanted.content_type(), body }
}

/// The name of a status.
fn reason(status: Status) -> &'static str {
    if status.reason().is_empty() { "Error" } else { status.reason() }
}

fn text(status: Status, error_id: Option<&str>) -> String {
    let line = format!("{} {}", status.code(), reason(status));
    match error_id {
        Some(id) => format!("{line}\n\nError id: {id}\n"),
        None => line,
    }
}

fn json(status: Status, error_id: Option<&str>) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("error").string(reason(status)).key("code").number(status.code());
        if let Some(id) = error_id {
            json.key("id").string(id);
        }
    });
    json.into_string()
}

fn html(status: Status, error_id: Option<&str>) -> String {
    SHELL.document(&format!("{} {}", status.code(), reason(status)), |out| {
        out.raw("<main>\n<p class=\"code\">").number(status.code()).raw("</p>\n<h1>").raw(reason(status));
        out.raw("</h1>\n<p>").raw(advice(status)).raw("</p>\n");
        if let Some(id) = error_id {
            out.raw("<p class=\"id\">If you report this, please mention the error id <code>").text(id);
            out.raw("</code>.</p>\n");
        }
        out.raw("</main>\n");
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Wanted; 3] = [Wanted::Html, Wanted::Json, Wanted::Text];

    #[test]
    fn not_found_is_the_same_text_for_every_client() {
        for wanted in ALL {
            let page = status_page(Status::NOT_FOUND, None, wanted);
            assert_eq!((page.content_type, page.body.as_str()), ("text/plain; charset=utf-8", "404 Not Found"));
        }
    }

    #[test]
    fn text_names_the_status_and_the_error_id() {
        let body = |status, id| status_page(status, id, Wanted::Text).body;
        assert_eq!(body(Status::METHOD_NOT_ALLOWED, None), "405 Method Not Allowed");
        assert_eq!(body(Status::SERVICE_UNAVAILABLE, None), "503 Service Unavailable");
        assert_eq!(body(Status::INTERNAL_SERVER_ERROR, Some("1f")), "500 Internal Server Error\n\nError id: 1f\n");
    }

    #[test]
    fn json_has_the_keys_of_all_error_bodies() {
        let page = status_page(Status::INTERNAL_SERVER_ERROR, Some("1f"), Wanted::Json);
        assert_eq!(page.content_type, "application/json; charset=utf-8");
        assert_eq!(page.body, r#"{"error":"Internal Server Error","code":500,"id":"1f"}"#);
        let page = status_page(Status::SERVICE_UNAVAILABLE, None, Wanted::Json);
        assert_eq!(page.body, r#"{"error":"Service Unavailable","code":503}"#);
    }

    #[test]
    fn html_is_whole_and_loads_nothing() {
        let page = status_page(Status::INTERNAL_SERVER_ERROR, Some("<b>&\"id"), Wanted::Html);
        assert!(page.body.starts_with("<!DOCTYPE html>") && page.body.ends_with("</html>\n"));
        assert!(page.body.contains("&lt;b&gt;&amp;&quot;id") && !page.body.contains("<b>"));
        assert!(!page.body.contains("http://") && !page.body.contains("https://") && !page.body.contains("url("));
    }

    #[test]
    fn a_status_without_a_name_has_a_body_too() {
        for code in 200..=599 {
            let Some(status) = Status::new(code) else { continue };
            for wanted in ALL {
                assert!(!status_page(status, None, wanted).body.is_empty());
            }
        }
        let nameless = Status::new(599).map(|status| status_page(status, None, Wanted::Text).body);
        assert_eq!(nameless.as_deref(), Some("599 Error"));
    }
}
