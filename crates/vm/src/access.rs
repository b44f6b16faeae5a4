//! Reading and writing elements: the rules of `[]`, `.`, `push` and `pop`.

use crate::heap::list::List;
use crate::heap::map::Map;
use crate::heap::string::Str;
use crate::heap::structs::{FieldDef, FieldType, Struct, StructDef};
use crate::text::{describe, parse_int, to_text, type_name};
use crate::throw::Thrown;
use crate::value::{Tag, Value, View, ViewMut};
use std::sync::Arc;

/// What a key means for a list.
enum ListKey {
    /// A position, negative from the end.
    Index(i64),
    /// A name: no position of any list.
    Name,
}

fn list_key(key: &Value) -> Result<ListKey, Thrown> {
    match key.view() {
        View::Int(index) => Ok(ListKey::Index(index)),
        View::Str(name) if name.is_field_name() => Err(no_field_of_a_list(name)),
        View::Str(text) => Ok(parse_int(text.as_bytes()).map_or(ListKey::Name, ListKey::Index)),
        View::Float(value) if value.trunc() == value && value.abs() < 9e15 => Ok(ListKey::Index(value as i64)),
        _ => Err(Thrown::error(format!("Array index must be an integer or a string, got {}", describe(key)))),
    }
}

#[cold]
fn no_field_of_a_list(name: &Str) -> Thrown {
    Thrown::error(format!("A list has no field '{}': read it by position, as in $list[0]", name.to_str_lossy()))
}

/// The position that a written index means in a list of this length.
#[inline(always)]
pub fn resolve(index: i64, len: usize) -> Option<usize> {
    let at = if index < 0 { index.checked_add(len as i64)? } else { index };
    usize::try_from(at).ok().filter(|at| *at < len)
}

#[cold]
pub(crate) fn out_of_bounds(index: i64) -> Thrown {
    Thrown::error(format!("Array index {index} out of bounds"))
}

/// The text form of a map key.
///
/// # Errors
/// A key that has no sensible text: null, an array, a function.
pub fn map_key(key: &Value) -> Result<Str, Thrown> {
    match key.view() {
        View::Str(name) if name.is_field_name() => Ok(Str::new(name.as_bytes())),
        View::Str(text) => Ok(text.clone()),
        View::Int(_) | View::Float(_) | View::Bool(_) => Ok(to_text(key)),
        _ => Err(Thrown::error(format!("Map key must be a string or a number, got {}", describe(key)))),
    }
}

/// Reads `container[key]`.
///
/// # Errors
/// A position outside the list, a container that is none, a key that is none.
pub fn get(container: &Value, key: &Value) -> Result<Value, Thrown> {
    match container.view() {
        View::List(list) => match list_key(key)? {
            ListKey::Index(index) => {
                let item = resolve(index, list.len()).and_then(|at| list.get(at));
                item.cloned().ok_or_else(|| out_of_bounds(index))
            }
            ListKey::Name => Ok(Value::NULL),
        },
        View::Map(map) => Ok(match key.view() {
            View::Str(text) => map.get_str(text),
            View::Int(index) => map.get(itoa::Buffer::new().format(index).as_bytes()),
            _ => map.get_str(&map_key(key)?),
        }
        .cloned()
        .unwrap_or(Value::NULL)),
        View::Struct(instance) => {
            let at = struct_field(instance, key)?;
            Ok(instance.fields().get(at).cloned().unwrap_or(Value::NULL))
        }
        _ => Err(not_indexable(container, key)),
    }
}

/// Reads `container.name`.
///
/// # Errors
/// As [`get`]; a list has no fields.
pub fn get_field(container: &Value, name: &Str) -> Result<Value, Thrown> {
    match container.view() {
        View::Map(map) => Ok(map.get_str(name).cloned().unwrap_or(Value::NULL)),
        View::List(_) => Err(no_field_of_a_list(name)),
        _ => get(container, &Value::from(name.clone())),
    }
}

