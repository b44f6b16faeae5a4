//! Elements, fields, iteration and paths beyond the fast paths.

use super::text;
use crate::access::{change_at, change_existing, get, get_field as read_field, map_key, pop, push, resolve, set_at};
use crate::builtin::Cx;
use crate::heap::map::Map;
use crate::heap::shape::Shape;
use crate::isolate::Isolate;
use crate::link::{Code, Image, SiteImage};
use crate::machine::Feedback;
use crate::text::to_text;
use crate::throw::Thrown;
use crate::value::{Value, View, ViewMut};
use bytecode::Op;

/// A variable that was read before it was assigned.
#[cold]
pub(super) fn undefined(name: &Value) -> Thrown {
    Thrown::error(format!("Undefined variable: {}", to_text(name).to_str_lossy()))
}

#[cold]
pub(super) fn undefined_global(isolate: &Isolate, global: u32) -> Thrown {
    let program = &isolate.machine.image.program;
    let name_of = |top: u32, slot: u32| {
        let names = &program.functions.get(top as usize)?.names;
        names.iter().find(|(register, _)| u32::from(*register) == slot).map(|(_, name)| name.clone())
    };
    if let Some(prelude) = program.prelude.as_ref().filter(|prelude| prelude.globals <= global) {
        let name = name_of(prelude.top, global - prelude.globals);
        return Thrown::error(format!("Undefined variable: {}", name.as_deref().unwrap_or("")));
    }
    let file = program.files.iter().rev().find(|file| file.globals <= global);
    let name = file.and_then(|file| name_of(file.top, global - file.globals));
    Thrown::error(format!("Undefined variable: ${}", name.as_deref().unwrap_or("")))
}

/// The site of an instruction.
fn site<'a>(image: &'a Image, code: &Code, at: u16) -> &'a SiteImage {
    &image.sites[code.sites as usize + at as usize]
}

/// Reads a field, and remembers where it stood when the map's shape may be remembered.
#[inline(never)]
pub(super) fn get_field(
    image: &Image,
    code: &Code,
    at: u16,
    container: &Value,
    feedback: &mut Feedback,
) -> Result<Value, Thrown> {
    let SiteImage::Key { key, dotted } = site(image, code, at) else { return Ok(Value::NULL) };
    if let View::Map(map) = container.view() {
        let Some(slot) = map.shape().find_str(key) else { return Ok(Value::NULL) };
        remember(feedback, map.shape(), slot);
        return Ok(map.values()[slot].clone());
    }
    if *dotted { read_field(container, key) } else { get(container, &Value::from(key.clone())) }
}

fn remember(feedback: &mut Feedback, shape: &Shape, slot: usize) {
    if shape.is_interned() {
        feedback.shape = shape.address();
        feedback.slot = slot as u32;
    }
}

/// Writes a field; see [`get_field`]. Gives back the stored value.
#[inline(never)]
pub(super) fn set_field(
    image: &Image,
    code: &Code,
    at: u16,
    container: &mut Value,
    value: Value,
    feedback: &mut Feedback,
) -> Result<Value, Thrown> {
    let SiteImage::Key { key, dotted } = site(image, code, at) else { return Ok(Value::NULL) };
    match container.view_mut() {
        ViewMut::Map(map) => {
            let known = map.shape().address() == feedback.shape;
            let slot = if known { Some(feedback.slot as usize) } else { map.shape().find_str(key) };
            match slot {
                Some(slot) => {
                    remember(feedback, map.shape(), slot);
                    map.values_mut()[slot] = value.clone();
                }
                None => map.insert(key.clone(), value.clone()),
            }
            Ok(value)
        }
        ViewMut::List(_) if *dotted => {
            read_field(container, key)?;
            Ok(value)
        }
        _ => set_at(container, &[Value::from(key.clone())], value),
    }
}

/// `list[index] = value` inside the list or at its end. Gives the value back when it is anything else.
#[inline(always)]
pub(super) fn set_in_list(container: &mut Value, key: &Value, value: Value) -> Result<(), Value> {
    let Some(index) = key.as_int() else { return Err(value) };
    let ViewMut::List(list) = container.view_mut() else { return Err(value) };
    let len = list.len();
    if let Some(at) = resolve(index, len) {
        list.make_mut()[at] = value;
        Ok(())
    } else if index == len as i64 {
        list.make_mut().push(value);
        Ok(())
    } else {
        Err(value)
    }
}

