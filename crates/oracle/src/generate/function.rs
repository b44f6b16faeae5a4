//! Making functions: named ones, closures, inner ones.

use super::scope::{Callable, Type};
use super::{Generator, MAX_COST};

/// No function is made that runs more.
const MAX_FUNCTION_COST: u64 = MAX_COST / 10;
/// How often a function that calls itself does so at most, its first call counted.
const ROUNDS: u64 = 4;

/// A part of a function's head.
struct Head {
    params: Vec<(String, Type)>,
    optional: usize,
    text: String,
}

impl Generator<'_> {
    fn head(&mut self, counts_down: bool) -> Head {
        let mut params = Vec::new();
        let mut texts = Vec::new();
        if counts_down {
            let name = self.fresh_name();
            texts.push(name.clone());
            params.push((name, Type::Int));
        }
        for _ in 0..self.random.below(3) {
            let ty = self.random.choose(Type::ALL).unwrap_or(Type::Int);
            let name = self.fresh_name();
            texts.push(name.clone());
            params.push((name, ty));
        }
        let mut optional = 0;
        while self.random.one_in(3) && optional < 2 {
            let ty = self.random.choose(&[Type::Int, Type::Str, Type::List]).unwrap_or(Type::Int);
            let name = self.fresh_name();
            let default = match params.last() {
                Some((earlier, Type::Int)) if ty == Type::Int => format!("{earlier} + 1"),
                _ => self.literal(ty),
            };
            texts.push(format!("{name} = {default}"));
            params.push((name, ty));
            optional += 1;
        }
        Head { params, optional, text: texts.join(", ") }
    }

    /// A function that the whole program sees. It may call itself, with a counter.
    pub(super) fn named_function(&mut self) {
        let counts_down = self.random.one_in(2);
        let head = self.head(counts_down);
        let name = format!("f{}", self.functions.len());
        let mut callable = Callable {
            name: name.clone(),
            params: head.params.iter().map(|(_, ty)| *ty).collect(),
            optional: head.optional,
            counts_down,
            cost: 0,
        };
        self.line(&format!("function {name}({}) {{", head.text));
        let cost = self.body(&head, |this| {
            if let Some((counter, _)) = head.params.first().filter(|_| counts_down) {
                let value = this.value(Type::Any);
                this.line(&format!("if ({counter} <= 0) {{ return {value}; }}"));
                this.some_statements(3);
                let rest: Vec<String> = callable.params.iter().skip(1).map(|ty| this.value(*ty)).collect();
                let args = std::iter::once(format!("{counter} - 1")).chain(rest).collect::<Vec<_>>().join(", ");
                let result = this.fresh_name();
                this.line(&format!("{result} = {name}({args});"));
                this.scopes.add_variable(result, Type::Any);
            }
            this.some_statements(5);
        });
        self.line("}");
        callable.cost = if counts_down { cost.saturating_mul(ROUNDS) } else { cost };
        if callable.cost <= MAX_FUNCTION_COST {
            self.functions.push(callable);
        } else {
            // A name that nobody calls; the next function takes another one.
            let unused = Callable { cost: u64::MAX, ..callable };
            self.functions.push(unused);
        }
    }

    /// A closure in a new variable.
    pub(super) fn closure(&mut self) {
        let head = self.head(false);
        let name = self.fresh_name();
        let captured = self.capture_list();
        let uses = if captured.is_empty() {
            String::new()
        } else {
            let names: Vec<&str> = captured.iter().map(|(name, _)| name.as_str()).collect();
            format!(" use ({})", names.join(", "))
        };
        self.line(&format!("{name} = function({}){uses} {{", head.text));
        let cost = self.body(&head, |this| {
            for (name, ty) in captured {
                this.scopes.add_read_only(name, ty);
            }
            this.shadow();
            this.some_statements(4);
        });
        self.line("};");
        self.declare(name, &head, cost);
    }

    /// A named function inside of a block or function.
    pub(super) fn inner_function(&mut self) {
        let head = self.head(false);
        self.next_name += 1;
        let name = format!("inner{}", self.next_name);
        self.line(&format!("function {name}({}) {{", head.text));
        let cost = self.body(&head, |this| {
            this.shadow();
            this.some_statements(4);
        });
        self.line("}");
        self.declare(name, &head, cost);
    }

    fn declare(&mut self, name: String, head: &Head, cost: u64) {
        let cost = if cost <= MAX_FUNCTION_COST { cost } else { u64::MAX };
        let params = head.params.iter().map(|(_, ty)| *ty).collect();
        self.scopes.add_function(Callable { name, params, optional: head.optional, counts_down: false, cost });
    }

    /// Names for `use (…)`: often none, sometimes also a global.
    fn capture_list(&mut self) -> Vec<(String, Type)> {
        let mut names = Vec::new();
        if self.random.one_in(3) {
            let mut choices = self.scopes.capturable();
            choices.extend(self.scopes.globals());
            for _ in 0..1 + self.random.below(2) {
                names.extend(self.random.choose(&choices));
            }
        }
        names.dedup_by(|a, b| a.0 == b.0);
        names
    }

    /// Makes an outer name the function's own, before it is read.
    fn shadow(&mut self) {
        if !self.random.one_in(3) {
            return;
        }
        let outer = self.scopes.capturable();
        let outer: Vec<_> = outer.into_iter().filter(|(name, _)| !self.scopes.is_own_or_listed(name)).collect();
        if let Some((name, _)) = self.random.choose(&outer) {
            let value = self.literal(Type::Int);
            self.line(&format!("{name} = {value};"));
            self.scopes.add_variable(name, Type::Int);
        }
    }

    /// A function's body; gives what one call costs, about.
    fn body(&mut self, head: &Head, make: impl FnOnce(&mut Self)) -> u64 {
        let outside = (self.cost, self.weight, self.loops, self.in_function, self.left);
        (self.cost, self.weight, self.loops, self.in_function) = (1, 1, 0, true);
        self.left = self.left.min(12);
        self.indent += 1;
        self.depth += 1;
        self.scopes.enter_function();
        for (at, (name, ty)) in head.params.iter().enumerate() {
            if at == 0 && *ty == Type::Int {
                self.scopes.add_read_only(name.clone(), *ty);
            } else {
                self.scopes.add_variable(name.clone(), *ty);
            }
        }
        make(self);
        let value = self.value(Type::Any);
        self.line(&format!("return {value};"));
        self.scopes.leave_function();
        self.indent -= 1;
        self.depth -= 1;
        let cost = self.cost;
        let used = outside.4.min(12).saturating_sub(self.left);
        (self.cost, self.weight, self.loops, self.in_function) = (outside.0, outside.1, outside.2, outside.3);
        self.left = outside.4.saturating_sub(used);
        cost
    }
}
