//! The tree the parser makes and every later stage reads.
//!
//! Every node has a span into its file. The tree says what was written and nothing of what it means: names are not
//! resolved, constants are not folded. Comments stand beside the tree, in source order, so that a formatter can put them
//! back; blank lines are found from the spans.

use source::Span;
use std::rc::Rc;

/// A name and where it stands. The `$` of a variable is not part of the name but is part of the span.
#[derive(Clone, PartialEq, Debug)]
pub struct Ident {
    /// The name without `$`.
    pub name: Rc<str>,
    /// Where it stands.
    pub span: Span,
}

/// A whole file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// Top-level statements.
    pub statements: Vec<Stmt>,
    /// All comments in source order.
    pub comments: Vec<Comment>,
}

/// A comment, its delimiters included in the span.
#[derive(Clone, PartialEq, Debug)]
pub struct Comment {
    /// Where it stands.
    pub span: Span,
}

/// Statements between braces.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The statements.
    pub statements: Vec<Stmt>,
    /// From `{` to `}`.
    pub span: Span,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands, without a final `;`.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// An expression for its effect. `print(…)` and `write(…)` are calls like any other.
    Expr(Expr),
    /// `if (…) {…} elseif (…) {…} else {…}`; `else if` is the same as `elseif`.
    If {
        /// Conditions with their blocks, in order; at least one.
        branches: Vec<(Expr, Block)>,
        /// The final `else`.
        otherwise: Option<Block>,
    },
    /// `while (cond) {…}`.
    While {
        /// Checked before every round.
        cond: Expr,
        /// The body.
        body: Block,
    },
    /// `for (init; cond; step) {…}`; each part may be empty.
    For {
        /// Runs once.
        init: Vec<Expr>,
        /// Checked before every round; absent means true.
        cond: Option<Expr>,
        /// Runs after every round.
        step: Vec<Expr>,
        /// The body.
        body: Block,
    },
    /// `foreach (subject as $key => $value) {…}`.
    Foreach {
        /// What is walked.
        subject: Expr,
        /// `$key`, if asked for.
        key: Option<Ident>,
        /// `$value`.
        value: Ident,
        /// The body.
        body: Block,
    },
    /// `switch (subject) { case a, b: … default: … }`.
    Switch {
        /// What is compared.
        subject: Expr,
        /// The cases in source order.
        cases: Vec<Case>,
    },
    /// `try {…} catch ($e) {…} finally {…}`; at least one of the two follows.
    Try {
        /// The guarded block.
        body: Block,
        /// The handler.
        catch: Option<Catch>,
        /// Runs on every way out.
        finally: Option<Block>,
    },
    /// `throw value`.
    Throw(Expr),
    /// `return` or `return value`.
    Return(Option<Expr>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// A bare block.
    Block(Block),
    /// `function name(…) {…}`.
    Function(Rc<Function>),
    /// `struct Name {…}`.
    Struct(StructDecl),
    /// `const {…}`.
    Const(Vec<ConstItem>),
    /// `use module`, `use module as name`.
    UseModule {
        /// The module.
        module: Ident,
        /// The name after `as`.
        alias: Option<Ident>,
    },
    /// `use "file.lk"`; the text is what was written, escapes processed.
    UseFile(Rc<str>),
    /// A lone `;`.
    Empty,
    /// What could not be parsed; only in a tree that came with errors.
    Error,
}

/// One `case` or `default` of a switch.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The values after `case`; empty for `default`.
    pub values: Vec<Expr>,
    /// True for `default`.
    pub is_default: bool,
    /// The statements.
    pub body: Vec<Stmt>,
    /// From `case` to the end of the last statement.
    pub span: Span,
}

/// The handler of a `try`.
#[derive(Clone, PartialEq, Debug)]
pub struct Catch {
    /// `$e`.
    pub variable: Ident,
    /// The block.
    pub body: Block,
}