fn struct_field(instance: &Struct, key: &Value) -> Result<usize, Thrown> {
    let name = match key.view() {
        View::Str(text) if parse_int(text.as_bytes()).is_none() => text,
        _ => {
            return Err(Thrown::error(format!(
                "a struct is not an array: use a field name ('{}' has no numeric index)",
                instance.name()
            )));
        }
    };
    instance
        .def()
        .find(name.as_bytes())
        .ok_or_else(|| Thrown::error(format!("struct '{}' has no field '{}'", instance.name(), name.to_str_lossy())))
}

/// A kind with its article, as the messages about elements name it.
fn kind_with_article(value: &Value) -> &'static str {
    match value.view() {
        View::Null => "null",
        View::Bool(_) => "a boolean",
        View::Int(_) => "an integer",
        View::Float(_) => "a float",
        View::Str(_) => "a string",
        View::List(_) | View::Map(_) => "an array",
        View::Struct(_) => "a struct",
        View::Function(_) => "a function",
        View::Handle(_) => "a handle",
    }
}

#[cold]
fn not_indexable(container: &Value, key: &Value) -> Thrown {
    let shown = match key.view() {
        View::Str(text) => format!("\"{}\"", text.to_str_lossy()),
        _ => to_text(key).to_str_lossy().into_owned(),
    };
    Thrown::error(format!(
        "Index operator requires an array: cannot read [{shown}] of {} — check the value first, or give it a default: \
         ($value ?? [])[{shown}]",
        kind_with_article(container)
    ))
}

#[cold]
fn not_writable(container: &Value) -> Thrown {
    let kind = kind_with_article(container);
    Thrown::error(format!("Cannot assign an element: the value is not an array but {kind}"))
}

/// Makes a missing or null container for a write under `key`: a map for a name, else a list.
fn create_for(key: &Value) -> Result<Value, Thrown> {
    if key.as_str().is_some_and(Str::is_field_name) {
        return Ok(Value::from(Map::new()));
    }
    Ok(match list_key(key)? {
        ListKey::Name => Value::from(Map::new()),
        ListKey::Index(_) => Value::from(List::new()),
    })
}

/// Turns a list into a map with the keys "0", "1", ….
pub fn list_to_map(list: &List) -> Map {
    list.iter().enumerate().map(|(at, item)| (Str::from(at.to_string()), item.clone())).collect()
}

/// The place of `container[key]` for a write that goes on inside it. Makes containers on the way; writes nothing else.
///
/// # Errors
/// As [`set_at`].
fn place<'a>(container: &'a mut Value, key: &Value) -> Result<&'a mut Value, Thrown> {
    if container.is_null() {
        *container = create_for(key)?;
    }
    if let View::List(list) = container.view()
        && let ListKey::Name = list_key(key)?
    {
        *container = Value::from(list_to_map(list));
    }
    match container.view_mut() {
        ViewMut::List(list) => {
            let ListKey::Index(index) = list_key(key)? else { return Err(out_of_bounds(0)) };
            let len = list.len();
            let at = match resolve(index, len) {
                Some(at) => at,
                None if index == len as i64 => len,
                None => return Err(out_of_bounds(index)),
            };
            let items = list.make_mut();
            if at == len {
                items.push(Value::NULL);
            }
            items.get_mut(at).ok_or_else(|| out_of_bounds(index))
        }
        ViewMut::Map(map) => match key.as_str().and_then(|name| map.shape().find_str(name)) {
            Some(at) => map.values_mut().get_mut(at).ok_or_else(|| out_of_bounds(0)),
            None => Ok(map.entry(&map_key(key)?)),
        },
        ViewMut::Struct(instance) => {
            let at = struct_field(instance, key)?;
            if instance.fields().get(at).is_some_and(Value::is_null) {
                let name = instance.def().fields.get(at).map_or("", |field| &*field.name);
                return Err(Thrown::error(format!(
                    "struct '{}': field '{name}' is null; assign a value to it first",
                    instance.name()
                )));
            }
            instance.fields_mut().get_mut(at).ok_or_else(|| out_of_bounds(0))
        }
        ViewMut::Str(_) => Err(Thrown::error("Strings are immutable; cannot assign to a string index")),
        ViewMut::Other(other) => Err(not_writable(other)),
    }
}

