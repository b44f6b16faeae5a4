//! Stacks, reused: the last one given back is lent first, while it is still in the cache.

use corosensei::stack::DefaultStack;
use std::io;

/// Size of a stack without its guard page. Script calls use none of it; builtins with an appetite run elsewhere.
pub const DEFAULT_STACK_BYTES: usize = 128 * 1024;

/// Stacks of one thread.
pub struct Pool {
    free: Vec<DefaultStack>,
    size: usize,
    kept: usize,
    lent: usize,
}

impl Pool {
    /// A pool of stacks of `size` bytes that keeps up to `kept` of them for later.
    pub fn new(size: usize, kept: usize) -> Self {
        Self { free: Vec::new(), size, kept, lent: 0 }
    }

    /// Stacks in use.
    pub fn lent(&self) -> usize {
        self.lent
    }

    /// Stacks that wait for their next use.
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// Gives memory back to the system: keeps `count` free stacks at most.
    pub fn shrink(&mut self, count: usize) {
        self.free.truncate(count);
    }

    pub(crate) fn lend(&mut self) -> io::Result<DefaultStack> {
        let stack = match self.free.pop() {
            Some(stack) => stack,
            None => DefaultStack::new(self.size)?,
        };
        self.lent += 1;
        Ok(stack)
    }

    pub(crate) fn give_back(&mut self, stack: DefaultStack) {
        self.lent = self.lent.saturating_sub(1);
        if self.free.len() < self.kept {
            self.free.push(stack);
        }
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} stacks of {} bytes lent, {} free", self.lent, self.size, self.free.len())
    }
}
