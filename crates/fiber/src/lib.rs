//! Stackful fibers: code that reads as if it blocked, and parks instead.
//!
//! A [`Fiber`] runs a closure on a stack of its own, lent from a [`Pool`]. Inside, [`wait`] gives the result of any future: while
//! it is not ready, the fiber is parked and its thread does something else. Whoever owns the fiber resumes it with a waker;
//! a fiber that never waits needs none and runs to its end in one go.

#![deny(unsafe_op_in_unsafe_fn)]

mod current;
mod fiber;
mod stack;

pub use current::{Cancelled, is_cancelled, is_inside, wait, yield_now};
pub use fiber::{Fiber, Parked, Step};
pub use stack::{DEFAULT_STACK_BYTES, Pool};
