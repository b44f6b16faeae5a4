//! `request::`: what the program can know of the request it answers.

use crate::context::{Form, body, current};
use crate::form;
use crate::multipart::{self, Parts};
use crate::upload::kind::Kind;
use crate::upload::{self, Refusal, Upload};
use http::Body;
use std::rc::Rc;
use std::sync::Arc;
use stdlib::file::Lent;
use tempfile::TempPath;
use vm::{Cx, Map, Str, Thrown, Value, View};

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
            Form { fields, files: Vec::new() }
        }
        b"multipart/form-data" => multipart(cx, function, &content_type)?,
        _ => Form::default(),
    };
    let parsed = Rc::new(parsed);
    current(cx, function)?.form = Some(parsed.clone());
    Ok(parsed)
}

/// A form with files. What cannot be read is the client's fault or the disk's: the error is an exception, and the status says
/// whose, unless the program sets another.
fn multipart(cx: &mut Cx<'_>, function: &str, content_type: &[u8]) -> Result<Form, Thrown> {
    let context = current(cx, function)?;
    let Some(request) = &context.request else { return Ok(Form::default()) };
    let (folder, limits) = (std::env::temp_dir(), multipart::Limits::default());
    let parsed = match request.body() {
        body if multipart::is_small(&body) => multipart::parse(content_type, body, &folder, &limits),
        Body::Memory(bytes) => {
            let (content_type, bytes) = (content_type.to_vec(), bytes.to_vec());
            stdlib::helper::run(move || multipart::parse(&content_type, Body::Memory(&bytes), &folder, &limits))?
        }
        Body::File(file, length) => {
            let (content_type, file) = (content_type.to_vec(), file.try_clone());
            stdlib::helper::run(move || {
                let file = file.map_err(multipart::Error::Read)?;
                multipart::parse(&content_type, Body::File(&file, length), &folder, &limits)
            })?
        }
    };
    match parsed {
        Ok(Parts { fields, files }) => Ok(Form { fields, files: files.into_iter().map(Arc::new).collect() }),
        Err(error) => {
            current(cx, function)?.reply.status = error.status();
            Err(Thrown::error(format!("{function}(): {error}")))
        }
    }
}

/// What `request::file` may be told.
#[derive(Clone, Debug)]
struct FileOptions {
    max_size: u64,
    allow_mime: Option<Vec<String>>,
    allow_svg: bool,
}

impl FileOptions {
    fn read(options: Option<&Map>) -> Result<Self, Thrown> {
        let mut read = Self { max_size: upload::DEFAULT_MAX_SIZE, allow_mime: None, allow_svg: false };
        let Some(options) = options else { return Ok(read) };
        let wrong = |name: &str, wanted: &str, value: &Value| {
            let given = vm::text::describe(value);
            Thrown::error(format!("request::file(): option {name} must be {wanted}, got {given}"))
        };
        for (name, value) in options.iter() {
            let name = name.to_str_lossy().into_owned();
            match (name.as_str(), value.view()) {
                ("max_size", View::Int(bytes)) if bytes >= 0 => read.max_size = bytes.unsigned_abs(),
                ("max_size", _) => return Err(wrong("max_size", "a number of bytes", value)),
                ("allow_svg", View::Bool(is_allowed)) => read.allow_svg = is_allowed,
                ("allow_svg", _) => return Err(wrong("allow_svg", "true or false", value)),
                ("allow_mime", View::List(types)) => {
                    let text = |entry: &Value| entry.as_str().map(|text| text.to_str_lossy().into_owned());
                    let types: Option<Vec<String>> = types.iter().map(text).collect();
                    read.allow_mime = Some(types.ok_or_else(|| wrong("allow_mime", "a list of media types", value))?);
                }
                ("allow_mime", View::Str(one)) => read.allow_mime = Some(vec![one.to_str_lossy().into_owned()]),
                ("allow_mime", _) => return Err(wrong("allow_mime", "a list of media types", value)),
                (other, _) => {
                    let hint = source::did_you_mean(other, ["max_size", "allow_mime", "allow_svg"]);
                    let hint = hint.map_or_else(String::new, |name| format!("; did you mean {name}?"));
                    return Err(Thrown::error(format!("request::file(): there is no option {other}{hint}")));
                }
            }
        }
        Ok(read)
    }

    fn for_check(&self) -> upload::Options<'_> {
        let Self { max_size, allow_mime, allow_svg } = self;
        upload::Options { max_size: *max_size, allow_mime: allow_mime.as_deref(), allow_svg: *allow_svg }
    }
}

/// Checks a file and puts it where the program can read it. May wait for the disk.
fn take(upload: &Upload, options: &FileOptions) -> Result<(TempPath, &'static Kind), Refusal> {
    let kind = upload::check(&upload.content, &options.for_check())?;
    let path = upload.content.to_temporary_file().map_err(Refusal::Write)?;
    Ok((path, kind))
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

    /// The uploaded file of a form field; `null` if none was sent. A map: `path`, where it can be read until the request ends;
    /// `filename`, what the client calls it, without folders; `mime` and `extension`, what its bytes show, whatever the client
    /// says; `size` in bytes; `sha256` in hex.
    ///
    /// What the options do not allow is an exception, and the status of the answer then says why unless the program sets
    /// another: `max_size` in bytes (1 MB if not given), `allow_mime`, a list of types such as `["image/*"]`, and `allow_svg`,
    /// without which pictures that can hold scripts are refused. With it only those without any are taken.
    ///
    /// ```look
    /// print(request::file("photo", ["max_size" => 500000, "allow_mime" => ["image/*"]]))   // null
    /// ```
    #[builtin(waits)]
    fn file(cx: &mut Cx<'_>, name: &[u8], options: Option<&Map>) -> Result<Option<Map>, Thrown> {
        let options = FileOptions::read(options)?;
        let Some(upload) = form(cx, "request::file")?.file(name) else { return Ok(None) };
        let shared = upload.clone();
        let taken = stdlib::helper::run(move || take(&shared, &options))?;
        let context = current(cx, "request::file")?;
        let (path, kind) = taken.map_err(|refusal| {
            context.reply.status = refusal.status();
            let name = String::from_utf8_lossy(name);
            Thrown::error(format!("request::file(): field '{}': {refusal}", name.escape_debug()))
        })?;
        let lent = Lent::new(path);
        let mut map = Map::new();
        for (key, value) in [
            ("path", Value::str(lent.path().as_os_str().as_encoded_bytes())),
            ("filename", Value::str(upload.filename.as_str())),
            ("mime", Value::str(kind.mime)),
            ("extension", Value::str(kind.extension)),
            ("size", Value::int(i64::try_from(upload.content.size()).unwrap_or(i64::MAX))),
            (
                "sha256",
                Value::str(upload.content.sha256().iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
            ),
        ] {
            map.insert(Str::from(key), value);
        }
        context.lent.push(lent);
        Ok(Some(map))
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
