//! The operator table: spelling, binding power and associativity of every operator, in one place.

use crate::token::TokenKind;
use crate::tree::{BinaryOp, Expr, ExprKind, LogicalOp, UnaryOp};
use source::Span;

/// An operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Infix {
    token: TokenKind,
    /// Higher binds tighter.
    pub(crate) level: u8,
    /// True when `a op b op c` means `a op (b op c)`.
    pub(crate) is_right: bool,
    meaning: Meaning,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Binary(BinaryOp),
    Logical(LogicalOp),
}

const fn binary(token: TokenKind, level: u8, op: BinaryOp) -> Infix {
    Infix { token, level, is_right: false, meaning: Meaning::Binary(op) }
}

const fn logical(token: TokenKind, level: u8, op: LogicalOp) -> Infix {
    Infix { token, level, is_right: false, meaning: Meaning::Logical(op) }
}

/// All infix operators, loosest first. Assignment and `?:` bind looser than any of them; the prefix operators and the
/// postfix forms bind tighter.
const INFIX: [Infix; 22] = [
    logical(TokenKind::Coalesce, 1, LogicalOp::Coalesce),
    logical(TokenKind::OrOr, 2, LogicalOp::Or),
    logical(TokenKind::AndAnd, 3, LogicalOp::And),
    binary(TokenKind::Or, 4, BinaryOp::BitOr),
    binary(TokenKind::Xor, 5, BinaryOp::BitXor),
    binary(TokenKind::And, 6, BinaryOp::BitAnd),
    binary(TokenKind::Equal, 7, BinaryOp::Eq),
    binary(TokenKind::NotEqual, 7, BinaryOp::Ne),
    binary(TokenKind::Compare, 8, BinaryOp::Compare),
    binary(TokenKind::Less, 8, BinaryOp::Lt),
    binary(TokenKind::LessEqual, 8, BinaryOp::Le),
    binary(TokenKind::Greater, 8, BinaryOp::Gt),
    binary(TokenKind::GreaterEqual, 8, BinaryOp::Ge),
    binary(TokenKind::ShiftLeft, 9, BinaryOp::Shl),
    binary(TokenKind::ShiftRight, 9, BinaryOp::Shr),
    binary(TokenKind::Dot, 10, BinaryOp::Concat),
    binary(TokenKind::Plus, 11, BinaryOp::Add),
    binary(TokenKind::Minus, 11, BinaryOp::Sub),
    binary(TokenKind::Star, 12, BinaryOp::Mul),
    binary(TokenKind::Slash, 12, BinaryOp::Div),
    binary(TokenKind::Percent, 12, BinaryOp::Mod),
    Infix { token: TokenKind::StarStar, level: 13, is_right: true, meaning: Meaning::Binary(BinaryOp::Pow) },
];

/// The assignment operators; `=` has no operator of its own.
const ASSIGN: [(TokenKind, Option<BinaryOp>); 10] = [
    (TokenKind::Assign, None),
    (TokenKind::PlusAssign, Some(BinaryOp::Add)),
    (TokenKind::MinusAssign, Some(BinaryOp::Sub)),
    (TokenKind::StarAssign, Some(BinaryOp::Mul)),
    (TokenKind::SlashAssign, Some(BinaryOp::Div)),
    (TokenKind::PercentAssign, Some(BinaryOp::Mod)),
    (TokenKind::DotAssign, Some(BinaryOp::Concat)),
    (TokenKind::AndAssign, Some(BinaryOp::BitAnd)),
    (TokenKind::OrAssign, Some(BinaryOp::BitOr)),
    (TokenKind::XorAssign, Some(BinaryOp::BitXor)),
];

/// The prefix operators that leave their operand alone.
const PREFIX: [(TokenKind, UnaryOp); 3] =
    [(TokenKind::Minus, UnaryOp::Neg), (TokenKind::Not, UnaryOp::Not), (TokenKind::Tilde, UnaryOp::BitNot)];

/// The infix operator that `token` is.
pub(crate) fn infix(token: TokenKind) -> Option<Infix> {
    INFIX.iter().find(|row| row.token == token).copied()
}

/// The assignment that `token` is: `Some(None)` for `=`, `Some(Some(op))` for `op=`.
pub(crate) fn assignment(token: TokenKind) -> Option<Option<BinaryOp>> {
    ASSIGN.iter().find(|row| row.0 == token).map(|row| row.1)
}

/// The prefix operator that `token` is.
pub(crate) fn prefix(token: TokenKind) -> Option<UnaryOp> {
    PREFIX.iter().find(|row| row.0 == token).map(|row| row.1)
}

impl Infix {
    /// True when this operator, standing on the left, takes the operand that `next` stands behind.
    pub(crate) fn binds_before(self, next: Infix) -> bool {
        self.level > next.level || (self.level == next.level && !self.is_right)
    }

    /// The tree of `left op right`.
    pub(crate) fn join(self, left: Expr, right: Expr) -> Expr {
        let span: Span = left.span.to(right.span);
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = match self.meaning {
            Meaning::Binary(op) => ExprKind::Binary { op, left, right },
            Meaning::Logical(op) => ExprKind::Logical { op, left, right },
        };
        Expr { kind, span }
    }
}

/// The spelling of the table row that `matches`, without the quotes of its name.
fn spelling(token: Option<TokenKind>) -> &'static str {
    token.map_or("", |token| token.name().trim_matches('\''))
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn spelling(self) -> &'static str {
        spelling(INFIX.iter().find(|row| row.meaning == Meaning::Binary(self)).map(|row| row.token))
    }
}

impl LogicalOp {
    /// The operator as it is written.
    pub fn spelling(self) -> &'static str {
        spelling(INFIX.iter().find(|row| row.meaning == Meaning::Logical(self)).map(|row| row.token))
    }
}

impl UnaryOp {
    /// The operator as it is written.
    pub fn spelling(self) -> &'static str {
        spelling(PREFIX.iter().find(|row| row.1 == self).map(|row| row.0))
    }
}
