//! Reading variables and bare names.

use super::program::CONSTANT_BASE;
use super::{Kind, Lowerer, Operand};
use crate::fold::fold;
use crate::resolve::{Access, Target};
use bytecode::{Constant, Op};
use source::{Span, did_you_mean};
use std::rc::Rc;
use std::sync::Arc;
use syntax::tree::{Expr, ExprKind};

impl<'a> Lowerer<'_, 'a> {
    /// The value of an expression that is known now.
    pub(crate) fn folded(&self, expr: &Expr) -> Option<Constant> {
        fold(expr, &self.program.declarations.known, self.iota)
    }

    /// A variable's register, or a temporary with its value.
    pub(crate) fn variable(&mut self, name: &str, access: Access) -> Operand {
        match access.target {
            Target::Local(id) if self.kind == Kind::Bare => {
                // The prelude runs before the top level, so that a variable there has no value yet.
                let temp = self.temp();
                self.b.emit_wide(Op::GetGlobal, 0, temp.reg, id.0);
                temp
            }
            Target::Local(id) => {
                let reg = self.register(id);
                if !access.maybe {
                    return Operand { reg, temp: false };
                }
                let Some(slot) = self.global_behind(name, reg) else {
                    self.check_defined(reg, name);
                    return Operand { reg, temp: false };
                };
                let temp = self.temp();
                let (own, end) = (self.b.label(), self.b.label());
                self.b.jump_on(Op::JumpIfDefined, 0, reg, own);
                self.b.emit_wide(Op::GetGlobal, 0, temp.reg, slot);
                self.b.jump(end);
                self.b.bind(own);
                self.b.emit(Op::Copy, 0, [temp.reg, reg, 0]);
                self.b.bind(end);
                temp
            }
            Target::Global(slot) => {
                let temp = self.temp();
                self.b.emit_wide(Op::GetGlobal, 0, temp.reg, slot);
                temp
            }
            Target::Unknown => {
                self.throw_message(&format!("Undefined variable: ${name}"));
                self.temp()
            }
        }
    }

    /// The global that a name means while the nearer variable in `reg` is unassigned.
    fn global_behind(&self, name: &str, reg: u32) -> Option<u32> {
        let slot = self.resolved().and_then(|resolved| resolved.globals.get(name)).copied()?;
        // At the top level the globals themselves are variables, in registers of the same number.
        let is_itself = self.kind == Kind::Top && slot == reg;
        (self.kind != Kind::Bare && !is_itself).then_some(slot)
    }

    /// Makes sure that a variable is assigned, from the global of its name where there is one.
    pub(crate) fn make_defined(&mut self, reg: u32, name: &str) {
        let Some(slot) = self.global_behind(name, reg) else { return self.check_defined(reg, name) };
        let own = self.b.label();
        self.b.jump_on(Op::JumpIfDefined, 0, reg, own);
        self.b.emit_wide(Op::GetGlobal, 0, reg, slot);
        self.b.bind(own);
    }

    pub(crate) fn check_defined(&mut self, reg: u32, name: &str) {
        let index = self.b.constant(Constant::Str(Arc::from(format!("${name}").as_bytes())));
        self.b.emit_wide(Op::CheckDefined, 0, reg, index);
    }

    /// A bare name: an inner function, a constant, a function, a builtin, or an error.
    pub(crate) fn bare_name(&mut self, name: &Rc<str>, span: Span, dst: u32) {
        let access = self.access(span);
        if access.target != Target::Unknown {
            let operand = self.variable(name, access);
            return self.transfer(operand, dst);
        }
        if let Some(value) = self.name_value(name) {
            return self.load(dst, value);
        }
        if let Some(slot) = self.program.declarations.dynamic.get(name) {
            return self.b.emit_wide(Op::GetGlobal, 0, dst, CONSTANT_BASE + slot);
        }
        self.unknown_name(name, span);
    }

    /// What a bare name stands for, where that is known now.
    fn name_value(&self, name: &Rc<str>) -> Option<Constant> {
        let declarations = self.program.declarations;
        if let Some(value) = declarations.known.get(name) {
            return Some(value.clone());
        }
        if let Some(function) = declarations.functions.get(name) {
            return Some(Constant::Function(self.program.function_id(function.file, &function.tree)));
        }
        self.program.signatures.find("", name).map(|(id, _)| Constant::Builtin(id))
    }

    pub(crate) fn unknown_name(&mut self, name: &str, span: Span) {
        let message = format!("Undefined variable: {name}");
        let declarations = self.program.declarations;
        let mut known: Vec<&str> = self.program.signatures.names_in("").collect();
        known.extend(declarations.functions.keys().chain(declarations.known.keys()).map(|name| &**name));
        let hint = match did_you_mean(name, known) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("a variable is written ${name}"),
        };
        self.warn("undefined-function", span, message.clone(), Some(hint));
        self.throw_message(&message);
    }

    /// Moves or copies an operand into a register.
    pub(crate) fn transfer(&mut self, operand: Operand, dst: u32) {
        if operand.reg != dst {
            let op = if operand.temp { Op::Move } else { Op::Copy };
            self.b.emit(op, 0, [dst, operand.reg, 0]);
        }
    }

    /// A register whose value may be taken away: the operand's own if it is temporary, else a copy.
    pub(crate) fn owned(&mut self, operand: Operand) -> u32 {
        if operand.temp {
            return operand.reg;
        }
        let temp = self.temp();
        self.transfer(operand, temp.reg);
        temp.reg
    }

    /// True when evaluating `expr` may change what a variable holds that was read before it.
    pub(crate) fn disturbs(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Assign { .. } | ExprKind::Step { .. } => true,
            ExprKind::Call { .. } if self.kind == Kind::Top || crate::resolve::written_argument(expr).is_some() => true,
            _ => {
                let mut found = false;
                expr.for_each_child(&mut |child| found = found || self.disturbs(child));
                found
            }
        }
    }
}
