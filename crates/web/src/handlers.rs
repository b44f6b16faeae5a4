//! The handlers of one worker that have begun and not ended: on their fibers, in the order in which they may go on.

use crate::answer::{Answered, Local};
use crate::context::{Control, Ended};
use crate::metrics::{Histogram, WorkerCounts};
use crate::pulse::Pulse;
use crate::ready::{Ready, Ticket};
use crate::rules::Rules;
use crate::run::Run;
use fiber::{Fiber, Parked, Pool, Step};
use http::Request;
use slab::Slab;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;
use std::time::{Duration, Instant};
use vm::memory;

/// Runs and stacks that are kept for the next requests.
const MAX_IDLE: usize = 16;

/// Slices after which a handler makes way for those that have used fewer.
const PATIENT_SLICES: u32 = 2;

/// A handler that goes on so long without a pause holds all others: a builtin waits or computes there.
const STALL: Duration = Duration::from_millis(50);

/// What handlers may use.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Bytes of memory.
    pub(crate) memory: isize,
    /// Time from the request's arrival.
    pub(crate) time: Duration,
    /// Time from the client's last word, where it may have gone.
    pub(crate) abandoned_time: Duration,
    /// Time after which others are let go first.
    pub(crate) slice: Duration,
    /// How deep calls may nest.
    pub(crate) depth: usize,
}

/// A handler that has not ended.
struct Active<K> {
    fiber: Fiber<Box<Run>>,
    control: Rc<Control>,
    /// Bytes it has taken so far.
    taken: isize,
    waker: Option<Waker>,
    serial: u64,
    key: K,
    arrived: Instant,
    state: State,
}

