//! The language by example. What every engine must do stands in the conformance programs; these are the rules that an
//! evaluator gets wrong most easily.

use crate::{Limits, end_of, load, observe, run};
use std::path::Path;
use std::sync::Arc;
use vm::{Host, Isolate, Output, Registry};

fn registry() -> Arc<Registry> {
    Registry::new(stdlib::ALL.iter().copied())
}

/// The output of a program, with its end when that is not the normal one.
fn result(text: &str) -> String {
    let (output, end) = observe(Path::new("main.lk"), text, registry());
    output + &end
}

fn check(programs: &[(&str, &str)]) {
    for (program, expected) in programs {
        assert_eq!(result(program), *expected, "{program}");
    }
}

#[test]
fn numbers() {
    check(&[
        ("print(6 / 2, 7 / 2, -7 % 3, 7.5 % 2, 2 ** 3)", "3 3.5 -1 1 8\n"),
        (
            "print(9223372036854775807 + 1, -1 * -9223372036854775808, -9223372036854775808 % -1)",
            "9223372036854775808 9223372036854775808 0\n",
        ),
        ("print(-9223372036854775808 / -1, 1 << 64, -1 >> 70, -8 >> 1, ~5)", "9223372036854775808 0 0 -4 -6\n"),
        ("print(\"5\" + 1, \"5.5\" + 1, true + 1, \"+5\" * \"1e3\")", "6 6.5 2 5000\n"),
        ("1 / 0.0", "threw: Division by zero"),
        ("1 % 0.5", "threw: Modulo by zero"),
        ("\"\" + 1", "threw: Arithmetic on an empty string"),
        ("\"1e-400\" + 1", "threw: Arithmetic on a string that cannot be converted to a number: '1e-400'"),
        ("-\" 5 \"", "threw: Arithmetic on a string that cannot be converted to a number: ' 5 '"),
        (
            "\"99999999999999999999\" + 1",
            "threw: Arithmetic on a numeric string exceeding the int64 limit (bignum/ID): '99999999999999999999'",
        ),
        ("~null", "threw: Arithmetic on a non-numeric value (null/array/object)"),
    ]);
}

#[test]
fn comparison() {
    check(&[
        (
            "print(5 == 5.0, \"5\" == 5, [] == [\"a\" => 1], [1] == [1.0], [1] == [\"1\"], null == false)",
            "true false false true false false\n",
        ),
        ("print(9007199254740993 == 9007199254740992.0, 9007199254740993 > 9007199254740992.0)", "false true\n"),
        ("print([\"a\" => 1, \"b\" => 2] == [\"b\" => 2, \"a\" => 1])", "true\n"),
        ("print(\"a\" < \"b\", 1 <=> 2, 2.5 <=> 2, [1] <=> [1])", "true -1 1 0\n"),
        ("$n = 1e308 * 10 - 1e308 * 10; print($n == $n, $n < 1, $n >= 1, $n <=> 1)", "false false false 1\n"),
        (
            "1 < \"2\"",
            "threw: Incomparable types: '<'/'>' only for number↔number and string↔string, got int 1 and string \"2\"",
        ),
        ("print(!\"0\", !\"0.0\", ![], !json::decode(\"{}\"), 2 && 3, null ?? 4)", "true false true true true 4\n"),
    ]);
}

#[test]
fn elements() {
    check(&[
        ("$a = [1, 2, 3]; print($a[\"1\"], $a[-1], $a[1.0], $a[\"k\"])", "2 3 2 null\n"),
        ("$a = [1]; $a[-5]", "threw: Array index -5 out of bounds"),
        ("$a = [1]; $a[null]", "threw: Array index must be an integer or a string, got null"),
        ("$a = [1]; $a[1] = 2; $a[\"k\"] = 3; print($a)", "[0 => 1, 1 => 2, k => 3]\n"),
        ("$m = [1 => \"a\", \"1\" => \"b\"]; print($m[1], $m[\"x\"], count($m))", "b null 1\n"),
        ("$m[\"a\"][\"b\"][0] = 1; push($m.list, 2); print($m)", "[a => [b => [1]], list => [2]]\n"),
        ("$a = [1]; $a[0] = $a; print($a); print(pop($a), pop($a), $a)", "[[1]]\n[1] null []\n"),
        ("$s = \"ab\"; $s[0] = \"x\"", "threw: Strings are immutable; cannot assign to a string index"),
        ("$s = [\"a\"]; $s.name", "threw: A list has no field 'name': read it by position, as in $list[0]"),
        ("print(($x = [\"n\" => 1])[\"n\"], $v = ($x[\"n\"] += 1), $x[\"n\"]++, $x.n)", "1 2 2 3\n"),
    ]);
}

