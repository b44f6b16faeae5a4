//! Calls and closures.

use super::assign::{Root, path_keys};
use super::{Lowerer, Operand};
use crate::builder::Reg;
use crate::declare::NamedFunction;
use crate::resolve::{Target, written_argument};
use bytecode::op::{DIES_B, GLOBAL_ROOT};
use bytecode::{BuiltinId, Constant, Intrinsic, Op, Signature, arity_message};
use source::{Span, did_you_mean};
use std::rc::Rc;
use std::sync::Arc;
use syntax::tree::{Expr, ExprKind, Function, Ident};

/// More arguments than this are passed as a list.
const MAX_DIRECT_ARGS: usize = 200;

/// The module of values that are called by their name.
const SERVICES: &str = "app";

/// What a call calls, as far as that is known now.
enum Callee<'a> {
    /// A function of the program.
    Function(u32),
    /// A builtin.
    Builtin(BuiltinId, &'static Signature),
    /// A value: anything else.
    Value(&'a Expr),
    /// Nothing: the code that throws has been written.
    Missing,
}

impl<'a> Lowerer<'_, 'a> {
    pub(crate) fn call(&mut self, expr: &'a Expr, callee: &'a Expr, args: &'a [Expr], dst: Reg) {
        if written_argument(expr).is_some() && self.call_of_place(expr, args, Some(dst)) {
            return;
        }
        if args.is_empty() && self.call_of_service(expr.span, callee, dst) {
            return;
        }
        let what = self.callee(callee, args.len());
        self.b.span = expr.span;
        if args.len() > MAX_DIRECT_ARGS {
            return self.call_with_list(expr.span, what, args, dst);
        }
        let count = args.len() as u8;
        match what {
            Callee::Function(id) => {
                let first = self.window(args);
                self.b.emit(Op::Call, count, [dst, first, id]);
            }
            Callee::Builtin(_, signature) if signature.intrinsic == Some(Intrinsic::Count) && args.len() == 1 => {
                let Some(arg) = args.first() else { return };
                let operand = self.value(arg);
                self.b.span = expr.span;
                let flags = if operand.temp && operand.reg != dst { DIES_B } else { 0 };
                self.b.emit(Op::CountOf, flags, [dst, operand.reg, 0]);
            }
            Callee::Builtin(id, _) => {
                let first = self.window(args);
                self.b.emit(Op::CallBuiltin, count, [dst, first, u32::from(id.0)]);
            }
            Callee::Value(callee) => {
                let first = self.b.alloc(1);
                self.evaluate_into(callee, first);
                self.window(args);
                let name = self.callee_name(callee);
                self.b.span = expr.span;
                self.b.emit(Op::CallValue, count, [dst, first, name]);
            }
            Callee::Missing => {}
        }
    }

    /// The constant that names a called value in messages.
    fn callee_name(&mut self, callee: &Expr) -> u32 {
        let source = self.program.loaded.sources.get(self.source());
        let written: String = source.slice(callee.span).chars().take(60).collect();
        self.b.short_constant(Constant::Str(Arc::from(written.as_bytes()))).unwrap_or(0)
    }

    fn call_with_list(&mut self, span: Span, what: Callee<'a>, args: &'a [Expr], dst: Reg) {
        let callee = self.b.alloc(1);
        match what {
            Callee::Function(id) => self.load(callee, Constant::Function(id)),
            Callee::Builtin(id, _) => self.load(callee, Constant::Builtin(id)),
            Callee::Value(expr) => self.evaluate_into(expr, callee),
            Callee::Missing => return,
        }
        let list = self.b.alloc(1);
        self.list(args, list);
        self.b.span = span;
        self.b.emit(Op::CallList, 0, [dst, callee, list]);
    }

    /// `app::NAME()` where no builtin has that name: short for `app::get("NAME")`. False if it is no such call.
    fn call_of_service(&mut self, span: Span, callee: &'a Expr, dst: Reg) -> bool {
        let ExprKind::Path { module, name } = &callee.kind else { return false };
        let real = self.real_module(module).clone();
        if &*real != SERVICES || self.program.signatures.find(SERVICES, &name.name).is_some() {
            return false;
        }
        let Some((get, _)) = self.program.signatures.find(SERVICES, "get") else { return false };
        self.b.span = span;
        let first = self.b.alloc(1);
        self.load(first, Constant::Str(Arc::from(name.name.as_bytes())));
        self.b.emit(Op::CallBuiltin, 1, [dst, first, u32::from(get.0)]);
        true
    }

    fn callee(&mut self, callee: &'a Expr, given: usize) -> Callee<'a> {
        if let Some((id, signature)) = self.known_builtin(callee) {
            self.check_builtin_arity(signature, callee.span, given);
            return Callee::Builtin(id, signature);
        }
        match &callee.kind {
            ExprKind::Name(name) => {
                if self.is_value_name(name, callee.span) {
                    return Callee::Value(callee);
                }
                if let Some(function) = self.program.declarations.functions.get(name) {
                    self.check_arity(function, callee.span, given);
                    return Callee::Function(self.program.function_id(function.file, &function.tree));
                }
                self.unknown_name(name, callee.span);
                Callee::Missing
            }
            ExprKind::Path { module, name } => {
                self.unknown_path(module, name);
                Callee::Missing
            }
            _ => Callee::Value(callee),
        }
    }

    /// The builtin that a callee names, unless something of the program has its name.
    pub(super) fn known_builtin(&self, callee: &Expr) -> Option<(BuiltinId, &'static Signature)> {
        match &callee.kind {
            ExprKind::Name(name) => {
                let taken =
                    self.is_value_name(name, callee.span) || self.program.declarations.functions.contains_key(name);
                if taken { None } else { self.program.signatures.find("", name) }
            }
            ExprKind::Path { module, name } => self.program.signatures.find(self.real_module(module), &name.name),
            _ => None,
        }
    }

    /// True when a bare name is an inner function or a constant.
    fn is_value_name(&self, name: &Rc<str>, span: Span) -> bool {
        self.access(span).target != Target::Unknown || self.program.declarations.is_constant(name)
    }

    fn check_arity(&mut self, function: &NamedFunction, span: Span, given: usize) {
        let params = &function.tree.params;
        let required = function.tree.required();
        let max = if function.tree.has_rest() { usize::MAX } else { params.len() };
        if given < required || given > max {
            let name = function.tree.name.as_ref().map_or("", |name| &*name.name);
            self.warn("arg-count", span, arity_message(name, required, max, params.len(), given), None);
        }
    }

    fn check_builtin_arity(&mut self, signature: &Signature, span: Span, given: usize) {
        if let Some(message) = signature.arity_error(given) {
            let hint = format!("see `gander doc {}`", signature.full_name());
            self.warn("arg-count", span, message, Some(hint));
        }
    }

    /// The module that a written name stands for in this file.
    fn real_module<'m>(&'m self, module: &'m Ident) -> &'m Rc<str> {
        let aliases = self.program.declarations.aliases.get(self.file);
        aliases.and_then(|aliases| aliases.get(&module.name)).unwrap_or(&module.name)
    }

    /// Reports a `module::name` that does not exist.
    fn unknown_path(&mut self, module: &Ident, name: &Ident) {
        let real = self.real_module(module).clone();
        let signatures = self.program.signatures;
        if signatures.has_module(&real) {
            let near = did_you_mean(&name.name, signatures.names_in(&real));
            let hint = match near {
                Some(near) => format!("did you mean {real}::{near}?"),
                None => format!("`gander doc {real}` lists its functions"),
            };
            self.error(name.span, format!("'{real}' has no function '{}'", name.name), Some(hint));
        } else {
            let near = did_you_mean(&real, signatures.modules());
            let hint = near.map(|near| format!("did you mean {near}::{}?", name.name));
            self.error(module.span, format!("Unknown module: '{real}'"), hint);
        }
    }

    /// `module::name` as a value.
    pub(crate) fn path_value(&mut self, module: &Ident, name: &Ident, dst: Reg) {
        match self.program.signatures.find(self.real_module(module), &name.name) {
            Some((id, _)) => self.load(dst, Constant::Builtin(id)),
            None => self.unknown_path(module, name),
        }
    }

    /// `push(place, value)` and `pop(place)`, which change the place. False when the name means something else here.
    fn call_of_place(&mut self, call: &'a Expr, args: &'a [Expr], result: Option<Reg>) -> bool {
        let ExprKind::Call { callee, .. } = &call.kind else { return false };
        let ExprKind::Name(name) = &callee.kind else { return false };
        let intrinsic = self.program.signatures.find("", name).and_then(|(_, signature)| signature.intrinsic);
        let (place, value) = match (intrinsic, args) {
            (Some(Intrinsic::Push), [place, value]) => (place, Some(value)),
            (Some(Intrinsic::Pop), [place]) => (place, None),
            _ => return false,
        };
        let keys = path_keys(place);
        let root = self.root(place);
        if let (Root::Register(reg), [], Some(value), None) = (root, keys.as_slice(), value, result) {
            let operand = self.value(value);
            let operand = if operand.reg == reg { Operand { reg: self.owned(operand), temp: true } } else { operand };
            self.begin_root(place);
            self.b.span = call.span;
            self.b.emit(Op::Push, if operand.temp { DIES_B } else { 0 }, [reg, operand.reg, 0]);
            return true;
        }
        let first = self.key_window(&keys);
        let count = keys.len() as u32;
        let op = match value {
            Some(value) => {
                self.evaluate_into(value, first + count);
                Op::PushPath
            }
            None => Op::PopPath,
        };
        self.begin_root(place);
        let (flag, operand) = match root {
            Root::Register(reg) => (0, reg),
            Root::Global(slot) => (GLOBAL_ROOT, slot),
        };
        self.b.span = call.span;
        self.b.emit(op, flag, [operand, first, count]);
        match result {
            Some(dst) => self.transfer(Operand { reg: first + count, temp: true }, dst),
            None => self.b.emit(Op::Drop, 0, [first + count, 1, 0]),
        }
        true
    }

    /// A call of `push` or `pop` whose result nobody wants. False when it is another call.
    pub(crate) fn push_statement(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Call { args, .. } if written_argument(expr).is_some() => self.call_of_place(expr, args, None),
            _ => false,
        }
    }

    /// A closure or inner function: its captured values, then the function itself.
    pub(crate) fn closure(&mut self, function: &'a Rc<Function>, dst: Reg) {
        let id = self.program.lower_function(self.file, function);
        let names = self.resolved().and_then(|resolved| resolved.functions.get(&function.span.start));
        self.b.span = function.span;
        let captures = names.map_or(&[][..], |names| &names.captures);
        let uses = names.map_or(0, |names| names.uses);
        let first = self.b.top();
        for (at, (outer, inner)) in captures.iter().enumerate() {
            let reg = self.b.alloc(1);
            let name = names.and_then(|names| names.variables.get(inner.index()));
            let name = name.map_or("", |variable| &*variable.name);
            // What is captured without being listed may be unassigned; reading it inside then says so.
            let access = crate::resolve::Access { maybe: outer.maybe && at < uses, ..*outer };
            let operand = self.variable(name, access);
            self.transfer(operand, reg);
            self.b.release_to(reg + 1);
        }
        self.b.emit(Op::Closure, 0, [dst, first, id]);
    }
}
