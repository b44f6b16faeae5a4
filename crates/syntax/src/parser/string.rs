//! Strings and the expressions in them.
//!
//! Whether `{…}` is an expression or text is settled by trying: what does not parse as one whole expression up to its `}`
//! is text. So a quote inside the braces belongs to the expression exactly when there is one.

use super::{MAX_STRING_NESTING, Parse, Parser};
use crate::error::{Problem, Reported, SyntaxError};
use crate::lexer::{Piece, StringForm};
use crate::token::TokenKind;
use crate::tree::{Expr, ExprKind, StrPart};
use source::Span;

impl Parser<'_> {
    /// Parses the string whose opening quote is the current token.
    pub(super) fn expect_string(&mut self) -> Parse<Expr> {
        let open = self.current.span;
        let Some(form) = StringForm::of(self.current.kind) else {
            return Err(self.fail_expected("a string", None));
        };
        let mut parts = Vec::new();
        let mut text = Vec::new();
        loop {
            match self.lexer.string_piece(form, open, &mut text, &mut self.findings) {
                Some(Piece::End) => break,
                Some(Piece::Brace) => match self.parse_interpolation(form)? {
                    Some(part) => {
                        if !text.is_empty() {
                            parts.push(StrPart::Text(text.as_slice().into()));
                            text.clear();
                        }
                        parts.push(part);
                    }
                    None => self.lexer.pass_brace(&mut text),
                },
                None => {
                    self.advance();
                    return Err(Reported);
                }
            }
        }
        let span = self.lexer.end_string(open);
        self.advance();
        self.previous = span;
        if parts.is_empty() {
            return Ok(Expr { kind: ExprKind::Str(text.into()), span });
        }
        if !text.is_empty() {
            parts.push(StrPart::Text(text.into()));
        }
        Ok(Expr { kind: ExprKind::Interpolation(parts), span })
    }

    /// Parses `{…}` in a string. When it is no expression the lexer is back at the `{`, and nothing has happened.
    fn parse_interpolation(&mut self, form: StringForm) -> Parse<Option<StrPart>> {
        let lexer = self.lexer.mark();
        let findings = self.findings.mark();
        self.lexer.enter_interpolation();
        self.string_depth += 1;
        self.current = self.lexer.next(&mut self.findings);
        let open = self.current.span;
        let found = if self.string_depth > MAX_STRING_NESTING {
            self.findings.add_fatal(SyntaxError::new(open, Problem::InterpolationTooDeep(MAX_STRING_NESTING)));
            Err(Reported)
        } else {
            self.expect_interpolated(form)
        };
        self.string_depth -= 1;
        if let Ok(expr) = found
            && !self.findings.has_errors_since(findings)
        {
            let end = self.current.span.end;
            let written = self.slice(Span::new(lexer.offset(), end));
            let literal = form.unescape(written).into();
            self.lexer.leave_interpolation(end);
            return Ok(Some(StrPart::Expr { expr: Box::new(expr), literal }));
        }
        let wasted = self.lexer.reset(lexer);
        self.ahead.clear();
        if !self.findings.is_fatal() {
            self.findings.reset(findings);
            match self.patience.checked_sub(wasted) {
                Some(rest) => self.patience = rest,
                None => self.findings.add_fatal(SyntaxError::new(open, Problem::TooManyUnfinished)),
            }
        }
        if self.findings.is_fatal() {
            self.lexer.stop();
            self.advance();
            return Err(Reported);
        }
        Ok(None)
    }

    /// Parses the expression of an interpolation and leaves the closing `}` as the current token.
    fn expect_interpolated(&mut self, form: StringForm) -> Parse<Expr> {
        let start = self.current.span;
        // A quote of the enclosing string may only stand behind what surely is code. Text such as `"{a: " . $x . "}"`
        // and style sheets such as `"{p{color:red}}"` must stay text.
        let may_hold_quote = match self.current.kind {
            TokenKind::Variable => true,
            TokenKind::Identifier => match self.peek(1) {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::PathSeparator => true,
                TokenKind::LeftBrace => return Err(Reported),
                _ => false,
            },
            _ => false,
        };
        let expr = self.expect_expression()?;
        let written = self.slice(self.span_from(start));
        if !self.is(TokenKind::RightBrace) || (!may_hold_quote && written.as_bytes().contains(&form.quote())) {
            return Err(Reported);
        }
        Ok(expr)
    }

    /// True while reading an expression inside a string.
    pub(super) fn is_interpolating(&self) -> bool {
        self.string_depth > 0
    }
}
