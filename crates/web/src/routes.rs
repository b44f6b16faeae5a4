//! `route`, `before_route`, `stop` and `route::`.

use crate::context::Context;
use crate::setup::{Group, Setup};
use vm::{Cx, Function, List, Thrown, Value, View};

/// What is being registered.
///
/// # Errors
/// The setup is over.
fn setup<'a>(cx: &'a mut Cx<'_>, function: &str) -> Result<&'a mut Setup, Thrown> {
    let is_request = cx.isolate().purpose::<Context>().is_some();
    cx.isolate().purpose::<Setup>().ok_or_else(|| {
        Thrown::error(if is_request {
            format!("{function}(): routes are registered at the top level of the program, before the first request")
        } else {
            format!("{function}(): there is no server here; start the program with gander serve")
        })
    })
}

/// The functions of a middleware list.
fn functions(function: &str, list: &List) -> Result<Vec<Function>, Thrown> {
    let each = list.iter().enumerate().map(|(at, value)| {
        value.as_function().cloned().ok_or_else(|| {
            Thrown::error(format!(
                "{function}(): middleware is a list of functions; element {at} is {}",
                vm::text::describe(value)
            ))
        })
    });
    each.collect()
}

/// The names of a function's parameters.
fn params(cx: &mut Cx<'_>, function: &Function) -> Vec<Box<str>> {
    let declared = cx.isolate().declaration(function);
    declared.map(|declared| declared.param_names.iter().map(|name| Box::from(&**name)).collect()).unwrap_or_default()
}

/// Checks that a function can be called without arguments.
fn takes_nothing(cx: &mut Cx<'_>, what: &str, function: &Function) -> Result<(), Thrown> {
    match cx.isolate().declaration(function) {
        Some(declared) if declared.required > 0 => {
            let names: Vec<_> = declared.param_names.iter().map(|name| format!("${name}")).collect();
            Err(Thrown::error(format!(
                "{what} is called without arguments, but this function needs {}",
                names.join(", ")
            )))
        }
        _ => Ok(()),
    }
}

/// A method as requests have it.
fn method(text: &[u8]) -> Result<String, Thrown> {
    let is_token = !text.is_empty() && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_*".contains(byte));
    if !is_token {
        return Err(Thrown::error(format!(
            "route(): '{}' is not a method; use GET, POST, PUT, PATCH, DELETE, another method, or * for any",
            text.escape_ascii()
        )));
    }
    let method = String::from_utf8_lossy(text).to_ascii_uppercase();
    if matches!(method.as_str(), "WS" | "SSE") {
        return Err(Thrown::error(format!("route(): {method} routes are not part of this version of the server")));
    }
    Ok(method)
}

/// Routes: which function answers which request.
#[macros::module(name = "")]
pub(crate) mod bare {
    use super::*;

    /// Registers the handler of a method and path, or of everything that no route answers (`"404"`).
    ///
    /// `{name}` in the path is a parameter: one whole segment. The handler names the parameters it wants, in any order.
    /// The method `*` stands for every method. With a list of functions before the handler, these run first, and any of
    /// them may end the request with `stop()`. A path without parameters goes before one with parameters, otherwise the
    /// route that was registered first.
    ///
    /// ```look
    /// route("GET", "/hello/{name}", function($name) { response::text("Hello, " . $name) })
    /// ```
    #[builtin(writes)]
    fn route(
        cx: &mut Cx<'_>,
        method: &[u8],
        path: &Value,
        handler: Option<&Value>,
        last: Option<&Function>,
    ) -> Result<(), Thrown> {
        if method == b"404" {
            let (View::Function(function), None) = (path.view(), handler) else {
                return Err(Thrown::error("route(): the handler of \"404\" comes second: route(\"404\", function)"));
            };
            takes_nothing(cx, "the handler of \"404\"", function)?;
            setup(cx, "route")?.not_found = Some(function.clone());
            return Ok(());
        }
        let method = super::method(method)?;
        let Some(path) = path.as_str().and_then(|path| str::from_utf8(path.as_bytes()).ok()) else {
            return Err(Thrown::error("route(): argument 2 ($path) must be a path such as \"/users/{id}\""));
        };
        let (middleware, handler) = match (handler.map(Value::view), last) {
            (Some(View::Function(handler)), None) => (Vec::new(), handler),
            (Some(View::List(list)), Some(handler)) => (functions("route", list)?, handler),
            _ => {
                return Err(Thrown::error(format!(
                    "route(): route {method} {path} has no handler: write route(method, path, function) \
                     or route(method, path, [middleware], function)"
                )));
            }
        };
        for function in &middleware {
            takes_nothing(cx, "middleware", function)?;
        }
        let (names, handler) = (params(cx, handler), handler.clone());
        setup(cx, "route")?.add(&method, path, middleware, handler, &names).map_err(Thrown::error)
    }

