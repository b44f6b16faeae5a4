//! A program that answers requests: frozen after its setup, read by all workers.

use crate::router::Router;
use crate::setup::{Declared, Setup};
use source::{Diagnostic, SourceMap};
use std::sync::Arc;
use vm::{App, Function, Isolate, Map, Value};

/// A function of the program, by its position among what the app keeps.
type Kept = usize;

/// A route.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: Box<str>,
    pub(crate) pattern: Box<str>,
    /// Names of the path's parameters.
    pub(crate) params: Vec<Box<str>>,
    /// For each parameter of the handler, which parameter of the path it gets.
    pub(crate) arguments: Vec<u16>,
    /// Outer first.
    pub(crate) middleware: Vec<Kept>,
    pub(crate) handler: Kept,
}

/// An app with its routes.
#[derive(Debug)]
pub struct Application {
    pub(crate) app: Arc<App>,
    pub(crate) router: Router,
    pub(crate) routes: Vec<Route>,
    /// Run before each request.
    pub(crate) filters: Vec<Kept>,
    pub(crate) not_found: Option<Kept>,
    services: Kept,
    /// The program's files, for reports.
    pub(crate) sources: Arc<SourceMap>,
    /// What the compiler has warned of, for hints.
    pub(crate) warnings: Arc<Vec<Diagnostic>>,
}

impl Application {
    /// Ends the setup that `isolate` has run.
    #[must_use]
    pub fn freeze(
        isolate: Isolate,
        setup: Setup,
        sources: Arc<SourceMap>,
        warnings: Arc<Vec<Diagnostic>>,
    ) -> Arc<Self> {
        let mut kept: Vec<Value> = Vec::new();
        let mut keep = |value: Value| -> Kept {
            kept.push(value);
            kept.len() - 1
        };
        let mut route = |declared: Declared| Route {
            method: declared.method.into(),
            pattern: declared.pattern.into(),
            params: declared.params,
            arguments: declared.arguments,
            middleware: declared.middleware.into_iter().map(|function| keep(Value::from(function))).collect(),
            handler: keep(Value::from(declared.handler)),
        };
        let routes = setup.routes.into_iter().map(&mut route).collect();
        let filters = setup.filters.into_iter().map(|function| keep(Value::from(function))).collect();
        let not_found = setup.not_found.map(|function| keep(Value::from(function)));
        let services = keep(Value::from(setup.services));
        let app = App::freeze(isolate, kept);
        Arc::new(Self { app, router: setup.router, routes, filters, not_found, services, sources, warnings })
    }

    /// A function by its position.
    pub(crate) fn function(&self, at: Kept) -> Option<Function> {
        self.app.kept().get(at)?.as_function().cloned()
    }

    /// What `app::set` has set in the setup.
    pub(crate) fn services(&self) -> Option<&Map> {
        self.app.kept().get(self.services)?.as_map()
    }

    /// Number of routes.
    #[must_use]
    pub fn route_count(&self) -> usize {
        self.routes.len()
    }
}
