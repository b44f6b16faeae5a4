//! A request while it is being answered: what the program may ask of it, and the answer so far.

use crate::answer::Local;
use crate::form;
use crate::reply::Reply;
use crate::rules::Rules;
use crate::upload::Upload;
use http::{Body, Request};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use stdlib::file::Lent;
use vm::{Cx, Map, Str, Thrown, TraceEntry};

/// Why a request ended before its program did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// It took longer than a request may.
    Timeout,
    /// It took longer than is worth while for a client that may have gone.
    Abandoned,
    /// It took more memory than a request may.
    Memory,
    /// Nobody waits for the answer any more.
    Cancelled,
}

/// What the worker and a running request say to each other.
#[derive(Debug)]
pub(crate) struct Control {
    /// When it has to be done.
    pub(crate) deadline: Cell<Instant>,
    /// Is that sooner than for others, because its client may have gone?
    is_hurried: Cell<bool>,
    /// Set once it has to end.
    pub(crate) ended: Cell<Option<Ended>>,
    /// Where it stood then.
    pub(crate) trace: RefCell<Vec<TraceEntry>>,
    /// Time slices it has used up.
    pub(crate) slices: Cell<u32>,
    /// The matched route.
    pub(crate) route: Cell<Option<u32>>,
}

impl Control {
    pub(crate) fn new() -> Rc<Self> {
        Rc::new(Self {
            deadline: Cell::new(Instant::now()),
            is_hurried: Cell::new(false),
            ended: Cell::new(None),
            trace: RefCell::new(Vec::new()),
            slices: Cell::new(0),
            route: Cell::new(None),
        })
    }

    /// Says why it has to end; the first reason counts.
    pub(crate) fn end(&self, why: Ended) {
        if self.ended.get().is_none() {
            self.ended.set(Some(why));
        }
    }

    /// Has it done by then, if it had more time.
    pub(crate) fn hurry(&self, deadline: Instant) {
        if deadline < self.deadline.get() {
            self.deadline.set(deadline);
            self.is_hurried.set(true);
        }
    }

    /// Why it ends when its time is over.
    pub(crate) fn overdue(&self) -> Ended {
        if self.is_hurried.get() { Ended::Abandoned } else { Ended::Timeout }
    }

    pub(crate) fn reset(&self, deadline: Instant) {
        self.deadline.set(deadline);
        self.is_hurried.set(false);
        self.ended.set(None);
        self.slices.set(0);
        self.route.set(None);
        self.trace.borrow_mut().clear();
    }
}

/// A request and its answer. The purpose of the run that makes it.
pub(crate) struct Context {
    pub(crate) application: Local,
    pub(crate) control: Rc<Control>,
    pub(crate) rules: Rc<Rules>,
    /// None between two requests.
    pub(crate) request: Option<Request>,
    pub(crate) reply: Reply,
    /// The matched route.
    pub(crate) route: Option<u32>,
    /// Where the route's parameters stand in the path.
    pub(crate) params: Vec<Range<usize>>,
    /// Parsed when first asked for.
    pub(crate) form: Option<Rc<Form>>,
    /// Uploads that the program may read by path.
    pub(crate) lent: Vec<Lent>,
    /// What `app::set` has set in this request.
    pub(crate) services: Option<Map>,
}

/// The fields and files of a body.
#[derive(Default, Debug)]
pub(crate) struct Form {
    /// Name and value, in order, each name once.
    pub(crate) fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// All files, in order.
    pub(crate) files: Vec<Arc<Upload>>,
}

impl Form {
    pub(crate) fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    }

    /// The file of a field, the last one if it was sent several times.
    pub(crate) fn file(&self, name: &[u8]) -> Option<Arc<Upload>> {
        self.files.iter().rev().find(|file| file.name == name).cloned()
    }
}

