//! The values of number literals.

use super::Parser;
use crate::error::{Problem, SyntaxError};
use crate::token::{Token, TokenKind};
use crate::tree::ExprKind;

/// The magnitude of the smallest integer, which is no integer itself.
const MIN_MAGNITUDE: u64 = i64::MIN.unsigned_abs();

impl Parser<'_> {
    /// The value of an integer or float literal.
    pub(super) fn number(&mut self, token: Token) -> ExprKind {
        let digits = self.digits(token);
        if token.kind == TokenKind::Float {
            return ExprKind::Float(float(&digits));
        }
        let radix = match digits.as_bytes() {
            [b'0', b'x' | b'X', ..] => 16,
            [b'0', b'b' | b'B', ..] => 2,
            _ => 10,
        };
        if radix == 10 {
            return digits.parse().map_or_else(
                |_| {
                    self.report(token.span, Problem::IntegerBecomesFloat(shortened(&digits)));
                    ExprKind::Float(float(&digits))
                },
                ExprKind::Int,
            );
        }
        match u64::from_str_radix(digits.get(2..).unwrap_or_default(), radix) {
            Ok(bits) => ExprKind::Int(bits.cast_signed()),
            Err(_) => {
                let error = SyntaxError::new(token.span, Problem::NumberTooLarge(shortened(&digits)));
                self.findings.add(error);
                ExprKind::Error
            }
        }
    }

    /// True for the literal that is an integer only behind a minus.
    pub(super) fn is_min_magnitude(&self, token: Token) -> bool {
        token.kind == TokenKind::Int && self.digits(token).parse() == Ok(MIN_MAGNITUDE)
    }

    fn digits(&self, token: Token) -> String {
        self.slice(token.span).replace('_', "")
    }
}

/// The float nearest to a decimal literal, infinite when it is too large.
fn float(digits: &str) -> f64 {
    digits.parse().unwrap_or(f64::INFINITY)
}

/// A literal as messages show it.
fn shortened(digits: &str) -> String {
    const LONGEST: usize = 40;
    match digits.get(..LONGEST) {
        Some(start) if digits.len() > LONGEST => format!("{start}…"),
        _ => digits.to_owned(),
    }
}
