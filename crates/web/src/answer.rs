//! From a request to its response: filters, route, middleware, handler, and what happens when one of them fails.

use crate::application::Application;
use crate::context::{Context, Ended};
use crate::failure::{self, Incident};
use crate::reply::{Kind, Mark, Reply};
use crate::router::Match;
use crate::rules::Rules;
use crate::{encoding, error_page, plain_page};
use http::{Payload, Request, Response, Status};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use vm::{Cx, Isolate, Str, Thrown, ThrownKind, TraceEntry, Value, memory};

/// An error that no part of the program caught.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) cause: Cause,
    pub(crate) trace: Vec<TraceEntry>,
    /// Stands in the log and, in production, in the response.
    pub(crate) id: String,
}

/// What went wrong.
#[derive(Debug)]
pub(crate) enum Cause {
    /// The program threw this.
    Thrown(Value),
    /// It took too long.
    Timeout,
    /// It took too long for a client that may have gone.
    Abandoned,
    /// It took too much memory.
    Memory,
}

/// The answer to a request, and how it came about.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) response: Response,
    /// The request, for the log; none if there was none.
    pub(crate) request: Option<Request>,
    pub(crate) route: Option<u32>,
    pub(crate) incident: Option<Incident>,
}

/// The purpose of the isolate's run.
fn context(isolate: &mut Isolate) -> Result<&mut Context, Thrown> {
    isolate.purpose::<Context>().ok_or_else(|| Thrown::error("there is no request"))
}

/// Lets whoever runs handlers decide when one has used up its time slice, or the memory it may take.
pub(crate) fn attend(cx: &mut Cx<'_>) -> Result<(), Thrown> {
    let Some(context) = cx.isolate().purpose::<Context>() else { return Ok(()) };
    let control = context.control.clone();
    if memory::is_exceeded() {
        control.end(Ended::Memory);
    } else if Instant::now() >= control.deadline.get() {
        control.end(control.overdue());
    }
    if control.ended.get().is_some() {
        let mut trace = control.trace.borrow_mut();
        if trace.is_empty() {
            *trace = cx.isolate().trace();
        }
        return Err(Thrown::stop());
    }
    control.slices.set(control.slices.get().saturating_add(1));
    if fiber::is_inside() {
        fiber::yield_now().map_err(|_| Thrown::stop())?;
    }
    Ok(())
}

/// Answers the request of the isolate's context. Runs on a fiber, and waits there for what it needs.
pub(crate) fn answer(isolate: &mut Isolate, rules: &Rules) -> Answered {
    let mut mark = None;
    let result = run(isolate, rules, &mut mark);
    let Some(context) = isolate.purpose::<Context>() else {
        let response = Response::new(Status::INTERNAL_SERVER_ERROR, "no request");
        return Answered { response, request: None, route: None, incident: None };
    };
    let route = context.route;
    let failure = why(context, result);
    let mut incident = None;
    if let Some(failure) = failure {
        failure::describe(context, &failure, mark, rules);
        incident = Some(Incident::of(&failure, context.reply.status, &context.application));
        isolate.output().clear();
    }
    let (mut reply, request) = match isolate.purpose::<Context>() {
        Some(context) => (std::mem::replace(&mut context.reply, Reply::new()), context.request.take()),
        None => (Reply::new(), None),
    };
    let body = reply.take_body(|| isolate.output().take());
    let body = if rules.compression {
        let accept = request.as_ref().and_then(|request| request.header("accept-encoding"));
        // Who gives up meanwhile gets nothing.
        encoding::apply(&mut reply, body, accept).unwrap_or_else(|_| Payload::from(""))
    } else {
        body
    };
    Answered { response: reply.finish(body), request, route, incident }
}

/// The error that ended a run, if one did.
fn why(context: &Context, result: Result<(), Thrown>) -> Option<Failure> {
    let thrown = result.err()?.into_kind();
    let ended = context.control.ended.get();
    let cause = match (thrown, ended) {
        (_, Some(Ended::Timeout)) => Cause::Timeout,
        (_, Some(Ended::Abandoned)) => Cause::Abandoned,
        (_, Some(Ended::Memory)) => Cause::Memory,
        (_, Some(Ended::Cancelled)) => return None,
        (ThrownKind::Stop, None) if memory::is_exceeded() => Cause::Memory,
        (ThrownKind::Exit(_) | ThrownKind::Stop, None) => return None,
        (ThrownKind::Value { value, trace }, None) => {
            return Some(Failure { cause: Cause::Thrown(value), trace, id: failure::new_id() });
        }
    };
    Some(Failure { cause, trace: context.control.trace.take(), id: failure::new_id() })
}

