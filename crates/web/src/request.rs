//! `request::`: what the program can know of the request it answers.

use crate::context::{Form, body, current};
use crate::form;
use std::rc::Rc;
use vm::{Cx, Map, Str, Thrown, Value};

/// A map of decoded pairs.
fn map<'a>(pairs: impl IntoIterator<Item = (impl AsRef<[u8]> + 'a, impl AsRef<[u8]> + 'a)>) -> Map {
    let mut map = Map::new();
    for (name, value) in pairs {
        map.insert(Str::new(name.as_ref()), Value::str(value));
    }
    map
}

/// The media type of a `Content-Type`, without its parameters.
fn media_type(content_type: &[u8]) -> &[u8] {
    content_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii()
}

/// The fields of the body; parsed when first asked for.
fn form(cx: &mut Cx<'_>, function: &str) -> Result<Rc<Form>, Thrown> {
    let context = current(cx, function)?;
    if let Some(form) = &context.form {
        return Ok(form.clone());
    }
    let content_type = context.header("content-type").unwrap_or_default().to_vec();
    let kind = media_type(&content_type).to_ascii_lowercase();
    let parsed = match kind.as_slice() {
        b"application/x-www-form-urlencoded" => {
            let text = body(cx, function)?;
            let fields = form::all(text.as_bytes());
            let fields = fields.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
            Form { fields }
        }
        _ => Form::default(),
    };
    let parsed = Rc::new(parsed);
    current(cx, function)?.form = Some(parsed.clone());
    Ok(parsed)
}

fn is_method(cx: &mut Cx<'_>, function: &str, method: &str) -> Result<bool, Thrown> {
    Ok(current(cx, function)?.method() == method)
}

/// The request that is being answered.
///
/// The examples answer `POST /shop/7?page=2&tag=a+b` with the body `name=Ada&age=36` as a form, by the route `/shop/{id}`.
#[macros::module(name = "request")]
pub(crate) mod builtins {
    use super::*;

    /// The method: `GET`, `POST` and so on.
    ///
    /// ```look
    /// print(request::method())   // POST
    /// ```
    #[builtin(reads)]
    fn method(cx: &mut Cx<'_>) -> Result<Str, Thrown> {
        Ok(Str::from(current(cx, "request::method")?.method()))
    }

    /// A parameter of the query, decoded; of several with one name the last. Without a name, all of them as a map.
    ///
    /// One that is missing is the default, `null` if none is given; one that is there without a value is `""`.
    ///
    /// ```look
    /// print(request::get("page"), request::get("tag"), request::get("sort", "name"))   // 2 a b name
    /// ```
    #[builtin(reads)]
    fn get(cx: &mut Cx<'_>, name: Option<&[u8]>, default: Option<Value>) -> Result<Value, Thrown> {
        let query = current(cx, "request::get")?.query();
        let Some(name) = name else { return Ok(Value::from(map(form::all(query)))) };
        Ok(form::find(query, name).map(Value::str).or(default).unwrap_or(Value::NULL))
    }

    /// A field of a form in the body, as [`request::get`] for the query. Any method may have one.
    ///
    /// ```look
    /// print(request::post("name"), request::post("none", "-"))   // Ada -
    /// ```
    #[builtin(waits)]
    fn post(cx: &mut Cx<'_>, name: Option<&[u8]>, default: Option<Value>) -> Result<Value, Thrown> {
        let form = form(cx, "request::post")?;
        let Some(name) = name else {
            return Ok(Value::from(map(form.fields.iter().map(|(name, value)| (name, value)))));
        };
        Ok(form.get(name).map(Value::str).or(default).unwrap_or(Value::NULL))
    }

    /// The body as it was sent.
    ///
    /// ```look
    /// print(request::body())   // name=Ada&age=36
    /// ```
    #[builtin(waits)]
    fn body(cx: &mut Cx<'_>) -> Result<Str, Thrown> {
        super::body(cx, "request::body")
    }

    /// The body, read as JSON; `null` if it is empty or not valid.
    ///
    /// ```look
    /// print(type::of(request::json()))   // null
    /// ```
    #[builtin(waits)]
    fn json(cx: &mut Cx<'_>) -> Result<Value, Thrown> {
        let body = super::body(cx, "request::json")?;
        Ok(stdlib::json::parse(body.as_bytes()).unwrap_or(Value::NULL))
    }

    /// The address of the client. Behind a proxy that is trusted by the settings, the address that the proxy tells.
    ///
    /// ```look
    /// print(request::ip())   // 127.0.0.1
    /// ```
    #[builtin(reads)]
    fn ip(cx: &mut Cx<'_>) -> Result<Str, Thrown> {
        Ok(Str::from(current(cx, "request::ip")?.client_address().to_string()))
    }

