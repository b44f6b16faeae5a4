//! Making expressions.

use super::library::CALLS;
use super::scope::{Callable, Type};
use super::templates::{self, ELEMENTS, FRACTIONS, KEYS, NUMBERS, POSITIONS, TEXTS};
use super::{Generator, MAX_COST};

/// Expressions nest this deep at most.
const MAX_DEPTH: usize = 3;
/// One value in so many has another type than it should.
const WRONG_TYPE: usize = 25;

impl Generator<'_> {
    /// A value that depends on nothing.
    pub(super) fn literal(&mut self, ty: Type) -> String {
        let choices = match ty {
            Type::Int => NUMBERS,
            Type::Float => FRACTIONS,
            Type::Bool => &["true", "false"],
            Type::Str => TEXTS,
            Type::List => {
                &["[]", "[1, 2, 3]", "[3, 1, 2, 1]", "[\"b\", \"a\"]", "[1, 2.5, \"x\", null, true]", "[[1], [2, 3]]"]
            }
            Type::Map => &[
                "[\"a\" => 1]",
                "[\"a\" => 1, \"b\" => [1, 2]]",
                "[\"x\" => \"y\", 1 => \"one\"]",
                "[\"a\" => [\"b\" => 2]]",
            ],
            Type::Struct => &["(P{})", "(P{x: 1})", "(P{s: \"s\", y: 2})"],
            Type::Any => &["null", "1", "\"any\"", "[1]", "[\"a\" => null]", "true"],
        };
        self.random.choose(choices).unwrap_or("null").to_owned()
    }

    /// A value of a type, most of the time.
    pub(super) fn value(&mut self, ty: Type) -> String {
        self.value_at(ty, 0)
    }

    fn value_at(&mut self, ty: Type, depth: usize) -> String {
        if self.random.one_in(WRONG_TYPE) {
            // A literal: what is stored again and again must not hold itself.
            let ty = self.random.choose(Type::ALL).unwrap_or(ty);
            return self.literal(ty);
        }
        let is_condition = depth == 0 && ty == Type::Bool;
        if depth >= MAX_DEPTH || (!is_condition && self.random.one_in(4)) {
            return self.leaf(ty);
        }
        let made = match self.random.below(10) {
            0 => self.library_call(ty, depth),
            1 | 2 => self.function_call(depth).map(|call| match ty {
                Type::Int | Type::Float => format!("{call} + 0"),
                Type::Bool => format!("!{call}"),
                _ => call,
            }),
            _ => {
                let pattern = self.random.choose(templates::values(ty));
                pattern.and_then(|pattern| self.fill(pattern, depth + 1))
            }
        };
        match made {
            // What has operators inside keeps its meaning wherever it stands.
            Some(text) if depth > 0 => format!("({text})"),
            Some(text) => text,
            None => self.leaf(ty),
        }
    }

    fn leaf(&mut self, ty: Type) -> String {
        let variables = self.scopes.readable(ty);
        match self.random.choose(&variables) {
            Some(name) if !self.random.one_in(4) => name,
            _ => self.literal(ty),
        }
    }

    /// Fills in a pattern. None when something that it needs is not there.
    pub(super) fn fill(&mut self, pattern: &str, depth: usize) -> Option<String> {
        let mut text = String::new();
        let mut rest = pattern.chars();
        while let Some(next) = rest.next() {
            if next == '%' {
                text.push_str(&self.part(rest.next()?, depth)?);
            } else {
                text.push(next);
            }
        }
        Some(text)
    }

    fn part(&mut self, letter: char, depth: usize) -> Option<String> {
        let of_type = |letter: char| {
            Some(match letter.to_ascii_lowercase() {
                'i' => Type::Int,
                'f' => Type::Float,
                'b' => Type::Bool,
                's' => Type::Str,
                'l' => Type::List,
                'm' => Type::Map,
                'p' => Type::Struct,
                'a' => Type::Any,
                _ => return None,
            })
        };
        match letter {
            '%' => Some("%".to_owned()),
            'e' => {
                let pattern = self.random.choose(ELEMENTS)?;
                self.fill(pattern, MAX_DEPTH)
            }
            'n' => Some(self.random.below(5).to_string()),
            'k' => self.random.choose(KEYS).map(str::to_owned),
            'x' if self.random.one_in(3) => Some(self.leaf(Type::Int)),
            'x' => self.random.choose(POSITIONS).map(str::to_owned),
            'v' | 'q' | 'd' => {
                let ty = match letter {
                    'q' => Type::Struct,
                    'd' => Type::Map,
                    _ => Type::Any,
                };
                let names = self.scopes.readable(ty);
                self.random.choose(&names)
            }
            '1' => Some(self.callable_of(1, depth)),
            '2' => Some(self.callable_of(2, depth)),
            'I' | 'F' | 'B' | 'S' | 'A' => {
                let names = self.scopes.assignable(of_type(letter)?);
                self.random.choose(&names)
            }
            'L' | 'M' | 'P' => {
                let names = self.scopes.changeable(of_type(letter)?);
                self.random.choose(&names)
            }
            _ => Some(self.value_at(of_type(letter)?, depth)),
        }
    }

    fn library_call(&mut self, ty: Type, depth: usize) -> Option<String> {
        let exists = self.exists;
        let suits = |(name, _, gives): &&(&str, &str, Type)| (*gives == ty || ty == Type::Any) && exists(name);
        let calls: Vec<&str> = CALLS.iter().filter(suits).map(|(_, call, _)| *call).collect();
        let pattern = self.random.choose(&calls)?;
        self.fill(pattern, depth + 1)
    }

    /// A call of a function of the program.
    fn function_call(&mut self, depth: usize) -> Option<String> {
        let mut known = self.scopes.functions();
        known.extend(self.functions.iter().cloned());
        let function = self.random.choose(&known)?;
        self.call_of(&function, depth)
    }

    /// A call with suitable arguments; none when it would run too long here.
    pub(super) fn call_of(&mut self, function: &Callable, depth: usize) -> Option<String> {
        let cost = function.cost.saturating_mul(self.weight);
        if self.cost.saturating_add(cost) > MAX_COST {
            return None;
        }
        self.cost += cost;
        let mut args = Vec::new();
        let left_out = self.random.below(function.optional + 1);
        for (at, param) in function.params.iter().take(function.params.len() - left_out).enumerate() {
            if at == 0 && function.counts_down {
                args.push(self.random.below(4).to_string());
            } else {
                args.push(self.value_at(*param, depth + 1));
            }
        }
        if self.random.one_in(60) {
            args.push("null".to_owned());
        }
        Some(format!("{}({})", function.name, args.join(", ")))
    }

    /// A function of so many parameters as a value.
    fn callable_of(&mut self, count: usize, depth: usize) -> String {
        let mut known = self.scopes.functions();
        known.extend(self.functions.iter().cloned());
        let cost = |function: &Callable| function.cost.saturating_mul(self.weight).saturating_mul(10);
        known.retain(|function| {
            (function.params.len() - function.optional..=function.params.len()).contains(&count)
                && !function.counts_down
                && self.cost.saturating_add(cost(function)) <= MAX_COST
        });
        match self.random.choose(&known) {
            Some(function) if self.random.one_in(2) => {
                self.cost += cost(&function);
                function.name
            }
            _ => self.arrow(count, depth),
        }
    }

    fn arrow(&mut self, count: usize, depth: usize) -> String {
        let names: Vec<String> = (0..count).map(|_| self.fresh_name()).collect();
        let weight = self.weight;
        self.weight = weight.saturating_mul(10);
        self.scopes.enter_function();
        for name in &names {
            self.scopes.add_variable(name.clone(), Type::Int);
        }
        let ty = self.random.choose(&[Type::Int, Type::Bool, Type::Any, Type::Str]).unwrap_or(Type::Any);
        let body = self.value_at(ty, depth + 1);
        self.scopes.leave_function();
        self.weight = weight;
        format!("fn({}) => {body}", names.join(", "))
    }
}
