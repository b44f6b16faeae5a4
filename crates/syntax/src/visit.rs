//! A read-only walk over the tree, parents before children, in source order.
//!
//! A visitor overrides what it cares about and calls the `walk_` function of a node to go on into its children. The
//! parser limits the height of a tree, so the recursion is limited too.

use crate::tree::{Block, Expr, ExprKind, Function, FunctionBody, Program, Stmt, StmtKind};

/// What to do at each kind of node.
pub trait Visitor {
    /// At every statement.
    fn visit_stmt(&mut self, stmt: &Stmt) {
        walk_stmt(self, stmt);
    }

    /// At every expression.
    fn visit_expr(&mut self, expr: &Expr) {
        walk_expr(self, expr);
    }

    /// At every block.
    fn visit_block(&mut self, block: &Block) {
        walk_block(self, block);
    }

    /// At every declared function and closure.
    fn visit_function(&mut self, function: &Function) {
        walk_function(self, function);
    }
}

/// Visits all statements of a file.
pub fn walk_program<V: Visitor + ?Sized>(visitor: &mut V, program: &Program) {
    program.statements.iter().for_each(|stmt| visitor.visit_stmt(stmt));
}

/// Visits all statements of a block.
pub fn walk_block<V: Visitor + ?Sized>(visitor: &mut V, block: &Block) {
    block.statements.iter().for_each(|stmt| visitor.visit_stmt(stmt));
}

/// Visits the defaults of the parameters, then the body.
pub fn walk_function<V: Visitor + ?Sized>(visitor: &mut V, function: &Function) {
    function.params.iter().filter_map(|param| param.default.as_ref()).for_each(|expr| visitor.visit_expr(expr));
    match &function.body {
        FunctionBody::Block(block) => visitor.visit_block(block),
        FunctionBody::Expr(expr) => visitor.visit_expr(expr),
    }
}

/// Visits what a statement consists of.
pub fn walk_stmt<V: Visitor + ?Sized>(visitor: &mut V, stmt: &Stmt) {
    match &stmt.kind {
        StmtKind::Expr(expr) | StmtKind::Throw(expr) => visitor.visit_expr(expr),
        StmtKind::Return(value) => value.iter().for_each(|expr| visitor.visit_expr(expr)),
        StmtKind::If { branches, otherwise } => {
            for (cond, block) in branches {
                visitor.visit_expr(cond);
                visitor.visit_block(block);
            }
            otherwise.iter().for_each(|block| visitor.visit_block(block));
        }
        StmtKind::While { cond, body } => {
            visitor.visit_expr(cond);
            visitor.visit_block(body);
        }
        StmtKind::For { init, cond, step, body } => {
            init.iter().chain(cond).chain(step).for_each(|expr| visitor.visit_expr(expr));
            visitor.visit_block(body);
        }
        StmtKind::Foreach { subject, body, .. } => {
            visitor.visit_expr(subject);
            visitor.visit_block(body);
        }
        StmtKind::Switch { subject, cases } => {
            visitor.visit_expr(subject);
            for case in cases {
                case.values.iter().for_each(|expr| visitor.visit_expr(expr));
                case.body.iter().for_each(|stmt| visitor.visit_stmt(stmt));
            }
        }
        StmtKind::Try { body, catch, finally } => {
            visitor.visit_block(body);
            catch.iter().for_each(|catch| visitor.visit_block(&catch.body));
            finally.iter().for_each(|block| visitor.visit_block(block));
        }
        StmtKind::Block(block) => visitor.visit_block(block),
        StmtKind::Function(function) => visitor.visit_function(function),
        StmtKind::Struct(decl) => {
            decl.fields.iter().filter_map(|field| field.default.as_ref()).for_each(|expr| visitor.visit_expr(expr));
        }
        StmtKind::Const(items) => {
            items.iter().filter_map(|item| item.value.as_ref()).for_each(|expr| visitor.visit_expr(expr));
        }
        StmtKind::Break
        | StmtKind::Continue
        | StmtKind::UseModule { .. }
        | StmtKind::UseFile(_)
        | StmtKind::Empty
        | StmtKind::Error => {}
    }
}

/// Visits the expressions inside an expression, and the function of a closure.
pub fn walk_expr<V: Visitor + ?Sized>(visitor: &mut V, expr: &Expr) {
    expr.for_each_child(&mut |child| visitor.visit_expr(child));
    if let ExprKind::Closure(function) = &expr.kind {
        visitor.visit_function(function);
    }
}
