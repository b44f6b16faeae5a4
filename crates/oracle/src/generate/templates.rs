//! Expressions and statements as patterns.
//!
//! `%` and a letter stands for a part: `%i %f %b %s %l %m %p %a` for a value of a type, the same letters in capitals for a
//! variable of that type that may be changed in place, `%e` for something small to put into an array, `%n` for a small
//! number, `%k` for a key, `%x` for an index, `%v %q %d` for any variable, one with a
//! struct and one with a map, `%1` and `%2` for a function of one or two parameters, `%%` for the sign
//! itself.

use super::scope::Type;

/// Patterns for values of a type; the first ones of each are the plainest.
pub(super) fn values(ty: Type) -> &'static [&'static str] {
    match ty {
        Type::Int => INTS,
        Type::Float => FLOATS,
        Type::Bool => BOOLS,
        Type::Str => STRINGS,
        Type::List => LISTS,
        Type::Map => MAPS,
        Type::Struct => STRUCTS,
        Type::Any => ANYTHING,
    }
}

const INTS: &[&str] = &[
    "%i + %i",
    "%i - %i",
    "%i * %n",
    "%i * %i",
    "%i / %n",
    "%i %% %n",
    "%i %% %i",
    "-(%i)",
    "(%i + %i) * %n",
    "%i & %i",
    "%i | %i",
    "%i ^ %i",
    "%i << %n",
    "%i >> %n",
    "~%i",
    "(%i <=> %i)",
    "(%s <=> %s)",
    "count(%l)",
    "len(%s)",
    "count(%m)",
    "%l[%x]",
    "%m[%k] + %n",
    "%q.x",
    "%q.l[%x]",
    "count(%q.l)",
    "%p[\"x\"]",
    "(%b ? %i : %i)",
    "(%m[%k] ?? %i)",
    "push(%L, %e)",
    "(%A = %i)",
    "%I++",
    "--%I",
    "(%I += %i)",
    "(%L[%x] = %i)",
    "(%P.x += %n)",
    "%M[%k]++",
    "C0 + %n",
    "LIST[%x]",
    "(fn($u) => $u + %n)(%i)",
];

const FLOATS: &[&str] = &[
    "%f + %i",
    "%f * %f",
    "%i / %i",
    "%f - %f",
    "%i ** %n",
    "%f ** 0.5",
    "-(%f)",
    "%q.y",
    "(%P.y = %i)",
    "%f %% %n",
    "(%b ? %f : %i)",
    "(%f + 0.1) / 3",
];

const BOOLS: &[&str] = &[
    "%i < %i",
    "%i >= %n",
    "%f > %i",
    "%i == %i",
    "%i != %f",
    "%s == %s",
    "%s < %s",
    "%a == %a",
    "%l == %l",
    "%m == %m",
    "%p == %p",
    "!%b",
    "%b && %b",
    "%b || %b",
    "%a && %i",
    "(%b || (%A = %i))",
    "(%b && push(%L, %e))",
    "!%a",
    "(%i == %n) == %b",
];

const STRINGS: &[&str] = &[
    "%s . %i",
    "%s . %s",
    "\"\" . %a",
    "%i . \"\"",
    "\"<{%v}>\"",
    "\"{%v + 1} and {%v}\"",
    "\"[{%v[0]}] [{%v.a}] [{%v.x}]\"",
    "\"{%v ?? 5}{$undefined}{C0}{nothing}\"",
    "\"{%v . %v} {count(%v)}\"",
    "`raw {%v} \\n`",
    "(%b ? %s : %s)",
    "%q.s",
    "(%S .= \"+\")",
    "(%P.s .= %n)",
    "(%M[%k] .= \"m\")",
    "%s . (%a ?? \"none\")",
    "C3 . %n",
];

const LISTS: &[&str] = &[
    "[%i, %i, %i]",
    "[%e, %e]",
    "[%i, [%i, %e], %s]",
    "[[%k => %i], %m]",
    "[%l, %l]",
    "[%a]",
    "%q.l",
    "(%b ? %l : [%i])",
    "(%L = [%e, %i])",
    "(%m[%k] ?? [%i])",
    "[fn($u) => $u, 1][1 - 1] ? [%i] : %l",
    "LIST",
    "[]",
];

const MAPS: &[&str] = &[
    "[%k => %i, %k => %e]",
    "[%k => %l, \"b\" => [%k => %i]]",
    "[\"a\" => %e, \"b\" => %i, %k => %s, %i => %n]",
    "[%s => %i]",
    "[\"m\" => %m]",
    "%q.m",
    "(%b ? %m : [\"a\" => %i])",
    "MAP",
    "(%M[%k] ?? [\"d\" => %i])",
];

const STRUCTS: &[&str] = &[
    "P{x: %i, s: %s}",
    "P{y: %i, l: %l, z: %a}",
    "P{m: %m, o: %i}",
    "P{x: %f}",
    "(%b ? %p : P{x: %i})",
    "Q{p: %p, f: fn($u) => $u}[\"p\"]",
    "P{z: Q{p: %p}, o: null}",
    "P{}",
];

