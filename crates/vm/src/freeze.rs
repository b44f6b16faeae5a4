//! Freezing: values that are never written again and that any number of threads may read.
//!
//! A frozen object's count has its top bit set, so counting skips it and a write to it makes a copy. What it caches lazily
//! is computed now. The objects belong to a [`Frozen`], which frees them together when it is dropped.

use crate::heap::function::{FunctionKind, FunctionObject};
use crate::heap::list::ListObject;
use crate::heap::map::MapObject;
use crate::heap::shape::Shape;
use crate::heap::string::Str;
use crate::heap::structs::StructObject;
use crate::heap::{Header, HeapKind, IMMORTAL};
use crate::value::{Value, View};
use std::collections::HashMap;
use std::ptr::NonNull;

/// The owner of frozen objects.
#[derive(Debug, Default)]
pub struct Frozen {
    objects: Vec<NonNull<Header>>,
    /// Frozen copies of the shapes of frozen maps, by the address of the original.
    shapes: HashMap<usize, (Shape, Shape)>,
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
                    waiting.extend(map.values().iter().cloned());
                    let shape = self.frozen_shape(map.shape());
                    // SAFETY: the map still belongs to this thread alone, and the new shape has the same keys.
                    unsafe { object.cast::<MapObject>().as_mut().shape = shape };
                }
                View::Struct(instance) => waiting.extend(instance.fields().iter().cloned()),
                View::Function(function) => match function.kind() {
                    FunctionKind::Script { captures, .. } => waiting.extend(captures.iter().cloned()),
                    FunctionKind::Builtin(_) => {}
                    // Another engine's functions belong to one thread; a frozen value may not hold them.
                    FunctionKind::Foreign(_) => continue,
                },
                // What a handle holds may be used by all threads; only counting ends.
                View::Handle(_) => {}
                View::Null | View::Bool(_) | View::Int(_) | View::Float(_) => continue,
            }
            header.refs.set(IMMORTAL);
            self.objects.push(object);
        }
    }

    fn frozen_shape(&mut self, shape: &Shape) -> Shape {
        if shape.is_frozen() {
            return shape.clone();
        }
        if let Some((_, frozen)) = self.shapes.get(&shape.address()) {
            return frozen.clone();
        }
        let keys: Vec<Str> = shape.keys().iter().map(|key| Str::new(key.as_bytes())).collect();
        keys.iter().for_each(|key| self.freeze(&Value::from(key.clone())));
        let frozen = Shape::frozen(&keys);
        // The original is kept, so that its address means nothing else meanwhile.
        self.shapes.insert(shape.address(), (shape.clone(), frozen.clone()));
        frozen
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
        // Strings last: frozen shapes hold keys, and maps hold frozen shapes.
        let (strings, others): (Vec<_>, Vec<_>) = self.objects.drain(..).partition(|object| {
            // SAFETY: live, as above.
            unsafe { object.as_ref().kind == HeapKind::Str }
        });
        let free = |object: NonNull<Header>| {
            // SAFETY: nothing refers to the object: its generation is over.
            unsafe {
                object.as_ref().refs.set(1);
                crate::heap::release(object);
            }
        };
        others.into_iter().for_each(free);
        for (_, (_, frozen)) in self.shapes.drain() {
            // SAFETY: the maps that used it are gone, and its keys go next.
            unsafe { frozen.free_frozen() };
        }
        strings.into_iter().for_each(free);
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
        crate::forget_shapes();
        assert_eq!(live_objects(), before);
    }
}