    /// The path as it was sent, not decoded, without the query.
    ///
    /// ```look
    /// print(request::path())   // /shop/7
    /// ```
    #[builtin(reads)]
    fn path(cx: &mut Cx<'_>) -> Result<Str, Thrown> {
        Ok(Str::from(current(cx, "request::path")?.path()))
    }

    /// A parameter of the path, decoded; `null` if the route has none of this name.
    ///
    /// ```look
    /// print(request::param("id"), request::param("none"))   // 7 null
    /// ```
    #[builtin(reads)]
    fn param(cx: &mut Cx<'_>, name: &[u8]) -> Result<Option<Str>, Thrown> {
        Ok(current(cx, "request::param")?.param(name).map(|value| Str::new(&value)))
    }

    /// The fields of query and form together; of one name the form's.
    ///
    /// ```look
    /// print(json::encode(request::all()))   // {"page":"2","tag":"a b","name":"Ada","age":"36"}
    /// ```
    #[builtin(waits)]
    fn all(cx: &mut Cx<'_>) -> Result<Map, Thrown> {
        let form = form(cx, "request::all")?;
        let mut all = map(form::all(current(cx, "request::all")?.query()));
        for (name, value) in &form.fields {
            all.insert(Str::new(name), Value::str(value));
        }
        Ok(all)
    }

    /// A header; upper and lower case of the name are the same.
    ///
    /// ```look
    /// print(request::header("content-type"), request::header("X-None", "-"))   // application/x-www-form-urlencoded -
    /// ```
    #[builtin(reads)]
    fn header(cx: &mut Cx<'_>, name: &[u8], default: Option<Value>) -> Result<Value, Thrown> {
        let context = current(cx, "request::header")?;
        let value = str::from_utf8(name).ok().and_then(|name| context.header(name));
        Ok(value.map(Value::str).or(default).unwrap_or(Value::NULL))
    }

    /// All headers, names in lower case; the values of one name joined by a comma.
    ///
    /// ```look
    /// print(array::contains(array::keys(request::headers()), "content-type"))   // true
    /// ```
    #[builtin(reads)]
    fn headers(cx: &mut Cx<'_>) -> Result<Map, Thrown> {
        let context = current(cx, "request::headers")?;
        let mut headers = Map::new();
        let Some(request) = &context.request else { return Ok(headers) };
        for (name, value) in request.headers() {
            let name = Str::from(name.to_ascii_lowercase());
            let joined = match headers.get_str(&name).and_then(Value::as_str) {
                // RFC 6265, 5.4: cookies have a separator of their own.
                Some(known) if name.as_bytes() == b"cookie" => [known.as_bytes(), b"; ", value].concat(),
                Some(known) => [known.as_bytes(), b", ", value].concat(),
                None => value.to_vec(),
            };
            headers.insert(name, Value::str(joined));
        }
        Ok(headers)
    }

    /// Whether the method is `GET`.
    ///
    /// ```look
    /// print(request::is_get())   // false
    /// ```
    #[builtin(reads)]
    fn is_get(cx: &mut Cx<'_>) -> Result<bool, Thrown> {
        is_method(cx, "request::is_get", "GET")
    }

    /// Whether the method is `POST`.
    ///
    /// ```look
    /// print(request::is_post())   // true
    /// ```
    #[builtin(reads)]
    fn is_post(cx: &mut Cx<'_>) -> Result<bool, Thrown> {
        is_method(cx, "request::is_post", "POST")
    }

    /// Whether the method is `PUT`.
    ///
    /// ```look
    /// print(request::is_put())   // false
    /// ```
    #[builtin(reads)]
    fn is_put(cx: &mut Cx<'_>) -> Result<bool, Thrown> {
        is_method(cx, "request::is_put", "PUT")
    }

    /// Whether the method is `DELETE`.
    ///
    /// ```look
    /// print(request::is_delete())   // false
    /// ```
    #[builtin(reads)]
    fn is_delete(cx: &mut Cx<'_>) -> Result<bool, Thrown> {
        is_method(cx, "request::is_delete", "DELETE")
    }

    /// Whether the method is `PATCH`.
    ///
    /// ```look
    /// print(request::is_patch())   // false
    /// ```
    #[builtin(reads)]
    fn is_patch(cx: &mut Cx<'_>) -> Result<bool, Thrown> {
        is_method(cx, "request::is_patch", "PATCH")
    }

    /// Whether the method is `HEAD`.
    ///
    /// ```look
    /// print(request::is_head())   // false
    /// ```
    #[builtin(reads)]
    fn is_head(cx: &mut Cx<'_>) -> Result<bool, Thrown> {
        is_method(cx, "request::is_head", "HEAD")
    }

    /// Whether the method is `OPTIONS`.
    ///
    /// ```look
    /// print(request::is_options())   // false
    /// ```
    #[builtin(reads)]
    fn is_options(cx: &mut Cx<'_>) -> Result<bool, Thrown> {
        is_method(cx, "request::is_options", "OPTIONS")
    }
}
