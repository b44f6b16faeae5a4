//! Strings: counted bytes, normally UTF-8, with their hash and their ASCII fact cached.
//!
//! Immutable when shared; the only owner may append in place, which makes a loop that fills a string linear.

use super::{Header, HeapKind};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::cell::Cell;
use std::hash::BuildHasher;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// The longest string a script can make, in bytes.
pub const MAX_STRING: usize = 1 << 29;

/// Head of a string; the bytes follow at [`BYTES_OFFSET`].
#[derive(Debug)]
#[repr(C)]
pub struct StrObject {
    pub(crate) header: Header,
    len: u32,
    capacity: u32,
    /// 0 = not yet computed.
    hash: Cell<u32>,
}

const BYTES_OFFSET: usize = size_of::<StrObject>();

/// What the header says of the bytes; 0 = not yet known.
const ASCII_YES: u8 = 1;
const ASCII_NO: u8 = 2;

super::counted! {
    /// A counted string.
    Str => StrObject
}

fn layout(capacity: usize) -> Layout {
    // A size this large cannot be had, and `from_size_align` says so.
    match Layout::from_size_align(BYTES_OFFSET + capacity, align_of::<StrObject>()) {
        Ok(layout) if u32::try_from(capacity).is_ok() => layout,
        _ => handle_alloc_error(Layout::new::<StrObject>()),
    }
}

/// # Safety
/// `object` was made by this module and its last owner gives it up.
pub(super) unsafe fn free(object: NonNull<StrObject>) {
    // SAFETY: allocated with the same layout.
    unsafe { dealloc(object.as_ptr().cast(), layout(object.as_ref().capacity as usize)) }
}

fn hash_seed() -> &'static foldhash::fast::RandomState {
    static SEED: OnceLock<foldhash::fast::RandomState> = OnceLock::new();
    SEED.get_or_init(foldhash::fast::RandomState::default)
}

/// Hash of a key's bytes; seeded per process, never 0.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u32 {
    let wide = hash_seed().hash_one(bytes);
    ((wide ^ (wide >> 32)) as u32).max(1)
}

impl Str {
    /// Copies bytes.
    #[inline]
    pub fn new(bytes: &[u8]) -> Self {
        let mut text = Self::with_capacity(bytes.len());
        // SAFETY: fresh and unique, with room for `bytes`.
        unsafe { text.push_unchecked(bytes) };
        text
    }

