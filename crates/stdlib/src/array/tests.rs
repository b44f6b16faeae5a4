//! What the array builtins do at their edges.

use crate::testing::{call, error, text};
use vm::{Cx, ForeignFunction, Function, FunctionKind, List, Map, Str, Thrown, Value};

type Body = fn(Vec<Value>) -> Result<Value, Thrown>;

struct Native(Body);

impl ForeignFunction for Native {
    fn name(&self) -> &str {
        "__anonymous__"
    }

    fn call(&self, _cx: &mut Cx<'_>, args: Vec<Value>) -> Result<Value, Thrown> {
        self.0(args)
    }
}

fn function(body: Body) -> Value {
    Value::from(Function::new(FunctionKind::Foreign(std::rc::Rc::new(Native(body)))))
}

fn ints(values: impl IntoIterator<Item = i64>) -> Value {
    Value::from(values.into_iter().map(Value::int).collect::<List>())
}

fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value::from(values.into_iter().collect::<List>())
}

fn map() -> Value {
    let entries = [("a", 1), ("b", 2), ("c", 3)];
    Value::from(entries.into_iter().map(|(key, value)| (Str::from(key), Value::int(value))).collect::<Map>())
}

fn int(args: &[Value], at: usize) -> i64 {
    args.get(at).and_then(Value::as_int).expect("an int")
}

#[test]
fn sort_orders_what_can_be_compared() {
    for (given, sorted) in [
        (ints([3, -1, 2]), "[-1, 2, 3]"),
        (list([Value::str("b"), Value::str("B"), Value::str("a")]), "[B, a, b]"),
        (list([Value::float(1.5), Value::int(1), Value::float(-2.0)]), "[-2, 1, 1.5]"),
        (ints([]), "[]"),
        (map(), "[1, 2, 3]"),
        (list([Value::NULL]), "[null]"),
    ] {
        assert_eq!(text("array", "sort", vec![given]), sorted);
    }
    assert!(error("array", "sort", vec![list([Value::int(1), Value::str("a")])]).starts_with("Incomparable types"));
    assert!(error("array", "sort", vec![list([Value::NULL, Value::NULL])]).starts_with("Incomparable types"));
    let with_nan = list((0..50).map(|n| Value::float(if n % 3 == 0 { f64::NAN } else { f64::from(-n) })));
    let sorted = call("array", "sort", vec![with_nan]).expect("ends");
    assert_eq!(sorted.as_list().map(|list| list.len()), Some(50));
}

#[test]
fn sort_by_a_function_is_stable_and_survives_nonsense() {
    let tens = function(|args| Ok(Value::int(int(&args, 0) / 10 - int(&args, 1) / 10)));
    let sorted = text("array", "sort", vec![ints([25, 11, 21, 19, 3, 12]), tens]);
    assert_eq!(sorted, "[3, 11, 19, 12, 25, 21]");
    for nonsense in [
        function(|_| Ok(Value::int(-1))),
        function(|_| Ok(Value::int(1))),
        function(|args| Ok(Value::int(if (int(&args, 0) ^ int(&args, 1)) % 3 == 0 { -1 } else { 1 }))),
    ] {
        let value = call("array", "sort", vec![ints(0..1000), nonsense]).expect("ends");
        let mut numbers: Vec<i64> = value.as_list().expect("a list").iter().filter_map(Value::as_int).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..1000).collect::<Vec<_>>());
    }
    let throws = function(|_| Err(Thrown::error("stop")));
    assert_eq!(error("array", "sort", vec![ints([1, 2]), throws]), "stop");
    let bools = function(|_| Ok(Value::TRUE));
    assert!(error("array", "sort", vec![ints([1, 2]), bools]).contains("must give a number"));
    let large = call(
        "array",
        "sort",
        vec![ints((0..5000).rev()), function(|args| Ok(Value::int(int(&args, 0) - int(&args, 1))))],
    );
    let large = large.expect("sorts");
    assert_eq!(large.as_list().and_then(|list| list.get(4999)).and_then(Value::as_int), Some(4999));
}

#[test]
fn callbacks_see_values() {
    let even = || function(|args| Ok(Value::bool(int(&args, 0) % 2 == 0)));
    assert_eq!(text("array", "map", vec![map(), even()]), "[false, true, false]");
    assert_eq!(text("array", "filter", vec![map(), even()]), "[b => 2]");
    assert_eq!(text("array", "filter", vec![ints(1..5), even()]), "[2, 4]");
    assert_eq!(text("array", "find", vec![ints([1, 3]), even()]), "null");
    assert_eq!(text("array", "any", vec![map(), even()]), "true");
    assert_eq!(text("array", "all", vec![map(), even()]), "false");
    let sum = function(|args| Ok(Value::int(int(&args, 0) + int(&args, 1))));
    assert_eq!(text("array", "reduce", vec![ints(1..4), sum, Value::int(10)]), "16");
    let throws = || function(|_| Err(Thrown::error("stop")));
    for name in ["map", "filter", "find", "any", "all"] {
        assert_eq!(error("array", name, vec![ints([1]), throws()]), "stop");
    }
    assert!(error("array", "map", vec![ints([1]), Value::str("f")]).contains("must be function, got string"));
}

#[test]
fn slices_clamp() {
    for (start, length, result) in [
        (1, Some(1), "[2]"),
        (-100, Some(2), "[1, 2]"),
        (99, Some(5), "[]"),
        (0, Some(-5), "[]"),
        (-2, None, "[2, 3]"),
        (i64::MIN, Some(i64::MAX), "[1, 2, 3]"),
        (i64::MAX, None, "[]"),
    ] {
        let mut args = vec![ints(1..4), Value::int(start)];
        args.extend(length.map(Value::int));
        assert_eq!(text("array", "slice", args), result);
    }
    assert_eq!(text("array", "slice", vec![map(), Value::int(1)]), "[b => 2, c => 3]");
}

