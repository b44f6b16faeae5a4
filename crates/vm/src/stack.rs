//! The register stack: segments that never move, so that a pointer to a register stays good while its frame lives.

use crate::value::Value;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Registers of the first segment; each further one is twice as large, up to [`MAX_SEGMENT`].
const FIRST_SEGMENT: usize = 1024;
const MAX_SEGMENT: usize = 64 * 1024;

#[derive(Debug)]
struct Segment {
    start: NonNull<Value>,
    len: usize,
}

impl Segment {
    fn layout(len: usize) -> Layout {
        Layout::array::<Value>(len).unwrap_or_else(|_| handle_alloc_error(Layout::new::<Value>()))
    }

    fn new(len: usize) -> Self {
        let layout = Self::layout(len);
        // SAFETY: never of size zero. All-zero bits are an unassigned value, which needs no drop.
        let start = unsafe { alloc_zeroed(layout) }.cast::<Value>();
        match NonNull::new(start) {
            Some(start) => Self { start, len },
            None => handle_alloc_error(layout),
        }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        for at in 0..self.len {
            // SAFETY: every place of a segment always holds a value.
            unsafe { self.start.add(at).drop_in_place() };
        }
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start.as_ptr().cast(), Self::layout(self.len)) };
    }
}

/// The segments of one isolate. Later ones are kept for the next time.
#[derive(Debug)]
pub(crate) struct Stack {
    /// None while nothing has run yet.
    segments: Vec<Segment>,
    current: usize,
    /// Where the current segment ends.
    pub(crate) end: *mut Value,
}

impl Default for Stack {
    fn default() -> Self {
        Self { segments: Vec::new(), current: 0, end: std::ptr::null_mut() }
    }
}

impl Stack {
    /// Makes the first segment, unless it is there.
    pub(crate) fn prepare(&mut self) {
        if self.segments.is_empty() {
            self.segments.push(Segment::new(FIRST_SEGMENT));
            self.end = self.current_end();
        }
    }

    /// Where the current segment begins.
    pub(crate) fn start(&self) -> *mut Value {
        self.segments[self.current].start.as_ptr()
    }

    fn current_end(&self) -> *mut Value {
        let segment = &self.segments[self.current];
        // SAFETY: one past the end of its allocation.
        unsafe { segment.start.as_ptr().add(segment.len) }
    }

    /// Goes on in the next segment, which has room for `needed` registers.
    pub(crate) fn enter_next(&mut self, needed: usize) {
        self.current += 1;
        let len = (FIRST_SEGMENT << self.current.min(8)).min(MAX_SEGMENT).max(needed);
        match self.segments.get(self.current) {
            Some(segment) if segment.len >= needed => {}
            Some(_) => self.segments[self.current] = Segment::new(len),
            None => self.segments.push(Segment::new(len)),
        }
        self.end = self.current_end();
    }

    /// Goes back to the segment before.
    pub(crate) fn leave(&mut self) {
        self.current -= 1;
        self.end = self.current_end();
    }
}
