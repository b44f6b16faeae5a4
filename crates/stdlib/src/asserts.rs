//! Assertions and the registration of tests; whoever runs tests reads [`Tests`] from the isolate.

use vm::text::{describe, to_text};
use vm::{Function, Str, Thrown, Value, View};

/// The tests that a file has registered, in order.
#[derive(Debug, Default)]
pub struct Tests {
    /// Name and body of each test.
    pub cases: Vec<(Str, Function)>,
    /// Runs before each test.
    pub before_each: Option<Function>,
    /// Runs after each test, also when it has failed.
    pub after_each: Option<Function>,
}

/// A value in a message: arrays and structs with their contents.
fn show(value: &Value) -> String {
    const SHOWN: usize = 200;
    match value.view() {
        View::List(_) | View::Map(_) | View::Struct(_) => {
            let text = to_text(value);
            let text = text.to_str_lossy();
            let shown: String = text.chars().take(SHOWN).collect();
            if shown.len() < text.len() { format!("{shown}…") } else { shown }
        }
        _ => describe(value),
    }
}

/// The outcome of an assertion. The author's own message stands in front.
fn check(holds: bool, name: &str, message: Option<&Value>, problem: impl FnOnce() -> String) -> Result<(), Thrown> {
    if holds {
        return Ok(());
    }
    let own = message.map(|message| format!("{}: ", to_text(message).to_str_lossy())).unwrap_or_default();
    Err(Thrown::error(format!("{own}{name}(): {}", problem())))
}

/// Assertions, and tests that are run by the test runner.
#[macros::module(name = "assert")]
pub mod builtins {
    use super::{Tests, check, show};
    use crate::text::Text;
    use crate::{regex, string};
    use vm::compare::{equals, is_truthy};
    use vm::text::describe;
    use vm::{Array, Cx, Function, Str, Thrown, ThrownKind, Value, View};

    /// Registers a test for the test runner.
    ///
    /// ```look
    /// test("addition", function() { assert_eq(1 + 1, 2) })
    /// print("registered")   // registered
    /// ```
    #[builtin(writes, alias = "::test")]
    fn test(cx: &mut Cx<'_>, name: Text<'_>, function: &Function) {
        cx.state::<Tests>().cases.push((name.to_str(), function.clone()));
    }

    /// Registers a function that runs before each test.
    ///
    /// ```look
    /// before_each(function() { print("fresh") })
    /// print("registered")   // registered
    /// ```
    #[builtin(writes, alias = "::before_each")]
    fn before_each(cx: &mut Cx<'_>, function: &Function) {
        cx.state::<Tests>().before_each = Some(function.clone());
    }

    /// Registers a function that runs after each test, also when it has failed.
    ///
    /// ```look
    /// after_each(function() { print("clean") })
    /// print("registered")   // registered
    /// ```
    #[builtin(writes, alias = "::after_each")]
    fn after_each(cx: &mut Cx<'_>, function: &Function) {
        cx.state::<Tests>().after_each = Some(function.clone());
    }

    /// Throws unless the value is true in a condition.
    ///
    /// ```look
    /// assert(1 < 2)
    /// try { assert(0) } catch ($e) { print($e) }   // assert(): expected something true, got int 0
    /// ```
    #[builtin(pure, alias = "::assert")]
    fn ok(value: &Value, message: Option<&Value>) -> Result<(), Thrown> {
        check(is_truthy(value), "assert", message, || format!("expected something true, got {}", show(value)))
    }

    /// Throws unless the value is true in a condition.
    ///
    /// ```look
    /// try { assert_true("") } catch ($e) { print($e) }   // assert_true(): expected something true, got string ""
    /// ```
    #[builtin(pure, name = "true", alias = "::assert_true")]
    fn is_true(value: &Value, message: Option<&Value>) -> Result<(), Thrown> {
        check(is_truthy(value), "assert_true", message, || format!("expected something true, got {}", show(value)))
    }

