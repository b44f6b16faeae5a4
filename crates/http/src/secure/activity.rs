//! What a connection inside of TLS is doing, and how long it may go on doing that.
//!
//! Its parts (socket, requests, responses) note what happens; the connection's own task asks for the [`Verdict`] whenever it
//! has been polled.

use super::idle::Nudge;
use crate::limits::Limits;
use crate::mailbox::Mailbox;
use crate::shared::Shared;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;
use tokio::time::Instant;

/// Requests that a client may cancel before they are answered, beyond as many as it lets be answered. A browser cancels what
/// has left the screen; who only ever cancels wants the work, not the answers (CVE-2023-44487).
const MAX_CANCELLED: u32 = 256;

/// What is to be done with a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Nothing, until this moment.
    Wait(Option<Instant>),
    /// Let it finish what it has begun, and take nothing new.
    Finish,
    /// Close it.
    Cut,
}

/// How far a connection is on its way to the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Open,
    /// It takes nothing new since this moment, and may stay so long without a request.
    Finishing(Instant, Duration),
}

/// The state of one connection, shared by its parts.
pub(super) struct Activity {
    shared: Arc<Shared>,
    mailbox: Arc<Mailbox>,
    nudge: Arc<Nudge>,
    /// Its number in the worker's list, while it is idle.
    idle_number: Cell<Option<u64>>,
    /// Does it bring one request after the other, so that bytes between requests are the head of the next one?
    is_serial: Cell<bool>,
    stage: Cell<Stage>,
    wants_end: Cell<bool>,
    requests: Cell<usize>,
    answered: Cell<u32>,
    cancelled: Cell<u32>,
    /// When it had its last request.
    idle_since: Cell<Instant>,
    /// When the first byte of a head came that is not complete.
    head_since: Cell<Option<Instant>>,
    /// Since when the client does not take what waits for it.
    blocked_since: Cell<Option<Instant>>,
    /// When our side was ended.
    ended_since: Cell<Option<Instant>>,
    is_stopping: Cell<bool>,
    /// The flow of the stream that is begun right now.
    begun: Cell<Option<Rc<Flow>>>,
}

impl Activity {
    pub(super) fn new(shared: Arc<Shared>, mailbox: Arc<Mailbox>) -> Rc<Self> {
        let activity = Self {
            shared,
            mailbox,
            nudge: Arc::default(),
            idle_number: Cell::new(None),
            is_serial: Cell::new(false),
            stage: Cell::new(Stage::Open),
            wants_end: Cell::new(false),
            requests: Cell::new(0),
            answered: Cell::new(0),
            cancelled: Cell::new(0),
            idle_since: Cell::new(Instant::now()),
            head_since: Cell::new(None),
            blocked_since: Cell::new(None),
            ended_since: Cell::new(None),
            is_stopping: Cell::new(false),
            begun: Cell::new(None),
        };
        Rc::new(activity)
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The handshake is done.
    pub(super) fn opened(&self, is_serial: bool) {
        self.is_serial.set(is_serial);
        self.idle_since.set(Instant::now());
        self.list();
    }

    fn list(&self) {
        self.idle_number.set(Some(self.mailbox.idle().add(self.nudge.clone())));
    }

    fn unlist(&self) {
        if let Some(number) = self.idle_number.take() {
            self.mailbox.idle().remove(number);
        }
    }

    /// The task to be woken when a verdict may have changed.
    pub(super) fn set_waker(&self, waker: &Waker) {
        self.nudge.set_waker(waker);
    }

    /// A request has arrived: its head is complete.
    pub(super) fn begin(self: &Rc<Self>) -> Busy {
        self.head_since.set(None);
        self.requests.set(self.requests.get() + 1);
        self.unlist();
        Busy { activity: self.clone(), is_answered: false }
    }

    /// Bytes have come.
    pub(super) fn received(&self) {
        if self.is_serial.get() && self.requests.get() == 0 && self.head_since.get().is_none() {
            self.head_since.set(Some(Instant::now()));
        }
    }

    /// The client has taken bytes, or there is no room for more of them.
    pub(super) fn sent(&self, is_blocked: bool) {
        if !is_blocked {
            self.blocked_since.set(None);
        } else if self.blocked_since.get().is_none() {
            self.blocked_since.set(Some(Instant::now()));
        }
    }

    /// Our side is being ended; only what is on its way is still read.
    pub(super) fn ended(&self) {
        if self.ended_since.get().is_none() {
            self.ended_since.set(Some(Instant::now()));
        }
    }

    /// It is to finish when the response is sent that is made now.
    pub(super) fn want_end(&self) {
        self.wants_end.set(true);
    }

    /// The server stops.
    pub(super) fn stop(&self) {
        self.is_stopping.set(true);
    }

    /// It takes nothing new from now on.
    pub(super) fn finishing(&self) {
        self.unlist();
        let limits = self.limits();
        let grace = if self.is_stopping.get() { limits.drain_time } else { limits.linger_time };
        self.stage.set(Stage::Finishing(Instant::now(), grace));
    }

    pub(super) fn set_begun(&self, flow: Rc<Flow>) {
        self.begun.set(Some(flow));
    }

    pub(super) fn take_begun(&self) -> Option<Rc<Flow>> {
        self.begun.take()
    }

    /// What is to be done now.
    pub(super) fn verdict(&self, now: Instant) -> Verdict {
        let limits = self.limits();
        let is_idle = self.requests.get() == 0;
        let (mut cut_at, mut finish_at) = (None, None);
        let sooner = |at: &mut Option<Instant>, since: Option<Instant>, time: Duration| {
            let new = since.and_then(|since| since.checked_add(time));
            *at = [*at, new].into_iter().flatten().min();
        };
        sooner(&mut cut_at, self.blocked_since.get(), limits.write_time);
        sooner(&mut cut_at, self.head_since.get(), limits.head_time);
        let linger =
            if self.is_stopping.get() { limits.linger_time.min(limits.drain_time) } else { limits.linger_time };
        sooner(&mut cut_at, self.ended_since.get(), linger);
        match self.stage.get() {
            Stage::Open => {
                let is_unwanted = self.nudge.take_unwanted() && is_idle;
                if self.is_stopping.get() || self.wants_end.get() || is_unwanted {
                    return Verdict::Finish;
                }
                if self.cancelled.get() > MAX_CANCELLED.saturating_add(self.answered.get()) {
                    return Verdict::Cut;
                }
                if is_idle && self.head_since.get().is_none() {
                    sooner(&mut finish_at, Some(self.idle_since.get()), limits.idle_time);
                }
            }
            Stage::Finishing(since, grace) => {
                if is_idle {
                    sooner(&mut cut_at, Some(since.max(self.idle_since.get())), grace);
                }
            }
        }
        if cut_at.is_some_and(|at| at <= now) {
            Verdict::Cut
        } else if finish_at.is_some_and(|at| at <= now) {
            Verdict::Finish
        } else {
            Verdict::Wait([cut_at, finish_at].into_iter().flatten().min())
        }
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.unlist();
    }
}

/// A request on its way from its head to the end of its response.
pub(super) struct Busy {
    activity: Rc<Activity>,
    is_answered: bool,
}

impl Busy {
    /// There is a response. Dropped before that, the request counts as cancelled by the client.
    pub(super) fn answered(&mut self) {
        self.is_answered = true;
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let activity = &self.activity;
        let counter = if self.is_answered { &activity.answered } else { &activity.cancelled };
        counter.set(counter.get().saturating_add(1));
        let left = activity.requests.get().saturating_sub(1);
        activity.requests.set(left);
        if left == 0 {
            activity.idle_since.set(Instant::now());
            if activity.stage.get() == Stage::Open {
                activity.list();
            }
            // The connection's task sleeps by what was true before.
            activity.nudge.wake();
        }
    }
}

/// Whether the body of one response flows.
#[derive(Default)]
pub(super) struct Flow {
    waits_since: Cell<Option<Instant>>,
}

impl Flow {
    /// The client can take the next piece.
    pub(super) fn wait_for_client(&self) {
        self.waits_since.set(Some(Instant::now()));
    }