/// Writes an element that is there, or that can be made by one step, and gives back the stored value.
fn set(container: &mut Value, key: &Value, value: Value) -> Result<Value, Thrown> {
    if let ViewMut::Struct(instance) = container.view_mut() {
        let at = struct_field(instance, key)?;
        let def = instance.def().clone();
        let field = def.fields.get(at).ok_or_else(|| out_of_bounds(0))?;
        let value = coerce_field(&def.name, field, value)?;
        if let Some(slot) = instance.fields_mut().get_mut(at) {
            *slot = value.clone();
        }
        return Ok(value);
    }
    *place(container, key)? = value.clone();
    Ok(value)
}

/// Changes what an element holds, in place. A struct's field keeps its type: a change to another one is undone.
///
/// # Errors
/// Where the element cannot be reached, what `change` refuses, a value that the field does not take.
fn change_element<R>(
    container: &mut Value,
    key: &Value,
    change: impl FnOnce(&mut Value) -> Result<R, Thrown>,
) -> Result<R, Thrown> {
    let ViewMut::Struct(instance) = container.view_mut() else { return change(place(container, key)?) };
    let at = struct_field(instance, key)?;
    let def = instance.def().clone();
    let (Some(field), Some(slot)) = (def.fields.get(at), instance.fields_mut().get_mut(at)) else {
        return Err(out_of_bounds(0));
    };
    // Strings and lists stay what they are under every change; of them no second owner may be made here.
    let before = (!matches!(slot.tag(), Tag::Str | Tag::List)).then(|| slot.clone());
    let result = change(slot)?;
    if let Some(before) = before {
        let changed = std::mem::replace(slot, before);
        *slot = coerce_field(&def.name, field, changed)?;
    }
    Ok(result)
}

/// How far a path leads.
enum Way<'v, 'k> {
    /// To an element that is there.
    There(&'v mut Value, &'k Value),
    /// To something that has to be made first.
    Missing(Missing<'v, 'k>),
}

/// What a write would add.
struct Missing<'v, 'k> {
    /// Where it goes.
    container: &'v mut Value,
    /// Its key; none when `container` itself is null and becomes it.
    key: Option<&'k Value>,
    /// The keys below it.
    below: &'k [Value],
}

impl Missing<'_, '_> {
    /// Makes it and what is below it, and adds it when `change` of its end succeeds.
    fn make<R>(self, change: impl FnOnce(&mut Value) -> Result<R, Thrown>) -> Result<R, Thrown> {
        let mut made = Value::NULL;
        let result = change(self.below.iter().try_fold(&mut made, |container, key| place(container, key))?)?;
        match self.key {
            Some(key) => *place(self.container, key)? = made,
            None => *self.container = made,
        }
        Ok(result)
    }
}

/// Follows a path of at least one key as far as it exists, and changes nothing but the sharing of what it passes.
fn follow<'v, 'k>(root: &'v mut Value, path: &'k [Value]) -> Result<Way<'v, 'k>, Thrown> {
    let mut container = root;
    let mut rest = path;
    while let Some((key, below)) = rest.split_first() {
        if container.is_null() {
            return Ok(Way::Missing(Missing { container, key: None, below: rest }));
        }
        if is_missing(container, key)? {
            return Ok(Way::Missing(Missing { container, key: Some(key), below }));
        }
        let Some(next) = below.first() else { return Ok(Way::There(container, key)) };
        let field = field_at(container, key)?;
        container = place(container, key)?;
        if let Some((def, at)) = field {
            keeps_type(&def, at, container, next)?;
        }
        rest = below;
    }
    Ok(Way::Missing(Missing { container, key: None, below: rest }))
}

