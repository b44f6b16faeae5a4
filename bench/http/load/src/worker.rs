//! A thread of the tool: its share of the connections on an epoll of its own, and the loop that asks and counts.

use crate::answer::{Answer, Expected};
use crate::arguments::{Mode, Plan};
use crate::connection::{Connection, Received};
use crate::schedule::Schedule;
use crate::tally::Tally;
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use std::collections::VecDeque;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Connections that a thread has on their way at the same time before the run: no more than a backlog holds.
const CONNECTING: usize = 128;
/// Broken connections are reopened, and late answers looked for, this often.
const TICK: u64 = 100_000_000;
/// Ticks in which all connections are looked at.
const LOOKS: usize = 20;
/// How long connecting may take before the run.
const PREPARATION: Duration = Duration::from_secs(60);
/// Requests go out in time even when many answers come at once.
const EVENTS_BETWEEN_DUE: usize = 16;
const INPUT: usize = 128 * 1024;
/// Pipelined requests leave in pieces of about this size.
const WIRE: usize = 64 * 1024;

/// What the threads of a run share.
#[derive(Debug)]
pub(crate) struct Crew {
    /// All threads have opened their connections.
    pub(crate) ready: Barrier,
    /// All threads of an idle run have their answers.
    pub(crate) answered: Barrier,
    /// Some thread could not open its connections: none starts.
    pub(crate) failed: AtomicBool,
    /// The person pressed Ctrl-C.
    pub(crate) stopped: std::sync::Arc<AtomicBool>,
}

#[derive(Debug)]
struct Slot {
    connection: Option<Connection>,
    answered: u64,
}

#[derive(Debug)]
pub(crate) struct Worker<'plan> {
    plan: &'plan Plan,
    expected: Expected,
    poll: OwnedFd,
    slots: Vec<Slot>,
    /// Connections without a request, the longest unused first. Only in the open loop.
    free: VecDeque<usize>,
    /// Due requests that found no free connection.
    backlog: VecDeque<u64>,
    schedule: Option<Schedule>,
    /// Connections to be reopened at the next tick.
    broken: Vec<usize>,
    /// The request, as often as fits.
    wire: Vec<u8>,
    input: Vec<u8>,
    /// The next connection to be looked at for a late answer.
    looked_at: usize,
    /// Requests that may still be sent.
    left: u64,
    outstanding: u64,
    tally: Tally,
    start: Instant,
    /// Nanoseconds since the start between which answers count.
    measured: (u64, u64),
    last_answer: u64,
}

