//! How much memory running code takes: an allocator that counts, and a limit for what a thread runs.
//!
//! Counting is by thread and by bytes asked for. Whoever runs code begins to watch before and pauses after; code that takes
//! more than its limit is interrupted at its next jump backwards or call, and a large piece is refused before it is made.

use crate::interrupt::{ATTEND, Interrupter};
use crate::throw::Thrown;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

/// Pieces of this size may be made unasked: less than a script can gather between two interrupts.
const UNASKED: usize = 64 * 1024;

/// What a thread has taken, and what it may.
struct Count {
    /// Bytes taken and not given back. Negative if they were taken by another thread.
    taken: Cell<isize>,
    /// Where `taken` stood when watching began.
    start: Cell<isize>,
    /// Beyond this `taken`, the word below is set.
    limit: Cell<isize>,
    is_exceeded: Cell<bool>,
    /// Null while nothing is watched.
    word: Cell<*const AtomicU32>,
}

thread_local! {
    // Without a destructor, so that it can be used for as long as the thread allocates.
    static COUNT: Count = const {
        Count {
            taken: Cell::new(0),
            start: Cell::new(0),
            limit: Cell::new(isize::MAX),
            is_exceeded: Cell::new(false),
            word: Cell::new(ptr::null()),
        }
    };
    /// Keeps the word alive that `COUNT` points to.
    static WATCHED: RefCell<Option<Interrupter>> = const { RefCell::new(None) };
}

/// The system's allocator, with a count for each thread.
#[derive(Debug)]
pub struct Counting;

#[inline(always)]
fn add(bytes: isize) {
    COUNT.with(|count| {
        let taken = count.taken.get().wrapping_add(bytes);
        count.taken.set(taken);
        if taken > count.limit.get() {
            exceed(count);
        }
    });
}

#[cold]
fn exceed(count: &Count) {
    count.is_exceeded.set(true);
    // SAFETY: either null or the word of the interrupter in `WATCHED`, which outlives the watching.
    if let Some(word) = unsafe { count.word.get().as_ref() } {
        word.fetch_or(ATTEND, Ordering::Relaxed);
    }
}

// SAFETY: all calls go to the system's allocator unchanged; counting touches no memory but the thread's own cells.
unsafe impl GlobalAlloc for Counting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        COUNT.with(|count| count.taken.set(count.taken.get().wrapping_sub(layout.size() as isize)));
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add((size as isize).wrapping_sub(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// What was taken while a thread was watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Bytes taken and not given back.
    pub bytes: isize,
    /// Was it at any time more than the limit?
    pub is_exceeded: bool,
}

/// From now on this thread's running code may take `limit` bytes. Beyond, `interrupter` asks for attention.
pub fn watch(limit: isize, interrupter: &Interrupter) {
    COUNT.with(|count| {
        let word = std::sync::Arc::as_ptr(&interrupter.0);
        if count.word.get() != word {
            count.word.set(ptr::null());
            WATCHED.with(|watched| watched.replace(Some(interrupter.clone())));
            count.word.set(word);
        }
        let taken = count.taken.get();
        count.is_exceeded.set(false);
        count.start.set(taken);
        count.limit.set(taken.saturating_add(limit));
    });
}

/// Ends the watching.
pub fn pause() -> Taken {
    COUNT.with(|count| {
        count.limit.set(isize::MAX);
        Taken { bytes: count.taken.get().wrapping_sub(count.start.get()), is_exceeded: count.is_exceeded.get() }
    })
}

/// Has the running code taken more than it may?
pub fn is_exceeded() -> bool {
    COUNT.with(|count| count.is_exceeded.get())
}

/// Asks for one piece of `bytes` before it is made.
///
/// # Errors
/// The end of the running code: it would take more than its limit.
#[inline]
pub fn ask(bytes: usize) -> Result<(), Thrown> {
    if bytes <= UNASKED { Ok(()) } else { ask_large(bytes) }
}

#[cold]
fn ask_large(bytes: usize) -> Result<(), Thrown> {
    COUNT.with(|count| {
        let room = count.limit.get().saturating_sub(count.taken.get());
        if isize::try_from(bytes).is_ok_and(|bytes| bytes <= room) {
            return Ok(());
        }
        exceed(count);
        Err(Thrown::stop())
    })
}

/// Sets the allocator up for a server: large pieces go back to the system as soon as they are freed.
///
/// Left alone, the allocator of glibc takes a large piece that was freed for a hint to keep such pieces from then on.
pub fn prefer_giving_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const M_TRIM_THRESHOLD: i32 = -1;
        const M_MMAP_THRESHOLD: i32 = -3;
        // SAFETY: two numbers are passed, of kinds that mallopt(3) names.
        unsafe {
            glibc::mallopt(M_MMAP_THRESHOLD, 256 * 1024);
            glibc::mallopt(M_TRIM_THRESHOLD, 512 * 1024);
        }
    }
}

/// Gives what is free back to the system. Takes a while where much is free.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim(3) may be called at any time from any thread.
    unsafe {
        glibc::malloc_trim(0);
    }
}

/// What only this C library has.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    unsafe extern "C" {
        pub(super) fn mallopt(param: i32, value: i32) -> i32;
        pub(super) fn malloc_trim(pad: usize) -> i32;
    }
}
