//! Counted objects: the header they share, counting, immortality and destruction.
//!
//! Counts are plain integers: an object belongs to one thread until it is frozen. A frozen ("immortal") object has the top
//! bit of its count set; it is never written again, so any number of threads may read it.

pub mod function;
pub mod handle;
pub mod list;
pub mod map;
pub mod shape;
pub mod string;
pub mod structs;

use crate::value::Tag;
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// Counts from here on are immortal.
pub(crate) const IMMORTAL: u32 = 1 << 31;

/// The first eight bytes of every heap object.
#[derive(Debug)]
#[repr(C)]
pub struct Header {
    /// Number of owners, or at least [`IMMORTAL`].
    pub(crate) refs: Cell<u32>,
    /// Which object follows.
    pub(crate) kind: HeapKind,
    /// For strings: what is known about the bytes.
    pub(crate) ascii: Cell<u8>,
    /// For strings: 1 when it is a key that was written `.name`, see [`string::Str::is_field_name`].
    pub(crate) mark: u16,
}

/// What kind of object a header belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum HeapKind {
    Str = Tag::Str as u8,
    List = Tag::List as u8,
    Map = Tag::Map as u8,
    Struct = Tag::Struct as u8,
    Function = Tag::Function as u8,
    Handle = Tag::Handle as u8,
}

impl Header {
    pub(crate) fn new(kind: HeapKind) -> Self {
        LIVE.with(|live| live.set(live.get() + 1));
        Self { refs: Cell::new(1), kind, ascii: Cell::new(0), mark: 0 }
    }

    #[inline(always)]
    pub(crate) fn is_immortal(&self) -> bool {
        self.refs.get() >= IMMORTAL
    }

    #[inline(always)]
    pub(crate) fn is_unique(&self) -> bool {
        self.refs.get() == 1
    }

    #[inline(always)]
    pub(crate) fn retain(&self) {
        let refs = self.refs.get();
        if refs < IMMORTAL {
            // A count that climbs to the limit turns the object immortal: it leaks, which is sound.
            self.refs.set(refs + 1);
        }
    }
}

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    // Never dropped, so that the thread's last objects (those of the shapes) can still be destroyed while it ends.
    static DEFERRED: RefCell<ManuallyDrop<Vec<NonNull<Header>>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Objects made and not yet destroyed by this thread, frozen ones included. For leak tests.
pub fn live_objects() -> isize {
    LIVE.with(Cell::get)
}

/// Gives up one ownership and destroys the object with the last one.
///
/// # Safety
/// `object` points to a live object and the caller owns one count of it.
#[inline(always)]
pub(crate) unsafe fn release(object: NonNull<Header>) {
    // SAFETY: the object is live by the contract above.
    let header = unsafe { object.as_ref() };
    let refs = header.refs.get();
    if refs == 1 {
        // SAFETY: the last owner is giving it up.
        unsafe { destroy(object) }
    } else if refs < IMMORTAL {
        header.refs.set(refs - 1);
    }
}

/// How deep destruction may nest on the native stack before the rest is put aside for the outermost call.
const MAX_DESTROY_DEPTH: u32 = 64;

/// Destroys an object. Values nested in it are released in turn; very deep ones are worked off iteratively, so that no
/// script can overflow the stack by building a deep value.
#[cold]
#[inline(never)]
unsafe fn destroy(object: NonNull<Header>) {
    let depth = DEPTH.with(Cell::get);
    if depth >= MAX_DESTROY_DEPTH {
        DEFERRED.with(|deferred| deferred.borrow_mut().push(object));
        return;
    }
    DEPTH.with(|cell| cell.set(depth + 1));
    // SAFETY: the caller hands over the last ownership.
    unsafe { destroy_now(object) };
    if depth == 0 && DEFERRED.with(|deferred| !deferred.borrow().is_empty()) {
        while let Some(next) = DEFERRED.with(|deferred| deferred.borrow_mut().pop()) {
            // SAFETY: deferred objects were handed over with their last ownership.
            unsafe { destroy_now(next) };
        }
        drop(ManuallyDrop::into_inner(DEFERRED.with(RefCell::take)));
    }
    DEPTH.with(|cell| cell.set(depth));
}

unsafe fn destroy_now(object: NonNull<Header>) {
    LIVE.with(|live| live.set(live.get() - 1));
    // SAFETY: the kind in the header says which type the object was made as.
    unsafe {
        match object.as_ref().kind {
            HeapKind::Str => string::free(object.cast()),
            HeapKind::List => drop(Box::from_raw(object.cast::<list::ListObject>().as_ptr())),
            HeapKind::Map => drop(Box::from_raw(object.cast::<map::MapObject>().as_ptr())),
            HeapKind::Struct => drop(Box::from_raw(object.cast::<structs::StructObject>().as_ptr())),
            HeapKind::Function => drop(Box::from_raw(object.cast::<function::FunctionObject>().as_ptr())),
            HeapKind::Handle => drop(Box::from_raw(object.cast::<handle::HandleObject>().as_ptr())),
        }
    }
}

/// Makes a counted pointer type over an object type: clone counts up, drop counts down.
macro_rules! counted {
    ($(#[$doc:meta])* $name:ident => $object:ty) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name(pub(crate) std::ptr::NonNull<$object>);

        impl $name {
            /// True when nobody else owns this object, so that a write in place is not seen by others.
            #[inline(always)]
            pub fn is_unique(&self) -> bool {
                self.object().header.is_unique()
            }

            /// True when both are the same object.
            #[inline(always)]
            pub fn is_same(&self, other: &Self) -> bool {
                self.0 == other.0
            }

            #[inline(always)]
            pub(crate) fn object(&self) -> &$object {
                // SAFETY: the pointer is live as long as this owner is.
                unsafe { self.0.as_ref() }
            }
        }

        impl Clone for $name {
            #[inline(always)]
            fn clone(&self) -> Self {
                self.object().header.retain();
                Self(self.0)
            }
        }

        impl Drop for $name {
            #[inline(always)]
            fn drop(&mut self) {
                // SAFETY: this owner's count is given up exactly once.
                unsafe { crate::heap::release(self.0.cast()) }
            }
        }
    };
}
pub(crate) use counted;
