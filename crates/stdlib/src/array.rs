//! Lists and maps. Every function gives a new array; the one it was given stays as it is.
//!
//! Maps take part with their values; where a result can keep the keys, it does.

mod sort;
#[cfg(test)]
mod tests;
mod unique;

use bytecode::Ty;
use std::ops::Range;
use vm::access::{list_to_map, resolve};
use vm::text::{describe, parse_int};
use vm::{Array, Cx, FromValue, Function, List, Map, Thrown, Value, View};

/// The most elements that a result may have: more can only come from a value that contains itself many times over.
const MAX_ELEMENTS: usize = 1 << 26;

/// An array taken from the caller, so that it is changed in place when nobody else has it.
struct Taken(Value);

impl<'a> FromValue<'a> for Taken {
    const TY: Ty = Ty::Array;

    fn from_value(value: &'a mut Value) -> Option<Self> {
        is_array(value).then(|| Self(value.take()))
    }
}

impl Taken {
    /// The values, moved out when nobody else has them.
    fn into_values(self) -> Vec<Value> {
        match self.0.view() {
            View::Map(map) => map.values().to_vec(),
            View::List(list) => {
                let list = list.clone();
                drop(self.0);
                list.into_vec()
            }
            _ => Vec::new(),
        }
    }
}

fn is_array(value: &Value) -> bool {
    matches!(value.view(), View::List(_) | View::Map(_))
}

