//! Declarations without code: `struct`, `const` and `use`.

use super::{Parse, Parser};
use crate::error::{Problem, SyntaxError};
use crate::token::TokenKind;
use crate::tree::{ConstItem, Expr, ExprKind, Ident, StmtKind, StructDecl, StructField};
use std::rc::Rc;

impl Parser<'_> {
    /// Parses `struct Name {…}` from the keyword on.
    pub(super) fn expect_struct(&mut self) -> Parse<StmtKind> {
        let start = self.advance().span;
        let name = self.expect_name("a struct name")?;
        if self.is_nested() {
            self.report(name.span, Problem::StructNotAtTop(name.name.to_string()));
        }
        if self.current.is_supplied() {
            self.advance();
        }
        let opened = self.expect(TokenKind::LeftBrace, "'{' after the struct name")?.span;
        let mut fields = Vec::new();
        while self.maybe_item(fields.is_empty(), "',' or '}' after the field")? {
            fields.push(self.expect_field(&name)?);
        }
        self.expect_closing(TokenKind::RightBrace, "'}' after the fields", opened)?;
        let span = self.span_from(start);
        Ok(StmtKind::Struct(StructDecl { name, fields, span }))
    }

    /// Parses `name type`, `name ?type`, `name type = default`.
    fn expect_field(&mut self, owner: &Ident) -> Parse<StructField> {
        let name = self.expect_word("a field name")?;
        if self.is(TokenKind::Colon) {
            return self.expect_old_field(owner, name);
        }
        let is_missing = self.current.starts_line
            || matches!(
                self.current.kind,
                TokenKind::Comma | TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::Assign
            );
        if is_missing {
            let problem = Problem::FieldNeedsType { owner: owner.name.to_string(), field: name.name.to_string() };
            self.report(name.span, problem);
        }
        let nullable = !is_missing && self.maybe(TokenKind::Question).is_some();
        let ty = if is_missing { name.clone() } else { self.expect_word("a type")? };
        let default = match self.maybe(TokenKind::Assign) {
            Some(_) => Some(self.expect_expression()?),
            None => None,
        };
        Ok(StructField { name, nullable, ty, default })
    }

    /// Reports `name: default` and passes it.
    fn expect_old_field(&mut self, owner: &Ident, name: Ident) -> Parse<StructField> {
        self.advance();
        let default = self.expect_expression()?;
        let problem = Problem::FieldInOldForm { owner: owner.name.to_string(), field: name.name.to_string() };
        let hint = format!("write '{} {} = {}'", name.name, likely_type(&default), self.slice(default.span));
        let error = SyntaxError::new(name.span.to(default.span), problem).with_hint(Some(hint));
        self.findings.add(error);
        Ok(StructField { ty: name.clone(), name, nullable: false, default: Some(default) })
    }

    /// Parses `const {…}` from the keyword on.
    pub(super) fn expect_const(&mut self) -> Parse<StmtKind> {
        self.advance();
        if !self.is(TokenKind::LeftBrace) {
            let word = self.slice(self.current.span);
            let hint = self.is(TokenKind::Identifier).then(|| format!("write const {{ {word} = … }}"));
            let error = self.expected("'{' after const").with_hint(hint);
            return Err(self.fail(error));
        }
        let opened = self.advance().span;
        let mut items = Vec::new();
        while self.maybe_item(items.is_empty(), "',' or '}' after the constant")? {
            let name = self.expect_name("a constant name")?;
            let value = match self.maybe(TokenKind::Assign) {
                Some(_) => Some(self.expect_expression()?),
                None => None,
            };
            items.push(ConstItem { name, value });
        }
        self.expect_closing(TokenKind::RightBrace, "'}' after the constants", opened)?;
        Ok(StmtKind::Const(items))
    }

    /// Parses `use module`, `use module as name` or `use "file.lk"` from the keyword on.
    pub(super) fn expect_use(&mut self) -> Parse<StmtKind> {
        let start = self.advance().span;
        if self.is_nested() {
            self.report(start, Problem::UseNotAtTop);
        }
        if self.current.kind.is_quote() {
            let path = self.expect_string()?;
            let text = match &path.kind {
                ExprKind::Str(bytes) => std::str::from_utf8(bytes).ok().map(Rc::from),
                _ => None,
            };
            return Ok(text.map_or_else(
                || {
                    self.report(path.span, Problem::IncludeNotPlain);
                    StmtKind::Error
                },
                StmtKind::UseFile,
            ));
        }
        let module = self.expect_name("a module name or the path of a file in quotes")?;
        let alias = match self.maybe(TokenKind::As) {
            Some(_) => Some(self.expect_name("a name after 'as'")?),
            None => None,
        };
        Ok(StmtKind::UseModule { module, alias })
    }
}

/// The type that a default value suggests.
fn likely_type(default: &Expr) -> &'static str {
    match default.peeled().kind {
        ExprKind::Int(_) => "int",
        ExprKind::Float(_) => "float",
        ExprKind::Str(_) | ExprKind::Interpolation(_) => "string",
        ExprKind::Bool(_) => "bool",
        ExprKind::List(_) => "array",
        ExprKind::Map(_) => "map",
        ExprKind::Closure(_) => "fn",
        _ => "any",
    }
}
