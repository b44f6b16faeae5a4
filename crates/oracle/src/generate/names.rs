//! Programs about names: few variables, written and read in every kind of place, so that what a name means is what differs.
//!
//! Values are shown inside of strings, where an undefined variable is no error. Many of these programs write a captured
//! variable and are refused; engines have to agree on that too.

use super::random::Random;

const NAMES: &[&str] = &["$x", "$y", "$z"];
/// Blocks and functions nest this deep.
const MAX_DEPTH: usize = 4;

pub(super) struct Names {
    random: Random,
    text: String,
    depth: usize,
    /// Statements that may still be made.
    left: usize,
    next: usize,
}

impl Names {
    pub(super) fn new(random: Random, size: usize) -> Self {
        Self { random, text: String::new(), depth: 0, left: size, next: 0 }
    }

    /// A program of about as many statements as were asked for.
    pub(super) fn program(mut self) -> String {
        while self.left > 0 {
            self.statement();
        }
        self.show();
        self.text
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn name(&mut self) -> &'static str {
        self.random.choose(NAMES).unwrap_or("$x")
    }

    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn show(&mut self) {
        let place = self.fresh();
        self.line(&format!("print(\"{place}: {{$x}} {{$y}} {{$z}}\");"));
    }

    /// A value that nothing can fail in.
    fn value(&mut self) -> String {
        let number = self.fresh();
        let name = self.name();
        match self.random.below(6) {
            0 => format!("\"{{{name}}}\""),
            1 => format!("[{number}]"),
            2 => format!("(true || ({name} = {number}))"),
            3 => format!("({name} = {number})"),
            _ => number.to_string(),
        }
    }

    /// A condition, sometimes one that assigns.
    fn condition(&mut self) -> String {
        let (name, number) = (self.name(), self.fresh());
        match self.random.below(8) {
            0 => format!("({name} = {number}) > 0"),
            1 => format!("true || ({name} = {number})"),
            2 => format!("false && ({name} = {number})"),
            3 => format!("\"{{{name}}}\" != \"{number}\""),
            4 => format!("(true ? {number} : ({name} = {number})) == 0"),
            5 | 6 => "true".to_owned(),
            _ => "false".to_owned(),
        }
    }

    fn write(&mut self) -> String {
        let (name, value) = (self.name(), self.value());
        match self.random.below(12) {
            0..=3 => format!("{name} = {value};"),
            4 => format!("{name} += 1;"),
            5 => format!("{name}++;"),
            6 => format!("{name} .= \"+\";"),
            7 => format!("{name}[0] = {value};"),
            8 => format!("{name}[\"k\"] = {value};"),
            9 => format!("push({name}, {value});"),
            10 => format!("{name}[0] .= {value};"),
            _ => format!("pop({name});"),
        }
    }

    fn block(&mut self, head: &str, end: &str) {
        self.line(head);
        self.depth += 1;
        for _ in 0..=self.random.below(3) {
            self.statement();
        }
        self.depth -= 1;
        self.line(end);
    }

    fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        let nested = self.depth < MAX_DEPTH && self.left > 0;
        let (name, other, number) = (self.name(), self.name(), self.fresh());
        match self.random.below(26) {
            0..=3 => self.show(),
            4..=7 => {
                let write = self.write();
                self.line(&write);
            }
            8 | 9 => {
                let write = self.write();
                self.line(&format!("try {{ {write} print(\"{number}: {{{name}}}\"); }} catch ($e) {{ print($e); }}"));
            }
            10 => {
                let condition = self.condition();
                self.line(&format!("{condition};"));
            }
            11 | 12 if nested => {
                let (first, second) = (self.condition(), self.condition());
                self.block(&format!("if ({first}) {{"), &format!("}} elseif ({second}) {{ {name} = {number}; }}"));
            }
            13 if nested => {
                let counter = format!("$i{number}");
                let step = if self.random.one_in(2) { format!(", {name} = {counter}") } else { String::new() };
                let start = if self.random.one_in(2) { format!(", {other} = {number}") } else { String::new() };
                let head = format!("for ({counter} = 0{start}; {counter} < 2; {counter}++{step}) {{");
                self.block(&head, "}");
            }
            14 if nested => {
                let condition = self.condition();
                self.line(&format!("$w{number} = 0;"));
                self.block(&format!("while ($w{number}++ < 2 && ({condition})) {{"), "}");
            }
            15 if nested => self.block(&format!("foreach ([{number}, 2] as {name}) {{"), "}"),
            16 if nested => self.block(&format!("foreach ([\"k\" => {number}] as {name} => {other}) {{"), "}"),
            17 if nested => {
                self.line(&format!("switch ({}) {{", number % 3));
                self.block(&format!("case ({name} = 1), ({other} = 2):"), "default:");
                self.block("{", "}");
                self.line("}");
            }
            18 if nested => {
                self.block("try {", &format!("throw {number}; }} catch ({name}) {{"));
                self.block("{", "}");
                self.line("}");
            }
            19 if nested => self.block("{", "}"),
            20 | 21 if nested => self.closure(number),
            22 => {
                let (body, default) = (self.value(), self.value());
                self.line(&format!("$a{number} = fn({name} = {default}) => {body} . \"{{{other}}}\";"));
                self.line(&format!("print($a{number}());"));
            }
            23 if nested => {
                let default = self.value();
                self.block(&format!("function n{number}({name}, {other}_ = {default}) {{"), "}");
                let call = if self.random.one_in(2) { "1" } else { "1, 2" };
                self.line(&format!("try {{ n{number}({call}); }} catch ($e) {{ print($e); }}"));
            }
            24 if self.depth > 0 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{ return {name} ?? 0; }}"));
            }
            _ => self.show(),
        }
    }

    fn closure(&mut self, number: usize) {
        let (param, listed) = (self.name(), self.name());
        let uses = if self.random.one_in(3) { format!(" use ({listed})") } else { String::new() };
        let params = if self.random.one_in(2) { param } else { "" };
        self.line(&format!("$f{number} = null;"));
        self.block(&format!("try {{ $f{number} = function({params}){uses} {{"), "}; } catch ($e) { print($e); }");
        let argument = if params.is_empty() { "" } else { "1" };
        self.line(&format!("try {{ $f{number}({argument}); }} catch ($e) {{ print($e); }}"));
        if self.random.one_in(3) {
            let write = self.write();
            self.line(&write);
            self.line(&format!("try {{ $f{number}({argument}); }} catch ($e) {{ print($e); }}"));
        }
    }
}