    /// Throws unless the value is false in a condition.
    ///
    /// ```look
    /// try { assert_false([1]) } catch ($e) { print($e) }   // assert_false(): expected something false, got [1]
    /// ```
    #[builtin(pure, name = "false", alias = "::assert_false")]
    fn is_false(value: &Value, message: Option<&Value>) -> Result<(), Thrown> {
        check(!is_truthy(value), "assert_false", message, || format!("expected something false, got {}", show(value)))
    }

    /// Throws unless both values are equal by `==`.
    ///
    /// ```look
    /// try { assert_eq(1 + 1, 3) } catch ($e) { print($e) }   // assert_eq(): expected int 3, got int 2
    /// ```
    #[builtin(pure, alias = "::assert_eq")]
    fn eq(value: &Value, expected: &Value, message: Option<&Value>) -> Result<(), Thrown> {
        let holds = equals(value, expected)?;
        check(holds, "assert_eq", message, || format!("expected {}, got {}", show(expected), show(value)))
    }

    /// Throws when both values are equal by `==`.
    ///
    /// ```look
    /// try { assert_neq(2, 2.0) } catch ($e) { print($e) }   // assert_neq(): expected anything but float 2, got int 2
    /// ```
    #[builtin(pure, alias = "::assert_neq")]
    fn neq(value: &Value, other: &Value, message: Option<&Value>) -> Result<(), Thrown> {
        let holds = !equals(value, other)?;
        check(holds, "assert_neq", message, || format!("expected anything but {}, got {}", show(other), show(value)))
    }

    /// Throws unless the value is `null`.
    ///
    /// ```look
    /// try { assert_null(5) } catch ($e) { print($e) }   // assert_null(): expected null, got int 5
    /// ```
    #[builtin(pure, alias = "::assert_null")]
    fn null(value: &Value, message: Option<&Value>) -> Result<(), Thrown> {
        check(value.is_null(), "assert_null", message, || format!("expected null, got {}", show(value)))
    }

    /// Throws when the value is `null`.
    ///
    /// ```look
    /// try { assert_not_null(null) } catch ($e) { print($e) }   // assert_not_null(): expected a value, got null
    /// ```
    #[builtin(pure, alias = "::assert_not_null")]
    fn not_null(value: &Value, message: Option<&Value>) -> Result<(), Thrown> {
        check(!value.is_null(), "assert_not_null", message, || "expected a value, got null".to_owned())
    }

    /// Throws unless the array holds the value, or the text the part.
    ///
    /// ```look
    /// try { assert_contains([1, 2], 3) } catch ($e) { print($e) }   // assert_contains(): expected int 3 in [1, 2]
    /// ```
    #[builtin(pure, alias = "::assert_contains")]
    fn contains(list: &Value, value: &Value, message: Option<&Value>) -> Result<(), Thrown> {
        let values = match list.view() {
            View::List(list) => Array::List(list).values(),
            View::Map(map) => Array::Map(map).values(),
            _ => &[],
        };
        let mut holds = match (list.view(), value.view()) {
            (View::Str(text), View::Str(part)) => string::find(text.as_bytes(), part.as_bytes()).is_some(),
            (View::Str(_) | View::List(_) | View::Map(_), _) => false,
            _ => {
                let given = describe(list);
                return Err(Thrown::error(format!("assert_contains() needs an array or a string, got {given}")));
            }
        };
        for candidate in values {
            holds = holds || equals(candidate, value)?;
        }
        check(holds, "assert_contains", message, || format!("expected {} in {}", show(value), show(list)))
    }

    /// Throws unless the function throws; gives what it has thrown.
    ///
    /// ```look
    /// print(assert_throws(function() { throw "no" }))   // no
    /// ```
    #[builtin(calls, alias = "::assert_throws")]
    fn throws(cx: &mut Cx<'_>, function: &Function, message: Option<&Value>) -> Result<Value, Thrown> {
        match cx.call(function, Vec::new()) {
            Ok(value) => {
                let problem = || format!("expected the function to throw, but it gave {}", show(&value));
                check(false, "assert_throws", message, problem).map(|()| Value::NULL)
            }
            Err(thrown) => match thrown.into_kind() {
                ThrownKind::Value { value, .. } => Ok(value),
                end @ (ThrownKind::Exit(_) | ThrownKind::Stop) => Err(Thrown::from(end)),
            },
        }
    }

