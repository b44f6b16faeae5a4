//! Functions: declarations, closures, arrow functions, parameters and `use (…)`.

use super::{Parse, Parser};
use crate::error::{Problem, SyntaxError};
use crate::token::TokenKind;
use crate::tree::{Expr, ExprKind, Function, FunctionBody, Ident, Param, StmtKind};
use std::rc::Rc;

impl Parser<'_> {
    /// Parses `function name(…) {…}` from the keyword on.
    pub(super) fn expect_declaration(&mut self) -> Parse<StmtKind> {
        let start = self.advance().span;
        let name = self.expect_name("a function name")?;
        let params = self.expect_params()?;
        let body = FunctionBody::Block(self.expect_block("'{' and the body of the function")?);
        let span = self.span_from(start);
        Ok(StmtKind::Function(Rc::new(Function { name: Some(name), params, uses: None, body, span })))
    }

    /// Parses a closure or an arrow function from the keyword on.
    pub(super) fn expect_closure(&mut self) -> Parse<Expr> {
        let start = self.advance().span;
        if self.is(TokenKind::Identifier) {
            let hint = "a function with a name is a statement of its own; pass it by its name";
            let error = self.expected("'(' after function").with_hint(Some(hint));
            return Err(self.fail(error));
        }
        let params = self.expect_params()?;
        let uses = self.parse_uses()?;
        let body = if self.maybe(TokenKind::FatArrow).is_some() {
            FunctionBody::Expr(self.expect_expression()?)
        } else {
            FunctionBody::Block(self.expect_block("'{' or '=>' and the body of the closure")?)
        };
        let span = self.span_from(start);
        let function = Function { name: None, params, uses, body, span };
        Ok(Expr { kind: ExprKind::Closure(Rc::new(function)), span })
    }

    fn expect_params(&mut self) -> Parse<Vec<Param>> {
        let opened = self.expect(TokenKind::LeftParen, "'(' before the parameters")?.span;
        let mut params: Vec<Param> = Vec::new();
        while !self.is(TokenKind::RightParen) {
            if params.last().is_some_and(|last| last.is_rest) {
                let last = params.last().map_or(opened, |last| last.name.span);
                return Err(self.fail(SyntaxError::new(last, Problem::RestNotLast)));
            }
            params.push(self.expect_param()?);
            if self.maybe(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect_closing(TokenKind::RightParen, "',' or ')' after the parameter", opened)?;
        Ok(params)
    }

    fn expect_param(&mut self) -> Parse<Param> {
        let is_rest = self.maybe(TokenKind::Ellipsis).is_some();
        if self.current.kind.is_word() && self.peek(1) == TokenKind::Variable {
            let error = self.expected("a parameter such as $name").with_hint(Some("parameters have no types"));
            return Err(self.fail(error));
        }
        let name = self.expect_variable("a parameter such as $name")?;
        let default = match self.is(TokenKind::Assign) && !is_rest {
            true => {
                self.advance();
                Some(self.expect_expression()?)
            }
            false => None,
        };
        Ok(Param { name, default, is_rest })
    }

    /// Parses `use ($a, $b)`, if it is there.
    fn parse_uses(&mut self) -> Parse<Option<Vec<Ident>>> {
        if self.maybe(TokenKind::Use).is_none() {
            return Ok(None);
        }
        let opened = self.expect(TokenKind::LeftParen, "'(' after use")?.span;
        let mut names = Vec::new();
        while !self.is(TokenKind::RightParen) {
            names.push(self.expect_variable("a variable to capture")?);
            if self.maybe(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect_closing(TokenKind::RightParen, "',' or ')' after the captured variable", opened)?;
        Ok(Some(names))
    }
}