const ANYTHING: &[&str] = &[
    "%i",
    "%s",
    "%l",
    "%m",
    "%b",
    "%f",
    "%l[%x]",
    "%m[%k]",
    "%d.a",
    "%d.a.b",
    "%d[\"list\"][%x]",
    "%m[%k][%x]",
    "%l[%x][%k]",
    "(%m[%k] ?? %a)",
    "%a ?? %a",
    "pop(%L)",
    "%q.z",
    "%p[%k]",
    "%q.o",
    "(%b ? %a : %a)",
    "(%M[%k][%k] = %e)",
    "(%L[%n] = %e)",
    "(%A = %e)",
    "%a + %a",
    "%a - %i",
    "%a . %s",
    "-(%a)",
    "%a < %a",
    "%a[%k]",
    "%v.a",
    "(%1)(%i)",
    "(%2)(%i, %i)",
    "null",
    "Q{n: %i}",
    "Q{p: %p, t: %s}[\"p\"].x",
    "Wrong{n: 1}",
    "$nowhere",
    "nowhere",
    "nowhere(%i)",
    "%v(%i)",
];

/// Small values for elements; nothing that can hold others.
pub(super) const ELEMENTS: &[&str] = &["%n", "%i", "\"e\"", "true", "null", "1.5", "%n . \"\"", "\"10\""];

/// Statements that change what is there without making it larger than one step.
pub(super) const CHANGES: &[&str] = &[
    "%I = %i;",
    "%I += %i;",
    "%I -= %n;",
    "%I *= %n;",
    "%I /= %n;",
    "%I++;",
    "++%I;",
    "%I--;",
    "%I &= %i;",
    "%I |= %i;",
    "%I ^= %n;",
    "%F = %f;",
    "%F *= 1.5;",
    "%B = %b;",
    "%S = \"\" . %i;",
    "%S .= %n;",
    "%S = \"{%v}\" == \"\" ? \"x\" : \"y\";",
    "push(%L, %e);",
    "pop(%L);",
    "%L[%x] = %e;",
    "%L[count(%L)] = %e;",
    "%L[%k] = %e;",
    "%L[0]++;",
    "%L[%x] += %i;",
    "%L[0][%k] = %e;",
    "%M[%k] = %e;",
    "%M[%k] += %i;",
    "%M.a = %e;",
    "%M[%k][%k] = %e;",
    "%M.list[0] = %e;",
    "push(%M[%k], %e);",
    "push(%M.list, %e);",
    "pop(%M[%k]);",
    "pop(%M);",
    "%M.a .= %n;",
    "%P.x = %i;",
    "%P.x += %i;",
    "%P.x--;",
    "%P.y = %i;",
    "%P.s = %n . \"s\";",
    "%P.l[%x] = %e;",
    "push(%P.l, %e);",
    "%P.m[%k] = %e;",
    "%P.m.deep.er = %e;",
    "%P.o = %e;",
    "%P.z = %e;",
    "%P.z.a = %e;",
    "%P[%k] = %e;",
    "%P.nothing = %e;",
    "%A = %e;",
    "%A[%k] = %e;",
    "%A += %i;",
    "%A[0][1] = %e;",
    "push(%A, %e);",
    "%b && (%I = %i);",
    "%b ? (%I = %i) : (%L[0] = %i);",
];

/// Statements that may store something made of larger parts.
pub(super) const GROWTH: &[&str] = &[
    "%S = %s;",
    "%S .= %s;",
    "%L = %l;",
    "%M = %m;",
    "%P = %p;",
    "%A = %a;",
    "%L[%x] = %l;",
    "%M[%k] = %m;",
    "%M[%k] = %a;",
    "push(%L, %a);",
    "%L[0] = %L;",
    "%P.z = %a;",
    "%P.l = %l;",
    "%P.m = %m;",
];

/// Statements that only show something.
pub(super) const SHOWS: &[&str] = &[
    "print(%a);",
    "print(%i, %s);",
    "print(%l, count(%l));",
    "print(%m);",
    "print(%p);",
    "print(%b, %f);",
    "write(%a, \"\");",
    "print(\"{%v} {%v}\");",
    "print((%1)(%i));",
    "print((%2)(%i, %n));",
    "%a;",
];

/// Texts for literals, as they are written.
pub(super) const TEXTS: &[&str] = &[
    "\"\"",
    "\"a\"",
    "\"abc\"",
    "\"0\"",
    "\"5\"",
    "\"-3\"",
    "\"1.5\"",
    "\"12abc\"",
    "\" 5 \"",
    "\"çay\"",
    "\"a😀b\"",
    "'it\\'s {raw}'",
    "\"x,y,z\"",
    "\"{\\$v}\"",
    "\"line\\n\"",
    "\"1e3\"",
    "\"99999999999999999999\"",
];

/// Ints for literals: small ones, and the edges.
pub(super) const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "10",
    "255",
    "-128",
    "65536",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775808",
    "9007199254740993",
];

/// Floats for literals.
pub(super) const FRACTIONS: &[&str] =
    &["0.0", "0.5", "-1.5", "2.0", "1e3", "1e21", "1.5e-9", "9007199254740992.0", "9223372036854775808.0", "-0.0"];

/// Keys: names, and texts that are positions.
pub(super) const KEYS: &[&str] = &["\"a\"", "\"b\"", "\"c\"", "\"1\"", "\"-1\"", "\"\"", "\"x\"", "\"list\""];

/// Positions: inside and outside of small lists.
pub(super) const POSITIONS: &[&str] = &["0", "0", "1", "1", "2", "-1", "-2", "5", "-9", "\"0\"", "1.0", "true", "null"];
