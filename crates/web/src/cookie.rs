//! `cookie::`: what the browser keeps for the program.

use crate::context::current;
use crate::cookies::{self, Options, SameSite};
use std::time::SystemTime;
use vm::{Cx, Map, Str, Thrown, Value, View, text};

/// The options of a call by name, before they are checked together.
struct Written {
    seconds: i64,
    path: Str,
    domain: Option<Str>,
    http_only: bool,
    secure: bool,
    same_site: Option<SameSite>,
}

impl Written {
    fn new() -> Self {
        let Options { seconds, path, http_only, secure, same_site, .. } = Options::default();
        Self { seconds, path: Str::new(path), domain: None, http_only, secure, same_site }
    }

    /// Reads a map of options.
    fn read(function: &str, map: &Map) -> Result<Self, Thrown> {
        let mut written = Self::new();
        for (key, value) in map.iter() {
            let shown = key.to_str_lossy();
            let wrong = |wanted: &str| {
                Thrown::error(format!("{function}(): option {shown} must be {wanted}, got {}", text::describe(value)))
            };
            let flag = || match value.view() {
                View::Bool(flag) => Ok(flag),
                _ => Err(wrong("true or false")),
            };
            let word = || value.as_str().cloned().ok_or_else(|| wrong("text"));
            match key.as_bytes().to_ascii_lowercase().as_slice() {
                b"ttl" | b"seconds" | b"max_age" => {
                    written.seconds = value.as_int().ok_or_else(|| wrong("a number of seconds"))?;
                }
                b"path" => written.path = word()?,
                b"domain" => written.domain = Some(word()?),
                b"httponly" | b"http_only" => written.http_only = flag()?,
                b"secure" => written.secure = flag()?,
                b"samesite" | b"same_site" => {
                    let mode = SameSite::from_name(word()?.as_bytes());
                    written.same_site = Some(mode.map_err(|error| Thrown::error(format!("{function}(): {error}")))?);
                }
                _ => {
                    return Err(Thrown::error(format!(
                        "{function}(): there is no option {shown}; use ttl, path, domain, httponly, secure or samesite"
                    )));
                }
            }
        }
        Ok(written)
    }

    fn options(&self) -> Options<'_> {
        Options {
            seconds: self.seconds,
            path: self.path.as_bytes(),
            domain: self.domain.as_ref().map(Str::as_bytes),
            http_only: self.http_only,
            secure: self.secure,
            same_site: self.same_site,
        }
    }
}

/// Cookies of the request and of its answer. Names and values are percent-encoded on the way, so they may be any text.
#[macros::module(name = "cookie")]
pub(crate) mod builtins {
    use super::*;

    /// The value of a cookie that the browser sent; else the default, `null` if none is given.
    ///
    /// ```look
    /// print(cookie::get("theme"), cookie::get("none", "-"))   // dark -
    /// ```
    #[builtin(reads)]
    fn get(cx: &mut Cx<'_>, name: &[u8], default: Option<Value>) -> Result<Value, Thrown> {
        let context = current(cx, "cookie::get")?;
        let sent = context.header("cookie").unwrap_or_default();
        Ok(cookies::find(sent, name).map(Value::str).or(default).unwrap_or(Value::NULL))
    }

    /// Whether the browser sent this cookie.
    ///
    /// ```look
    /// print(cookie::has("theme"))   // true
    /// ```
    #[builtin(reads)]
    fn has(cx: &mut Cx<'_>, name: &[u8]) -> Result<bool, Thrown> {
        let context = current(cx, "cookie::has")?;
        Ok(cookies::find(context.header("cookie").unwrap_or_default(), name).is_some())
    }

    /// All cookies that the browser sent.
    ///
    /// ```look
    /// print(cookie::all())   // [theme => dark]
    /// ```
    #[builtin(reads)]
    fn all(cx: &mut Cx<'_>) -> Result<Map, Thrown> {
        let context = current(cx, "cookie::all")?;
        let all = cookies::all(context.header("cookie").unwrap_or_default());
        Ok(all.into_iter().map(|(name, value)| (Str::new(&name), Value::str(value))).collect())
    }

    /// Lets the browser keep a cookie: until it is closed, or for `seconds`. Scripts of the page do not see it and other sites'
    /// forms do not send it (`HttpOnly; SameSite=Lax`).
    ///
    /// In place of `seconds` and `path` there can be a map with the options `ttl`, `path`, `domain`, `httponly`, `secure` and
    /// `samesite`.
    ///
    /// ```look
    /// cookie::set("theme", "dark", 3600)
    /// cookie::set("token", "x7", ["ttl" => 600, "secure" => true, "samesite" => "Strict"])
    /// ```
    #[builtin(writes)]
    fn set(
        cx: &mut Cx<'_>,
        name: &[u8],
        value: &Value,
        seconds: Option<&Value>,
        path: Option<&Str>,
    ) -> Result<(), Thrown> {
        const NAME: &str = "cookie::set";
        let mut written = match seconds.map(|given| (given, given.view())) {
            None | Some((_, View::Null)) => Written::new(),
            Some((_, View::Map(map))) => Written::read(NAME, map)?,
            Some((given, _)) => match given.as_int() {
                Some(seconds) => Written { seconds, ..Written::new() },
                None => {
                    return Err(Thrown::error(format!(
                        "{NAME}(): argument 3 must be a number of seconds or a map of options, got {}",
                        text::describe(given)
                    )));
                }
            },
        };
        if let Some(path) = path {
            written.path = path.clone();
        }
        let line = cookies::set(name, text::to_text(value).as_bytes(), &written.options(), SystemTime::now());
        let line = line.map_err(|error| Thrown::error(format!("{NAME}(): {error}")))?;
        current(cx, NAME)?.reply.add_header(NAME, "Set-Cookie", &line)
    }

    /// Lets the browser forget a cookie. Path and domain, if it was set with others than the default, as options.
    ///
    /// ```look
    /// cookie::delete("theme")
    /// ```
    #[builtin(writes)]
    fn delete(cx: &mut Cx<'_>, name: &[u8], options: Option<&Map>) -> Result<(), Thrown> {
        const NAME: &str = "cookie::delete";
        let written = options.map_or_else(|| Ok(Written::new()), |map| Written::read(NAME, map))?;
        let line = cookies::delete(name, &written.options());
        let line = line.map_err(|error| Thrown::error(format!("{NAME}(): {error}")))?;
        current(cx, NAME)?.reply.add_header(NAME, "Set-Cookie", &line)
    }
}
