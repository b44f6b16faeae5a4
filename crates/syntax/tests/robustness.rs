//! Whatever the text, the parser returns: no panic, no endless loop, no exhausted stack. Every check runs in a thread with
//! the stack that the least of its callers has.

#![allow(
    clippy::disallowed_methods,
    reason = "tests read their cases; only the crate itself is without files and clocks"
)]

use std::path::Path;
use std::time::{Duration, Instant};
use syntax::tree::{Expr, ExprKind, Program, Stmt, StmtKind, StrPart};
use syntax::visit::{Visitor, walk_expr, walk_program, walk_stmt};
use syntax::{Parsed, dump, parse};

const STACK: usize = 2 << 20;

fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(check).expect("a thread can be started");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// The sources of all golden files.
fn golden_sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut sources = Vec::new();
    for folder in std::fs::read_dir(root).expect("the golden folder is part of the crate") {
        let folder = folder.expect("it can be listed").path();
        for file in std::fs::read_dir(folder).expect("it holds folders") {
            let file = file.expect("it can be listed").path();
            if file.extension().is_some_and(|extension| extension == "lk") {
                sources.push(std::fs::read_to_string(file).expect("sources are text"));
            }
        }
    }
    assert!(sources.len() > 150, "the golden folder has moved");
    sources
}

/// Parses and checks what holds for every text.
fn parse_checked(text: &str) -> Parsed {
    let parsed = parse(source::SourceId(0), text);
    let end = text.len() as u32;
    let mut last = 0;
    for diagnostic in &parsed.diagnostics {
        let span = diagnostic.labels.first().map(|label| label.span).unwrap_or_default();
        assert!(span.start <= span.end && span.end <= end, "{span:?} lies outside of the text: {text:?}");
        assert!(last <= span.start, "the diagnostics are not in source order: {text:?}");
        last = span.start;
    }
    assert!(parsed.diagnostics.iter().filter(|found| found.is_error()).count() <= 20);
    let mut check = TreeCheck { may_have_gaps: parsed.has_errors(), end };
    walk_program(&mut check, &parsed.program);
    let _ = dump(&parsed.program);
    parsed
}

/// Checks spans, and that a tree without errors has no gaps and keeps what the tree promises.
struct TreeCheck {
    may_have_gaps: bool,
    end: u32,
}

impl Visitor for TreeCheck {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        assert!(stmt.span.start <= stmt.span.end && stmt.span.end <= self.end);
        assert!(self.may_have_gaps || stmt.kind != StmtKind::Error);
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        assert!(expr.span.start < expr.span.end && expr.span.end <= self.end);
        assert!(self.may_have_gaps || expr.kind != ExprKind::Error);
        if let ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } = &expr.kind {
            assert!(target.root_variable().is_some(), "not a place: {target:?}");
        }
        if let ExprKind::Interpolation(parts) = &expr.kind {
            assert!(parts.iter().any(|part| matches!(part, StrPart::Expr { .. })));
        }
        expr.for_each_child(&mut |child| {
            assert!(expr.span.start <= child.span.start && child.span.end <= expr.span.end, "{expr:?} and {child:?}");
        });
        walk_expr(self, expr);
    }
}

#[test]
fn every_prefix_of_every_source() {
    on_a_small_stack(|| {
        for source in golden_sources() {
            let step = if source.len() > 1000 { 17 } else { 1 };
            for (at, _) in source.char_indices().step_by(step) {
                parse_checked(source.get(..at).unwrap_or_default());
            }
            parse_checked(&source);
        }
    });
}

/// A small generator of pseudo-random numbers (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

