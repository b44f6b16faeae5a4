//! After an error: skipping to a place where a statement can start again.

use super::Parser;
use crate::precedence;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Skips the rest of a statement that went wrong: to behind its `;`, or to the `}` of the block it stands in, or to a
    /// line that looks like a new statement although brackets are still open. What is skipped is not checked.
    pub(super) fn synchronize(&mut self) {
        self.findings.set_muted(true);
        let (brackets, braces) = self.base;
        while !self.is(TokenKind::EndOfFile) {
            let open = self.lexer.open_brackets();
            if self.current.starts_line && open.1 == braces && self.looks_like_statement() {
                self.lexer.forget_brackets(brackets);
                break;
            }
            match self.current.kind {
                TokenKind::Semicolon if open.0 <= brackets => {
                    // What follows is read in earnest again.
                    self.findings.set_muted(false);
                    self.advance();
                    return;
                }
                TokenKind::RightBrace if open.0 < brackets => break,
                kind if kind.is_quote() => {
                    // What is wrong in a skipped string is skipped with it.
                    let _ = self.expect_string();
                }
                _ => {
                    self.advance();
                }
            }
        }
        self.findings.set_muted(false);
    }

    /// True when the current token, the first of its line, starts a statement and could hardly stand in an expression.
    fn looks_like_statement(&mut self) -> bool {
        match self.current.kind {
            TokenKind::If
            | TokenKind::While
            | TokenKind::For
            | TokenKind::Foreach
            | TokenKind::Switch
            | TokenKind::Try
            | TokenKind::Throw
            | TokenKind::Return
            | TokenKind::Break
            | TokenKind::Continue
            | TokenKind::Use
            | TokenKind::Struct
            | TokenKind::Const => true,
            TokenKind::Function | TokenKind::Fn => self.peek(1) == TokenKind::Identifier,
            TokenKind::Variable => precedence::assignment(self.peek(1)).is_some(),
            _ => false,
        }
    }
}