fn run(isolate: &mut Isolate, rules: &Rules, mark: &mut Option<Mark>) -> Result<(), Thrown> {
    let application = context(isolate)?.application.clone();
    for filter in &application.filters {
        call(isolate, &application, *filter)?;
    }
    let context = context(isolate)?;
    if !application.filters.is_empty() {
        *mark = Some(context.reply.mark());
    }
    let found = find(context, &application, rules);
    if let Some(files) = &rules.files
        && !matches!(found, Match::Found(_))
        && files.answer(context)?
    {
        return Ok(());
    }
    match found {
        Match::Found(id) => run_route(isolate, &application, id),
        Match::NotAllowed(allowed) => {
            context.reply.set_header("route", b"Allow", allowed.as_bytes())?;
            if context.method() == "OPTIONS" {
                context.reply.status = Status::NO_CONTENT;
                context.reply.set_body(Kind::Text, "");
            } else {
                let wanted = error_page::wanted(|name| context.header(name));
                context.reply.status = Status::METHOD_NOT_ALLOWED;
                context.reply.set_page(plain_page::status_page(Status::METHOD_NOT_ALLOWED, None, wanted));
            }
            Ok(())
        }
        Match::Missing => {
            context.reply.status = Status::NOT_FOUND;
            match application.not_found {
                Some(handler) => {
                    let result = call(isolate, &application, handler)?;
                    take_result(isolate, result)
                }
                None => {
                    context.reply.set_body(Kind::Text, "404 Not Found");
                    Ok(())
                }
            }
        }
    }
}

/// The route of a request, by the rules.
fn find(context: &mut Context, application: &Application, rules: &Rules) -> Match {
    let Context { request, params, .. } = context;
    let Some(request) = request else { return Match::Missing };
    let (method, path) = (request.method(), request.path());
    if let Some(id) = application.router.find(method, path, params) {
        return Match::Found(id);
    }
    match application.router.find_or_explain(method, path, params) {
        Match::Found(_) if !rules.head => Match::Missing,
        Match::NotAllowed(_) if method == "OPTIONS" && !rules.options => Match::Missing,
        Match::NotAllowed(_) if method != "OPTIONS" && !rules.not_allowed => Match::Missing,
        found => found,
    }
}

fn run_route(isolate: &mut Isolate, application: &Application, id: u32) -> Result<(), Thrown> {
    let Some(route) = application.routes.get(id as usize) else { return Ok(()) };
    let found = context(isolate)?;
    found.route = Some(id);
    found.control.route.set(Some(id));
    for middleware in &route.middleware {
        call(isolate, application, *middleware)?;
    }
    let mut args = Vec::with_capacity(route.arguments.len());
    let context = context(isolate)?;
    for at in &route.arguments {
        let value = context.param_at(usize::from(*at)).unwrap_or_default();
        args.push(Value::from(Str::new(&value)));
    }
    let Some(handler) = application.function(route.handler) else { return Ok(()) };
    let result = isolate.call(&handler, args)?;
    take_result(isolate, result)
}

fn call(isolate: &mut Isolate, application: &Application, function: usize) -> Result<Value, Thrown> {
    match application.function(function) {
        Some(function) => isolate.call(&function, Vec::new()),
        None => Ok(Value::NULL),
    }
}

/// A text that a handler returns is its answer, if it has not made another one.
fn take_result(isolate: &mut Isolate, result: Value) -> Result<(), Thrown> {
    let Some(text) = result.as_str() else { return Ok(()) };
    if isolate.output().is_empty() {
        let context = context(isolate)?;
        if context.reply.body.is_none() {
            context.reply.set_plain_body(text.as_bytes().to_vec());
        }
    }
    Ok(())
}

/// A worker's view of an application: counted on one thread.
pub(crate) type Local = Rc<Arc<Application>>;
