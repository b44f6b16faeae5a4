//! Shapes: the keys of a map, in order, shared by all maps that have the same keys.
//!
//! A shape is immutable while shared. An *interned* shape lives until its thread's table is cleared (or for ever, when it
//! is frozen), so a site may remember its address and skip the key search; other shapes belong to one large or irregular
//! map and grow with it in place.

use super::IMMORTAL;
use super::string::{Str, hash_bytes};
use hashbrown::HashTable;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ptr::NonNull;

/// Up to this many keys a search is a walk over the keys; above it there is a hash index.
const LINEAR_KEYS: usize = 8;
/// A map with more keys than this gets keys of its own instead of an interned shape.
const MAX_INTERNED_KEYS: usize = 64;
/// How many interned shapes a thread keeps; later ones are not interned. Bounds what odd data can cost.
const MAX_INTERNED: usize = 4096;

/// Keys in insertion order with the way from a key to its position.
#[derive(Clone)]
pub struct Keys {
    keys: Vec<Str>,
    /// Positions by hash; empty while there are at most [`LINEAR_KEYS`] keys.
    index: HashTable<u32>,
}

impl Keys {
    fn new() -> Self {
        Self { keys: Vec::new(), index: HashTable::new() }
    }

    /// Position of a key.
    #[inline]
    pub fn find(&self, key: &[u8]) -> Option<usize> {
        if self.keys.len() <= LINEAR_KEYS {
            return self.keys.iter().position(|known| known.as_bytes() == key);
        }
        self.find_hashed(key, hash_bytes(key))
    }

    /// Position of a key that has its hash cached.
    #[inline]
    pub fn find_str(&self, key: &Str) -> Option<usize> {
        if self.keys.len() <= LINEAR_KEYS {
            return self.keys.iter().position(|known| known == key);
        }
        self.find_hashed(key.as_bytes(), key.hash())
    }

    fn find_hashed(&self, key: &[u8], hash: u32) -> Option<usize> {
        let at =
            self.index.find(spread(hash), |at| self.keys.get(*at as usize).is_some_and(|k| k.as_bytes() == key))?;
        Some(*at as usize)
    }

    /// Adds a key that is not there yet.
    fn push(&mut self, key: Str) {
        self.keys.push(key);
        let Self { keys, index } = self;
        let unindexed = match keys.len() {
            0..=LINEAR_KEYS => return,
            len if len == LINEAR_KEYS + 1 => 0,
            len => len as u32 - 1,
        };
        for at in unindexed..keys.len() as u32 {
            index.insert_unique(rehash(keys, at), at, |at| rehash(keys, *at));
        }
    }

    fn pop(&mut self) {
        if self.keys.len() <= LINEAR_KEYS + 1 {
            self.index.clear();
        } else if let Some(last) = self.keys.last() {
            let at = self.keys.len() as u32 - 1;
            if let Ok(entry) = self.index.find_entry(spread(last.hash()), |found| *found == at) {
                entry.remove();
            }
        }
        self.keys.pop();
    }
}

/// `hashbrown` takes its control bits from the top of 64 bits, so the 32 we keep are spread.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn rehash(keys: &[Str], at: u32) -> u64 {
    keys.get(at as usize).map_or(0, |key| spread(key.hash()))
}

struct ShapeData {
    /// Owners; counted like heap objects, so that a frozen shape is not written by the threads that read it.
    refs: Cell<u32>,
    keys: Keys,
    interned: bool,
    /// The shape that was last made from this one by adding a key: decoding many like objects hits it every time.
    last_child: RefCell<Option<Shape>>,
}

/// A shared set of keys.
#[repr(transparent)]
pub struct Shape(NonNull<ShapeData>);

impl Clone for Shape {
    #[inline(always)]
    fn clone(&self) -> Self {
        let refs = &self.data().refs;
        if refs.get() < IMMORTAL {
            refs.set(refs.get() + 1);
        }
        Self(self.0)
    }
}

impl Drop for Shape {
    #[inline(always)]
    fn drop(&mut self) {
        let refs = &self.data().refs;
        match refs.get() {
            // SAFETY: made by `Box::leak` in `wrap`; this is the last owner.
            1 => unsafe { drop(Box::from_raw(self.0.as_ptr())) },
            IMMORTAL.. => {}
            owners => refs.set(owners - 1),
        }
    }
}

thread_local! {
    static INTERNED: RefCell<Interned> = RefCell::new(Interned::new());
}

struct Interned {
    empty: Shape,
    /// By parent's address and added key. The parent is kept alive by its own entry, so addresses are not reused.
    children: HashMap<(usize, Box<[u8]>), Shape, foldhash::fast::RandomState>,
}

impl Interned {
    fn new() -> Self {
        Self { empty: Shape::wrap(Keys::new(), true), children: HashMap::default() }
    }
}

/// Forgets the thread's interned shapes. Sites that remember one must be gone: no isolate may live on the thread.
pub fn forget_shapes() {
    INTERNED.with(|table| *table.borrow_mut() = Interned::new());
}