/// A named function, a closure or an arrow function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The name of a declaration; none for closures.
    pub name: Option<Ident>,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Names in `use (…)`; none where there is no such clause.
    pub uses: Option<Vec<Ident>>,
    /// What it does.
    pub body: FunctionBody,
    /// The whole declaration.
    pub span: Span,
}

impl Function {
    /// How many arguments it needs: up to the last parameter without a default.
    pub fn required(&self) -> usize {
        let last = self.params.iter().rposition(|param| param.default.is_none() && !param.is_rest);
        last.map_or(0, |at| at + 1)
    }

    /// True when its last parameter takes all further arguments.
    pub fn has_rest(&self) -> bool {
        self.params.last().is_some_and(|param| param.is_rest)
    }
}

/// Body of a function.
#[derive(Clone, PartialEq, Debug)]
pub enum FunctionBody {
    /// `{ … }`.
    Block(Block),
    /// `=> expression` of an arrow function.
    Expr(Expr),
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// `$name`.
    pub name: Ident,
    /// `= default`.
    pub default: Option<Expr>,
    /// `...$rest`; only the last one.
    pub is_rest: bool,
}

/// `struct Name {…}`.
#[derive(Clone, PartialEq, Debug)]
pub struct StructDecl {
    /// The name.
    pub name: Ident,
    /// The fields in order.
    pub fields: Vec<StructField>,
    /// The whole declaration.
    pub span: Span,
}

/// A field of a struct declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct StructField {
    /// The name.
    pub name: Ident,
    /// `?` before the type.
    pub nullable: bool,
    /// The type's name as written: `int`, `float`, …, or a struct's name. Not checked by the parser.
    pub ty: Ident,
    /// `= default`.
    pub default: Option<Expr>,
}

/// One item of a `const` group.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstItem {
    /// The name.
    pub name: Ident,
    /// The value; absent repeats the previous one with the next `iota`.
    pub value: Option<Expr>,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// An integer literal. The literal 9223372036854775808 behind a unary minus is folded here to the smallest integer.
    Int(i64),
    /// A float literal.
    Float(f64),
    /// Text without interpolation, escapes processed. Bytes: `\0` and friends are allowed.
    Str(Rc<[u8]>),
    /// Text with interpolated parts; at least one part is an expression.
    Interpolation(Vec<StrPart>),
    /// `iota`.
    Iota,
    /// `$name`.
    Var(Rc<str>),
    /// A bare name: a function, a constant or a mistake.
    Name(Rc<str>),
    /// `module::name`.
    Path {
        /// Before `::`.
        module: Ident,
        /// After `::`.
        name: Ident,
    },
    /// `[…]` without keys.
    List(Vec<Expr>),
    /// `[k => v, …]`.
    Map(Vec<(Expr, Expr)>),
    /// `Name{field: value, …}`.
    StructLit {
        /// The struct's name.
        name: Ident,
        /// Fields in the order written.
        fields: Vec<(Ident, Expr)>,
    },
    /// A prefix operator.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// A binary operator that evaluates both sides.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left side.
        left: Box<Expr>,
        /// Right side.
        right: Box<Expr>,
    },
    /// `&&`, `||`, `??`.
    Logical {
        /// Which.
        op: LogicalOp,
        /// Left side.
        left: Box<Expr>,
        /// Right side, evaluated only when needed.
        right: Box<Expr>,
    },
    /// `cond ? then : otherwise`.
    Ternary {
        /// The condition.
        cond: Box<Expr>,
        /// Value when it holds.
        then: Box<Expr>,
        /// Value when it does not.
        otherwise: Box<Expr>,
    },
    /// `target = value`, `target op= value`. The parser guarantees that `target` is a place: a variable, or an index or
    /// field of a place.
    Assign {
        /// The place.
        target: Box<Expr>,
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// The value.
        value: Box<Expr>,
    },
    /// `++place`, `place--` and so on. The parser guarantees a place.
    Step {
        /// The place.
        target: Box<Expr>,
        /// +1 or -1.
        delta: i64,
        /// True when the value is the new one (`++$i`).
        prefix: bool,
    },
    /// `base[index]`.
    Index {
        /// The container.
        base: Box<Expr>,
        /// The key.
        index: Box<Expr>,
    },
    /// `base.name`.
    Field {
        /// The container.
        base: Box<Expr>,
        /// The field.
        name: Ident,
    },
    /// `callee(args)`. A bare name, a path or any expression may be called.
    Call {
        /// What is called.
        callee: Box<Expr>,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `function (…) use (…) {…}`, `fn (…) => …`.
    Closure(Rc<Function>),
    /// `( … )`, kept for the formatter and for the rule that `.` after `)` is concatenation.
    Paren(Box<Expr>),
    /// What could not be parsed; only in a tree that came with errors.
    Error,
}