#[test]
fn mutations_of_every_source() {
    const PIECES: [&str; 48] = [
        "(", ")", "[", "]", "{", "}", "\"", "'", "`", "\\", "$", "$x", "{$", "{a", ";", "\n", "\n\n", " ", ".", "..",
        "...", ",", "=>", "=", "==", "+", "-", "++", "--", "?", ":", "::", "!", "1", "0x", "1e", "_", "if (", "else",
        "function", "fn(", "case", "switch", "struct", "/*", "//", "é", "\r\n",
    ];
    on_a_small_stack(|| {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let sources = golden_sources();
        for source in &sources {
            let rounds = if source.len() > 1000 { 20 } else { 200 };
            for _ in 0..rounds {
                let mut chars: Vec<char> = source.chars().collect();
                for _ in 0..=random.below(3) {
                    let at = random.below(chars.len() + 1);
                    let end = (at + random.below(6)).min(chars.len());
                    let piece = PIECES.get(random.below(PIECES.len())).copied().unwrap_or_default();
                    match random.below(4) {
                        0 => drop(chars.drain(at..end)),
                        1 => drop(chars.splice(at..end, piece.chars())),
                        2 => drop(chars.splice(at..at, piece.chars())),
                        _ => {
                            let other = sources.get(random.below(sources.len())).map_or("", String::as_str);
                            let part: Vec<char> = other.chars().skip(random.below(200)).take(20).collect();
                            drop(chars.splice(at..at, part));
                        }
                    }
                }
                parse_checked(&chars.into_iter().collect::<String>());
            }
        }
    });
}

#[test]
fn an_expression_is_what_its_span_says() {
    struct Reparse<'t>(&'t str);

    impl Visitor for Reparse<'_> {
        fn visit_expr(&mut self, expr: &Expr) {
            // `print` and `write` are expressions only together with their arguments.
            if matches!(&expr.kind, ExprKind::Name(name) if matches!(&**name, "print" | "write")) {
                return;
            }
            // Parentheses, so that line ends mean nothing, as in most places expressions come from.
            let text = format!("({})", expr.span.slice(self.0));
            let again = parse(source::SourceId(0), &text);
            assert!(!again.has_errors(), "{text}: {:?}", again.diagnostics);
            let shown = |statement: Stmt| dump(&Program { statements: vec![statement], comments: Vec::new() });
            let inner = match again.program.statements.into_iter().next().map(|statement| statement.kind) {
                Some(StmtKind::Expr(Expr { kind: ExprKind::Paren(inner), .. })) => *inner,
                other => panic!("{text} became {other:?}"),
            };
            let statement = |expr: Expr| Stmt { span: expr.span, kind: StmtKind::Expr(expr) };
            assert_eq!(shown(statement(inner)), shown(statement(expr.clone())), "{text}");
            walk_expr(self, expr);
        }
    }

    // What is nested as deep as allowed has no room for another pair of parentheses.
    let is_flat = |source: &String| source.len() < 1000 && !source.contains("((((((((");
    for source in golden_sources().into_iter().filter(is_flat) {
        let parsed = parse(source::SourceId(0), &source);
        if !parsed.has_errors() {
            walk_program(&mut Reparse(&source), &parsed.program);
        }
    }
}

/// Parses `head`, a million times `unit` (or as often as fits into a file), and `tail`, and expects one of the limits to
/// be named, soon.
fn expect_limit(head: &str, unit: &str, tail: &str, limit: &str) {
    let count = 1_000_000.min((syntax::MAX_SOURCE_BYTES - 100) / unit.len());
    let text = format!("{head}{}{tail}", unit.repeat(count));
    let case = format!("{head}…{unit}…");
    let limit = limit.to_owned();
    on_a_small_stack(move || {
        let start = Instant::now();
        let parsed = parse_checked(&text);
        let messages: Vec<&str> = parsed.diagnostics.iter().map(|found| found.message.as_str()).collect();
        assert!(messages.iter().any(|message| message.contains(&limit)), "{case}: {messages:?}");
        assert!(messages.len() <= 2, "{case}: {messages:?}");
        assert!(start.elapsed() < Duration::from_secs(20), "{case} took {:?}", start.elapsed());
    });
}