impl Shape {
    fn wrap(keys: Keys, interned: bool) -> Self {
        let data = ShapeData { refs: Cell::new(1), keys, interned, last_child: RefCell::new(None) };
        Self(NonNull::from(Box::leak(Box::new(data))))
    }

    #[inline(always)]
    fn data(&self) -> &ShapeData {
        // SAFETY: live as long as this owner is.
        unsafe { self.0.as_ref() }
    }

    /// The shape without keys.
    pub fn empty() -> Self {
        INTERNED.with(|table| table.borrow().empty.clone())
    }

    /// The shape with these keys in this order; a repeated key counts once.
    pub fn of<'a>(keys: impl IntoIterator<Item = &'a Str>) -> Self {
        let mut shape = Self::empty();
        for key in keys {
            if shape.find_str(key).is_none() {
                shape = shape.with(key);
            }
        }
        shape
    }

    /// This shape with one more key, which must not be in it yet.
    pub fn with(&self, key: &Str) -> Self {
        if let Some(child) = self.predicted(key.as_bytes()) {
            return child;
        }
        if self.data().refs.get() >= IMMORTAL {
            // A frozen shape goes with its image; what grows from it must not be found under its address later.
            return Self::of(self.keys()).with(key);
        }
        if !self.is_interned() || self.len() >= MAX_INTERNED_KEYS {
            return self.grown(key, false);
        }
        let id = (self.address(), Box::from(key.as_bytes()));
        let known = INTERNED.with(|table| table.borrow().children.get(&id).cloned());
        let child = match known {
            Some(child) => child,
            None if INTERNED.with(|table| table.borrow().children.len() >= MAX_INTERNED) => {
                return self.grown(key, false);
            }
            None => {
                // Interned shapes outlive programs, so they hold no frozen constant.
                let child = self.grown(&Str::new(key.as_bytes()), true);
                INTERNED.with(|table| table.borrow_mut().children.insert(id, child.clone()));
                child
            }
        };
        if self.data().refs.get() < IMMORTAL {
            *self.data().last_child.borrow_mut() = Some(child.clone());
        }
        child
    }

    /// The shape most recently made from this one, when it was by adding `key`.
    #[inline]
    pub fn predicted(&self, key: &[u8]) -> Option<Self> {
        if self.data().refs.get() >= IMMORTAL {
            return None;
        }
        let last = self.data().last_child.borrow();
        let child = last.as_ref()?;
        (child.keys().last()?.as_bytes() == key).then(|| child.clone())
    }

    fn grown(&self, key: &Str, interned: bool) -> Self {
        let mut keys = self.data().keys.clone();
        keys.push(key.clone());
        Self::wrap(keys, interned)
    }

    /// Adds a key for one map: in place when the shape is that map's own, else as a further shape.
    pub(crate) fn add(&mut self, key: Str) {
        if !self.is_interned() && self.data().refs.get() == 1 {
            // SAFETY: the only owner writes.
            unsafe { self.0.as_mut().keys.push(key) };
        } else {
            *self = self.with(&key);
        }
    }

    /// Takes the last key away for one map.
    pub(crate) fn remove_last(&mut self) {
        if !self.is_interned() && self.data().refs.get() == 1 {
            // SAFETY: the only owner writes.
            unsafe { self.0.as_mut().keys.pop() };
        } else {
            let mut keys = self.data().keys.clone();
            keys.pop();
            *self = Self::wrap(keys, false);
        }
    }

    /// Position of a key.
    #[inline]
    pub fn find(&self, key: &[u8]) -> Option<usize> {
        self.data().keys.find(key)
    }

    /// Position of a key that has its hash cached.
    #[inline]
    pub fn find_str(&self, key: &Str) -> Option<usize> {
        self.data().keys.find_str(key)
    }

    /// The keys in order.
    pub fn keys(&self) -> &[Str] {
        &self.data().keys.keys
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.data().keys.keys.len()
    }

    /// True without keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True when a site may remember the address of this shape.
    #[inline(always)]
    pub fn is_interned(&self) -> bool {
        self.data().interned
    }

    /// A copy that all threads may read until it is given to [`Self::free_frozen`]. Its keys are the given ones.
    pub(crate) fn frozen(keys: &[Str]) -> Self {
        let mut table = Keys::new();
        keys.iter().for_each(|key| table.push(key.clone()));
        let shape = Self::wrap(table, true);
        shape.data().refs.set(IMMORTAL);
        shape
    }

    /// Frees a frozen shape.
    ///
    /// # Safety
    /// Made by [`Self::frozen`], and no map uses it any more. The keys must still be alive.
    pub(crate) unsafe fn free_frozen(self) {
        self.data().refs.set(1);
    }

    /// True when the shape belongs to a frozen generation.
    pub(crate) fn is_frozen(&self) -> bool {
        self.data().refs.get() >= IMMORTAL
    }

    /// Identity for caches; meaningful for interned shapes only.
    #[inline(always)]
    pub fn address(&self) -> usize {
        self.0.addr().get()
    }

    /// True when both are the same shape.
    pub fn is_same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.keys()).finish()
    }
}
