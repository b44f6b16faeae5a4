//! Elements of arrays and fields of structs: how they are read and written.
//!
//! A write goes down a path and changes only what it names. One that is refused changes nothing: missing levels are built
//! first and hung in last.

use crate::structure;
use vm::text::{describe, to_text, type_name};
use vm::{List, Map, Str, Struct, Thrown, Value, View, ViewMut};

/// One step of a path.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    /// `[key]`
    Index(Value),
    /// `.name`
    Field(Str),
}

impl Key {
    fn value(&self) -> Value {
        match self {
            Self::Index(key) => key.clone(),
            Self::Field(name) => Value::from(name.clone()),
        }
    }
}

/// What a key means for a list.
enum ListKey {
    /// A position; negative ones count from the end.
    Position(i64),
    /// A string that is no whole number.
    Name,
}

fn list_key(key: &Value) -> Result<ListKey, Thrown> {
    match key.view() {
        View::Int(position) => Ok(ListKey::Position(position)),
        View::Float(position) if position.fract() == 0.0 && position.abs() < 9e15 => {
            Ok(ListKey::Position(position as i64))
        }
        View::Str(text) => Ok(whole_number(text).map_or(ListKey::Name, ListKey::Position)),
        _ => Err(Thrown::error(format!("Array index must be an integer or a string, got {}", describe(key)))),
    }
}

/// `"1"`, `"-1"`, `"+1"`.
fn whole_number(text: &Str) -> Option<i64> {
    std::str::from_utf8(text.as_bytes()).ok()?.parse().ok()
}

fn position(written: i64, len: usize) -> Option<usize> {
    let from_start = if written < 0 { written.checked_add(i64::try_from(len).ok()?)? } else { written };
    usize::try_from(from_start).ok().filter(|at| *at < len)
}

fn out_of_bounds(written: i64) -> Thrown {
    Thrown::error(format!("Array index {written} out of bounds"))
}

fn no_field_of_a_list(name: &Str) -> Thrown {
    let name = name.to_str_lossy();
    Thrown::error(format!("A list has no field '{name}': read it by position, as in $list[0]"))
}

/// Map keys compare by their text.
///
/// # Errors
/// A key that has no text of its own.
pub(crate) fn map_key(key: &Value) -> Result<Str, Thrown> {
    match key.view() {
        View::Str(_) | View::Int(_) | View::Float(_) | View::Bool(_) => Ok(to_text(key)),
        _ => Err(Thrown::error(format!("Map key must be a string or a number, got {}", describe(key)))),
    }
}

fn field_of(instance: &Struct, key: &Value) -> Result<usize, Thrown> {
    let name = key.as_str().filter(|name| whole_number(name).is_none()).ok_or_else(|| {
        let owner = instance.name();
        Thrown::error(format!("a struct is not an array: use a field name ('{owner}' has no numeric index)"))
    })?;
    instance
        .def()
        .find(name.as_bytes())
        .ok_or_else(|| Thrown::error(format!("struct '{}' has no field '{}'", instance.name(), name.to_str_lossy())))
}

fn kind(value: &Value) -> &'static str {
    match value.view() {
        View::Null => "null",
        View::Bool(_) => "a boolean",
        View::Int(_) => "an integer",
        View::Float(_) => "a float",
        View::Str(_) => "a string",
        View::Function(_) => "a function",
        View::Handle(_) => "a handle",
        View::List(_) | View::Map(_) | View::Struct(_) => type_name(value),
    }
}

/// `container[key]`, `container.name`.
///
/// # Errors
/// A position outside of a list, a key that suits no container, a value that is no container.
pub(crate) fn read(container: &Value, key: &Key) -> Result<Value, Thrown> {
    if let (View::List(_), Key::Field(name)) = (container.view(), key) {
        return Err(no_field_of_a_list(name));
    }
    let key = key.value();
    match container.view() {
        View::List(list) => match list_key(&key)? {
            ListKey::Name => Ok(Value::NULL),
            ListKey::Position(written) => {
                let item = position(written, list.len()).and_then(|at| list.get(at));
                item.cloned().ok_or_else(|| out_of_bounds(written))
            }
        },
        View::Map(map) => Ok(map.get(map_key(&key)?.as_bytes()).cloned().unwrap_or(Value::NULL)),
        View::Struct(instance) => {
            let at = field_of(instance, &key)?;
            Ok(instance.fields().get(at).cloned().unwrap_or(Value::NULL))
        }
        _ => {
            let shown = to_text(&key).to_str_lossy().into_owned();
            let shown = if key.as_str().is_some() { format!("\"{shown}\"") } else { shown };
            Err(Thrown::error(format!(
                "Index operator requires an array: cannot read [{shown}] of {} — check the value first, or give it a \
                 default: ($value ?? [])[{shown}]",
                kind(container)
            )))
        }
    }
}