#[test]
fn unique_follows_equality() {
    let one = || ints([1]);
    let values =
        [Value::int(1), Value::str("1"), Value::float(1.0), Value::TRUE, Value::NULL, Value::NULL, one(), one()];
    assert_eq!(text("array", "unique", vec![list(values)]), "[1, 1, true, null, [1]]");
    let floats = [0.0, -0.0, 0.5, 0.5, f64::NAN, f64::NAN, f64::INFINITY, 1e300, 1e300].map(Value::float);
    assert_eq!(text("array", "unique", vec![list(floats)]), "[0, 0.5, NaN, NaN, Infinity, 1e+300]");
    let large = [
        Value::int(9_007_199_254_740_993),
        Value::float(9_007_199_254_740_992.0),
        Value::int(i64::MAX),
        Value::float(9.3e18),
    ];
    let kept = call("array", "unique", vec![list(large)]).expect("compares");
    assert_eq!(kept.as_list().map(|list| list.len()), Some(4));
}

#[test]
fn parts_and_shapes() {
    assert_eq!(text("array", "reverse", vec![map()]), "[c => 3, b => 2, a => 1]");
    assert_eq!(text("array", "reverse", vec![ints(1..4)]), "[3, 2, 1]");
    assert_eq!(text("array", "keys", vec![ints([7, 8])]), "[0, 1]");
    assert_eq!(text("array", "values", vec![map()]), "[1, 2, 3]");
    assert_eq!(text("array", "contains", vec![map(), Value::float(2.0)]), "true");
    assert_eq!(text("array", "chunk", vec![ints(1..4), Value::int(2)]), "[[1, 2], [3]]");
    for size in [0, -1, i64::MIN] {
        assert_eq!(error("array", "chunk", vec![ints([1]), Value::int(size)]), "array::chunk() size must be positive");
    }
    assert_eq!(text("array", "zip", vec![ints(1..4), map(), ints([9])]), "[[1, 1, 9]]");
    assert_eq!(error("array", "zip", vec![ints([1]), Value::int(1)]), "array::zip() all arguments must be arrays");
    assert_eq!(error("array", "zip", vec![Value::NULL]), "array::zip() all arguments must be arrays");
    assert_eq!(text("array", "pop", vec![ints([])]), "null");
    assert!(error("array", "pop", vec![Value::NULL]).contains("must be array, got null"));
}

#[test]
fn flatten_is_bounded() {
    let nested = || list([Value::int(1), list([Value::int(2), list([Value::int(3), map()])])]);
    assert_eq!(text("array", "flatten", vec![nested()]), "[1, 2, 3, [a => 1, b => 2, c => 3]]");
    assert_eq!(text("array", "flatten", vec![nested(), Value::int(0)]), "[1, [2, [3, [a => 1, b => 2, c => 3]]]]");
    assert_eq!(
        text("array", "flatten", vec![nested(), Value::int(-1)]),
        text("array", "flatten", vec![nested(), Value::int(0)])
    );
    let mut deep = ints([1]);
    for _ in 0..100_000 {
        deep = list([deep]);
    }
    assert_eq!(text("array", "flatten", vec![deep]), "[1]");
}

#[test]
fn push_grows_in_place_and_copies_when_shared() {
    let shared = ints([1]);
    assert_eq!(text("array", "push", vec![shared.clone(), Value::int(2)]), "[1, 2]");
    assert_eq!(shared.as_list().map(|list| list.len()), Some(1));
    let own = ints([1, 2, 3]);
    let before = own.as_list().map(|list| list.as_ptr());
    let mut args = [own, Value::int(4)];
    let mut isolate = crate::testing::isolate();
    let builtin = isolate.registry().find("array", "push").expect("registered");
    // Room first: what moves then is a copy and not growth.
    let grown = builtin.invoke(&mut Cx::new(&mut isolate), &mut args).expect("pushes");
    assert!(args[0].is_null() && before.is_some());
    assert_eq!(grown.as_list().map(|list| list.len()), Some(4));
    assert!(error("array", "push", vec![map(), Value::int(1)]).contains("array::set()"));
    assert_eq!(text("array", "push", vec![Value::from(Map::new()), Value::int(1)]), "[1]");
}

#[test]
fn set_follows_the_index_rules() {
    for (array, key, result) in [
        (ints([1, 2, 3]), Value::int(1), "[1, X, 3]"),
        (ints([1, 2]), Value::int(2), "[1, 2, X]"),
        (ints([1, 2]), Value::int(-1), "[1, X]"),
        (ints([1]), Value::str("k"), "[0 => 1, k => X]"),
        (ints([1]), Value::int(5), "[0 => 1, 5 => X]"),
        (ints([1]), Value::str("5"), "[0 => 1, 5 => X]"),
        (ints([1]), Value::int(-9), "[0 => 1, -9 => X]"),
        (map(), Value::str("a"), "[a => X, b => 2, c => 3]"),
        (ints([]), Value::int(0), "[X]"),
    ] {
        assert_eq!(text("array", "set", vec![array, key, Value::str("X")]), result);
    }
    assert!(error("array", "set", vec![ints([1]), Value::NULL, Value::NULL]).contains("got null"));
    assert_eq!(text("array", "new_assoc", vec![]), "[]");
}