impl Context {
    pub(crate) fn new(application: Local, control: Rc<Control>, rules: Rc<Rules>) -> Self {
        Self {
            application,
            control,
            rules,
            request: None,
            reply: Reply::new(),
            route: None,
            params: Vec::new(),
            form: None,
            lent: Vec::new(),
            services: None,
        }
    }

    /// Makes ready for a request.
    pub(crate) fn begin(&mut self, request: Request) {
        self.request = Some(request);
        self.reply = Reply::new();
        self.route = None;
        self.params.clear();
        self.form = None;
        self.services = None;
    }

    /// Lets go of the request.
    pub(crate) fn end(&mut self) -> Reply {
        self.request = None;
        self.form = None;
        if !self.lent.is_empty() {
            let lent = std::mem::take(&mut self.lent);
            // To remove files may wait for the disk, and nobody waits for it.
            stdlib::helper::let_go(lent);
        }
        self.services = None;
        std::mem::replace(&mut self.reply, Reply::new())
    }

    /// The method, `GET` if there is no request.
    pub(crate) fn method(&self) -> &str {
        self.request.as_ref().map_or("GET", Request::method)
    }

    /// The path as it was sent.
    pub(crate) fn path(&self) -> &str {
        self.request.as_ref().map_or("/", Request::path)
    }

    /// Address of the client.
    pub(crate) fn client_address(&self) -> IpAddr {
        let Some(request) = &self.request else { return IpAddr::V4(Ipv4Addr::LOCALHOST) };
        self.rules.client_address(request)
    }

    /// The query as it was sent; empty if there is none.
    pub(crate) fn query(&self) -> &[u8] {
        self.request.as_ref().and_then(Request::query).unwrap_or_default().as_bytes()
    }

    /// A header's first value.
    pub(crate) fn header(&self, name: &str) -> Option<&[u8]> {
        self.request.as_ref()?.header(name)
    }

    /// A parameter of the path by its position in the route, decoded.
    pub(crate) fn param_at(&self, at: usize) -> Option<Cow<'_, [u8]>> {
        let written = self.path().get(self.params.get(at)?.clone())?;
        Some(form::decode_component(written.as_bytes(), false))
    }

    /// A parameter of the path by name.
    pub(crate) fn param(&self, name: &[u8]) -> Option<Cow<'_, [u8]>> {
        let route = self.application.routes.get(self.route? as usize)?;
        let at = route.params.iter().position(|known| known.as_bytes() == name)?;
        self.param_at(at)
    }
}

/// The running request.
///
/// # Errors
/// There is none: names the function that needs it.
pub(crate) fn current<'a>(cx: &'a mut Cx<'_>, function: &str) -> Result<&'a mut Context, Thrown> {
    cx.isolate().purpose::<Context>().ok_or_else(|| no_request(function))
}

#[cold]
fn no_request(function: &str) -> Thrown {
    Thrown::error(format!(
        "{function}(): there is no request here; call it in a route's handler, in middleware or in before_route"
    ))
}

/// The body of the running request. A large one is read on a helper thread.
///
/// # Errors
/// It cannot be read, or the request ends meanwhile.
pub(crate) fn body(cx: &mut Cx<'_>, function: &str) -> Result<Str, Thrown> {
    let context = current(cx, function)?;
    let Some(request) = &context.request else { return Ok(Str::from("")) };
    match request.body() {
        Body::Memory(bytes) => Ok(Str::new(bytes)),
        Body::File(file, length) => {
            vm::memory::ask(usize::try_from(length).unwrap_or(usize::MAX))?;
            let file = file.try_clone();
            let read = stdlib::helper::run(move || -> std::io::Result<Vec<u8>> {
                use std::os::unix::fs::FileExt;
                let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
                file?.read_exact_at(&mut bytes, 0)?;
                Ok(bytes)
            })?;
            read.map(Str::from)
                .map_err(|error| Thrown::error(format!("{function}(): the body cannot be read: {error}")))
        }
    }
}
