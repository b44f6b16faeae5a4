//! Maps: values in insertion order beside a shape that holds the keys.

use super::shape::Shape;
use super::string::Str;
use super::{Header, HeapKind};
use crate::value::Value;
use std::ptr::NonNull;

/// A map on the heap. `values[i]` belongs to `shape.keys()[i]`.
#[derive(Debug)]
#[repr(C)]
pub struct MapObject {
    pub(crate) header: Header,
    pub(crate) shape: Shape,
    pub(crate) values: Vec<Value>,
}

super::counted! {
    /// A counted map from text to values, in insertion order.
    Map => MapObject
}

impl Map {
    /// The empty map.
    pub fn new() -> Self {
        Self::from_parts(Shape::empty(), Vec::new())
    }

    /// A map of known shape.
    ///
    /// # Panics
    /// When there is not one value for each key.
    pub fn from_parts(shape: Shape, values: Vec<Value>) -> Self {
        assert_eq!(shape.len(), values.len(), "a map has one value for each key");
        let object = Box::new(MapObject { header: Header::new(HeapKind::Map), shape, values });
        Self(NonNull::from(Box::leak(object)))
    }

    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.object().values.len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value under a key.
    #[inline]
    pub fn get(&self, key: &[u8]) -> Option<&Value> {
        let object = self.object();
        object.values.get(object.shape.find(key)?)
    }

    /// The value under a key that has its hash cached.
    #[inline]
    pub fn get_str(&self, key: &Str) -> Option<&Value> {
        let object = self.object();
        object.values.get(object.shape.find_str(key)?)
    }

    /// Entries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Str, &Value)> + DoubleEndedIterator {
        self.object().shape.keys().iter().zip(&self.object().values)
    }

    /// Keys in order.
    pub fn keys(&self) -> &[Str] {
        self.object().shape.keys()
    }

    /// Values in order.
    pub fn values(&self) -> &[Value] {
        &self.object().values
    }

    /// The keys as a shape.
    pub fn shape(&self) -> &Shape {
        &self.object().shape
    }

    /// The parts for writing. A shared map is copied first.
    #[inline]
    pub(crate) fn make_mut(&mut self) -> &mut MapObject {
        if !self.is_unique() {
            *self = Self::from_parts(self.shape().clone(), self.values().to_vec());
        }
        // SAFETY: unique now.
        unsafe { self.0.as_mut() }
    }

    /// The values for writing, keys unchanged. A shared map is copied first.
    pub fn values_mut(&mut self) -> &mut [Value] {
        &mut self.make_mut().values
    }

    /// Sets a key: replaces the value, or appends the entry.
    pub fn insert(&mut self, key: Str, value: Value) {
        *self.entry(&key) = value;
    }

    /// The place of a key for writing; made with null when missing.
    #[inline]
    pub fn entry(&mut self, key: &Str) -> &mut Value {
        let at = self.shape().find_str(key);
        let object = self.make_mut();
        let at = at.unwrap_or_else(|| {
            object.shape.add(key.clone());
            object.values.push(Value::NULL);
            object.values.len() - 1
        });
        // SAFETY: a found position is a position of a value, since there is one value for each key.
        unsafe { object.values.get_unchecked_mut(at) }
    }

    /// Takes the last entry away.
    pub fn pop(&mut self) -> Option<(Str, Value)> {
        let key = self.keys().last()?.clone();
        let object = self.make_mut();
        object.shape.remove_last();
        Some((key, object.values.pop()?))
    }
}

impl Default for Map {
    fn default() -> Self {
        Self::new()
    }
}

impl FromIterator<(Str, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Str, Value)>>(entries: I) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl std::fmt::Debug for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "map of {:?}", self.shape())
    }
}