#[test]
fn a_refused_write_changes_nothing() {
    for write in ["$m.a[5] = 1", "$m.b.c[1] = 1", "pop($m.z)", "push($m.n, 1)", "$m.n.x = 1", "$m.l.k = 2"] {
        let program =
            format!("$m = [\"a\" => [], \"n\" => 5, \"l\" => [1]]; try {{ {write} }} catch ($e) {{ }} print($m)");
        assert_eq!(result(&program), "[a => [], n => 5, l => [1]]\n", "{write}");
    }
}

#[test]
fn structs() {
    let head = "struct P { x int = 1, f float, l array, m map, o ?int, q P } ";
    for (program, expected) in [
        ("print(P{})", "P{x: 1, f: 0, l: [], m: [], o: null, q: null}\n"),
        ("$p = P{f: 2}; $p.m = []; $p.m.k = 1; push($p.l, 2); print($p.f, $p[\"m\"], $p.l)", "2 [k => 1] [2]\n"),
        (
            "$p = P{}; try { $p.x = \"s\" } catch ($e) { print($e, $p.x) }",
            "struct 'P': field 'x' expects int, got string 1\n",
        ),
        ("P{x: null}", "threw: struct 'P': field 'x' expects int, got null (declare it as ?int to allow null)"),
        ("P{y: 1}", "threw: Unknown field 'y' in struct 'P'"),
        ("$p = P{}; $p.q.x = 1", "threw: struct 'P': field 'q' is null; assign a value to it first"),
        ("$p = P{}; $p[0]", "threw: a struct is not an array: use a field name ('P' has no numeric index)"),
        ("R{}", "threw: Unknown struct 'R'"),
        ("foreach (P{q: P{x: 2}} as $k => $v) { write($k) }", "xflmoq"),
    ] {
        assert_eq!(result(&format!("{head}\n{program}")), expected, "{program}");
    }
}

#[test]
fn scopes() {
    check(&[
        ("if (true) { $x = 1 } $x", "threw: Undefined variable: $x"),
        ("$x = 1; if (true) { $x = 2 } print($x)", "2\n"),
        ("$g = 1; function f() { $g += 1; return $g } print(f(), $g)", "2 1\n"),
        ("$g = [1]; function f() { $g[0] = 2; push($g, 3); $g = 5; } f(); print($g)", "[2, 3]\n"),
        ("function f() { print($g); $g = 2; print($g) } $g = 1; f(); print($g)", "1\n2\n1\n"),
        ("function f() { false && ($x = 1); return $x } f()", "threw: Undefined variable: $x"),
        ("$x = \"g\"; function f() { false && ($x = 1); if (true) { $x = 2 } return $x } print(f())", "2\n"),
        ("$x = \"g\"; function f() { false && ($x = 1); return $x } print(f())", "g\n"),
        ("for ($i = 0; $i < 2; $i++, $y = $i) { write(\"{$y}\") }", "{$y}1"),
        ("foreach ([1, 2] as $x) { $fs[] = 1 }", "refused: Expect an index between '[' and ']'"),
        ("try { throw 1 } catch ($e) { } $e", "threw: Undefined variable: $e"),
        ("function f() { $w = 0; while (($n += 1) < 3) { $w++ } return $w } $n = 0; print(f(), $n)", "2 0\n"),
    ]);
}

