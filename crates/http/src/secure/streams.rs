//! The streams of one HTTP/2 connection: a task for each, ended with the connection.

use super::activity::{Activity, Flow};
use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep};

/// Runs what it is given on the thread's local tasks.
#[derive(Clone)]
pub(super) struct Streams {
    activity: Rc<Activity>,
    tasks: Rc<RefCell<JoinSet<()>>>,
}

impl Streams {
    pub(super) fn new(activity: Rc<Activity>) -> Self {
        Self { activity, tasks: Rc::default() }
    }

    /// Ends all of them when it is dropped, whoever holds copies: each task has one.
    pub(super) fn end_with(&self) -> End {
        End(self.clone())
    }
}

pub(super) struct End(Streams);

impl Drop for End {
    fn drop(&mut self) {
        if let Ok(mut tasks) = self.0.tasks.try_borrow_mut() {
            tasks.abort_all();
        }
    }
}

impl<F: Future<Output = ()> + 'static> hyper::rt::Executor<F> for Streams {
    fn execute(&self, future: F) {
        let flow = self.activity.take_begun();
        let write_time = self.activity.limits().write_time;
        let task = Guarded { future: Box::pin(future), flow, write_time, sleep: None };
        if let Ok(mut tasks) = self.tasks.try_borrow_mut() {
            while tasks.try_join_next().is_some() {}
            tasks.spawn_local(task);
        }
    }
}

/// A stream that ends when its client has not taken a byte of its response for too long: dropping it resets the stream, and
/// the others of the connection go on.
struct Guarded<F> {
    future: Pin<Box<F>>,
    flow: Option<Rc<Flow>>,
    write_time: Duration,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl<F: Future<Output = ()>> Future for Guarded<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self { future, flow, write_time, sleep } = &mut *self;
        if future.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let Some(flow) = flow else { return Poll::Pending };
        // The timer is only moved when it has run out: most streams end long before.
        loop {
            let Some(until) = flow.waits_since().and_then(|since| since.checked_add(*write_time)) else {
                return Poll::Pending;
            };
            if until <= Instant::now() {
                return Poll::Ready(());
            }
            let timer = sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
            if timer.is_elapsed() {
                timer.as_mut().reset(until);
            }
            if timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
    }
}