    /// Throws unless the pattern matches the text.
    ///
    /// ```look
    /// try { assert_match("abc", '^\d+$') } catch ($e) { print($e) }   // assert_match(): expected a match of '^\d+$', got string "abc"
    /// ```
    #[builtin(pure, name = "match", alias = "::assert_match")]
    fn matches(cx: &mut Cx<'_>, text: Text<'_>, pattern: &Str, message: Option<&Value>) -> Result<(), Thrown> {
        let holds = regex::is_match(cx, "assert_match", &text, pattern)?;
        check(holds, "assert_match", message, || {
            format!("expected a match of '{}', got {}", pattern.to_str_lossy(), describe(&Value::from(text.to_str())))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call_in, error, isolate, text};
    use vm::{Cx, ForeignFunction, Function, FunctionKind, List, Thrown, Value};

    struct Throws(fn() -> Thrown);

    impl ForeignFunction for Throws {
        fn name(&self) -> &str {
            "__anonymous__"
        }

        fn call(&self, _cx: &mut Cx<'_>, _args: Vec<Value>) -> Result<Value, Thrown> {
            Err(self.0())
        }
    }

    fn throwing(thrown: fn() -> Thrown) -> Value {
        Value::from(Function::new(FunctionKind::Foreign(std::rc::Rc::new(Throws(thrown)))))
    }

    fn builtin(name: &str) -> Value {
        let found = isolate().registry().find("", name).expect("registered");
        Value::from(Function::new(FunctionKind::Builtin(found)))
    }

    #[test]
    fn assertions_hold_or_name_both_values() {
        assert_eq!(text("", "assert_eq", vec![Value::int(2), Value::float(2.0)]), "null");
        let list = |value| Value::from(List::from(vec![Value::int(value)]));
        assert_eq!(error("assert", "eq", vec![list(1), list(2)]), "assert_eq(): expected [2], got [1]");
        let own = vec![Value::FALSE, Value::str("why")];
        assert_eq!(error("", "assert", own), "why: assert(): expected something true, got bool false");
        assert_eq!(
            error("", "assert_contains", vec![Value::str("abc"), Value::str("x")]),
            "assert_contains(): expected string \"x\" in string \"abc\""
        );
        assert_eq!(text("", "assert_contains", vec![Value::str("abc"), Value::str("b")]), "null");
        assert!(error("", "assert_contains", vec![Value::NULL, Value::NULL]).contains("got null"));
        assert!(error("", "assert_match", vec![Value::str("a"), Value::str("[")]).contains("cannot be used"));
    }

    #[test]
    fn throws_catches_values_only() {
        assert_eq!(text("", "assert_throws", vec![throwing(|| Thrown::error("no"))]), "no");
        assert_eq!(error("", "assert_throws", vec![throwing(|| Thrown::exit(3))]), "Exit(3)");
        assert!(error("", "assert_throws", vec![builtin("write")]).contains("but it gave null"));
    }

    #[test]
    fn tests_are_registered_in_order() {
        let mut isolate = isolate();
        for name in ["one", "two"] {
            call_in(&mut isolate, "", "test", vec![Value::str(name), builtin("write")]).expect("registers");
        }
        call_in(&mut isolate, "", "before_each", vec![builtin("write")]).expect("registers");
        let tests = isolate.state::<super::Tests>();
        let names: Vec<_> = tests.cases.iter().map(|(name, _)| name.to_str_lossy().into_owned()).collect();
        assert_eq!(names, ["one", "two"]);
        assert!(tests.before_each.is_some() && tests.after_each.is_none());
    }
}