impl<K> Active<K> {
    /// Runs it until it ends or parks.
    fn resume(
        &mut self,
        pulse: &Pulse,
        memory: isize,
        is_cancelled: bool,
        slices: &Histogram,
        stalls: &mut Stalls,
    ) -> Step<Box<Run>> {
        let began = Instant::now();
        pulse.begin();
        memory::watch(memory.saturating_sub(self.taken), pulse.interrupter());
        let step = if is_cancelled { self.fiber.cancel() } else { self.fiber.resume(self.waker.as_ref()) };
        let taken = memory::pause();
        pulse.end();
        let took = began.elapsed();
        slices.record(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        if took >= STALL {
            stalls.notice(self.control.route.get(), took);
        }
        self.taken = self.taken.saturating_add(taken.bytes);
        if taken.is_exceeded && matches!(step, Step::Parked(_)) {
            self.control.end(Ended::Memory);
        }
        step
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Its waker says when to go on.
    Waiting,
    /// It stands in one of the queues.
    Queued,
}

/// An ended handler.
pub(crate) struct Done<K> {
    pub(crate) key: K,
    /// None if nobody waits for it.
    pub(crate) answered: Option<Answered>,
    pub(crate) arrived: Instant,
}

/// All of them. `K` says whom the answer is for.
pub(crate) struct Handlers<K> {
    application: Local,
    bounds: Bounds,
    rules: Rc<Rules>,
    pulse: Arc<Pulse>,
    pool: Pool,
    #[expect(clippy::vec_box, reason = "the boxes go to the fibers and back")]
    idle: Vec<Box<Run>>,
    active: Slab<Active<K>>,
    /// Can go on: new ones, and those that have used many slices.
    fresh: VecDeque<Ticket>,
    patient: VecDeque<Ticket>,
    ready: Arc<Ready>,
    waiting: usize,
    serial: u64,
    /// Of the active ones, in the order in which their time is over.
    deadlines: BTreeSet<(Instant, Ticket)>,
    counts: Arc<WorkerCounts>,
    stalls: Stalls,
}

/// Handlers that held their worker: the last one that nobody has asked for yet.
#[derive(Debug, Default)]
struct Stalls(Option<(Option<u32>, Duration)>);

impl Stalls {
    #[cold]
    fn notice(&mut self, route: Option<u32>, took: Duration) {
        self.0 = Some((route, took));
    }
}

impl<K: Copy + PartialEq> Handlers<K> {
    pub(crate) fn new(
        application: Local,
        bounds: Bounds,
        rules: Rc<Rules>,
        pulse: Arc<Pulse>,
        ready: Arc<Ready>,
        counts: Arc<WorkerCounts>,
    ) -> Self {
        Self {
            application,
            bounds,
            rules,
            pulse,
            pool: Pool::new(fiber::DEFAULT_STACK_BYTES, MAX_IDLE),
            idle: Vec::new(),
            active: Slab::new(),
            fresh: VecDeque::new(),
            patient: VecDeque::new(),
            ready,
            waiting: 0,
            serial: 0,
            deadlines: BTreeSet::new(),
            counts,
            stalls: Stalls::default(),
        }
    }

    /// From now on requests are answered by this application; those that have begun end with theirs.
    pub(crate) fn set_application(&mut self, application: Local) {
        self.application = application;
        self.idle.clear();
    }

    /// The route and time of a handler that held its worker much longer than a slice, if there was one since the last call.
    pub(crate) fn take_stall(&mut self) -> Option<(Option<u32>, Duration)> {
        self.stalls.0.take()
    }

    /// Number of handlers that have not ended.
    pub(crate) fn len(&self) -> usize {
        self.active.len()
    }

    /// Number of those that wait for something outside.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Can one go on at once?
    pub(crate) fn has_runnable(&self) -> bool {
        !self.fresh.is_empty() || !self.patient.is_empty() || (self.waiting > 0 && !self.ready.is_empty())
    }

    /// When the time of the next one is over.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    fn get(&self, ticket: Ticket) -> Option<&Active<K>> {
        self.active.get(ticket.slot).filter(|active| active.serial == ticket.serial)
    }

    /// Begins to answer a request that arrived then. Gives the answer if the handler ends without waiting.
    pub(crate) fn start(&mut self, key: K, request: Request, arrived: Instant) -> Option<Done<K>> {
        let mut run = self
            .idle
            .pop()
            .unwrap_or_else(|| Run::new(&self.application, self.pulse.interrupter(), &self.bounds, &self.rules));
        let deadline = arrived + self.bounds.time;
        run.begin(request, deadline);
        let control = run.control.clone();
        let body = move || {
            run.work();
            run
        };
        let Ok(fiber) = Fiber::new(&mut self.pool, body) else {
            return Some(Done { key, answered: None, arrived });
        };
        let (serial, state) = (self.serial, State::Queued);
        self.serial += 1;
        let mut active = Active { fiber, control, taken: 0, waker: None, serial, key, arrived, state };
        match active.resume(&self.pulse, self.bounds.memory, false, &self.counts.slices, &mut self.stalls) {
            Step::Done(run) => Some(self.end(active, run)),
            Step::Parked(parked) => {
                let slot = self.active.insert(active);
                let ticket = Ticket { slot, serial };
                self.deadlines.insert((deadline, ticket));
                self.parked(ticket, parked)
            }
        }
    }

    /// Files a handler that has parked; one that wants a waker gets it and goes on.
    fn parked(&mut self, ticket: Ticket, mut parked: Parked) -> Option<Done<K>> {
        loop {
            let active = self.active.get_mut(ticket.slot)?;
            match parked {
                Parked::NeedsWaker => {
                    let waker = self.ready.waker(ticket);
                    active.waker = Some(waker);
                    match self.go_on(ticket, false)? {
                        Step::Done(run) => return self.leave(ticket, run),
                        Step::Parked(next) => parked = next,
                    }
                }
                Parked::Waiting => {
                    active.state = State::Waiting;
                    self.waiting += 1;
                    return None;
                }
                Parked::Yielded => {
                    active.state = State::Queued;
                    let is_patient = active.control.slices.get() >= PATIENT_SLICES;
                    if is_patient { &mut self.patient } else { &mut self.fresh }.push_back(ticket);
                    return None;
                }
            }
        }
    }

    /// Resumes a handler in its place.
    fn go_on(&mut self, ticket: Ticket, is_cancelled: bool) -> Option<Step<Box<Run>>> {
        let active = self.active.get_mut(ticket.slot)?;
        let Self { pulse, bounds, counts, stalls, .. } = self;
        Some(active.resume(pulse, bounds.memory, is_cancelled, &counts.slices, stalls))
    }

    fn leave(&mut self, ticket: Ticket, run: Box<Run>) -> Option<Done<K>> {
        let active = self.active.try_remove(ticket.slot)?;
        self.deadlines.remove(&(active.control.deadline.get(), ticket));
        Some(self.end(active, run))
    }

    fn end(&mut self, active: Active<K>, mut run: Box<Run>) -> Done<K> {
        active.fiber.recycle(&mut self.pool);
        let answered = run.answered.take();
        if self.idle.len() < MAX_IDLE && Rc::ptr_eq(&run.application, &self.application) {
            self.idle.push(run);
        }
        let is_wanted = active.control.ended.get() != Some(Ended::Cancelled);
        Done { key: active.key, answered: answered.filter(|_| is_wanted), arrived: active.arrived }
    }

    /// Lets go on what has been woken, then one of those that have used up a slice. Gives those that ended to `done`.
    pub(crate) fn run_ready(&mut self, mut done: impl FnMut(Done<K>)) {
        if self.waiting > 0 {
            for ticket in self.ready.take(Vec::new()) {
                if let Some(ended) = self.wake(ticket) {
                    done(ended);
                }
            }
        }
        // Each of the fresh ones once while the round is short; a patient one only when no fresh one wants its time.
        let (fresh, began) = (self.fresh.len(), Instant::now());
        for at in 0..fresh.max(1) {
            if at > 0 && began.elapsed() >= self.bounds.slice {
                break;
            }
            let next = self.fresh.pop_front().or_else(|| self.patient.pop_front());
            let Some(ticket) = next else { break };
            if self.get(ticket).is_some_and(|active| active.state == State::Queued)
                && let Some(ended) = self.advance(ticket, false)
            {
                done(ended);
            }
        }
    }

    fn wake(&mut self, ticket: Ticket) -> Option<Done<K>> {
        if self.get(ticket)?.state != State::Waiting {
            return None;
        }
        self.waiting -= 1;
        self.advance(ticket, false)
    }

    fn advance(&mut self, ticket: Ticket, is_cancelled: bool) -> Option<Done<K>> {
        match self.go_on(ticket, is_cancelled)? {
            Step::Done(run) => self.leave(ticket, run),
            Step::Parked(parked) => self.parked(ticket, parked),
        }
    }

    /// Ends the handlers whose time is over.
    pub(crate) fn expire(&mut self, now: Instant, mut done: impl FnMut(Done<K>)) {
        while self.next_deadline().is_some_and(|at| at <= now)
            && let Some((_, ticket)) = self.deadlines.pop_first()
        {
            let why = self.get(ticket).map(|active| active.control.overdue());
            if let Some(ended) = why.and_then(|why| self.stop(ticket, why)) {
                done(ended);
            }
        }
    }

    /// The handler that works for `key`.
    fn find(&self, key: K) -> Option<Ticket> {
        let (slot, active) = self.active.iter().find(|(_, active)| active.key == key)?;
        Some(Ticket { slot, serial: active.serial })
    }

    /// Ends the handler that works for `key`.
    pub(crate) fn cancel(&mut self, key: K) {
        if let Some(ticket) = self.find(key) {
            self.stop(ticket, Ended::Cancelled);
        }
    }

    /// Leaves the handler that works for `key` only little time: its client has sent nothing more since then and may have gone.
    pub(crate) fn hurry(&mut self, key: K, since: Instant) {
        if let Some(ticket) = self.find(key)
            && let Some(active) = self.active.get(ticket.slot)
        {
            self.deadlines.remove(&(active.control.deadline.get(), ticket));
            active.control.hurry(since + self.bounds.abandoned_time);
            self.deadlines.insert((active.control.deadline.get(), ticket));
        }
    }

    /// Tells a handler to end, and lets it.
    fn stop(&mut self, ticket: Ticket, why: Ended) -> Option<Done<K>> {
        let active = self.get(ticket)?;
        active.control.end(why);
        if active.state == State::Waiting {
            self.waiting -= 1;
        }
        self.advance(ticket, true)
    }
}
