//! What happens when nothing happens: times after which a connection is looked at.
//!
//! All waits of one kind last equally long, so each kind is a list in the order of its beginnings, linked through the
//! connections themselves: arming, disarming and finding the next one cost a few writes and no memory. The list of idle
//! connections is at the same time the order in which they are given up when room is needed.

use crate::limits::Limits;
use crate::slab::Slab;
use std::time::Duration;

/// What a connection waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// The next request.
    Idle,
    /// The rest of a head.
    Head,
    /// The rest of a body.
    Body,
    /// The client to take what is written.
    Write,
    /// The client to end its side.
    Linger,
}

pub(crate) const WAITS: [Wait; 5] = [Wait::Idle, Wait::Head, Wait::Body, Wait::Write, Wait::Linger];

/// A connection that began to be idle so many milliseconds ago (and less than an eighth of the idle time) need not be moved in
/// its list again: a busy one is moved a few times a second, not with each request. The idle time is that much less exact.
const IDLE_GRAIN: u32 = 256;

/// A connection's place in a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    before: u32,
    after: u32,
    /// When it began, in milliseconds of the worker's clock.
    since: u32,
    wait: Option<Wait>,
}

const NOBODY: u32 = u32::MAX;

impl Links {
    pub(crate) const NEW: Self = Self { before: NOBODY, after: NOBODY, since: 0, wait: None };

    pub(crate) fn wait(&self) -> Option<Wait> {
        self.wait
    }
}

/// Something that can stand in a list.
pub(crate) trait Linked {
    fn links(&mut self) -> &mut Links;
}

#[derive(Clone, Copy)]
struct List {
    first: u32,
    last: u32,
    /// In milliseconds.
    duration: u32,
}

/// The lists of one worker.
pub(crate) struct Timers {
    lists: [List; 5],
}

impl Timers {
    pub(crate) fn new(limits: &Limits) -> Self {
        let list = |wait| {
            let duration = match wait {
                Wait::Idle => limits.idle_time,
                Wait::Head => limits.head_time,
                Wait::Body => limits.body_time,
                Wait::Write => limits.write_time,
                Wait::Linger => limits.linger_time,
            };
            List { first: NOBODY, last: NOBODY, duration: milliseconds(duration) }
        };
        Self { lists: WAITS.map(list) }
    }

    fn list(&mut self, wait: Wait) -> &mut List {
        let [idle, head, body, write, linger] = &mut self.lists;
        match wait {
            Wait::Idle => idle,
            Wait::Head => head,
            Wait::Body => body,
            Wait::Write => write,
            Wait::Linger => linger,
        }
    }

    /// Makes all waits of a kind last differently, also those that have begun.
    pub(crate) fn set_duration(&mut self, wait: Wait, duration: Duration) {
        self.list(wait).duration = milliseconds(duration);
    }

    /// Lets all waits of a kind begin anew.
    pub(crate) fn restart<T: Linked>(&mut self, slab: &mut Slab<T>, wait: Wait, now: u32) {
        let mut slot = self.list(wait).first;
        while let Some(links) = slab.get_mut(slot).map(Linked::links) {
            links.since = now;
            slot = links.after;
        }
    }

    /// Begins a wait; one that it was in ends.
    pub(crate) fn arm<T: Linked>(&mut self, slab: &mut Slab<T>, slot: u32, wait: Wait, now: u32) {
        let Some(links) = slab.get_mut(slot).map(Linked::links) else { return };
        if wait == Wait::Idle && links.wait == Some(Wait::Idle) {
            let grain = IDLE_GRAIN.min(self.list(Wait::Idle).duration / 8);
            if now.wrapping_sub(links.since) < grain {
                return;
            }
        }
        self.disarm(slab, slot);
        let list = self.list(wait);
        let before = std::mem::replace(&mut list.last, slot);
        if before == NOBODY {
            list.first = slot;
        }
        if let Some(links) = slab.get_mut(before).map(Linked::links) {
            links.after = slot;
        }
        if let Some(links) = slab.get_mut(slot).map(Linked::links) {
            *links = Links { before, after: NOBODY, since: now, wait: Some(wait) };
        }
    }

    /// Ends the wait that a connection is in, if it is in one.
    pub(crate) fn disarm<T: Linked>(&mut self, slab: &mut Slab<T>, slot: u32) {
        let Some(links) = slab.get_mut(slot).map(Linked::links) else { return };
        let Links { before, after, wait, .. } = std::mem::replace(links, Links::NEW);
        let Some(wait) = wait else { return };
        match slab.get_mut(before).map(Linked::links) {
            Some(links) => links.after = after,
            None => self.list(wait).first = after,
        }
        match slab.get_mut(after).map(Linked::links) {
            Some(links) => links.before = before,
            None => self.list(wait).last = before,
        }
    }

