//! A worker that accepts for itself.

use super::{LISTEN, Worker};
use crate::listen::Listener;
use crate::service::Service;
use crate::spread::{Batch, REST, Spread};
use std::io;
use std::time::{Duration, Instant};

/// What such a worker has besides its connections.
pub(super) struct Listening {
    listeners: Vec<Listener>,
    spread: Spread,
    /// Until when nothing is accepted, for want of files.
    rests_until: Option<Instant>,
}

impl Listening {
    /// When it has something to do without the kernel's news.
    pub(super) fn next_wait(&self) -> Option<Duration> {
        let rest = self.rests_until.map(|until| until.saturating_duration_since(Instant::now()));
        [rest, self.spread.time_to_close()].into_iter().flatten().min()
    }
}

impl Worker {
    /// Accepts connections itself. For a worker that is the only one: it takes them all.
    ///
    /// # Errors
    /// The listener cannot be watched.
    pub fn listen(&mut self, listener: Listener) -> io::Result<()> {
        self.poller.add_listener(listener.socket(), LISTEN)?;
        let listening = self.listening.get_or_insert_with(|| {
            let spread = Spread::new(vec![self.mailbox.clone()], self.shared.clone());
            Box::new(Listening { listeners: Vec::new(), spread, rests_until: None })
        });
        listening.listeners.push(listener);
        Ok(())
    }

    /// Accepts a batch, if there is one.
    pub(super) fn accept(&mut self, service: &mut impl Service) {
        let Some(listening) = &mut self.listening else { return };
        let mut has_room = true;
        for listener in &listening.listeners {
            has_room &= listening.spread.accept(listener) != Batch::NoRoom;
        }
        if !has_room {
            // The listeners stay readable, and would wake this worker all the time.
            listening.listeners.iter().for_each(|listener| self.poller.remove(listener.socket()));
            listening.rests_until = Some(Instant::now() + REST);
        }
        for mail in listening.spread.take_first() {
            self.receive(mail, service);
        }
    }

    /// Does what is due.
    pub(super) fn tend_listening(&mut self) {
        let Some(listening) = &mut self.listening else { return };
        listening.spread.close_refused();
        if listening.rests_until.is_some_and(|until| until <= Instant::now()) {
            listening.rests_until = None;
            for listener in &listening.listeners {
                if self.poller.add_listener(listener.socket(), LISTEN).is_err() {
                    listening.rests_until = Some(Instant::now() + REST);
                }
            }
        }
    }

    /// Takes the connections that clients have completed, and closes the listeners.
    pub(super) fn end_listening(&mut self) {
        let Some(mut listening) = self.listening.take() else { return };
        for listener in &listening.listeners {
            while listening.spread.accept(listener) == Batch::Some {}
        }
        listening.spread.deliver();
    }
}
