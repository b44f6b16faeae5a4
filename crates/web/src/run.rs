//! What one handler runs in: an isolate with a context. Kept and used again, since making one takes longer than most requests.

use crate::answer::{Answered, Local, answer, attend};
use crate::context::{Context, Control};
use crate::handlers::Bounds;
use crate::rules::Rules;
use http::Request;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use vm::{Interrupter, Isolate};

/// An isolate and its context.
pub(crate) struct Run {
    isolate: Isolate,
    pub(crate) control: Rc<Control>,
    pub(crate) application: Local,
    rules: Rc<Rules>,
    /// The answer, once there is one.
    pub(crate) answered: Option<Answered>,
}

impl Run {
    /// A run for any request of an application.
    pub(crate) fn new(application: &Local, interrupter: &Interrupter, bounds: &Bounds, rules: &Rc<Rules>) -> Box<Self> {
        let control = Control::new();
        let mut isolate = Isolate::for_app(Arc::clone(&application.app), interrupter);
        isolate.set_attention(Some(attend));
        isolate.set_max_depth(bounds.depth);
        isolate.set_trace_arguments(rules.dev);
        isolate.set_purpose(Some(Box::new(Context::new(application.clone(), control.clone(), rules.clone()))));
        Box::new(Self { isolate, control, application: application.clone(), rules: rules.clone(), answered: None })
    }

    /// Takes a request.
    pub(crate) fn begin(&mut self, request: Request, deadline: Instant) {
        self.control.reset(deadline);
        self.isolate.begin_run();
        if let Some(context) = self.isolate.purpose::<Context>() {
            context.begin(request);
        }
    }

    /// Answers it; on a fiber.
    pub(crate) fn work(&mut self) {
        let rules = self.rules.clone();
        let answered = answer(&mut self.isolate, &rules);
        if let Some(context) = self.isolate.purpose::<Context>() {
            context.end();
        }
        self.answered = Some(answered);
    }
}