/// Refuses what `foreach` cannot walk.
pub(super) fn check_iterable(value: &Value) -> Result<(), Thrown> {
    match value.view() {
        View::List(_) | View::Map(_) | View::Struct(_) => Ok(()),
        _ => Err(Thrown::error("foreach requires an array")),
    }
}

/// Element number `at` of what is being walked. False at the end.
#[inline(always)]
pub(super) fn next(subject: &Value, at: usize, value: &mut Value, key: Option<&mut Value>) -> bool {
    match subject.view() {
        View::List(list) => {
            let Some(item) = list.get(at) else { return false };
            *value = item.clone();
            if let Some(key) = key {
                *key = Value::int(at as i64);
            }
            true
        }
        View::Map(map) => {
            let Some(item) = map.values().get(at) else { return false };
            *value = item.clone();
            if let (Some(key), Some(name)) = (key, map.keys().get(at)) {
                *key = Value::from(name.clone());
            }
            true
        }
        View::Struct(instance) => {
            let Some(item) = instance.fields().get(at) else { return false };
            *value = item.clone();
            if let (Some(key), Some(field)) = (key, instance.def().fields.get(at)) {
                *key = Value::str(&*field.name);
            }
            true
        }
        _ => false,
    }
}

/// Moves values to the end of a list under construction.
pub(super) fn extend(list: &mut Value, items: &mut [Value]) {
    if let ViewMut::List(list) = list.view_mut() {
        list.make_mut().extend(items.iter_mut().map(Value::take));
    }
}

/// A map literal whose keys are known.
///
/// # Safety
/// As many registers from `first` on hold values as the site has keys.
#[inline(always)]
pub(super) unsafe fn new_map(isolate: &mut Isolate, code: &Code, at: u16, first: *mut Value) -> Value {
    let place = code.sites as usize + at as usize;
    let shape = match &isolate.machine.shapes[place] {
        Some(shape) => shape.clone(),
        None => first_shape(isolate, place),
    };
    let count = shape.len();
    let mut values = Vec::with_capacity(count);
    for at in 0..count {
        // SAFETY: by the contract.
        values.push(unsafe { (*first.add(at)).take() });
    }
    Value::from(Map::from_parts(shape, values))
}

#[cold]
fn first_shape(isolate: &mut Isolate, place: usize) -> Shape {
    let shape = match &isolate.machine.image.sites[place] {
        SiteImage::Keys(keys) => Shape::of(keys),
        SiteImage::Key { .. } => Shape::empty(),
    };
    isolate.machine.shapes[place] = Some(shape.clone());
    shape
}

/// `[key => value]` of a map under construction.
pub(super) fn map_insert(map: &mut Value, key: &Value, value: &mut Value) -> Result<(), Thrown> {
    let key = map_key(key)?;
    if let ViewMut::Map(map) = map.view_mut() {
        map.insert(key, value.take());
    }
    Ok(())
}

/// The writes that go through a path: element assignment, `.=`, `push`, `pop`. Keys are taken; the result, where there is
/// one, replaces `value`.
#[inline(never)]
pub(super) fn write_path(
    op: Op,
    root: &mut Value,
    path: &mut [Value],
    value: &mut Value,
    wanted: bool,
) -> Result<(), Thrown> {
    match op {
        Op::SetPath => {
            let stored = set_at(root, path, value.take())?;
            if wanted {
                *value = stored;
            }
        }
        Op::AppendPath => {
            let stored = change_existing(root, path, |place| {
                text::append(place, value)?;
                Ok(if wanted { place.clone() } else { Value::NULL })
            })?;
            *value = stored;
        }
        Op::PushPath => *value = Value::int(change_at(root, path, |place| push(place, value.take()))?),
        Op::PopPath => *value = change_at(root, path, pop)?,
        _ => {}
    }
    path.iter_mut().for_each(|key| drop(key.take()));
    Ok(())
}

/// `count(value)` of what is no list: the builtin has the whole rule.
#[inline(never)]
pub(super) fn count(isolate: &mut Isolate, value: &mut Value) -> Result<i64, Thrown> {
    match value.view() {
        View::Map(map) => return Ok(map.len() as i64),
        View::Str(text) => return Ok(text.char_count() as i64),
        _ => {}
    }
    let builtin = isolate.registry.find("", "count");
    let mut args = [value.clone()];
    let result = builtin.map(|builtin| builtin.invoke(&mut Cx::new(isolate), &mut args)).transpose()?;
    Ok(result.and_then(|count| count.as_int()).unwrap_or(0))
}
