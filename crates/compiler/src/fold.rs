//! Expressions whose value is known before the program runs.
//!
//! Only what cannot throw is folded, and only where the rule is short; everything else is left to the engine, which has
//! the whole rule.

use bytecode::Constant;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use syntax::tree::{BinaryOp, Expr, ExprKind, UnaryOp};

/// Constants of the program that are known.
pub(crate) type Known = HashMap<Rc<str>, Constant>;

/// The value of a constant expression. `iota` is the number of the item inside a `const` group.
pub(crate) fn fold(expr: &Expr, known: &Known, iota: Option<i64>) -> Option<Constant> {
    Some(match &expr.kind {
        ExprKind::Null => Constant::Null,
        ExprKind::Bool(value) => Constant::Bool(*value),
        ExprKind::Int(value) => Constant::Int(*value),
        ExprKind::Float(value) => Constant::Float(*value),
        ExprKind::Str(bytes) => Constant::Str(Arc::from(&**bytes)),
        ExprKind::Iota => Constant::Int(iota?),
        ExprKind::Name(name) => known.get(name)?.clone(),
        ExprKind::Paren(inner) => fold(inner, known, iota)?,
        ExprKind::List(items) => {
            Constant::List(items.iter().map(|item| fold(item, known, iota)).collect::<Option<_>>()?)
        }
        ExprKind::Map(entries) => fold_map(entries, known, iota)?,
        ExprKind::Unary { op: UnaryOp::Neg, operand } => match fold(operand, known, iota)? {
            Constant::Int(value) => Constant::Int(value.checked_neg()?),
            Constant::Float(value) => Constant::Float(-value),
            _ => return None,
        },
        ExprKind::Binary { op, left, right } => {
            fold_binary(*op, &fold(left, known, iota)?, &fold(right, known, iota)?)?
        }
        _ => return None,
    })
}

fn fold_map(entries: &[(Expr, Expr)], known: &Known, iota: Option<i64>) -> Option<Constant> {
    let mut folded: Vec<(Arc<[u8]>, Constant)> = Vec::new();
    for (key, value) in entries {
        let key = literal_key(key, known, iota)?;
        let value = fold(value, known, iota)?;
        match folded.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => folded.push((key, value)),
        }
    }
    Some(Constant::Map(folded))
}

/// A map key that is known: a string, or the text of an int.
pub(crate) fn literal_key(expr: &Expr, known: &Known, iota: Option<i64>) -> Option<Arc<[u8]>> {
    match fold(expr, known, iota)? {
        Constant::Str(bytes) => Some(bytes),
        Constant::Int(value) => Some(Arc::from(value.to_string().as_bytes())),
        _ => None,
    }
}

fn fold_binary(op: BinaryOp, left: &Constant, right: &Constant) -> Option<Constant> {
    Some(match (op, left, right) {
        (BinaryOp::Add, Constant::Int(a), Constant::Int(b)) => Constant::Int(a.checked_add(*b)?),
        (BinaryOp::Sub, Constant::Int(a), Constant::Int(b)) => Constant::Int(a.checked_sub(*b)?),
        (BinaryOp::Mul, Constant::Int(a), Constant::Int(b)) => Constant::Int(a.checked_mul(*b)?),
        (BinaryOp::Add, Constant::Float(a), Constant::Float(b)) => Constant::Float(a + b),
        (BinaryOp::Sub, Constant::Float(a), Constant::Float(b)) => Constant::Float(a - b),
        (BinaryOp::Mul, Constant::Float(a), Constant::Float(b)) => Constant::Float(a * b),
        (BinaryOp::BitOr, Constant::Int(a), Constant::Int(b)) => Constant::Int(a | b),
        (BinaryOp::Shl, Constant::Int(a), Constant::Int(b)) if (0..64).contains(b) => Constant::Int(a << b),
        (BinaryOp::Concat, Constant::Str(a), Constant::Str(b)) => {
            Constant::Str(a.iter().chain(b.iter()).copied().collect())
        }
        _ => return None,
    })
}
