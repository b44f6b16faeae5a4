//! `response::`: what the program answers.

use crate::context::current;
use crate::reply::Kind;
use vm::{Cx, Str, Thrown, Value, text};

/// Room that a JSON answer begins with.
const JSON_BYTES: usize = 128;

/// A value as JSON.
fn json(function: &str, value: &Value) -> Result<Vec<u8>, Thrown> {
    let mut out = Vec::with_capacity(JSON_BYTES);
    stdlib::json::write(&mut out, value).map_err(|error| Thrown::error(format!("{function}(): {error}")))?;
    Ok(out)
}

/// The answer to the current request. The last body that is set is sent; without one, what the program has printed.
#[macros::module(name = "response")]
pub(crate) mod builtins {
    use super::*;

    /// Answers with a value as JSON.
    ///
    /// ```look
    /// response::json(["ok" => true], 201)
    /// ```
    #[builtin(writes)]
    fn json(cx: &mut Cx<'_>, value: &Value, code: Option<i64>) -> Result<(), Thrown> {
        let body = super::json("response::json", value)?;
        let reply = &mut current(cx, "response::json")?.reply;
        if let Some(code) = code {
            reply.set_status("response::json", code)?;
        }
        reply.set_body(Kind::Json, body);
        Ok(())
    }

    /// Answers with plain text.
    ///
    /// ```look
    /// response::text("Hello")
    /// ```
    #[builtin(writes)]
    fn text(cx: &mut Cx<'_>, text: &Value) -> Result<(), Thrown> {
        let body = text::to_text(text).as_bytes().to_vec();
        current(cx, "response::text")?.reply.set_body(Kind::Text, body);
        Ok(())
    }

    /// Answers with HTML.
    ///
    /// ```look
    /// response::html("<h1>Hello</h1>")
    /// ```
    #[builtin(writes)]
    fn html(cx: &mut Cx<'_>, html: &Value) -> Result<(), Thrown> {
        let body = text::to_text(html).as_bytes().to_vec();
        current(cx, "response::html")?.reply.set_body(Kind::Html, body);
        Ok(())
    }

    /// Sets the status, and the body if one is given.
    ///
    /// ```look
    /// response::status(404, "no such page")
    /// ```
    #[builtin(writes)]
    fn status(cx: &mut Cx<'_>, code: i64, body: Option<&Value>) -> Result<(), Thrown> {
        let reply = &mut current(cx, "response::status")?.reply;
        reply.set_status("response::status", code)?;
        if let Some(body) = body {
            reply.set_plain_body(text::to_text(body).as_bytes().to_vec());
        }
        Ok(())
    }

    /// Sets a header in place of those of the same name. The value ends at the first line break, so that nothing a client
    /// sent can add a header. Length, date and connection are set by the server itself.
    ///
    /// ```look
    /// response::header("Cache-Control", "no-store")
    /// ```
    #[builtin(writes)]
    fn header(cx: &mut Cx<'_>, name: &[u8], value: &Value) -> Result<(), Thrown> {
        let value = text::to_text(value);
        current(cx, "response::header")?.reply.set_header("response::header", name, value.as_bytes())
    }

    /// Sends the client to another address.
    ///
    /// ```look
    /// response::redirect("/login")
    /// ```
    #[builtin(writes)]
    fn redirect(cx: &mut Cx<'_>, url: &Str, #[default = 302] code: i64) -> Result<(), Thrown> {
        if !(300..=399).contains(&code) {
            return Err(Thrown::error(format!(
                "response::redirect(): {code} does not redirect; use 301, 302, 303, 307 or 308"
            )));
        }
        let reply = &mut current(cx, "response::redirect")?.reply;
        reply.set_status("response::redirect", code)?;
        reply.set_header("response::redirect", b"Location", url.as_bytes())?;
        reply.set_body(Kind::Html, "");
        Ok(())
    }

    /// Answers with an error as JSON: `{"ok":false,"error":message}`. The message may also stand before the code.
    ///
    /// ```look
    /// response::error(404, "no such user")
    /// ```
    #[builtin(writes)]
    fn error(cx: &mut Cx<'_>, code: &Value, message: Option<&Value>) -> Result<(), Thrown> {
        const NAME: &str = "response::error";
        let (code, message) = match (code.as_int(), message) {
            (Some(code), Some(message)) => (code, text::to_text(message)),
            (Some(code), None) => {
                let status = u16::try_from(code).ok().and_then(http::Status::new);
                (code, Str::from(status.map_or("", http::Status::reason)))
            }
            (None, None) => (400, text::to_text(code)),
            (None, Some(given)) => match given.as_int() {
                Some(given) => (given, text::to_text(code)),
                None => {
                    return Err(Thrown::error(format!(
                        "{NAME}(): the code must be a number, got {}",
                        text::describe(given)
                    )));
                }
            },
        };
        let parts = [("ok", Value::FALSE), ("error", Value::from(message))];
        let body: vm::Map = parts.into_iter().map(|(key, value)| (Str::from(key), value)).collect();
        let body = super::json(NAME, &Value::from(body))?;
        let reply = &mut current(cx, NAME)?.reply;
        reply.set_status(NAME, code)?;
        reply.set_body(Kind::Json, body);
        Ok(())
    }
}
