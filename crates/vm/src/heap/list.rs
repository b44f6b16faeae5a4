//! Lists: contiguous values, copied when written while shared.

use super::{Header, HeapKind};
use crate::value::Value;
use std::ptr::NonNull;

/// A list on the heap.
#[derive(Debug)]
#[repr(C)]
pub struct ListObject {
    pub(crate) header: Header,
    pub(crate) items: Vec<Value>,
}

super::counted! {
    /// A counted list of values. Reads as a slice.
    List => ListObject
}

impl List {
    /// The empty list.
    pub fn new() -> Self {
        Self::from(Vec::new())
    }

    /// The items for writing. Shared items are copied first, so that no other owner sees the write.
    #[inline]
    pub fn make_mut(&mut self) -> &mut Vec<Value> {
        if !self.is_unique() {
            self.unshare();
        }
        // SAFETY: unique now.
        unsafe { &mut self.0.as_mut().items }
    }

    #[cold]
    #[inline(never)]
    fn unshare(&mut self) {
        // One place of room: the write that follows is often an append.
        let mut items = Vec::with_capacity(self.len() + 1);
        items.extend_from_slice(self);
        *self = Self::from(items);
    }

    /// The items, moved out when this is the only owner and copied otherwise.
    pub fn into_vec(mut self) -> Vec<Value> {
        if self.is_unique() { std::mem::take(self.make_mut()) } else { self.to_vec() }
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> Self {
        let object = Box::new(ListObject { header: Header::new(HeapKind::List), items });
        Self(NonNull::from(Box::leak(object)))
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl Default for List {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for List {
    type Target = [Value];

    #[inline(always)]
    fn deref(&self) -> &[Value] {
        &self.object().items
    }
}

impl std::fmt::Debug for List {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "list of {}", self.len())
    }
}
