//! Making statements.

use super::scope::Type;
use super::templates::{CHANGES, GROWTH, SHOWS};
use super::{Generator, MAX_COST};

/// Blocks nest this deep at most.
const MAX_DEPTH: usize = 5;
/// Attempts to find a pattern whose parts are there.
const ATTEMPTS: usize = 8;

impl Generator<'_> {
    /// Between one and `most` statements.
    pub(super) fn some_statements(&mut self, most: usize) {
        for _ in 0..=self.random.below(most) {
            self.statement();
        }
    }

    /// True where something may be stored that is made of larger parts: neither in loops nor in functions.
    pub(super) fn may_grow(&self) -> bool {
        self.loops == 0 && !self.in_function && self.growth > 0
    }

    pub(super) fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        self.cost = self.cost.saturating_add(self.weight);
        let nested = self.depth < MAX_DEPTH && self.left > 0 && self.cost < MAX_COST;
        match self.random.below(40) {
            0..=5 => self.new_variable(),
            6..=15 => self.pattern(CHANGES),
            16 | 17 if self.may_grow() => {
                self.growth -= 1;
                self.pattern(GROWTH);
            }
            18..=22 => self.pattern(SHOWS),
            23 | 24 if nested => self.if_else(),
            25 if nested => self.for_loop(),
            26 if nested => self.while_loop(),
            27 | 28 if nested => self.foreach(),
            29 if nested => self.switch(),
            30..=32 if nested => self.try_catch(),
            33 | 34 if nested => self.closure(),
            35 if nested && self.depth > 0 => self.inner_function(),
            36 => self.maybe_assigned(),
            37 => self.jump(),
            38 if nested => {
                self.open("{");
                self.some_statements(4);
                self.close("}");
            }
            39 if self.random.one_in(40) => self.line("exit(3);"),
            _ => self.pattern(SHOWS),
        }
    }

    /// A statement from a pattern; something to look at when no pattern fits.
    fn pattern(&mut self, patterns: &[&str]) {
        for _ in 0..ATTEMPTS {
            let made = self.random.choose(patterns).and_then(|pattern| self.fill(pattern, 0));
            if let Some(text) = made {
                return self.line(&text);
            }
        }
        let value = self.value(Type::Any);
        self.line(&format!("print({value});"));
    }

    fn new_variable(&mut self) {
        let ty = self.random.choose(Type::ALL).unwrap_or(Type::Int);
        let value = match ty {
            Type::Int | Type::Float | Type::Bool => self.value(ty),
            _ if self.may_grow() => {
                self.growth -= 1;
                self.value(ty)
            }
            _ => self.literal(ty),
        };
        let name = self.fresh_name();
        self.line(&format!("{name} = {value};"));
        self.scopes.add_variable(name, ty);
    }

    /// A variable that may stay unassigned, and a look at it.
    fn maybe_assigned(&mut self) {
        let (cond, value) = (self.value(Type::Bool), self.value(Type::Int));
        let name = self.fresh_name();
        // A quote would end the string around it.
        let fits_in_string = !cond.contains('"') && !value.contains('"');
        match self.random.below(3) {
            0 if fits_in_string => self.line(&format!("print(\"{{({cond}) || ({name} = {value})}}\");")),
            1 => self.line(&format!("({cond}) ? ({name} = {value}) : 0;")),
            _ => self.line(&format!("({cond}) && ({name} = {value});")),
        }
        self.scopes.add_variable(name.clone(), Type::Int);
        if self.random.one_in(2) {
            self.line(&format!("print(\"{name}\", \"{{{name}}}\");"));
        }
    }

    /// A way out of a loop or function, mostly under a condition.
    fn jump(&mut self) {
        let value = self.value(Type::Any);
        let jump = match self.random.below(5) {
            0 | 1 if self.loops > 0 => "break;".to_owned(),
            2 if self.loops > 0 => "continue;".to_owned(),
            3 if self.depth > 0 => format!("throw {value};"),
            _ if self.in_function => format!("return {value};"),
            _ => return self.pattern(SHOWS),
        };
        let cond = self.value(Type::Bool);
        self.line(&format!("if ({cond}) {{ {jump} }}"));
    }

    fn if_else(&mut self) {
        let cond = self.value(Type::Bool);
        self.open(&format!("if ({cond}) {{"));
        self.some_statements(4);
        while self.random.one_in(3) {
            let cond = self.value(Type::Bool);
            self.close(&format!("}} elseif ({cond}) {{"));
            self.open_scope();
            self.some_statements(4);
        }
        if self.random.one_in(2) {
            self.close("} else {");
            self.open_scope();
            self.some_statements(4);
        }
        self.close("}");
    }

    /// The body of a loop that runs at most `rounds` times; the block is open.
    fn loop_body(&mut self, rounds: u64) {
        let weight = self.weight;
        self.weight = weight.saturating_mul(rounds);
        self.loops += 1;
        self.some_statements(4);
        self.loops -= 1;
        self.weight = weight;
    }

    fn for_loop(&mut self) {
        let name = self.fresh_name();
        let rounds = 1 + self.random.below(4) as u64;
        let step = self.random.choose(&["++", " += 1", "++"]).unwrap_or("++");
        self.open(&format!("for ({name} = 0; {name} < {rounds}; {name}{step}) {{"));
        self.scopes.add_read_only(name, Type::Int);
        self.loop_body(rounds);
        self.close("}");
    }

    fn while_loop(&mut self) {
        let name = self.fresh_name();
        let rounds = 1 + self.random.below(4) as u64;
        self.line(&format!("{name} = 0;"));
        self.open(&format!("while ({name} < {rounds}) {{"));
        self.line(&format!("{name}++;"));
        self.scopes.add_read_only(name, Type::Int);
        self.loop_body(rounds);
        self.close("}");
    }

    /// Over something short: what a program has gathered may be long.
    fn foreach(&mut self) {
        let ty = self.random.choose(&[Type::List, Type::Map, Type::Struct]).unwrap_or(Type::List);
        let subject = if self.loops == 0 { self.value(ty) } else { self.literal(ty) };
        let (key, value) = (self.fresh_name(), self.fresh_name());
        let item = if ty == Type::List { Type::Int } else { Type::Any };
        if self.random.one_in(2) {
            self.open(&format!("foreach ({subject} as {value}) {{"));
        } else {
            self.open(&format!("foreach ({subject} as {key} => {value}) {{"));
            self.scopes.add_variable(key, if ty == Type::List { Type::Int } else { Type::Str });
        }
        self.scopes.add_variable(value, item);
        self.loop_body(8);
        self.close("}");
    }

    fn switch(&mut self) {
        let ty = self.random.choose(&[Type::Int, Type::Str, Type::Bool, Type::Any]).unwrap_or(Type::Int);
        let subject = self.value(ty);
        self.line(&format!("switch ({subject}) {{"));
        let cases = 1 + self.random.below(3);
        let default = self.random.below(cases + 1);
        for at in 0..cases {
            if at == default {
                self.case("default:");
            }
            let (first, second) = (self.value(ty), self.value(ty));
            self.case(&format!("case {first}, {second}:"));
        }
        self.line("}");
    }

    fn case(&mut self, head: &str) {
        self.open(head);
        self.some_statements(4);
        if self.random.one_in(4) {
            self.line("break;");
        }
        self.scopes.close();
        self.indent -= 1;
        self.depth -= 1;
    }

    fn try_catch(&mut self) {
        self.open("try {");
        self.some_statements(4);
        if self.random.one_in(3) {
            self.jump();
        }
        let has_catch = !self.random.one_in(4);
        if has_catch {
            let name = self.fresh_name();
            self.close(&format!("}} catch ({name}) {{"));
            self.open_scope();
            self.line(&format!("print(\"caught\", {name});"));
            self.scopes.add_variable(name, Type::Any);
            if self.random.one_in(2) {
                self.some_statements(4);
            }
        }
        if !has_catch || self.random.one_in(2) {
            self.close("} finally {");
            self.open_scope();
            self.line("write(\"finally \");");
            self.some_statements(4);
        }
        self.close("}");
    }
}