#[test]
fn a_million_levels_are_an_error() {
    for unit in ["(", "[", "f(", "[[1, ", "$a[", "A{b: ", "fn() => ", "$a = ", "$a ? ", "-", "!", "- -", "1 ** (", "(("]
    {
        expect_limit("$x = ", unit, "", "too deep");
    }
    for unit in ["++", "--"] {
        expect_limit("", unit, "$x", "too deep");
    }
    for unit in [
        "{",
        "if (1) {",
        "while (1) {",
        "function f() {",
        "try {",
        "switch (1) { case 1: ",
        "if (1) {} else {",
        "foreach ($a as $b) {",
        "for (;;) {",
    ] {
        expect_limit("", unit, "", "too deep");
    }
    for unit in ["fn() { ", "f(function() { return ", "[fn() { $a = ", "A{b: fn() { if (1) { $x = "] {
        expect_limit("$x = ", unit, "", "too deep");
    }
}

#[test]
fn a_million_links_are_an_error() {
    for unit in [".b.c", "[0]", "()", "[0].a(1)"] {
        expect_limit("$x = $a", unit, "", "too long");
    }
    for unit in [" + 1", " . \"x\"", " ?? $b", " && $b", " - $a.b", " ? 1 : 2"] {
        expect_limit("$x = 1", unit, "", "too long");
    }
    expect_limit("$x = 1", " ** 2", "", "too long");
}

#[test]
fn a_million_interpolations_in_one_another_are_an_error() {
    for unit in ["\"{$a[", "`{f(", "\"{f(\"{$a[", "\"{$a + "] {
        expect_limit("$x = ", unit, "", "Interpolation nested too deep");
    }
}

#[test]
fn unfinished_interpolations_take_linear_time() {
    const COUNT: usize = 100_000;
    for unit in [
        "{$a",
        "{f(",
        "{f(fn(){",
        "{f(fn(){a;},",
        "{f('",
        "{$a/*",
        "{$a[1,",
        "{a{",
        "{$a[`",
        "{$a['x'] . \\\"",
        "{f(fn(){g(fn(){",
        "{$a.b.c",
        "{$a ? ",
    ] {
        for quote in ["\"", "`"] {
            let text = format!("$x = {quote}{}{quote}\n", unit.repeat(COUNT));
            on_a_small_stack(move || {
                let start = Instant::now();
                let parsed = parse_checked(&text);
                let messages: Vec<&str> = parsed.diagnostics.iter().map(|found| found.message.as_str()).collect();
                assert!(start.elapsed() < Duration::from_secs(10), "{unit} took {:?}: {messages:?}", start.elapsed());
            });
        }
    }
}

#[test]
fn deepest_allowed_tree_fits_the_stack() {
    let inner = format!("1{}", " + 1".repeat(1000));
    let mut text = format!("$x = {}{inner}{}", "(".repeat(148), ")".repeat(148));
    for _ in 0..148 {
        text = format!("if (1) {{ {text} }}");
    }
    on_a_small_stack(move || {
        let parsed = parse_checked(&text);
        assert_eq!(parsed.diagnostics, []);
    });
}

#[test]
fn a_file_that_is_too_large_is_an_error() {
    let text = " ".repeat(syntax::MAX_SOURCE_BYTES + 1);
    let parsed = parse_checked(&text);
    assert_eq!(parsed.diagnostics.first().map(|found| found.message.as_str()), Some("File too large (max 16 MiB)"));
    assert!(!parse_checked(text.get(1..).unwrap_or_default()).has_errors());
}

#[test]
fn wide_input_is_no_problem() {
    on_a_small_stack(|| {
        let list = format!("$x = [{}]", "[1, \"a{$b}\"], ".repeat(100_000));
        let statements = "$x = $x + 1; if ($x) { f($x) } else { g() }\n".repeat(50_000);
        for text in [list, statements] {
            assert_eq!(parse_checked(&text).diagnostics, []);
        }
    });
}
