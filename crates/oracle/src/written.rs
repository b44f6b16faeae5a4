//! Which variables an expression may make.
//!
//! A variable belongs to the block of the place that assigns it first, also when that place is not reached: the right side
//! of `&&` that did not run has made its variables, unassigned.

use std::rc::Rc;
use syntax::tree::{Expr, ExprKind, Stmt, StmtKind};

/// One place that writes a variable.
pub(crate) struct Written<'a> {
    /// The variable.
    pub(crate) name: &'a Rc<str>,
    /// The variable is there behind this position.
    pub(crate) end: u32,
    /// True when only an element of it is written: that changes a global, where a plain assignment makes a local.
    pub(crate) element: bool,
}

/// Calls `f` for each place in an expression that writes a variable, in source order; closures are not entered.
pub(crate) fn for_each_written<'a>(expr: &'a Expr, f: &mut dyn FnMut(Written<'a>)) {
    expr.for_each_child(&mut |child| for_each_written(child, f));
    let target = match &expr.kind {
        ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => target,
        _ => match pushed_place(expr) {
            Some(place) => place,
            None => return,
        },
    };
    if let Some((name, _)) = target.root_variable() {
        let element = !matches!(target.peeled().kind, ExprKind::Var(_)) || pushed_place(expr).is_some();
        f(Written { name, end: expr.span.end, element });
    }
}

/// The place that `push(place, value)` or `pop(place)` changes; none for other calls.
pub(crate) fn pushed_place(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Call { callee, args } = &expr.kind else { return None };
    let ExprKind::Name(name) = &callee.kind else { return None };
    let place = match (&**name, args.as_slice()) {
        ("push", [place, _]) | ("pop", [place]) => place,
        _ => return None,
    };
    place.root_variable().map(|_| place)
}

/// The variables that the top level of a file writes outside of blocks: its globals.
pub(crate) fn globals(statements: &[Stmt]) -> Vec<Rc<str>> {
    let mut names = Vec::new();
    let mut add = |expr| for_each_written(expr, &mut |written: Written<'_>| names.push(written.name.clone()));
    for statement in statements {
        match &statement.kind {
            StmtKind::Expr(expr) | StmtKind::Throw(expr) | StmtKind::Return(Some(expr)) => add(expr),
            StmtKind::If { branches, .. } => branches.iter().for_each(|(cond, _)| add(cond)),
            StmtKind::While { cond, .. } => add(cond),
            StmtKind::Foreach { subject, .. } => add(subject),
            StmtKind::Switch { subject, cases } => {
                add(subject);
                cases.iter().flat_map(|case| &case.values).for_each(&mut add);
            }
            // What the header of a `for` makes belongs to the loop; blocks keep what they make.
            _ => {}
        }
    }
    names
}