/// The field that a key names, when the container is a struct.
fn field_at(container: &Value, key: &Value) -> Result<Option<(Arc<StructDef>, usize)>, Thrown> {
    match container.view() {
        View::Struct(instance) => Ok(Some((instance.def().clone(), struct_field(instance, key)?))),
        _ => Ok(None),
    }
}

/// Refuses a key that would turn the list in a field into a map, where the field takes lists only.
fn keeps_type(def: &StructDef, at: usize, value: &Value, key: &Value) -> Result<(), Thrown> {
    if let (View::List(_), Some(field)) = (value.view(), def.fields.get(at))
        && matches!(list_key(key)?, ListKey::Name)
    {
        coerce_field(&def.name, field, Value::from(Map::new()))?;
    }
    Ok(())
}

/// True when a write would add the element. Fails where no element can be.
fn is_missing(container: &Value, key: &Value) -> Result<bool, Thrown> {
    Ok(match container.view() {
        View::List(list) => match list_key(key)? {
            ListKey::Index(index) => index == list.len() as i64,
            ListKey::Name => true,
        },
        View::Map(map) => match key.view() {
            View::Str(name) => map.get_str(name).is_none(),
            _ => map.get_str(&map_key(key)?).is_none(),
        },
        _ => false,
    })
}

/// Writes at the end of a path and gives back the stored value (an int stored in a float field is a float). Containers that
/// are missing on the way are made: a map for a name, a list for a position.
///
/// # Errors
/// A position beyond the end, a container that is none, a value of the wrong type for a struct's field. Nothing has changed
/// then.
pub fn set_at(root: &mut Value, path: &[Value], value: Value) -> Result<Value, Thrown> {
    match follow(root, path)? {
        Way::There(container, key) => set(container, key, value),
        Way::Missing(missing) => missing.make(|end| {
            *end = value.clone();
            Ok(value)
        }),
    }
}

/// Changes what stands at the end of a path; null where nothing does. Missing containers are made when the change succeeds.
///
/// # Errors
/// As [`set_at`], and what `change` refuses.
pub fn change_at<R>(
    root: &mut Value,
    path: &[Value],
    change: impl FnOnce(&mut Value) -> Result<R, Thrown>,
) -> Result<R, Thrown> {
    if path.is_empty() {
        return change(root);
    }
    match follow(root, path)? {
        Way::There(container, key) => change_element(container, key, change),
        Way::Missing(missing) => missing.make(change),
    }
}

/// Changes what stands at the end of a path where every step can be read. A missing last key of a map counts as null.
///
/// # Errors
/// Where reading would fail, and what `change` refuses. Nothing has changed then.
pub fn change_existing<R>(
    root: &mut Value,
    path: &[Value],
    change: impl FnOnce(&mut Value) -> Result<R, Thrown>,
) -> Result<R, Thrown> {
    let Some((last, way)) = path.split_last() else { return change(root) };
    let mut container = root;
    for (at, key) in way.iter().enumerate() {
        check_readable(container, key)?;
        if is_missing(container, key)? {
            return Err(not_indexable(&Value::NULL, path.get(at + 1).unwrap_or(last)));
        }
        container = place(container, key)?;
    }
    check_readable(container, last)?;
    if is_missing(container, last)? {
        return Missing { container, key: Some(last), below: &[] }.make(change);
    }
    change_element(container, last, change)
}

/// Fails where reading the element would fail.
fn check_readable(container: &Value, key: &Value) -> Result<(), Thrown> {
    match container.view() {
        View::List(list) => match list_key(key)? {
            ListKey::Index(index) if resolve(index, list.len()).is_none() => Err(out_of_bounds(index)),
            ListKey::Index(_) | ListKey::Name => Ok(()),
        },
        View::Map(_) | View::Struct(_) => Ok(()),
        _ => Err(not_indexable(container, key)),
    }
}

