//! Programs that are refused, and close relatives that are not.

use crate::observe;
use std::path::Path;
use vm::Registry;

fn refusal(text: &str) -> Option<String> {
    let (_, end) = observe(Path::new("main.lk"), text, Registry::new(stdlib::ALL.iter().copied()));
    end.strip_prefix("refused: ").map(str::to_owned)
}

#[test]
fn captured_values_cannot_be_written() {
    for write in [
        "print($x); $x = 1",
        "$x += 1",
        "$x++",
        "$x[0] = 1",
        "$x.a = 1",
        "push($x, 1)",
        "pop($x)",
        "$y = fn() => $x; $x = 1",
        "print(\"{$x}\"); if (true) { $x = 2 }",
    ] {
        let message = refusal(&format!("function f() {{ $x = [1]; $g = function() {{ {write} }}; }}"));
        let expected = "$x comes from outside: a closure captures the value and cannot change it";
        assert_eq!(message.as_deref(), Some(expected), "{write}");
    }
    assert!(refusal("$x = 1; $f = function() use ($x) { $x = 2 };").is_some());
    assert!(refusal("{ $x = 1; function inner() { $x[0] = 1 } }").is_some());
    assert!(refusal("{ $x = 1; $f = fn($a = $x) => ($x = 2); }").is_some());
}

#[test]
fn own_variables_and_globals_can_be_written() {
    for program in [
        "function f() { $x = [1]; $g = function() { $x = 2; $x++; push($x, 1) }; }",
        "function f() { $x = [1]; $g = function($x) { $x++ }; }",
        "function f() { if (true) { $x = 1 } $g = function() { $x++ }; }",
        "$x = [1]; $f = function() { $x[0] = 2; push($x, 1); $x += 1 };",
        "function f() { $g = function() { $x++ }; $x = 1 }",
        "function f() { $x = 1; $g = function() { if (true) { $x = 1 } print($x) }; }",
    ] {
        assert_eq!(refusal(program), None, "{program}");
    }
}

#[test]
fn other_refusals() {
    for (program, expected) in [
        ("break", "'break' outside a loop"),
        ("switch (1) { case 1: continue }", "'continue' outside a loop"),
        ("while (true) { $f = function() { break } }", "'break' outside a loop"),
        ("function count() { }", "'count' is a builtin — cannot be redefined"),
        ("if (true) { function count() { } }", "'count' is a builtin — cannot be redefined"),
        ("string::uper(\"a\")", "'string' has no function 'uper'"),
        ("nothing::at()", "Unknown module: 'nothing'"),
        ("use nothing", "Unknown module: 'nothing'. If it is a package, install it with: lk module install nothing"),
        ("use ws", "'ws' is built in and is not a module: remove the 'use ws' line and call ws:: directly."),
        ("const { A = 1 } const { A = 1 }", "constant 'A' is already defined and cannot be changed"),
        ("struct A { x int }\nstruct A { x float }", "struct 'A' is already declared at line 1 with different fields"),
        ("struct A { x int, x int }", "struct 'A' declares field 'x' twice"),
    ] {
        assert_eq!(refusal(program).as_deref(), Some(expected), "{program}");
    }
    assert_eq!(refusal("struct A { x int = 1 }\nstruct A { x int = 1 } use math as m; print(m::abs(-1))"), None);
}
