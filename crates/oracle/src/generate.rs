//! Random programs for comparing engines.
//!
//! A program is well formed and ends: loops have small bounds, functions call only earlier ones or themselves with a
//! counter, what a loop stores does not grow with itself. Types are mostly right, so that programs get somewhere; where
//! they are not, the error is caught and printed. The same seed gives the same program.

mod expression;
mod function;
mod library;
mod names;
mod random;
mod scope;
mod statement;
mod templates;

use names::Names;
use random::Random;
use scope::{Callable, Scopes, Type};

/// A random program of about `size` statements.
pub fn generate(seed: u64, size: usize) -> String {
    generate_with(seed, size, &|_| true)
}

/// A random program that uses only those functions of modules for which `exists` is true; it is given `module::name`.
pub fn generate_with(seed: u64, size: usize, exists: &dyn Fn(&str) -> bool) -> String {
    if seed.is_multiple_of(NAMES_EVERY) {
        return Names::new(Random::new(seed), size / 2).program();
    }
    let mut generator = Generator::new(seed, size, exists);
    generator.program();
    generator.text
}

/// One program in so many is about names.
const NAMES_EVERY: u64 = 3;

/// What stands at the head of every program.
const HEAD: &str = "\
const { C0 = iota, C1, C2 = iota * 10, C3 = \"c\" . C1 }
const { LIST = [1, 2, C2], MAP = [\"a\" => 1, \"b\" => \"two\"] }
struct P { x int = 3, y float, s string = \"p\", l array = [1, 2], m map, o ?int, z any }
struct Q { p P, n int = 1 + 2, f fn, t ?string = \"q\" }
struct Wrong { n int = \"x\" }
";

/// More work than this is not begun; counted in statements that will run.
const MAX_COST: u64 = 3_000;
/// How often a program may store something that is made of larger parts, so that nothing grows without bound.
const MAX_GROWTH: u32 = 5;

struct Generator<'a> {
    random: Random,
    exists: &'a dyn Fn(&str) -> bool,
    text: String,
    indent: usize,
    scopes: Scopes,
    functions: Vec<Callable>,
    /// Statements that may still be made.
    left: usize,
    /// Statements that the part made so far will run, about.
    cost: u64,
    /// How often the place being made will run.
    weight: u64,
    growth: u32,
    /// Blocks around the place.
    depth: usize,
    /// Loops around the place, inside of its function.
    loops: usize,
    /// True where `return` gives a value.
    in_function: bool,
    next_name: u32,
}

impl<'a> Generator<'a> {
    fn new(seed: u64, size: usize, exists: &'a dyn Fn(&str) -> bool) -> Self {
        Self {
            random: Random::new(seed),
            exists,
            text: String::new(),
            indent: 0,
            scopes: Scopes::default(),
            functions: Vec::new(),
            left: size,
            cost: 0,
            weight: 1,
            growth: MAX_GROWTH,
            depth: 0,
            loops: 0,
            in_function: false,
            next_name: 0,
        }
    }

    fn program(&mut self) {
        self.text.push_str(HEAD);
        let globals = [Type::Int, Type::Float, Type::Str, Type::List, Type::Map, Type::Struct, Type::Any, Type::Bool];
        for (at, ty) in globals.into_iter().enumerate() {
            let name = format!("$g{at}");
            let value = self.literal(ty);
            self.line(&format!("{name} = {value};"));
            self.scopes.add_global(name, ty);
        }
        let size = self.left;
        for _ in 0..self.random.below(4) {
            self.left = size / 5;
            self.named_function();
        }
        self.left = size;
        while self.left > 0 {
            self.top_level_statement();
        }
        for (name, _) in self.scopes.globals() {
            self.line(&format!("print(\"{}\", {name} ?? \"none\");", name.trim_start_matches('$')));
        }
    }

    /// Statements at the top level are guarded, so that the next ones run; some that cannot fail much are not.
    fn top_level_statement(&mut self) {
        self.cost = 0;
        if self.random.one_in(5) {
            return self.statement();
        }
        self.open("try {");
        self.some_statements(4);
        self.close("} catch ($e) {");
        self.open_scope();
        self.line("print(\"caught\", $e);");
        self.close("}");
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn open_scope(&mut self) {
        self.indent += 1;
        self.depth += 1;
        self.scopes.open();
    }

    /// Writes a line that opens a block.
    fn open(&mut self, text: &str) {
        self.line(text);
        self.open_scope();
    }

    /// Ends a block with a line, which may open another one: then [`Self::open_scope`] follows.
    fn close(&mut self, text: &str) {
        self.scopes.close();
        self.indent -= 1;
        self.depth -= 1;
        self.line(text);
    }

    fn fresh_name(&mut self) -> String {
        self.next_name += 1;
        format!("$v{}", self.next_name)
    }
}

#[cfg(test)]
mod tests;
