//! Freezing: values that are never written again and that any number of threads may read.
//!
//! A frozen object's count has its top bit set, so counting skips it and a write to it makes a copy. What it caches lazily
//! is computed now. The objects belong to a [`Frozen`], which frees them together when it is dropped.

use crate::heap::function::{FunctionKind, FunctionObject};
use crate::heap::list::ListObject;
use crate::heap::map::MapObject;
use crate::heap::structs::StructObject;
use crate::heap::{Header, HeapKind, IMMORTAL};
use crate::value::{Value, View};
use std::ptr::NonNull;

/// The owner of frozen objects.
#[derive(Debug, Default)]
pub struct Frozen {
    objects: Vec<NonNull<Header>>,
}

impl Frozen {
    /// Freezes a value and all that is reachable from it.
    pub fn freeze(&mut self, value: &Value) {
        let mut waiting: Vec<Value> = vec![value.clone()];
        while let Some(value) = waiting.pop() {
            let Some(object) = value.object() else { continue };
            // SAFETY: `value` owns a live object.
            let header = unsafe { object.as_ref() };
            if header.is_immortal() {
                continue;
            }
            match value.view() {
                View::Str(text) => text.settle(),
                View::List(list) => waiting.extend(list.iter().cloned()),
                View::Map(map) => {
                    map.shape().freeze();
                    map.keys().iter().for_each(|key| waiting.push(Value::from(key.clone())));
                    waiting.extend(map.values().iter().cloned());
                }
                View::Struct(instance) => waiting.extend(instance.fields().iter().cloned()),
                View::Function(function) => match function.kind() {
                    FunctionKind::Script { captures, .. } => waiting.extend(captures.iter().cloned()),
                    FunctionKind::Builtin(_) => {}
                    // Another engine's functions belong to one thread; a frozen value may not hold them.
                    FunctionKind::Foreign(_) => continue,
                },
                // Handles are shared by reference on purpose and stay counted.
                View::Handle(_) | View::Null | View::Bool(_) | View::Int(_) | View::Float(_) => continue,
            }
            header.refs.set(IMMORTAL);
            self.objects.push(object);
        }
    }

    /// Number of objects held.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// True when nothing is frozen.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // First no object leads to another any more, then each is freed alone, in any order.
        for object in &self.objects {
            // SAFETY: frozen objects live until here, and the kind says what was made.
            unsafe { forget_children(*object) };
        }
        for object in self.objects.drain(..) {
            // SAFETY: nothing refers to the object: its generation is over.
            unsafe {
                object.as_ref().refs.set(1);
                crate::heap::release(object);
            }
        }
    }
}

/// # Safety
/// `object` is live and nobody else uses it.
unsafe fn forget_children(object: NonNull<Header>) {
    // SAFETY: by the contract; the lengths only shrink, so that the elements are neither dropped nor leaked twice.
    unsafe {
        match object.as_ref().kind {
            HeapKind::Str | HeapKind::Handle => {}
            HeapKind::List => object.cast::<ListObject>().as_mut().items.set_len(0),
            HeapKind::Map => object.cast::<MapObject>().as_mut().values.set_len(0),
            HeapKind::Struct => object.cast::<StructObject>().as_mut().fields.set_len(0),
            HeapKind::Function => {
                if let FunctionKind::Script { captures, .. } = &mut object.cast::<FunctionObject>().as_mut().kind {
                    captures.set_len(0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{List, Map, Str, live_objects};

    #[test]
    fn frozen_values_are_copied_when_written_and_freed_together() {
        let before = live_objects();
        {
            let mut map = Map::new();
            map.insert(Str::from("list"), Value::from(List::from(vec![Value::int(1), Value::str("x")])));
            let value = Value::from(map);
            let mut frozen = Frozen::default();
            frozen.freeze(&value);
            let mut copy = value.as_map().expect("made as a map").clone();
            copy.insert(Str::from("new"), Value::TRUE);
            assert_eq!(value.as_map().map(Map::len), Some(1));
            assert_eq!(copy.len(), 2);
            drop(copy);
            drop(value);
            assert!(frozen.len() >= 4);
        }
        assert_eq!(live_objects(), before);
    }
}
