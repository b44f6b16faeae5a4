//! What a program registers while its top level runs: routes, filters, services. The purpose of that run.

use crate::router::{Pattern, Router};
use vm::{Function, Isolate, Map, Str, Value};

/// One `route(…)`.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) method: String,
    pub(crate) pattern: String,
    pub(crate) params: Vec<Box<str>>,
    /// For each parameter of the handler, which parameter of the path it gets.
    pub(crate) arguments: Vec<u16>,
    pub(crate) middleware: Vec<Function>,
    pub(crate) handler: Function,
}

/// One open `route::group`.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) prefix: String,
    pub(crate) middleware: Vec<Function>,
}

/// Everything registered so far.
#[derive(Debug)]
pub struct Setup {
    pub(crate) router: Router,
    pub(crate) routes: Vec<Declared>,
    pub(crate) groups: Vec<Group>,
    pub(crate) filters: Vec<Function>,
    pub(crate) not_found: Option<Function>,
    pub(crate) services: Map,
    /// What the author should know, in one line each.
    pub(crate) warnings: Vec<String>,
}

impl Setup {
    /// Lets the program that an isolate is going to run register routes.
    pub fn begin(isolate: &mut Isolate) {
        isolate.set_purpose(Some(Box::new(Self {
            router: Router::new(),
            routes: Vec::new(),
            groups: Vec::new(),
            filters: Vec::new(),
            not_found: None,
            services: Map::new(),
            warnings: Vec::new(),
        })));
    }

    /// Takes what the program has registered.
    #[must_use]
    pub fn take(isolate: &mut Isolate) -> Option<Box<Self>> {
        isolate.set_purpose(None)?.downcast().ok()
    }

    /// Has the program registered something that answers requests?
    #[must_use]
    pub fn has_routes(&self) -> bool {
        !self.routes.is_empty() || self.not_found.is_some()
    }

    /// The patterns of all routes with their methods, in order.
    pub fn patterns(&self) -> impl Iterator<Item = (&str, &str)> {
        self.routes.iter().map(|route| (route.method.as_str(), route.pattern.as_str()))
    }

    /// What the author should know, in one line each.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The path of a route inside of the open groups.
    pub(crate) fn full_path(&self, path: &str) -> String {
        let mut full: String = self.groups.iter().map(|group| group.prefix.as_str()).collect();
        if full.is_empty() || path != "/" {
            full.push_str(path);
        }
        full
    }

    /// Registers a route.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn add(
        &mut self,
        method: &str,
        path: &str,
        middleware: Vec<Function>,
        handler: Function,
        handler_params: &[Box<str>],
    ) -> Result<(), String> {
        let full = self.full_path(path);
        let pattern = Pattern::parse(&full).map_err(|error| format!("route {method} {full}: {error}"))?;
        let params: Vec<Box<str>> = pattern.params().map(Box::from).collect();
        let mut arguments = Vec::with_capacity(handler_params.len());
        for name in handler_params {
            let Some(at) = params.iter().position(|param| param == name) else {
                let has =
                    if params.is_empty() { "it has none".to_owned() } else { format!("it has: {}", params.join(", ")) };
                return Err(format!(
                    "route {method} {full}: handler parameter ${name} is not a path parameter of this route ({has})"
                ));
            };
            arguments.push(u16::try_from(at).unwrap_or(u16::MAX));
        }
        if let Some(earlier) = self.router.add(method, &pattern)
            && let Some(earlier) = self.routes.get(earlier as usize)
        {
            self.warnings.push(format!(
                "route {method} {full} is never reached: {} {}, registered before it, takes its requests",
                earlier.method, earlier.pattern
            ));
        }
        let outer = self.groups.iter().flat_map(|group| group.middleware.iter().cloned());
        let middleware = outer.chain(middleware).collect();
        self.routes.push(Declared { method: method.to_owned(), pattern: full, params, arguments, middleware, handler });
        Ok(())
    }

    /// Sets a service.
    pub(crate) fn set_service(&mut self, name: &Str, value: Value) {
        self.services.insert(name.clone(), value);
    }
}