impl<'plan> Worker<'plan> {
    /// The worker `index` of all.
    ///
    /// # Errors
    /// When the system gives no epoll.
    pub(crate) fn new(plan: &'plan Plan, index: u32) -> Result<Self, String> {
        let share = |whole: u64| {
            let (threads, index) = (u64::from(plan.threads), u64::from(index));
            whole / threads + u64::from(index < whole % threads)
        };
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|error| format!("no epoll: {error}"))?;
        let connections = usize::try_from(share(u64::from(plan.connections))).map_err(|error| error.to_string())?;
        let end = plan.warmup + plan.duration;
        let schedule = match plan.mode {
            Mode::Open { rate, poisson } => {
                let rate = rate / f64::from(plan.threads);
                // Threads take turns instead of sending at the same instants.
                let shift = Duration::from_secs_f64(f64::from(index) / f64::from(plan.threads) / rate);
                Some(Schedule::new(rate, poisson, shift, end, u64::from(index) + 1))
            }
            _ => None,
        };
        let copies = (WIRE / plan.request.len()).clamp(1, plan.pipeline as usize);
        Ok(Self {
            plan,
            expected: Expected { body: plan.expect_body.clone(), status: plan.status, bodiless: plan.bodiless },
            poll,
            slots: (0..connections).map(|_| Slot { connection: None, answered: 0 }).collect(),
            free: VecDeque::new(),
            backlog: VecDeque::new(),
            schedule,
            broken: Vec::new(),
            wire: plan.request.repeat(copies),
            input: vec![0; INPUT],
            looked_at: 0,
            left: share(plan.requests),
            outstanding: 0,
            tally: Tally::default(),
            start: Instant::now(),
            measured: (nanoseconds(plan.warmup), nanoseconds(end)),
            last_answer: 0,
        })
    }

    /// Connects, waits for the others, runs, and returns what it counted.
    ///
    /// # Errors
    /// When the connections cannot be opened.
    pub(crate) fn run(mut self, crew: &Crew) -> Result<Tally, String> {
        let prepared = if self.plan.keep_alive { self.connect_all(crew) } else { Ok(()) };
        if prepared.is_err() {
            crew.failed.store(true, Ordering::Relaxed);
        }
        crew.ready.wait();
        prepared?;
        if crew.failed.load(Ordering::Relaxed) {
            return Ok(self.tally);
        }
        self.start = Instant::now();
        match self.plan.mode {
            Mode::Idle { hold } => self.idle(crew, hold),
            Mode::Open { .. } => {
                self.free = (0..self.slots.len()).collect();
                self.measure(crew);
            }
            Mode::Closed => {
                for slot in 0..self.slots.len() {
                    self.refill(slot, 0);
                }
                self.measure(crew);
            }
        }
        self.tally.per_connection = self.slots.iter().map(|slot| slot.answered).collect();
        Ok(self.tally)
    }

    fn connect_all(&mut self, crew: &Crew) -> Result<(), String> {
        let began = Instant::now();
        let (mut next, mut connected) = (0, 0);
        while connected < self.slots.len() {
            while next < self.slots.len() && next - connected < CONNECTING {
                self.open(next)
                    .map_err(|error| format!("cannot open connection {} to {}: {error}", next + 1, self.plan.target))?;
                next += 1;
            }
            for (slot, _) in self.wait(Duration::from_millis(100)) {
                let Some(connection) = self.slots.get_mut(slot).and_then(|slot| slot.connection.as_mut()) else {
                    continue;
                };
                if connection.is_connected() {
                    continue;
                }
                let done = connection
                    .check_connected()
                    .and_then(|done| connection.flush(&[], 1, &self.poll, slot as u64).map(|()| done))
                    .map_err(|error| format!("cannot connect to {}: {error}", self.plan.target))?;
                connected += usize::from(done);
            }
            if began.elapsed() > PREPARATION || crew.stopped.load(Ordering::Relaxed) {
                return Err(format!("only {connected} of {} connections came about in time", self.slots.len()));
            }
        }
        Ok(())
    }

    fn measure(&mut self, crew: &Crew) {
        let give_up = self.measured.1 + nanoseconds(self.plan.timeout);
        let mut next_tick = TICK;
        loop {
            let mut now = self.now();
            self.send_due(now);
            let finished = now >= self.measured.1 || self.left == 0;
            let answered = self.outstanding == 0 && self.backlog.is_empty();
            let closed_is_over = self.plan.mode == Mode::Closed && now >= self.measured.1;
            if closed_is_over || finished && answered || now >= give_up || crew.stopped.load(Ordering::Relaxed) {
                break;
            }
            if now >= next_tick {
                self.tick(now);
                next_tick = now + TICK;
            }
            let due = self.schedule.as_ref().and_then(Schedule::due).filter(|_| self.left > 0);
            let wake = due.unwrap_or(u64::MAX).min(next_tick);
            let wake = if finished { wake } else { wake.min(self.measured.1) };
            let pause = if self.plan.spin { 0 } else { wake.saturating_sub(now) };
            for (count, (slot, flags)) in self.wait(Duration::from_nanos(pause)).into_iter().enumerate() {
                now = self.now();
                self.ready(slot, flags, now);
                if count % EVENTS_BETWEEN_DUE == EVENTS_BETWEEN_DUE - 1 {
                    self.send_due(now);
                }
            }
        }
        if self.plan.mode != Mode::Closed {
            self.tally.failures.timeout += self.outstanding + self.backlog.len() as u64;
        }
        let end = if self.left == 0 { self.last_answer } else { self.now().min(self.measured.1) };
        self.tally.seconds = Duration::from_nanos(end.saturating_sub(self.measured.0)).as_secs_f64();
    }

    /// One answer each, then silence.
    fn idle(&mut self, crew: &Crew, hold: Duration) {
        self.measured = (0, u64::MAX);
        for slot in 0..self.slots.len() {
            self.send(slot, 0);
        }
        let patience = nanoseconds(self.plan.timeout);
        while self.outstanding > 0 && self.now() < patience && !crew.stopped.load(Ordering::Relaxed) {
            self.serve(Duration::from_millis(10));
        }
        self.tally.failures.timeout += self.outstanding;
        self.tally.seconds = self.start.elapsed().as_secs_f64();
        if crew.answered.wait().is_leader() {
            // Whoever measures the server's memory waits for this line.
            eprintln!("holding");
        }
        let until = Instant::now() + hold;
        while Instant::now() < until && !crew.stopped.load(Ordering::Relaxed) {
            self.serve(Duration::from_millis(50));
        }
        self.tally.held = self.slots.iter().filter(|slot| slot.connection.is_some()).count() as u64;
    }

    fn serve(&mut self, pause: Duration) {
        for (slot, flags) in self.wait(pause) {
            self.ready(slot, flags, self.now());
        }
    }

    fn now(&self) -> u64 {
        nanoseconds(self.start.elapsed())
    }

    fn wait(&mut self, pause: Duration) -> Vec<(usize, epoll::EventFlags)> {
        let timeout = Timespec::try_from(pause).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        let mut events = Vec::with_capacity(512);
        match epoll::wait(&self.poll, rustix::buffer::spare_capacity(&mut events), Some(&timeout)) {
            Ok(_) => {
                let slot = |event: &epoll::Event| usize::try_from(event.data.u64()).unwrap_or(usize::MAX);
                events.iter().map(|event| (slot(event), event.flags)).collect()
            }
            Err(_) => Vec::new(),
        }
    }

    fn open(&mut self, slot: usize) -> Result<(), rustix::io::Errno> {
        let connection = Connection::open(self.plan.target, &self.poll, slot as u64)?;
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.connection = Some(connection);
        }
        Ok(())
    }

    fn send_due(&mut self, now: u64) {
        while let Some(due) = self.schedule.as_ref().and_then(Schedule::due).filter(|due| *due <= now) {
            if let Some(schedule) = &mut self.schedule {
                schedule.advance();
            }
            if self.left == 0 {
                continue;
            }
            match self.free.pop_front() {
                Some(slot) => {
                    self.tally.lag.record(now - due);
                    self.send(slot, due);
                }
                None => self.backlog.push_back(due),
            }
        }
    }

    /// Fills the pipeline of a connection in the closed loop.
    fn refill(&mut self, slot: usize, now: u64) {
        while self.left > 0 && self.waiting(slot) < self.plan.pipeline as usize {
            if !self.ask(slot, now) {
                return;
            }
        }
        self.flush(slot);
    }

    fn send(&mut self, slot: usize, due: u64) {
        if self.ask(slot, due) {
            self.flush(slot);
        }
    }

    fn waiting(&self, slot: usize) -> usize {
        let connection = self.slots.get(slot).and_then(|slot| slot.connection.as_ref());
        connection.map_or(0, |connection| connection.outstanding.len())
    }

    /// Puts a request on a connection, and opens one where there is none.
    fn ask(&mut self, slot: usize, due: u64) -> bool {
        let is_open = self.slots.get(slot).is_some_and(|slot| slot.connection.is_some());
        self.left = self.left.saturating_sub(1);
        if !is_open && self.open(slot).is_err() {
            self.tally.failures.connect += 1;
            self.broken.push(slot);
            return false;
        }
        if let Some(connection) = self.slots.get_mut(slot).and_then(|slot| slot.connection.as_mut()) {
            connection.ask(due, self.plan.request.len());
            self.outstanding += 1;
        }
        true
    }

    fn flush(&mut self, slot: usize) {
        let Some(connection) = self.slots.get_mut(slot).and_then(|slot| slot.connection.as_mut()) else { return };
        if connection.flush(&self.wire, self.plan.request.len(), &self.poll, slot as u64).is_err() {
            self.ended(slot);
        }
    }

    fn ready(&mut self, slot: usize, flags: epoll::EventFlags, now: u64) {
        let Some(connection) = self.slots.get_mut(slot).and_then(|slot| slot.connection.as_mut()) else { return };
        match connection.check_connected() {
            Ok(true) => {}
            Ok(false) => return,
            Err(_) => {
                self.tally.failures.connect += connection.outstanding.len() as u64;
                self.outstanding -= connection.outstanding.len() as u64;
                connection.outstanding.clear();
                self.drop_connection(slot);
                self.broken.push(slot);
                return;
            }
        }
        if flags.contains(epoll::EventFlags::OUT) {
            self.flush(slot);
        }
        if flags.intersects(epoll::EventFlags::IN | epoll::EventFlags::HUP | epoll::EventFlags::ERR) {
            self.read(slot, now);
        }
    }

    fn read(&mut self, slot: usize, now: u64) {
        let Some(connection) = self.slots.get_mut(slot).and_then(|slot| slot.connection.as_mut()) else { return };
        let length = match connection.receive(&mut self.input) {
            Received::Bytes(length) => length,
            Received::Nothing => return,
            Received::End => {
                if let Some(answer) = connection.end(&self.expected) {
                    self.count(slot, answer, now);
                }
                return self.ended(slot);
            }
        };
        let mut from = 0;
        while from < length {
            let Some(connection) = self.slots.get_mut(slot).and_then(|slot| slot.connection.as_mut()) else { return };
            match connection.feed(self.input.get(from..length).unwrap_or_default(), &self.expected) {
                Ok((used, answer)) => {
                    from += used;
                    let Some(answer) = answer else { continue };
                    self.count(slot, answer, now);
                    if answer.closes || !self.plan.keep_alive {
                        self.tally.reconnects += u64::from(self.plan.keep_alive);
                        self.drop_connection(slot);
                        return self.next(slot, now);
                    }
                }
                Err(_) => {
                    self.tally.failures.malformed += 1;
                    return self.ended(slot);
                }
            }
        }
        if self.waiting(slot) < self.plan.pipeline as usize {
            self.next(slot, now);
        }
    }

    fn count(&mut self, slot: usize, answer: Answer, now: u64) {
        let Some(slot) = self.slots.get_mut(slot) else { return };
        let due = slot.connection.as_mut().and_then(|connection| connection.outstanding.pop_front()).unwrap_or(now);
        self.outstanding -= 1;
        self.last_answer = now;
        self.tally.failures.status += u64::from(!answer.status_fits);
        self.tally.failures.body += u64::from(answer.status_fits && !answer.body_fits);
        // In the closed loop an answer belongs to the time it came, in the open loop to the time it was due.
        let moment = if self.schedule.is_some() { due } else { now };
        if moment >= self.measured.0 && moment < self.measured.1 && answer.status_fits && answer.body_fits {
            self.tally.latency.record(now.saturating_sub(due));
            slot.answered += 1;
        }
    }

    /// A connection can take its next request.
    fn next(&mut self, slot: usize, now: u64) {
        match self.plan.mode {
            Mode::Idle { .. } => {}
            Mode::Closed if now < self.measured.1 => self.refill(slot, now),
            Mode::Closed => {}
            Mode::Open { .. } => match self.backlog.pop_front() {
                Some(due) => self.send(slot, due),
                None => self.free.push_back(slot),
            },
        }
    }

    /// The server closed; what was outstanding is lost. The slot gets a new connection with its next request.
    fn ended(&mut self, slot: usize) {
        let lost = self.waiting(slot) as u64;
        self.tally.failures.closed += lost;
        self.outstanding -= lost;
        let was_free = lost == 0 && self.schedule.is_some();
        self.drop_connection(slot);
        // A free one stays in its queue.
        if !was_free {
            self.broken.push(slot);
        }
    }

    fn drop_connection(&mut self, slot: usize) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.connection = None;
        }
    }

    fn tick(&mut self, now: u64) {
        let limit = nanoseconds(self.plan.timeout);
        // A few at a time: a look at ten thousand would be seen in the latencies.
        let share = self.slots.len() / LOOKS + 1;
        let looked_at = self.looked_at;
        self.looked_at = if looked_at + share >= self.slots.len() { 0 } else { looked_at + share };
        for slot in looked_at..(looked_at + share).min(self.slots.len()) {
            let connection = self.slots.get(slot).and_then(|slot| slot.connection.as_ref());
            let oldest = connection.and_then(|connection| connection.outstanding.front().copied());
            if oldest.is_some_and(|due| now.saturating_sub(due) > limit) {
                let lost = self.waiting(slot) as u64;
                self.tally.failures.timeout += lost;
                self.outstanding -= lost;
                self.drop_connection(slot);
                self.broken.push(slot);
            }
        }
        for slot in std::mem::take(&mut self.broken) {
            self.next(slot, now);
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
