//! The tree as compact S-expressions, for tests and for a person who asks what the parser saw.

use crate::tree::{
    Block, Expr, ExprKind, Function, FunctionBody, Param, Program, Stmt, StmtKind, StrPart, StructField,
};
use std::fmt::Write;

/// The tree as text: one line a statement, the statements of a block indented below it.
pub fn dump(program: &Program) -> String {
    let mut dumper = Dumper { out: String::new(), indent: 0 };
    dumper.statements(&program.statements);
    for comment in &program.comments {
        let _ = writeln!(dumper.out, "(comment {:?})", comment.span);
    }
    dumper.out
}

struct Dumper {
    out: String,
    indent: usize,
}

impl Dumper {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
            self.out.push('\n');
        }
    }

    /// The statements of a block, each on a line of its own.
    fn body(&mut self, statements: &[Stmt]) {
        self.indent += 1;
        for statement in statements {
            self.line();
            self.statement(statement);
        }
        self.indent -= 1;
    }

    fn block(&mut self, head: &str, block: &Block) {
        self.indent += 1;
        self.line();
        self.push("(");
        self.push(head);
        self.body(&block.statements);
        self.push(")");
        self.indent -= 1;
    }

    fn statement(&mut self, statement: &Stmt) {
        self.push("(");
        match &statement.kind {
            StmtKind::Expr(expr) => self.with("do", [expr]),
            StmtKind::If { branches, otherwise } => {
                self.push("if");
                self.indent += 1;
                for (cond, block) in branches {
                    self.line();
                    self.push("(");
                    self.with("when", [cond]);
                    self.body(&block.statements);
                    self.push(")");
                }
                self.indent -= 1;
                otherwise.iter().for_each(|block| self.block("else", block));
            }
            StmtKind::While { cond, body } => {
                self.with("while", [cond]);
                self.body(&body.statements);
            }
            StmtKind::For { init, cond, step, body } => {
                self.push("for (");
                self.children(init);
                self.push(" ;");
                self.children(cond);
                self.push(" ;");
                self.children(step);
                self.push(" )");
                self.body(&body.statements);
            }
            StmtKind::Foreach { subject, key, value, body } => {
                self.with("foreach", [subject]);
                key.iter().for_each(|key| self.push(&format!(" ${} =>", key.name)));
                self.push(&format!(" ${}", value.name));
                self.body(&body.statements);
            }
            StmtKind::Switch { subject, cases } => {
                self.with("switch", [subject]);
                self.indent += 1;
                for case in cases {
                    self.line();
                    self.push(if case.is_default { "(default" } else { "(case" });
                    self.children(&case.values);
                    self.body(&case.body);
                    self.push(")");
                }
                self.indent -= 1;
            }
            StmtKind::Try { body, catch, finally } => {
                self.push("try");
                self.body(&body.statements);
                if let Some(catch) = catch {
                    self.block(&format!("catch ${}", catch.variable.name), &catch.body);
                }
                finally.iter().for_each(|block| self.block("finally", block));
            }
            StmtKind::Throw(value) => self.with("throw", [value]),
            StmtKind::Return(value) => self.with("return", value),
            StmtKind::Break => self.push("break"),
            StmtKind::Continue => self.push("continue"),
            StmtKind::Block(block) => {
                self.push("block");
                self.body(&block.statements);
            }
            StmtKind::Function(function) => self.function(function),
            StmtKind::Struct(decl) => {
                self.push(&format!("struct {}", decl.name.name));
                decl.fields.iter().for_each(|field| self.field(field));
            }
            StmtKind::Const(items) => {
                self.push("const");
                for item in items {
                    self.push(&format!(" ({}", item.name.name));
                    self.children(&item.value);
                    self.push(")");
                }
            }
            StmtKind::UseModule { module, alias } => {
                self.push(&format!("use {}", module.name));
                alias.iter().for_each(|alias| self.push(&format!(" as {}", alias.name)));
            }
            StmtKind::UseFile(path) => self.push(&format!("use {path:?}")),
            StmtKind::Empty => self.push("empty"),
            StmtKind::Error => self.push("error"),
        }
        self.push(")");
    }

    fn field(&mut self, field: &StructField) {
        let nullable = if field.nullable { "?" } else { "" };
        self.push(&format!(" ({} {nullable}{}", field.name.name, field.ty.name));
        self.children(&field.default);
        self.push(")");
    }

    fn function(&mut self, function: &Function) {
        self.push("function");
        function.name.iter().for_each(|name| self.push(&format!(" {}", name.name)));
        self.push(" (");
        for (index, param) in function.params.iter().enumerate() {
            self.push(if index == 0 { "" } else { " " });
            self.param(param);
        }
        self.push(")");
        if let Some(uses) = &function.uses {
            let names: Vec<String> = uses.iter().map(|name| format!(" ${}", name.name)).collect();
            self.push(&format!(" (use{})", names.concat()));
        }
        match &function.body {
            FunctionBody::Block(block) => self.body(&block.statements),
            FunctionBody::Expr(expr) => {
                self.push(" =>");
                self.children([expr]);
            }
        }
    }

    fn param(&mut self, param: &Param) {
        let dots = if param.is_rest { "..." } else { "" };
        match &param.default {
            Some(default) => self.list(&format!("{dots}${}", param.name.name), [default]),
            None => self.push(&format!("{dots}${}", param.name.name)),
        }
    }

    fn with<'a>(&mut self, head: &str, children: impl IntoIterator<Item = &'a Expr>) {
        self.push(head);
        self.children(children);
    }

    fn children<'a>(&mut self, children: impl IntoIterator<Item = &'a Expr>) {
        for child in children {
            self.push(" ");
            self.expr(child);
        }
    }

    fn list<'a>(&mut self, head: &str, children: impl IntoIterator<Item = &'a Expr>) {
        self.push("(");
        self.with(head, children);
        self.push(")");
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Null => self.push("null"),
            ExprKind::Bool(value) => self.push(&value.to_string()),
            ExprKind::Int(value) => self.push(&value.to_string()),
            ExprKind::Float(value) => self.push(&format!("{value:?}")),
            ExprKind::Str(text) => self.push(&format!("\"{}\"", text.escape_ascii())),
            ExprKind::Interpolation(parts) => self.interpolation(parts),
            ExprKind::Iota => self.push("iota"),
            ExprKind::Var(name) => self.push(&format!("${name}")),
            ExprKind::Name(name) => self.push(name),
            ExprKind::Path { module, name } => self.push(&format!("{}::{}", module.name, name.name)),
            ExprKind::List(items) => self.list("list", items),
            ExprKind::Map(entries) => self.list("map", entries.iter().flat_map(|(key, value)| [key, value])),
            ExprKind::StructLit { name, fields } => {
                self.push(&format!("(new {}", name.name));
                for (field, value) in fields {
                    self.push(&format!(" {}:", field.name));
                    self.children([value]);
                }
                self.push(")");
            }
            ExprKind::Unary { op, operand } => self.list(op.spelling(), [&**operand]),
            ExprKind::Binary { op, left, right } => self.list(op.spelling(), [&**left, right]),
            ExprKind::Logical { op, left, right } => self.list(op.spelling(), [&**left, right]),
            ExprKind::Ternary { cond, then, otherwise } => self.list("?:", [&**cond, then, otherwise]),
            ExprKind::Assign { target, op, value } => {
                let op = op.map_or("", |op| op.spelling());
                self.list(&format!("{op}="), [&**target, value]);
            }
            ExprKind::Step { target, delta, prefix } => {
                let sign = if *delta > 0 { "++" } else { "--" };
                self.list(&if *prefix { format!("{sign}_") } else { format!("_{sign}") }, [&**target]);
            }
            ExprKind::Index { base, index } => self.list("[]", [&**base, index]),
            ExprKind::Field { base, name } => {
                self.list("field", [&**base]);
                // The name goes inside the list that was just closed.
                self.out.pop();
                self.push(&format!(" {})", name.name));
            }
            ExprKind::Call { callee, args } => self.list("call", std::iter::once(&**callee).chain(args)),
            ExprKind::Closure(function) => {
                self.push("(");
                self.function(function);
                self.push(")");
            }
            ExprKind::Paren(inner) => self.list("paren", [&**inner]),
            ExprKind::Error => self.push("(error)"),
        }
    }

    fn interpolation(&mut self, parts: &[StrPart]) {
        self.push("(text");
        for part in parts {
            match part {
                StrPart::Text(text) => self.push(&format!(" \"{}\"", text.escape_ascii())),
                StrPart::Expr { expr, literal } => {
                    self.push(&format!(" {{\"{}\"", literal.escape_ascii()));
                    self.children([&**expr]);
                    self.push("}");
                }
            }
        }
        self.push(")");
    }
}