/// The elements that a start and a length mean, clamped to what there is.
fn range(start: i64, length: Option<i64>, len: usize) -> Range<usize> {
    let from = match usize::try_from(start) {
        Ok(start) => start.min(len),
        Err(_) => len.saturating_sub(usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let length = length.map_or(len, |length| usize::try_from(length).unwrap_or(0));
    from..from.saturating_add(length).min(len)
}

/// Calls a test on an element.
fn test(cx: &mut Cx<'_>, function: &Function, value: &Value) -> Result<bool, Thrown> {
    Ok(vm::compare::is_truthy(&cx.call(function, vec![value.clone()])?))
}

/// The position of the first element that passes a test, or fails it.
fn position(cx: &mut Cx<'_>, values: &[Value], function: &Function, passes: bool) -> Result<Option<usize>, Thrown> {
    for (at, value) in values.iter().enumerate() {
        if test(cx, function, value)? == passes {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// True when a comparison's answer is below zero.
fn is_negative(answer: &Value) -> Result<bool, Thrown> {
    match answer.view() {
        View::Int(answer) => Ok(answer < 0),
        View::Float(answer) => Ok(answer < 0.0),
        _ => Err(Thrown::error(format!(
            "array::sort(): the comparison must give a number (below 0 when the first value comes first), got {}",
            describe(answer)
        ))),
    }
}

/// Opens nested lists to a depth. Works without recursion, since lists nest as deep as a script likes.
fn flatten(values: &[Value], depth: i64) -> Result<Vec<Value>, Thrown> {
    let mut flat = Vec::new();
    let mut open = vec![values.iter()];
    while let Some(innermost) = open.last_mut() {
        let Some(value) = innermost.next() else {
            open.pop();
            continue;
        };
        match value.view() {
            View::List(list) if open.len() as i64 <= depth => open.push(list.iter()),
            _ if flat.len() < MAX_ELEMENTS => flat.push(value.clone()),
            _ => {
                return Err(Thrown::error(format!(
                    "array::flatten(): the result would have more than {MAX_ELEMENTS} elements"
                )));
            }
        }
    }
    Ok(flat)
}

/// Sets an element; a position beyond a list makes it a map.
fn set(array: &mut Value, key: &Value, value: Value) -> Result<(), Thrown> {
    if let View::List(list) = array.view() {
        let index = match key.view() {
            View::Int(index) => Some(index),
            View::Str(text) => parse_int(text.as_bytes()),
            _ => None,
        };
        if index.is_some_and(|index| index != list.len() as i64 && resolve(index, list.len()).is_none()) {
            *array = Value::from(list_to_map(list));
        }
    }
    vm::access::set_at(array, std::slice::from_ref(key), value).map(drop)
}

/// Lists and maps. Every function gives a new array.
#[macros::module(name = "array")]
pub mod builtins {
    use super::{Array, Cx, Function, List, Map, Taken, Thrown, Value, View};
    use super::{flatten as flatten_to, is_negative, position, range, sort as sorting, test, unique as distinct};
    use vm::compare::equals;

    /// The values in order: by `<`, or by a function that gives a number below 0 when its first argument comes first.
    ///
    /// ```look
    /// print(array::sort([3, 1, 2]), array::sort([3, 1, 2], fn($a, $b) => $b - $a))   // [1, 2, 3] [3, 2, 1]
    /// ```
    #[builtin(calls)]
    fn sort(cx: &mut Cx<'_>, list: Taken, compare: Option<&Function>) -> Result<Vec<Value>, Thrown> {
        let values = list.into_values();
        match compare {
            None => sorting::by_order(values),
            Some(compare) => sorting::by(values, |a, b| is_negative(&cx.call(compare, vec![a.clone(), b.clone()])?)),
        }
    }

    /// What a function gives for each value.
    ///
    /// ```look
    /// print(array::map([1, 2, 3], fn($x) => $x * 2))   // [2, 4, 6]
    /// ```
    #[builtin(calls)]
    fn map(cx: &mut Cx<'_>, list: Array<'_>, function: &Function) -> Result<Vec<Value>, Thrown> {
        list.values().iter().map(|value| cx.call(function, vec![value.clone()])).collect()
    }

    /// The values for which a function gives something true; a map keeps their keys.
    ///
    /// ```look
    /// print(array::filter([1, 2, 3, 4], fn($x) => $x % 2 == 0))   // [2, 4]
    /// ```
    #[builtin(calls)]
    fn filter(cx: &mut Cx<'_>, list: Array<'_>, function: &Function) -> Result<Value, Thrown> {
        match list {
            Array::List(list) => {
                let mut kept = Vec::new();
                for value in list.iter() {
                    if test(cx, function, value)? {
                        kept.push(value.clone());
                    }
                }
                Ok(Value::from(List::from(kept)))
            }
            Array::Map(map) => {
                let mut kept = Map::new();
                for (key, value) in map.iter() {
                    if test(cx, function, value)? {
                        kept.insert(key.clone(), value.clone());
                    }
                }
                Ok(Value::from(kept))
            }
        }
    }

    /// The first value for which a function gives something true; `null` when there is none.
    ///
    /// ```look
    /// print(array::find([1, 2, 3], fn($x) => $x > 1))   // 2
    /// ```
    #[builtin(calls)]
    fn find(cx: &mut Cx<'_>, list: Array<'_>, function: &Function) -> Result<Option<Value>, Thrown> {
        let at = position(cx, list.values(), function, true)?;
        Ok(at.and_then(|at| list.values().get(at)).cloned())
    }

    /// True when a function gives something true for at least one value.
    ///
    /// ```look
    /// print(array::any([1, 2], fn($x) => $x > 1), array::any([], fn($x) => true))   // true false
    /// ```
    #[builtin(calls)]
    fn any(cx: &mut Cx<'_>, list: Array<'_>, function: &Function) -> Result<bool, Thrown> {
        Ok(position(cx, list.values(), function, true)?.is_some())
    }

    /// True when a function gives something true for every value.
    ///
    /// ```look
    /// print(array::all([2, 4], fn($x) => $x % 2 == 0), array::all([], fn($x) => false))   // true true
    /// ```
    #[builtin(calls)]
    fn all(cx: &mut Cx<'_>, list: Array<'_>, function: &Function) -> Result<bool, Thrown> {
        Ok(position(cx, list.values(), function, false)?.is_none())
    }

    /// One value from all: a function gets what it gave for the values before (at first `start`) and the next value.
    ///
    /// ```look
    /// print(array::reduce([1, 2, 3], fn($sum, $x) => $sum + $x, 0))   // 6
    /// ```
    #[builtin(calls)]
    fn reduce(cx: &mut Cx<'_>, list: Array<'_>, function: &Function, start: Value) -> Result<Value, Thrown> {
        list.values().iter().try_fold(start, |sum, value| cx.call(function, vec![sum, value.clone()]))
    }

    /// `length` elements from position `start` on, or all of them; a negative `start` counts from the end.
    ///
    /// ```look
    /// print(array::slice([1, 2, 3, 4], 1, 2), array::slice([1, 2, 3, 4], -2))   // [2, 3] [3, 4]
    /// ```
    #[builtin(pure)]
    fn slice(list: Array<'_>, start: i64, length: Option<i64>) -> Value {
        let range = range(start, length, list.values().len());
        match list {
            Array::List(list) => Value::from(List::from(list.get(range).unwrap_or_default().to_vec())),
            Array::Map(map) => {
                let entries = map.iter().skip(range.start).take(range.len());
                Value::from(entries.map(|(key, value)| (key.clone(), value.clone())).collect::<Map>())
            }
        }
    }

    /// The values without those that equal one before them.
    ///
    /// ```look
    /// print(array::unique([1, 2, 1, 1.0, "1"]))   // [1, 2, 1]
    /// ```
    #[builtin(pure)]
    fn unique(list: Array<'_>) -> Result<Vec<Value>, Thrown> {
        distinct::unique(list.values())
    }

    /// The elements in reverse order; a map keeps its keys.
    ///
    /// ```look
    /// print(array::reverse([1, 2, 3]))   // [3, 2, 1]
    /// ```
    #[builtin(pure)]
    fn reverse(list: Taken) -> Value {
        if let View::Map(map) = list.0.view() {
            let entries = map.iter().rev().map(|(key, value)| (key.clone(), value.clone()));
            return Value::from(entries.collect::<Map>());
        }
        let mut values = list.into_values();
        values.reverse();
        Value::from(List::from(values))
    }

    /// True when a value of the array equals the given one.
    ///
    /// ```look
    /// print(array::contains([1, 2], 2), array::contains([1, 2], "2"))   // true false
    /// ```
    #[builtin(pure)]
    fn contains(list: Array<'_>, value: &Value) -> Result<bool, Thrown> {
        for candidate in list.values() {
            if equals(candidate, value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The keys of a map, or the positions of a list.
    ///
    /// ```look
    /// print(array::keys(["a" => 1, "b" => 2]), array::keys(["x", "y"]))   // [a, b] [0, 1]
    /// ```
    #[builtin(pure)]
    fn keys(map: Array<'_>) -> List {
        match map {
            Array::List(list) => (0..list.len() as i64).map(Value::int).collect(),
            Array::Map(map) => map.keys().iter().cloned().map(Value::from).collect(),
        }
    }

    /// The values as a list.
    ///
    /// ```look
    /// print(array::values(["a" => 1, "b" => 2]))   // [1, 2]
    /// ```
    #[builtin(pure)]
    fn values(map: Array<'_>) -> List {
        match map {
            Array::List(list) => list.clone(),
            Array::Map(map) => List::from(map.values().to_vec()),
        }
    }

    /// Nested lists opened into one, to any depth or to the given one; maps inside stay as they are.
    ///
    /// ```look
    /// print(array::flatten([1, [2, [3]]]), array::flatten([1, [2, [3]]], 1))   // [1, 2, 3] [1, 2, [3]]
    /// ```
    #[builtin(pure)]
    fn flatten(list: Array<'_>, depth: Option<i64>) -> Result<Vec<Value>, Thrown> {
        flatten_to(list.values(), depth.unwrap_or(i64::MAX))
    }

    /// The values in lists of `size`; the last may be shorter.
    ///
    /// ```look
    /// print(array::chunk([1, 2, 3, 4, 5], 2))   // [[1, 2], [3, 4], [5]]
    /// ```
    #[builtin(pure)]
    fn chunk(list: Array<'_>, size: i64) -> Result<List, Thrown> {
        match usize::try_from(size) {
            Ok(size) if size > 0 => {
                Ok(list.values().chunks(size).map(|chunk| Value::from(List::from(chunk.to_vec()))).collect())
            }
            _ => Err(Thrown::error("array::chunk() size must be positive")),
        }
    }

    /// The first values of all arrays as a list, then the second ones, as far as the shortest array goes.
    ///
    /// ```look
    /// print(array::zip([1, 2, 3], ["a", "b"]))   // [[1, a], [2, b]]
    /// ```
    #[builtin(pure)]
    fn zip(list: &Value, others: &mut [Value]) -> Result<List, Thrown> {
        let mut arrays = Vec::with_capacity(others.len() + 1);
        for array in std::iter::once(list).chain(others.iter()) {
            arrays.push(match array.view() {
                View::List(list) => &**list,
                View::Map(map) => map.values(),
                _ => return Err(Thrown::error("array::zip() all arguments must be arrays")),
            });
        }
        let len = arrays.iter().map(|values| values.len()).min().unwrap_or(0);
        let row = |at: usize| arrays.iter().filter_map(|values| values.get(at)).cloned().collect::<List>();
        Ok((0..len).map(|at| Value::from(row(at))).collect())
    }

    /// The list with a value appended.
    ///
    /// ```look
    /// $list = [1, 2]
    /// print(array::push($list, 3), $list)   // [1, 2, 3] [1, 2]
    /// ```
    #[builtin(pure)]
    fn push(list: Taken, value: Value) -> Result<Value, Thrown> {
        let mut list = list.0;
        if matches!(list.view(), View::Map(map) if !map.is_empty()) {
            return Err(Thrown::error("array::push() needs a list; array::set() adds an entry to a map"));
        }
        vm::access::push(&mut list, value)?;
        Ok(list)
    }

    /// The last value; `null` for an empty array.
    ///
    /// ```look
    /// print(array::pop([1, 2, 3]))   // 3
    /// ```
    #[builtin(pure)]
    fn pop(list: Array<'_>) -> Option<Value> {
        list.values().last().cloned()
    }

    /// The array with one element set; a name, or a position beyond the end, makes a list a map.
    ///
    /// ```look
    /// print(array::set([1, 2], 1, "X"), array::set(["a" => 1], "b", 2))   // [1, X] [a => 1, b => 2]
    /// ```
    #[builtin(pure)]
    fn set(array: Taken, key: &Value, value: Value) -> Result<Value, Thrown> {
        let mut array = array.0;
        super::set(&mut array, key, value)?;
        Ok(array)
    }

    /// An empty map.
    ///
    /// ```look
    /// print(count(array::new_assoc()))   // 0
    /// ```
    #[builtin(pure)]
    fn new_assoc() -> Map {
        Map::new()
    }
}