#[test]
fn closures() {
    check(&[
        ("function f() { $x = 1; $g = fn() => $x; $x = 2; return $g() } print(f())", "1\n"),
        ("$x = 1; $f = fn() => $x; $h = function() use ($x) { return $x }; $x = 2; print($f(), $h())", "2 1\n"),
        ("$f = function() use ($nope) { }", "threw: Undefined variable: $nope"),
        ("foreach ([1, 2] as $v) { $v == 1 ? ($a = fn() => $v) : ($b = fn() => $v); } ", ""),
        ("{ $x = 1; function inner($n) { return $n > 2 ? $x : inner($n + 1) } $x = 5; print(inner(0)) }", "1\n"),
        ("{ f(); } function f() { print(1) } { f(); function f() { print(2) } f() }", "1\n1\n2\n"),
        ("function f() { $x = 1; $g = function() { $x = 2; return $x }; return $g() + $x } print(f())", "3\n"),
        (
            "print((fn($a, $b = 2, ...$c) => $a + $b + count($c))(1), array::map([1, 2], fn($v) => $v * 2))",
            "3 [2, 4]\n",
        ),
        ("$f = fn($a) => $a; $f()", "threw: Function '__anonymous__' expects 1 args, got 0"),
        ("$x = 1; $x(2)", "threw: '$x' is not callable (function expected)"),
        ("nope(print(1))", "threw: Undefined variable: nope"),
        ("function f() { return 1 } print(f == f, count == count, fn() => 1 == fn() => 1)", "true true <function>\n"),
    ]);
}

#[test]
fn interpolation() {
    check(&[
        (
            "const { SLUG = \"s\" } function slug() { return 1 } print(\"{slug} {SLUG} {slug()} {$nope} {1 / 0}\")",
            "{slug} s 1 {$nope} {1 / 0}\n",
        ),
        ("print(\"{css::red} {math::nope(1)} {$x = 2} {$x}\")", "{css::red} {math::nope(1)} 2 2\n"),
        ("try { print(\"{exit(3)}\") } catch ($e) { print(1) }", "exit 3"),
    ]);
}

#[test]
fn ways_out() {
    check(&[
        ("function f() { try { return 1 } finally { return 2 } } print(f())", "2\n"),
        (
            "function f() { foreach ([1, 2] as $v) { try { throw $v } catch ($e) { continue } finally { write($v) } } return 3 } print(f())",
            "123\n",
        ),
        ("function f() { while (true) { try { throw 1 } finally { break } } return \"out\" } print(f())", "out\n"),
        ("function f() { try { exit(3) } finally { return 1 } } f(); print(\"no\")", "exit 3"),
        ("try { try { exit(3) } finally { throw 1 } } catch ($e) { print(\"no\") }", "exit 3"),
        ("switch (2) { case 1: print(1); default: print(\"d\"); case 2, 3: print(2); break; print(3) }", "2\n"),
        (
            "try { error::new(\"t\", \"m\", 4) } catch ($e) { print(error::code($e)) } finally { print(\"f\") }",
            "4\nf\n",
        ),
        ("print(1); return; print(2)", "1\n"),
    ]);
}

#[test]
fn constants() {
    check(&[
        ("print(B, D); const { A = iota + 5, B, C = 10, D }", "6 10\n"),
        ("const { A, B } print(A, B, \"{B}\")", "0 1 1\n"),
        ("const { A = f() } function f() { return [1] } print(A); $x = A; $x[0] = 2; print(A)", "[1]\n[1]\n"),
        ("print(iota)", "threw: Undefined variable: iota"),
    ]);
}

#[test]
fn endless_recursion_is_an_error() {
    let program = "function f($n) { return f($n + 1) } try { f(0) } catch ($e) { print($e) } print(2)";
    let limits = Limits { call_depth: 100, ..Limits::default() };
    let alone = |_: &Path| Err(String::new());
    let program = load(Path::new("main.lk"), program, &alone, registry().signatures()).expect("it can be loaded");
    let mut isolate = Isolate::new(registry(), Arc::new(Host::default()), Output::to(Box::new(std::io::sink())));
    assert_eq!(end_of(run(program, &mut isolate, limits)), "");
    let text = "function f($n) { if ($n == 9999) { return $n } return f($n + 1) } print(f(0)); f(-1)";
    let on_large_stack = std::thread::Builder::new().stack_size(4 << 30).spawn(move || result(text));
    let expected = "9999\nthrew: Stack overflow: max call depth (10000) exceeded in 'f'";
    assert_eq!(on_large_stack.expect("a thread can be started").join().expect("it does not panic"), expected);
}

#[test]
fn nothing_outlives_a_program() {
    let before = vm::live_objects();
    let program =
        "$f = fn() => $f; const { C = fn() => 1 } function g() { } $g = g; $l = [[1], $f, \"x\" . 1]; throw $l";
    assert_eq!(result(program), "threw: [[1], <function>, x1]");
    vm::forget_shapes();
    assert_eq!(vm::live_objects(), before);
}
