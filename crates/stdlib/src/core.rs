//! Builtins that need no module: output, counting, the end of the program.

/// Names that need no module.
#[macros::module(name = "")]
pub mod builtins {
    use crate::text::Text;
    use vm::text::{describe, push_text};
    use vm::{Cx, Thrown, Value, View};

    /// Prints the values with a space between them and ends the line.
    ///
    /// ```look
    /// print("a", 1 + 1, [1, 2])   // a 2 [1, 2]
    /// ```
    #[builtin(writes)]
    fn print(cx: &mut Cx<'_>, values: &mut [Value]) {
        write_joined(cx, values, b"\n");
    }

    /// Prints the values with a space between them and does not end the line.
    ///
    /// ```look
    /// write("a")
    /// print("b", "c")   // ab c
    /// ```
    #[builtin(writes)]
    fn write(cx: &mut Cx<'_>, values: &mut [Value]) {
        write_joined(cx, values, b"");
    }

    fn write_joined(cx: &mut Cx<'_>, values: &[Value], end: &[u8]) {
        let mut buffer = Vec::new();
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                cx.write(b" ");
            }
            if let View::Str(text) = value.view() {
                cx.write(text.as_bytes());
            } else {
                buffer.clear();
                push_text(&mut buffer, value);
                cx.write(&buffer);
            }
        }
        cx.write(end);
    }

    /// The number of elements of an array, or of characters of a string; 0 for `null`.
    ///
    /// ```look
    /// print(count([1, 2, 3]), count(["a" => 1]), count("çay"), count(null))   // 3 1 3 0
    /// ```
    #[builtin(pure, intrinsic = Count, alias = "len")]
    fn count(value: &Value) -> Result<i64, Thrown> {
        match value.view() {
            View::Null => Ok(0),
            View::List(list) => Ok(list.len() as i64),
            View::Map(map) => Ok(map.len() as i64),
            View::Str(text) => Ok(text.char_count() as i64),
            View::Struct(instance) => Err(Thrown::error(format!(
                "count() does not take a struct ('{}'): a struct is not an array, use its fields",
                instance.name()
            ))),
            View::Bool(_) | View::Int(_) | View::Float(_) | View::Function(_) | View::Handle(_) => {
                Err(Thrown::error(format!("count() takes an array, a string or null, got {}", describe(value))))
            }
        }
    }

    /// The number of bytes.
    ///
    /// ```look
    /// print(strlen("çay"))   // 4
    /// ```
    #[builtin(pure)]
    fn strlen(text: Text<'_>) -> i64 {
        text.len() as i64
    }

    /// Appends a value to the array in a variable and gives the new length; a variable that is `null` gets a new list.
    ///
    /// ```look
    /// $list = [1]
    /// print(push($list, 5), $list)   // 2 [1, 5]
    /// ```
    #[builtin(writes, intrinsic = Push)]
    fn push(path: &Value, value: &Value) -> Result<i64, Thrown> {
        let (_, _) = (path, value);
        Err(needs_variable("push"))
    }

    /// Takes the last value out of the array in a variable; `null` when there is none.
    ///
    /// ```look
    /// $list = [1, 5]
    /// print(pop($list), $list)   // 5 [1]
    /// ```
    #[builtin(writes, intrinsic = Pop)]
    fn pop(path: &Value) -> Result<Value, Thrown> {
        let _ = path;
        Err(needs_variable("pop"))
    }

    /// The compiler writes to the variable itself; a function that is passed around has no variable to write to.
    fn needs_variable(name: &str) -> Thrown {
        Thrown::error(format!(
            "{name}() changes a variable and must be called by its name, as in {name}($list); array::{name}() works as a value"
        ))
    }

    /// Ends the program with an exit code; `finally` blocks still run.
    ///
    /// ```look
    /// print("done")   // done
    /// exit()
    /// print("never")
    /// ```
    #[builtin(writes)]
    fn exit(#[default = 0] code: i64) -> Result<(), Thrown> {
        Err(Thrown::exit(code as i32))
    }

    /// Ends the program with an exit code, or prints a message and ends it with code 0.
    ///
    /// ```look
    /// print("the last line")   // the last line
    /// die()
    /// print("never")
    /// ```
    #[builtin(writes)]
    fn die(cx: &mut Cx<'_>, code: Option<&Value>) -> Result<(), Thrown> {
        match code.map(Value::view) {
            Some(View::Int(code)) => Err(Thrown::exit(code as i32)),
            Some(View::Str(text)) => {
                cx.write(text.as_bytes());
                Err(Thrown::exit(0))
            }
            None => Err(Thrown::exit(0)),
            Some(_) => {
                let given = code.map(describe).unwrap_or_default();
                Err(Thrown::error(format!("die() takes an exit code or a message, got {given}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, error, output, text};
    use vm::{Map, Struct, Value};

    #[test]
    fn print_joins_with_spaces() {
        let values = || vec![Value::str("a"), Value::int(2), Value::NULL, Value::str(b"\xff")];
        assert_eq!(output("", "print", values()), b"a 2 null \xff\n");
        assert_eq!(output("", "write", values()), b"a 2 null \xff");
        assert_eq!(output("", "print", vec![]), b"\n");
        assert_eq!(output("", "write", vec![]), b"");
    }

    #[test]
    fn count_counts_elements_and_characters() {
        for (value, count) in [
            (Value::NULL, "0"),
            (Value::from(Map::new()), "0"),
            (Value::str("çay"), "3"),
            (Value::str(b"a\xff\xfe"), "3"),
            (Value::from(vm::List::from(vec![Value::NULL])), "1"),
        ] {
            assert_eq!(text("", "len", vec![value]), count);
        }
        assert_eq!(text("", "strlen", vec![Value::str("çay")]), "4");
        assert!(error("", "count", vec![Value::int(5)]).contains("got int 5"));
        let def = std::sync::Arc::new(vm::StructDef { name: "P1".into(), fields: vec![] });
        let message = "count() does not take a struct ('P1'): a struct is not an array, use its fields";
        assert_eq!(error("", "count", vec![Value::from(Struct::new(def, vec![]))]), message);
    }

    #[test]
    fn push_as_a_value_is_refused() {
        assert!(error("", "push", vec![Value::NULL, Value::NULL]).contains("array::push()"));
        assert!(error("", "pop", vec![Value::NULL]).contains("array::pop()"));
    }

    #[test]
    fn exit_carries_its_code() {
        for (name, args, code) in
            [("exit", vec![], 0), ("exit", vec![Value::int(3)], 3), ("die", vec![Value::int(2)], 2)]
        {
            let thrown = call("", name, args).expect_err("exits");
            assert!(matches!(thrown.kind(), vm::ThrownKind::Exit(given) if *given == code));
        }
        assert_eq!(output("", "die", vec![Value::str("bye")]), b"bye");
        assert!(error("", "die", vec![Value::TRUE]).contains("got bool true"));
    }
}
