//! Expressions.

use super::Evaluator;
use crate::arithmetic;
use crate::compare;
use crate::element::{self, Key};
use crate::structure;
use syntax::tree::{Expr, ExprKind, Ident, LogicalOp, StrPart};
use vm::{List, Map, Str, Struct, Thrown, ThrownKind, Value};

impl Evaluator<'_, '_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Value, Thrown> {
        match &expr.kind {
            ExprKind::Null => Ok(Value::NULL),
            ExprKind::Bool(value) => Ok(Value::bool(*value)),
            ExprKind::Int(value) => Ok(Value::int(*value)),
            ExprKind::Float(value) => Ok(Value::float(*value)),
            ExprKind::Str(bytes) => Ok(Value::str(bytes)),
            ExprKind::Interpolation(parts) => self.interpolation(parts),
            ExprKind::Iota => self.iota.map(Value::int).ok_or_else(|| Thrown::error("Undefined variable: iota")),
            ExprKind::Var(name) => self.read(name, expr.span.start),
            ExprKind::Name(name) => self.bare_name(name, expr.span.start),
            ExprKind::Path { module, name } => self.path(module, name),
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.expr(item)).collect::<Result<List, _>>();
                items.map(Value::from)
            }
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::StructLit { name, fields } => self.struct_literal(name, fields),
            ExprKind::Unary { op, operand } => arithmetic::unary(*op, &self.expr(operand)?),
            ExprKind::Binary { op, left, right } => {
                let left = self.expr(left)?;
                let right = self.expr(right)?;
                arithmetic::binary(*op, &left, &right)
            }
            ExprKind::Logical { op, left, right } => self.logical(*op, left, right),
            ExprKind::Ternary { cond, then, otherwise } => {
                if compare::is_true(&self.expr(cond)?) {
                    let value = self.expr(then)?;
                    self.pass_over(otherwise);
                    Ok(value)
                } else {
                    self.pass_over(then);
                    self.expr(otherwise)
                }
            }
            ExprKind::Assign { target, op, value } => self.assignment(expr.span, target, *op, value),
            ExprKind::Step { target, delta, prefix } => self.step(expr.span, target, *delta, *prefix),
            ExprKind::Index { base, index } => {
                let container = self.expr(base)?;
                let key = self.expr(index)?;
                element::read(&container, &Key::Index(key))
            }
            ExprKind::Field { base, name } => element::read(&self.expr(base)?, &Key::Field(Str::from(&*name.name))),
            ExprKind::Call { callee, args } => self.call(expr, callee, args),
            ExprKind::Closure(function) => self.closure(function),
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Error => Err(Thrown::error("a tree with errors is never evaluated")),
        }
    }

    /// `&&` and `||` give bools; `??` gives its right side for null only.
    fn logical(&mut self, op: LogicalOp, left: &Expr, right: &Expr) -> Result<Value, Thrown> {
        let left = self.expr(left)?;
        let decided = match op {
            LogicalOp::And => !compare::is_true(&left),
            LogicalOp::Or => compare::is_true(&left),
            LogicalOp::Coalesce => !left.is_null(),
        };
        let value = if decided {
            self.pass_over(right);
            left
        } else {
            self.expr(right)?
        };
        Ok(if op == LogicalOp::Coalesce { value } else { Value::bool(compare::is_true(&value)) })
    }

    /// A part that throws is printed as it is written; so is a bare name that is no constant.
    fn interpolation(&mut self, parts: &[StrPart]) -> Result<Value, Thrown> {
        let mut values = Vec::new();
        for part in parts {
            values.push(match part {
                StrPart::Text(text) => Value::str(text),
                StrPart::Expr { expr, literal } => self.interpolated(expr)?.unwrap_or_else(|| Value::str(literal)),
            });
        }
        arithmetic::concat(&values.iter().collect::<Vec<_>>())
    }

    /// None for what is printed as it is written.
    fn interpolated(&mut self, expr: &Expr) -> Result<Option<Value>, Thrown> {
        let is_text = match &expr.kind {
            ExprKind::Name(name) => !self.state.program.declarations.constant_names.contains(name),
            ExprKind::Path { .. } => true,
            _ => false,
        };
        if is_text {
            return Ok(None);
        }
        match self.expr(expr) {
            Ok(value) => Ok(Some(value)),
            Err(thrown) if matches!(thrown.kind(), ThrownKind::Value { .. }) => {
                self.pass_over(expr);
                Ok(None)
            }
            Err(end) => Err(end),
        }
    }

    fn map(&mut self, entries: &[(Expr, Expr)]) -> Result<Value, Thrown> {
        let mut map = Map::new();
        for (key, value) in entries {
            let key = self.expr(key)?;
            let value = self.expr(value)?;
            map.insert(element::map_key(&key)?, value);
        }
        Ok(Value::from(map))
    }

    /// All fields get their defaults first, then those that are written get their values, in the order written.
    fn struct_literal(&mut self, name: &Ident, fields: &[(Ident, Expr)]) -> Result<Value, Thrown> {
        let state = self.state;
        let unknown = || Thrown::error(format!("Unknown struct '{}'", name.name));
        let declared = state.program.declarations.structs.get(&name.name).ok_or_else(unknown)?;
        let def = &declared.def;
        structure::check_types(def)?;
        let mut values = Vec::new();
        for (field, tree) in def.fields.iter().zip(&declared.tree.fields) {
            values.push(match &tree.default {
                Some(default) => {
                    let value = Evaluator::new(state, self.cx, declared.file).expr(default)?;
                    structure::stored(&def.name, field, value)?
                }
                None => structure::zero(field),
            });
        }
        for (written, value) in fields {
            let at = def
                .find(written.name.as_bytes())
                .ok_or_else(|| Thrown::error(format!("Unknown field '{}' in struct '{}'", written.name, name.name)))?;
            let value = self.expr(value)?;
            if let (Some(field), Some(slot)) = (def.fields.get(at), values.get_mut(at)) {
                *slot = structure::stored(&def.name, field, value)?;
            }
        }
        Ok(Value::from(Struct::new(def.clone(), values)))
    }
}