    /// The longest waiting connection of a kind, if its time is over.
    pub(crate) fn due<T: Linked>(&mut self, slab: &mut Slab<T>, wait: Wait, now: u32) -> Option<u32> {
        let duration = self.list(wait).duration;
        self.oldest(slab, wait, now, duration)
    }

    /// The longest waiting connection of a kind, if it has waited for so many milliseconds.
    pub(crate) fn oldest<T: Linked>(&mut self, slab: &mut Slab<T>, wait: Wait, now: u32, least: u32) -> Option<u32> {
        let first = self.list(wait).first;
        let since = slab.get_mut(first)?.links().since;
        (now.wrapping_sub(since) >= least).then_some(first)
    }

    /// Time to the next one that is due.
    pub(crate) fn next<T: Linked>(&self, slab: &mut Slab<T>, now: u32) -> Option<Duration> {
        let left = self.lists.iter().filter_map(|list| {
            let since = slab.get_mut(list.first)?.links().since;
            Some(list.duration.saturating_sub(now.wrapping_sub(since)))
        });
        left.min().map(|left| Duration::from_millis(left.into()))
    }
}

/// At most 24 days, so that differences of a wrapping clock stay right.
fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX).min(i32::MAX as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: u32 = 1_000_000;

    impl Linked for Links {
        fn links(&mut self) -> &mut Links {
            self
        }
    }

    fn setup(count: u32) -> (Timers, Slab<Links>) {
        let limits =
            Limits { idle_time: Duration::from_secs(75), head_time: Duration::from_secs(15), ..Limits::default() };
        let mut slab = Slab::new();
        for _ in 0..count {
            slab.insert(Links::NEW);
        }
        (Timers::new(&limits), slab)
    }

    #[test]
    fn the_longest_waiting_is_due_first() {
        let (mut timers, mut slab) = setup(3);
        timers.arm(&mut slab, 0, Wait::Head, 100);
        timers.arm(&mut slab, 1, Wait::Head, 200);
        timers.arm(&mut slab, 2, Wait::Head, 300);
        assert_eq!(timers.due(&mut slab, Wait::Head, 15_099), None);
        assert_eq!(timers.due(&mut slab, Wait::Head, 15_100), Some(0));
        timers.disarm(&mut slab, 1);
        timers.arm(&mut slab, 0, Wait::Head, 400);
        assert_eq!(timers.due(&mut slab, Wait::Head, 20_000), Some(2));
        timers.disarm(&mut slab, 2);
        assert_eq!(timers.due(&mut slab, Wait::Head, 20_000), Some(0));
        timers.disarm(&mut slab, 0);
        timers.disarm(&mut slab, 0);
        assert_eq!(timers.due(&mut slab, Wait::Head, 20_000), None);
    }

    #[test]
    fn a_connection_is_in_one_list_and_the_clock_may_wrap() {
        let (mut timers, mut slab) = setup(2);
        let now = u32::MAX - 1000;
        timers.arm(&mut slab, 0, Wait::Idle, now);
        timers.arm(&mut slab, 1, Wait::Idle, now);
        timers.arm(&mut slab, 0, Wait::Head, now);
        assert_eq!(timers.oldest(&mut slab, Wait::Idle, LATE, 0), Some(1));
        let later = now.wrapping_add(14_000);
        assert_eq!(timers.next(&mut slab, later), Some(Duration::from_secs(1)));
        assert_eq!(timers.due(&mut slab, Wait::Head, later), None);
        assert_eq!(timers.due(&mut slab, Wait::Head, later.wrapping_add(1000)), Some(0));
    }

    #[test]
    fn a_busy_connection_is_not_moved_each_time() {
        let (mut timers, mut slab) = setup(2);
        timers.arm(&mut slab, 0, Wait::Idle, 1000);
        timers.arm(&mut slab, 1, Wait::Idle, 1000);
        timers.arm(&mut slab, 0, Wait::Idle, 1000 + IDLE_GRAIN - 1);
        assert_eq!(timers.oldest(&mut slab, Wait::Idle, LATE, 0), Some(0));
        timers.arm(&mut slab, 0, Wait::Idle, 1000 + IDLE_GRAIN);
        assert_eq!(timers.oldest(&mut slab, Wait::Idle, LATE, 0), Some(1));
    }
}
