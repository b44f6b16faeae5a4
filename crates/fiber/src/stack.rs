//! Stacks, reused: the last one given back is lent first, while it is still in the cache.
//!
//! Their size is that of the address space: memory is taken page by page as it is used, and what a pool keeps has used little.

use corosensei::stack::{DefaultStack, Stack};
use std::io;

/// Size of a stack without its guard page. Script calls use none of it. Builtins use it where they call functions that call
/// builtins, and for values inside of values; both have limits that fit in it.
pub const DEFAULT_STACK_BYTES: usize = 1024 * 1024;

/// A stack of which more than this was used is not kept: its memory would be held for nothing.
const KEPT_BYTES: usize = 48 * 1024;

/// Words below that which show whether anybody has been there.
const MARKS: usize = 64;
const MARK: u64 = 0x6b73_6174_5f72_6469;

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
            None => {
                let mut stack = DefaultStack::new(self.size)?;
                mark(&mut stack);
                stack
            }
        };
        self.lent += 1;
        Ok(stack)
    }

    pub(crate) fn give_back(&mut self, stack: DefaultStack) {
        self.lent = self.lent.saturating_sub(1);
        if self.free.len() < self.kept && is_shallow(&stack) {
            self.free.push(stack);
        }
    }
}

/// Where the marks of a stack are; none if it is too small to have any.
fn marks(stack: &DefaultStack) -> Option<*mut [u64; MARKS]> {
    let lowest = stack.base().get().checked_sub(KEPT_BYTES + size_of::<[u64; MARKS]>())?;
    let is_inside = lowest > stack.limit().get() + GUARD_BYTES;
    is_inside.then(|| std::ptr::with_exposed_provenance_mut(lowest & !(align_of::<u64>() - 1)))
}

/// No mark stands so near to the guard page that it could be in it.
const GUARD_BYTES: usize = 64 * 1024;

fn mark(stack: &mut DefaultStack) {
    if let Some(marks) = marks(stack) {
        // SAFETY: the words are between the limit and the base of a stack that is borrowed exclusively and that nothing runs
        // on: mapped, writable, aligned, and nobody else's.
        unsafe { marks.write([MARK; MARKS]) };
    }
}

/// Are the marks as they were written? Frames that only reserve that room would not show; memory they took they did not write.
fn is_shallow(stack: &DefaultStack) -> bool {
    // SAFETY: as for writing; the fiber has ended, so nothing runs on the stack any more. Whatever was written there is bits.
    marks(stack).is_none_or(|marks| unsafe { marks.read() } == [MARK; MARKS])
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} stacks of {} bytes lent, {} free", self.lent, self.size, self.free.len())
    }
}