/// `push(place, value)`: appends and gives back the new length. Makes a missing list.
///
/// # Errors
/// A place that holds no list.
pub fn push(place: &mut Value, value: Value) -> Result<i64, Thrown> {
    if place.is_null() {
        *place = Value::from(List::new());
    }
    match place.view_mut() {
        ViewMut::List(list) => {
            let items = list.make_mut();
            items.push(value);
            Ok(items.len() as i64)
        }
        ViewMut::Map(map) if map.is_empty() => {
            *place = Value::from(List::from(vec![value]));
            Ok(1)
        }
        _ => Err(Thrown::error("push() requires array as first argument")),
    }
}

/// `pop(place)`: takes the last value away; null when there is none.
///
/// # Errors
/// A place that holds no array.
pub fn pop(place: &mut Value) -> Result<Value, Thrown> {
    match place.view_mut() {
        ViewMut::List(list) if list.is_empty() => Ok(Value::NULL),
        ViewMut::List(list) => Ok(list.make_mut().pop().unwrap_or(Value::NULL)),
        ViewMut::Map(map) => Ok(map.pop().map_or(Value::NULL, |(_, value)| value)),
        _ => Err(Thrown::error("pop() requires array")),
    }
}

/// The value as a field stores it.
///
/// # Errors
/// A value of another type.
pub fn coerce_field(owner: &str, field: &FieldDef, value: Value) -> Result<Value, Thrown> {
    let name = &field.name;
    if let FieldType::Unknown(ty) = &field.ty {
        return Err(Thrown::error(format!(
            "struct '{owner}': field '{name}' has unknown type '{ty}' (expected int, float, string, bool, array, map, fn, \
             any or the name of a struct)"
        )));
    }
    let fits = match (&field.ty, value.view()) {
        (FieldType::Any, _)
        | (FieldType::Function | FieldType::Struct(_), View::Null)
        | (FieldType::Int, View::Int(_))
        | (FieldType::Float, View::Float(_))
        | (FieldType::Str, View::Str(_))
        | (FieldType::Bool, View::Bool(_))
        | (FieldType::Array, View::List(_))
        | (FieldType::Map, View::Map(_))
        | (FieldType::Function, View::Function(_)) => true,
        (FieldType::Float, View::Int(value)) => return Ok(Value::float(value as f64)),
        (FieldType::Map, View::List(list)) if list.is_empty() => return Ok(Value::from(Map::new())),
        (FieldType::Struct(ty), View::Struct(instance)) => instance.name() == &**ty,
        (_, View::Null) => field.nullable,
        _ => false,
    };
    if fits {
        return Ok(value);
    }
    let mark = if field.nullable { "?" } else { "" };
    let got = match value.view() {
        View::Struct(instance) => instance.name(),
        View::Function(_) => "fn",
        _ => type_name(&value),
    };
    let hint =
        if value.is_null() { format!(" (declare it as ?{} to allow null)", field.ty.name()) } else { String::new() };
    Err(Thrown::error(format!("struct '{owner}': field '{name}' expects {mark}{}, got {got}{hint}", field.ty.name())))
}

/// The value of a field that was given none and has no default.
pub fn zero_value(field: &FieldDef) -> Value {
    match field.ty {
        _ if field.nullable => Value::NULL,
        FieldType::Int => Value::int(0),
        FieldType::Float => Value::float(0.0),
        FieldType::Str => Value::str(""),
        FieldType::Bool => Value::FALSE,
        FieldType::Array => Value::from(List::new()),
        FieldType::Map => Value::from(Map::new()),
        FieldType::Function | FieldType::Any | FieldType::Struct(_) | FieldType::Unknown(_) => Value::NULL,
    }
}