    /// The empty string with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        let layout = layout(capacity);
        // SAFETY: the layout is never of size zero; the head is written before anyone reads it.
        unsafe {
            let Some(object) = NonNull::new(alloc(layout).cast::<StrObject>()) else { handle_alloc_error(layout) };
            object.write(StrObject {
                header: Header::new(HeapKind::Str),
                len: 0,
                capacity: capacity as u32,
                hash: Cell::new(0),
            });
            Self(object)
        }
    }

    /// Joins parts with one allocation.
    pub fn concat(parts: &[&[u8]]) -> Self {
        let mut text = Self::with_capacity(parts.iter().map(|part| part.len()).sum());
        for part in parts {
            // SAFETY: fresh and unique, with room for all parts.
            unsafe { text.push_unchecked(part) };
        }
        text
    }

    /// # Safety
    /// Unique, and `len + bytes.len() <= capacity`.
    #[inline(always)]
    unsafe fn push_unchecked(&mut self, bytes: &[u8]) {
        // SAFETY: by the contract; `bytes` cannot overlap the free part.
        unsafe {
            let object = self.0.as_mut();
            let end = self.0.as_ptr().cast::<u8>().add(BYTES_OFFSET + object.len as usize);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), end, bytes.len());
            object.len += bytes.len() as u32;
        }
    }

    /// The constant for a key that was written `.name`: lists have no such elements, though they take `["name"]`.
    pub(crate) fn field_name(bytes: &[u8]) -> Self {
        let mut name = Self::new(bytes);
        // SAFETY: fresh and unique.
        unsafe { name.0.as_mut().header.mark = 1 };
        name
    }

    /// True for a key that was written `.name`. Only keys of paths are; no such string becomes a value of the script.
    #[inline(always)]
    pub(crate) fn is_field_name(&self) -> bool {
        self.object().header.mark != 0
    }

    /// The bytes.
    #[inline(always)]
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: the first `len` bytes after the head are initialised and live as long as this owner.
        unsafe {
            std::slice::from_raw_parts(self.0.as_ptr().cast::<u8>().add(BYTES_OFFSET), self.object().len as usize)
        }
    }

    /// Length in bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.object().len as usize
    }

    /// True for the empty string.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text, with U+FFFD for what is not UTF-8.
    pub fn to_str_lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }

    /// True when every byte is ASCII. Scanned once, then remembered (also for frozen strings, when they are frozen).
    #[inline]
    pub fn is_ascii(&self) -> bool {
        match self.object().header.ascii.get() {
            ASCII_YES => true,
            ASCII_NO => false,
            _ => self.scan_ascii(),
        }
    }

    #[cold]
    fn scan_ascii(&self) -> bool {
        let ascii = self.as_bytes().is_ascii();
        if !self.object().header.is_immortal() {
            self.object().header.ascii.set(if ascii { ASCII_YES } else { ASCII_NO });
        }
        ascii
    }

    /// Says that the bytes are known to be ASCII, to save the scan. Ignored for shared strings.
    pub fn mark_ascii(&mut self) {
        if self.is_unique() {
            debug_assert!(self.as_bytes().is_ascii());
            self.object().header.ascii.set(ASCII_YES);
        }
    }

    /// Number of code points; bytes that are not UTF-8 count one each.
    pub fn char_count(&self) -> usize {
        if self.is_ascii() { self.len() } else { crate::text::char_count(self.as_bytes()) }
    }

    /// Hash as a map key.
    #[inline(always)]
    pub(crate) fn hash(&self) -> u32 {
        match self.object().hash.get() {
            0 => self.compute_hash(),
            hash => hash,
        }
    }

    #[cold]
    #[inline(never)]
    fn compute_hash(&self) -> u32 {
        let hash = hash_bytes(self.as_bytes());
        if !self.object().header.is_immortal() {
            self.object().hash.set(hash);
        }
        hash
    }

    /// Computes what is cached lazily, so that a frozen string is never written again.
    pub(crate) fn settle(&self) {
        self.hash();
        self.is_ascii();
    }

    /// Appends bytes: in place when this is the only owner, else to a copy with room to grow.
    #[inline]
    pub fn append(&mut self, bytes: &[u8]) {
        let needed = self.len() + bytes.len();
        if !self.is_unique() || needed > self.object().capacity as usize {
            self.make_room(needed);
        }
        // SAFETY: unique with room after `make_room`.
        unsafe {
            let object = self.0.as_mut();
            object.hash.set(0);
            if object.header.ascii.get() == ASCII_YES && !bytes.is_ascii() {
                object.header.ascii.set(ASCII_NO);
            }
            self.push_unchecked(bytes);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, needed: usize) {
        let capacity = needed.max(self.len().saturating_mul(2)).max(32);
        if self.is_unique() {
            // SAFETY: allocated with the old layout; the only owner replaces its pointer.
            unsafe {
                let old = layout(self.object().capacity as usize);
                let new = layout(capacity);
                let moved = realloc(self.0.as_ptr().cast(), old, new.size()).cast::<StrObject>();
                let Some(mut object) = NonNull::new(moved) else { handle_alloc_error(new) };
                object.as_mut().capacity = capacity as u32;
                std::ptr::write(self, Self(object));
            }
        } else {
            let mut copy = Self::with_capacity(capacity);
            // SAFETY: fresh, unique and larger.
            unsafe { copy.push_unchecked(self.as_bytes()) };
            copy.object().header.ascii.set(self.object().header.ascii.get());
            *self = copy;
        }
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<Vec<u8>> for Str {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(&bytes)
    }
}

impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Self {
        Self::new(bytes)
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Str {}

impl AsRef<[u8]> for Str {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl std::fmt::Debug for Str {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.to_str_lossy())
    }
}