/// A part of an interpolated string.
#[derive(Clone, PartialEq, Debug)]
pub enum StrPart {
    /// Text as it is, escapes processed.
    Text(Rc<[u8]>),
    /// `{…}`.
    Expr {
        /// The parsed content. Its spans point into the file.
        expr: Box<Expr>,
        /// The text with its braces, escapes processed: what is printed when the content cannot be evaluated.
        literal: Rc<[u8]>,
    },
}

/// Prefix operators without `++` and `--`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

/// Operators that evaluate both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `**`
    Pow,
    /// `.`
    Concat,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<=>`
    Compare,
}

/// Operators whose right side may not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogicalOp {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `??`
    Coalesce,
}

impl Expr {
    /// The expression without parentheses around it.
    pub fn peeled(&self) -> &Expr {
        let mut expr = self;
        while let ExprKind::Paren(inner) = &expr.kind {
            expr = inner;
        }
        expr
    }
}

impl Expr {
    /// Calls `f` with every expression directly inside this one, in evaluation order. Bodies of closures are not entered.
    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Iota
            | ExprKind::Var(_)
            | ExprKind::Name(_)
            | ExprKind::Path { .. }
            | ExprKind::Closure(_)
            | ExprKind::Error => {}
            ExprKind::Interpolation(parts) => parts.iter().for_each(|part| {
                if let StrPart::Expr { expr, .. } = part {
                    f(expr);
                }
            }),
            ExprKind::List(items) => items.iter().for_each(f),
            ExprKind::Map(entries) => entries.iter().for_each(|(key, value)| {
                f(key);
                f(value);
            }),
            ExprKind::StructLit { fields, .. } => fields.iter().for_each(|(_, value)| f(value)),
            ExprKind::Unary { operand, .. } => f(operand),
            ExprKind::Binary { left, right, .. } | ExprKind::Logical { left, right, .. } => {
                f(left);
                f(right);
            }
            ExprKind::Ternary { cond, then, otherwise } => {
                f(cond);
                f(then);
                f(otherwise);
            }
            ExprKind::Assign { target, value, .. } => {
                f(target);
                f(value);
            }
            ExprKind::Step { target, .. } => f(target),
            ExprKind::Index { base, index } => {
                f(base);
                f(index);
            }
            ExprKind::Field { base, .. } => f(base),
            ExprKind::Call { callee, args } => {
                f(callee);
                args.iter().for_each(f);
            }
            ExprKind::Paren(inner) => f(inner),
        }
    }

    /// The variable at the root of a place such as `$x["a"].b[0]`, and its position; none for other expressions.
    pub fn root_variable(&self) -> Option<(&Rc<str>, Span)> {
        let mut expr = self;
        loop {
            match &expr.kind {
                ExprKind::Var(name) => return Some((name, expr.span)),
                ExprKind::Index { base, .. } | ExprKind::Field { base, .. } => expr = base,
                ExprKind::Paren(inner) => expr = inner,
                _ => return None,
            }
        }
    }
}
