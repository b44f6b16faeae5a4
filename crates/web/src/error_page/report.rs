//! A failure as JSON. `error` and `code` come first: they are the keys of all error bodies of the server.

use super::json::Json;
use super::preview::Preview;
use super::{Failure, Finding, Place, RequestShown, curl, secret, visible};

/// The failure as one JSON object.
pub(crate) fn json(failure: &Failure) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("error").string(visible::shorten(&failure.message));
        json.key("code").number(failure.status.code());
        json.key("id").string(&failure.error_id);
        json.key("kind").string(&failure.kind);
        json.key("hint").optional(failure.hint.as_deref());
        if let Some((_, frame)) = failure.main_frame() {
            write_position(json, &frame.place);
        }
        json.key("route").optional(failure.route.as_deref());
        json.key("handler").optional(failure.handler.as_deref());
        json.key("frames").array(|json| {
            failure.frames.iter().for_each(|frame| {
                json.object(|json| {
                    json.key("function").string(frame.name());
                    json.key("arguments").array(|json| frame.arguments().for_each(|pair| write_pair(json, pair)));
                    json.key("library").boolean(frame.is_library);
                    write_position(json, &frame.place);
                    write_excerpt(json, &frame.place);
                });
            })
        });
        json.key("request");
        write_request(json, &failure.request);
        json.key("warnings").array(|json| failure.warnings.iter().for_each(|finding| write_finding(json, finding)));
        json.key("version").string(&failure.version);
    });
    json.into_string()
}

/// A finding of the compiler as an object.
pub(super) fn write_finding(json: &mut Json, finding: &Finding) {
    json.object(|json| {
        json.key("kind").string(&finding.kind);
        json.key("message").string(visible::shorten(&finding.message));
        json.key("hint").optional(finding.hint.as_deref());
        if let Some(place) = &finding.place {
            write_position(json, place);
            write_excerpt(json, place);
        }
    });
}

fn write_position(json: &mut Json, place: &Place) {
    json.key("file").string(&place.file);
    json.key("line").number(place.line);
    json.key("column").number(place.column);
    json.key("end_column").number(place.end_column);
}

fn write_excerpt(json: &mut Json, place: &Place) {
    json.key("excerpt").array(|json| {
        place.excerpt.iter().for_each(|(line, text)| {
            json.object(|json| {
                json.key("line").number(*line).key("text").string(visible::shorten(text));
            });
        })
    });
}

fn write_pair(json: &mut Json, (name, value): (&str, &str)) {
    json.object(|json| {
        json.key("name").string(name).key("value").string(value);
    });
}

fn write_request(json: &mut Json, request: &RequestShown) {
    json.object(|json| {
        json.key("method").string(&request.method);
        json.key("target").string(&secret::target(request));
        json.key("peer").string(&request.peer);
        json.key("headers").array(|json| {
            request.headers.iter().for_each(|(name, value)| {
                write_pair(json, (name, &String::from_utf8_lossy(&secret::header(name, value))));
            })
        });
        json.key("form").array(|json| request.form().for_each(|pair| write_pair(json, pair)));
        let body = secret::body(request);
        json.key("body").string(&Preview::of(&body).text());
        json.key("body_bytes").number(request.body_bytes);
        json.key("curl").string(&curl(request));
    });
}