/// Changes what stands at the end of a path. Missing and null levels on the way are made: a map for a name, else a list.
/// Nothing is changed when `change` or a step of the way is refused.
///
/// # Errors
/// A position beyond the end of a list, a value that has no elements, a type that a struct's field does not take.
pub(crate) fn write<R>(
    place: &mut Value,
    path: &[Key],
    change: &mut dyn FnMut(&mut Value) -> Result<R, Thrown>,
) -> Result<R, Thrown> {
    let Some((key, rest)) = path.split_first() else { return change(place) };
    if place.is_null() {
        let mut made = match list_key(&key.value())? {
            ListKey::Name => Value::from(Map::new()),
            ListKey::Position(_) => Value::from(List::new()),
        };
        let result = write(&mut made, path, change)?;
        *place = made;
        return Ok(result);
    }
    if let View::List(list) = place.view() {
        if let Key::Field(name) = key {
            return Err(no_field_of_a_list(name));
        }
        if let ListKey::Name = list_key(&key.value())? {
            let names = (0..list.len()).map(|at| Str::from(at.to_string()));
            let mut made = Value::from(names.zip(list.iter().cloned()).collect::<Map>());
            let result = write(&mut made, path, change)?;
            *place = made;
            return Ok(result);
        }
    }
    let refused = not_writable(place);
    match place.view_mut() {
        ViewMut::List(list) => write_in_list(list, &key.value(), rest, change),
        ViewMut::Map(map) => {
            let key = map_key(&key.value())?;
            if map.get(key.as_bytes()).is_some() {
                return write(map.entry(&key), rest, change);
            }
            let mut made = Value::NULL;
            let result = write(&mut made, rest, change)?;
            map.insert(key, made);
            Ok(result)
        }
        ViewMut::Struct(instance) => write_in_struct(instance, &key.value(), rest, change),
        ViewMut::Str(_) | ViewMut::Other(_) => Err(refused),
    }
}

fn write_in_list<R>(
    list: &mut List,
    key: &Value,
    rest: &[Key],
    change: &mut dyn FnMut(&mut Value) -> Result<R, Thrown>,
) -> Result<R, Thrown> {
    let ListKey::Position(written) = list_key(key)? else { return Err(out_of_bounds(0)) };
    if let Some(at) = position(written, list.len()) {
        let item = list.make_mut().get_mut(at).ok_or_else(|| out_of_bounds(written))?;
        return write(item, rest, change);
    }
    if usize::try_from(written) != Ok(list.len()) {
        return Err(out_of_bounds(written));
    }
    let mut made = Value::NULL;
    let result = write(&mut made, rest, change)?;
    list.make_mut().push(made);
    Ok(result)
}

fn write_in_struct<R>(
    instance: &mut Struct,
    key: &Value,
    rest: &[Key],
    change: &mut dyn FnMut(&mut Value) -> Result<R, Thrown>,
) -> Result<R, Thrown> {
    let at = field_of(instance, key)?;
    let def = instance.def().clone();
    let (Some(field), Some(old)) = (def.fields.get(at), instance.fields().get(at)) else {
        return Err(out_of_bounds(0));
    };
    if !rest.is_empty() && old.is_null() {
        let (owner, name) = (&def.name, &field.name);
        return Err(Thrown::error(format!("struct '{owner}': field '{name}' is null; assign a value to it first")));
    }
    let mut changed = old.clone();
    let result = write(&mut changed, rest, change)?;
    let stored = structure::stored(&def.name, field, changed)?;
    if let Some(slot) = instance.fields_mut().get_mut(at) {
        *slot = stored;
    }
    Ok(result)
}

fn not_writable(container: &Value) -> Thrown {
    match container.view() {
        View::Str(_) => Thrown::error("Strings are immutable; cannot assign to a string index"),
        _ => {
            let kind = kind(container);
            Thrown::error(format!("Cannot assign an element: the value is not an array but {kind}"))
        }
    }
}

/// `push`: appends, and gives the new length. A missing list is made.
///
/// # Errors
/// A place that holds something else.
pub(crate) fn push(place: &mut Value, value: Value) -> Result<i64, Thrown> {
    let is_empty_map = place.as_map().is_some_and(Map::is_empty);
    if place.is_null() || is_empty_map {
        *place = Value::from(List::new());
    }
    match place.view_mut() {
        ViewMut::List(list) => {
            list.make_mut().push(value);
            Ok(list.len() as i64)
        }
        _ => Err(Thrown::error("push() requires array as first argument")),
    }
}

/// `pop`: takes the last value away; null when there is none.
///
/// # Errors
/// A place that holds no array.
pub(crate) fn pop(place: &mut Value) -> Result<Value, Thrown> {
    match place.view_mut() {
        ViewMut::List(list) if list.is_empty() => Ok(Value::NULL),
        ViewMut::List(list) => Ok(list.make_mut().pop().unwrap_or(Value::NULL)),
        ViewMut::Map(map) => Ok(map.pop().map_or(Value::NULL, |(_, value)| value)),
        _ => Err(Thrown::error("pop() requires array")),
    }
}