    /// What comes next is not up to the client.
    pub(super) fn wait_for_nobody(&self) {
        self.waits_since.set(None);
    }

    /// Since when the client has not asked for the next piece.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        self.waits_since.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(limits: Limits) -> Rc<Activity> {
        let mailbox = Arc::new(Mailbox::new().expect("there is a file for it"));
        let activity = Activity::new(Shared::new(limits), mailbox);
        activity.opened(true);
        activity
    }

    fn after(time: Duration) -> Instant {
        Instant::now() + time
    }

    const HOUR: Duration = Duration::from_secs(3600);
    const LITTLE: Duration = Duration::from_millis(100);

    #[test]
    fn an_idle_connection_finishes_and_a_busy_one_waits() {
        let activity = activity(Limits::default());
        let idle_time = activity.limits().idle_time;
        assert!(matches!(activity.verdict(Instant::now()), Verdict::Wait(Some(_))));
        assert_eq!(activity.verdict(after(idle_time)), Verdict::Finish);
        let mut busy = activity.begin();
        assert_eq!(activity.verdict(after(HOUR)), Verdict::Wait(None));
        busy.answered();
        drop(busy);
        assert_eq!(activity.verdict(after(idle_time)), Verdict::Finish);
        activity.finishing();
        assert!(matches!(activity.verdict(Instant::now()), Verdict::Wait(Some(_))));
        assert_eq!(activity.verdict(after(HOUR)), Verdict::Cut);
    }

    #[test]
    fn a_slow_head_and_a_blocked_write_are_cut() {
        let limits = Limits { head_time: LITTLE, write_time: LITTLE, ..Limits::default() };
        let activity = activity(limits);
        activity.received();
        assert_eq!(activity.verdict(after(LITTLE)), Verdict::Cut);
        let _busy = activity.begin();
        activity.received();
        assert_eq!(activity.verdict(after(HOUR)), Verdict::Wait(None));
        activity.sent(true);
        assert_eq!(activity.verdict(after(LITTLE)), Verdict::Cut);
        activity.sent(false);
        assert_eq!(activity.verdict(after(HOUR)), Verdict::Wait(None));
    }

    #[test]
    fn who_only_cancels_is_cut() {
        let activity = activity(Limits::default());
        for _ in 0..MAX_CANCELLED {
            drop(activity.begin());
        }
        assert!(matches!(activity.verdict(Instant::now()), Verdict::Wait(_)));
        activity.begin().answered();
        drop(activity.begin());
        assert!(matches!(activity.verdict(Instant::now()), Verdict::Wait(_)));
        drop(activity.begin());
        assert_eq!(activity.verdict(Instant::now()), Verdict::Cut);
    }

    #[test]
    fn only_idle_connections_are_given_up() {
        let activity = activity(Limits::default());
        let list = activity.mailbox.clone();
        let busy = activity.begin();
        list.idle().give_up(1, Duration::ZERO);
        assert_eq!(activity.verdict(Instant::now()), Verdict::Wait(None));
        drop(busy);
        list.idle().give_up(1, Duration::ZERO);
        assert_eq!(activity.verdict(Instant::now()), Verdict::Finish);
    }
}