    /// Registers a function that runs before every request, also before one that no route answers.
    ///
    /// ```look
    /// before_route(function() { response::header("X-Frame-Options", "DENY") })
    /// ```
    #[builtin(writes)]
    fn before_route(cx: &mut Cx<'_>, function: &Function) -> Result<(), Thrown> {
        takes_nothing(cx, "before_route's function", function)?;
        setup(cx, "before_route")?.filters.push(function.clone());
        Ok(())
    }

    /// Ends the request: what has been set so far is its answer. `finally` blocks run, `catch` does not see it.
    ///
    /// ```look
    /// before_route(function() { if (request::header("X-Deny") == "y") { response::status(403, "no"); stop() } })
    /// ```
    #[builtin(writes)]
    fn stop() -> Result<(), Thrown> {
        Err(Thrown::stop())
    }
}

/// Groups of routes, and the route of the current request.
#[macros::module(name = "route")]
pub(crate) mod builtins {
    use super::*;
    use crate::context::current;
    use vm::Str;

    /// Registers the routes of a function under a common prefix, with middleware that all of them share. Groups nest.
    ///
    /// ```look
    /// route::group("/api", [fn() => response::header("X-Api", "1")], function() {
    ///     route("GET", "/users", fn() => "all")
    /// })
    /// ```
    #[builtin(calls)]
    fn group(cx: &mut Cx<'_>, prefix: &[u8], middleware: &Value, routes: Option<&Function>) -> Result<(), Thrown> {
        let prefix = str::from_utf8(prefix).unwrap_or_default();
        if !prefix.starts_with('/') && !prefix.is_empty() {
            return Err(Thrown::error(format!("route::group(): the prefix '{prefix}' must begin with '/'")));
        }
        let (middleware, routes) = match (middleware.view(), routes) {
            (View::Function(routes), None) => (Vec::new(), routes),
            (View::List(list), Some(routes)) => (functions("route::group", list)?, routes),
            _ => {
                return Err(Thrown::error(
                    "route::group(): write route::group(prefix, function) or route::group(prefix, [middleware], function)",
                ));
            }
        };
        for function in &middleware {
            takes_nothing(cx, "middleware", function)?;
        }
        takes_nothing(cx, "route::group's function", routes)?;
        let prefix = prefix.trim_end_matches('/').to_owned();
        setup(cx, "route::group")?.groups.push(Group { prefix, middleware });
        let result = cx.call(routes, Vec::new());
        setup(cx, "route::group")?.groups.pop();
        result.map(drop)
    }

    /// A parameter of the path, decoded; `null` if the route has none of this name.
    ///
    /// ```look
    /// route("GET", "/u/{id}", fn() => route::param("id"))
    /// ```
    #[builtin(reads)]
    fn param(cx: &mut Cx<'_>, name: &[u8]) -> Result<Option<Str>, Thrown> {
        Ok(current(cx, "route::param")?.param(name).map(|value| Str::new(&value)))
    }

    /// The path of the matched route as it was registered; `null` if none matched.
    ///
    /// ```look
    /// route("GET", "/u/{id}", fn() => route::matched())
    /// ```
    #[builtin(reads)]
    fn matched(cx: &mut Cx<'_>) -> Result<Option<Str>, Thrown> {
        let context = current(cx, "route::matched")?;
        let route = context.route.and_then(|at| context.application.routes.get(at as usize));
        Ok(route.map(|route| Str::from(&*route.pattern)))
    }
}
