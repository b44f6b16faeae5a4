//! A fiber, seen from outside: starting, resuming, ending.

use crate::current::{Inside, Outside, Resume};
use crate::stack::Pool;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use std::io;
use std::task::Waker;

/// Why a fiber stopped running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parked {
    /// It wants to wait and was resumed without a waker: resume it with one.
    NeedsWaker,
    /// It waits; its waker says when to go on.
    Waiting,
    /// It lets others run and can go on at any time.
    Yielded,
}

/// What resuming a fiber led to.
#[derive(Debug)]
pub enum Step<R> {
    /// It has ended.
    Done(R),
    /// It stopped on the way.
    Parked(Parked),
}

/// A closure that runs on a stack of its own.
pub struct Fiber<R: 'static> {
    /// None once it has ended and its stack has been given back.
    coroutine: Option<Coroutine<Resume, Parked, R, DefaultStack>>,
}

/// How often a fiber that is dropped is asked to end before its stack is given up.
const CANCEL_ROUNDS: usize = 1000;

impl<R: 'static> Fiber<R> {
    /// A fiber that has not begun.
    ///
    /// # Errors
    /// No memory for a stack.
    pub fn new(pool: &mut Pool, body: impl FnOnce() -> R + 'static) -> io::Result<Self> {
        let stack = pool.lend()?;
        let coroutine = Coroutine::with_stack(stack, move |yielder, first| {
            let inside = Inside::new(yielder, first);
            inside.enter();
            body()
        });
        Ok(Self { coroutine: Some(coroutine) })
    }

    /// Runs until it ends or parks. Without a waker it cannot wait: it parks as [`Parked::NeedsWaker`].
    ///
    /// # Panics
    /// When it has ended.
    pub fn resume(&mut self, waker: Option<&Waker>) -> Step<R> {
        self.step(Resume::Run(waker.cloned()))
    }

    /// Tells it to end and runs it: waiting fails from now on. It may still yield on its way.
    ///
    /// # Panics
    /// When it has ended.
    pub fn cancel(&mut self) -> Step<R> {
        self.step(Resume::Cancel)
    }

    fn step(&mut self, resume: Resume) -> Step<R> {
        let _before = Outside::remember();
        match self.coroutine.as_mut().expect("a fiber is not resumed after its end").resume(resume) {
            CoroutineResult::Yield(parked) => Step::Parked(parked),
            CoroutineResult::Return(result) => Step::Done(result),
        }
    }

    /// Gives the stack of an ended fiber back. One that has not ended is told to end first.
    pub fn recycle(mut self, pool: &mut Pool) {
        if self.finish()
            && let Some(coroutine) = self.coroutine.take()
        {
            pool.give_back(coroutine.into_stack());
        }
    }

    /// Runs it to its end, cancelled. False when it does not end, or has been recycled.
    fn finish(&mut self) -> bool {
        let Some(coroutine) = &self.coroutine else { return false };
        if coroutine.done() || !coroutine.started() {
            return coroutine.done();
        }
        (0..CANCEL_ROUNDS).any(|_| matches!(self.cancel(), Step::Done(_)))
    }
}

impl<R: 'static> Drop for Fiber<R> {
    fn drop(&mut self) {
        if !self.finish() {
            // Its stack holds values that something may still point to; it is leaked rather than unmapped.
            std::mem::forget(self.coroutine.take().filter(Coroutine::started));
        }
    }
}

impl<R: 'static> std::fmt::Debug for Fiber<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.coroutine {
            Some(coroutine) if coroutine.done() => f.write_str("ended fiber"),
            Some(coroutine) if coroutine.started() => f.write_str("parked fiber"),
            Some(_) => f.write_str("new fiber"),
            None => f.write_str("recycled fiber"),
        }
    }
}
