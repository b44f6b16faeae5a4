//! Expressions: assignment, `?:`, operators by precedence, prefix, postfix, and what stands at the leaves.
//!
//! Recursion happens only where brackets nest, where an assignment's value or a `?:` branch is read, and in closures; all
//! of these pass [`Parser::nested`]. Chains of operators are read in loops.

use super::{MAX_CHAIN, MAX_NESTING, MAX_TREE_HEIGHT, Parse, Parser};
use crate::error::{Problem, Reported, SyntaxError};
use crate::precedence::{self, Infix};
use crate::token::TokenKind;
use crate::tree::{BinaryOp, Expr, ExprKind, Ident, UnaryOp};
use source::Span;

/// A prefix operator that waits for its operand.
enum Prefix {
    Unary(UnaryOp),
    Step(i64),
}

impl Parser<'_> {
    /// Parses an expression.
    pub(super) fn expect_expression(&mut self) -> Parse<Expr> {
        let start = self.current.span;
        let outer = std::mem::take(&mut self.level);
        let result = self.nested(Self::expect_assignment);
        let height = self.level.height();
        self.level = outer;
        if result.is_ok() {
            if height > MAX_TREE_HEIGHT {
                return Err(self.fail(SyntaxError::new(start, Problem::ChainTooLong(MAX_CHAIN))));
            }
            self.level.tallest = self.level.tallest.max(height);
        }
        result
    }

    /// Parses something inside the current expression, if it is not too deep.
    fn nested<T>(&mut self, parse: fn(&mut Self) -> Parse<T>) -> Parse<T> {
        // The outermost expression is not nested in anything.
        if self.expression_depth > MAX_NESTING {
            return Err(self.fail_too_deep());
        }
        self.expression_depth += 1;
        let result = parse(self);
        self.expression_depth -= 1;
        result
    }

    #[cold]
    fn fail_too_deep(&mut self) -> Reported {
        self.fail(SyntaxError::new(self.current.span, Problem::ExpressionTooDeep(MAX_NESTING)))
    }

    fn expect_assignment(&mut self) -> Parse<Expr> {
        let target = self.expect_ternary()?;
        match precedence::assignment(self.current.kind) {
            Some(op) => self.expect_value_of(target, op),
            None => Ok(target),
        }
    }

    /// Parses the rest of `target op= value` from the operator on.
    fn expect_value_of(&mut self, target: Expr, op: Option<BinaryOp>) -> Parse<Expr> {
        let is_place = self.check_place(&target);
        self.advance();
        let value = self.expect_expression()?;
        let span = target.span.to(value.span);
        let kind = match is_place {
            true => ExprKind::Assign { target: Box::new(target), op, value: Box::new(value) },
            false => ExprKind::Error,
        };
        Ok(Expr { kind, span })
    }

    /// Reports an error when `target` cannot be written to.
    fn check_place(&mut self, target: &Expr) -> bool {
        let mut root = target;
        while let ExprKind::Index { base, .. } | ExprKind::Field { base, .. } = &root.kind {
            root = base;
        }
        let problem = match &root.kind {
            ExprKind::Var(_) => return true,
            ExprKind::Name(name) => Problem::ConstantTarget(name.to_string()),
            ExprKind::Call { .. } => Problem::InvalidTarget("the result of a call"),
            ExprKind::Paren(_) => Problem::InvalidTarget("an expression in parentheses"),
            ExprKind::Unary { .. } | ExprKind::Binary { .. } | ExprKind::Logical { .. } | ExprKind::Ternary { .. } => {
                Problem::InvalidTarget("the result of an operator")
            }
            _ => Problem::InvalidTarget("this value"),
        };
        let hint = match &root.kind {
            ExprKind::Name(name) => Some(format!("a variable starts with '$': ${name}")),
            ExprKind::Logical { .. } | ExprKind::Ternary { .. } | ExprKind::Unary { .. } => {
                Some("put the assignment into parentheses".to_owned())
            }
            _ => None,
        };
        self.findings.add(SyntaxError::new(target.span, problem).with_hint(hint));
        false
    }

    fn expect_ternary(&mut self) -> Parse<Expr> {
        let first = self.expect_binary()?;
        if self.is(TokenKind::Question) { self.expect_branches(first) } else { Ok(first) }
    }

    /// Parses `? then : otherwise` behind a condition, and the further ones that `otherwise` leads to.
    fn expect_branches(&mut self, first: Expr) -> Parse<Expr> {
        let mut cond = first;
        let mut decided = Vec::new();
        let mut result = loop {
            self.count_operator()?;
            let question = self.advance();
            if self.is(TokenKind::Colon) {
                let error = self.expected("an expression after '?'").with_hint(Some("'a ?? b' is b when a is null"));
                return Err(self.fail(error));
            }
            let then = self.nested(Self::expect_ternary)?;
            self.expect_branch_colon(question.span)?;
            decided.push((cond, then));
            let otherwise = self.expect_binary()?;
            if !self.is(TokenKind::Question) {
                break otherwise;
            }
            cond = otherwise;
        };
        for (cond, then) in decided.into_iter().rev() {
            let span = cond.span.to(result.span);
            let (cond, then, otherwise) = (Box::new(cond), Box::new(then), Box::new(result));
            result = Expr { kind: ExprKind::Ternary { cond, then, otherwise }, span };
        }
        Ok(result)
    }

    /// Consumes the `:` between the two values of a `?:`, also one that a line end has cut off.
    fn expect_branch_colon(&mut self, question: Span) -> Parse<()> {
        if self.maybe(TokenKind::Colon).is_some() {
            return Ok(());
        }
        let is_assignment = precedence::assignment(self.current.kind).is_some();
        let hint = match is_assignment {
            true => "put the assignment into parentheses",
            false => "in a '?:' over several lines the ':' stands at the end of a line",
        };
        let error = self.expected("':' and the other value").with_opened(question).with_hint(Some(hint));
        let reported = self.fail(error);
        if self.current.is_supplied() && self.peek(1) == TokenKind::Colon {
            self.advance();
            self.advance();
            return Ok(());
        }
        Err(reported)
    }

    /// Parses operands with infix operators between them. Operators that wait for their right side are kept in a list, so
    /// that precedence costs no recursion.
    fn expect_binary(&mut self) -> Parse<Expr> {
        let mut waiting: Vec<(Expr, Infix)> = Vec::new();
        let mut operand = self.expect_unary()?;
        loop {
            let next = precedence::infix(self.current.kind);
            while let Some((left, op)) = waiting.pop_if(|(_, op)| next.is_none_or(|next| op.binds_before(next))) {
                operand = op.join(left, operand);
            }
            let Some(op) = next else { break };
            self.count_operator()?;
            self.advance();
            waiting.push((operand, op));
            operand = self.expect_unary()?;
        }
        if self.current.kind.foreign_hint().is_some() {
            let error = self.unexpected();
            return Err(self.fail(error));
        }
        Ok(operand)
    }

    fn count_operator(&mut self) -> Parse<()> {
        self.level.operators += 1;
        if self.level.operators > MAX_CHAIN { Err(self.fail_too_long()) } else { Ok(()) }
    }

    #[cold]
    fn fail_too_long(&mut self) -> Reported {
        self.fail(SyntaxError::new(self.current.span, Problem::ChainTooLong(MAX_CHAIN)))
    }

    /// Parses prefix operators and their operand.
    fn expect_unary(&mut self) -> Parse<Expr> {
        match self.current.kind {
            TokenKind::Minus
            | TokenKind::Not
            | TokenKind::Tilde
            | TokenKind::PlusPlus
            | TokenKind::MinusMinus
            | TokenKind::Plus => self.expect_prefixed(),
            _ => self.expect_postfix(),
        }
    }

    fn expect_prefixed(&mut self) -> Parse<Expr> {
        let mut prefixes: Vec<(Prefix, Span)> = Vec::new();
        let mut operand = loop {
            let prefix = match (self.current.kind, precedence::prefix(self.current.kind)) {
                (_, Some(op)) => Prefix::Unary(op),
                (TokenKind::PlusPlus, _) => Prefix::Step(1),
                (TokenKind::MinusMinus, _) => Prefix::Step(-1),
                (TokenKind::Plus, _) => {
                    let error = self.unexpected().with_hint(Some("there is no unary plus: leave it out"));
                    return Err(self.fail(error));
                }
                _ => break self.expect_postfix()?,
            };
            if prefixes.len() >= MAX_NESTING as usize {
                return Err(self.fail_too_deep());
            }
            let sign = self.advance();
            if matches!(prefix, Prefix::Unary(UnaryOp::Neg)) && self.is_min_magnitude(self.current) {
                let literal = self.advance();
                break Expr { kind: ExprKind::Int(i64::MIN), span: sign.span.to(literal.span) };
            }
            prefixes.push((prefix, sign.span));
        };
        self.level.prefix = self.level.prefix.max(prefixes.len() as u32);
        for (prefix, start) in prefixes.into_iter().rev() {
            let span = start.to(operand.span);
            let kind = match prefix {
                Prefix::Unary(op) => ExprKind::Unary { op, operand: Box::new(operand) },
                Prefix::Step(delta) if self.check_place(&operand) => {
                    ExprKind::Step { target: Box::new(operand), delta, prefix: true }
                }
                Prefix::Step(_) => ExprKind::Error,
            };
            operand = Expr { kind, span };
        }
        Ok(operand)
    }

    /// Parses a value with the accesses and calls that follow it.
    fn expect_postfix(&mut self) -> Parse<Expr> {
        let mut expr = self.expect_primary()?;
        let mut length = 0;
        loop {
            expr = match self.current.kind {
                TokenKind::LeftParen if is_callable(&expr) => self.expect_call(expr)?,
                TokenKind::LeftBracket => self.expect_index(expr)?,
                TokenKind::Dot if is_container(&expr) => {
                    if self.is_interpolating() && self.text_follows_dot(|byte| byte.is_ascii_digit()) {
                        // `{$list.1}` looks like a path and would be a concatenation; in a string it is text.
                        return Err(Reported);
                    }
                    if !self.is_member() {
                        break;
                    }
                    self.advance();
                    let name = self.expect_word("a field name")?;
                    let span = expr.span.to(name.span);
                    Expr { kind: ExprKind::Field { base: Box::new(expr), name }, span }
                }
                TokenKind::PlusPlus | TokenKind::MinusMinus => {
                    expr = self.step(expr);
                    break;
                }
                _ => break,
            };
            length += 1;
            if length > MAX_CHAIN {
                return Err(self.fail_too_long());
            }
        }
        self.level.postfix = self.level.postfix.max(length);
        Ok(expr)
    }

    /// At a `.` behind a container: true when a field follows. A call or a path is a value to append.
    fn is_member(&mut self) -> bool {
        self.peek(1).is_word() && !matches!(self.peek(2), TokenKind::LeftParen | TokenKind::PathSeparator)
    }

    /// At a `.`: true when the very next byte is like this.
    fn text_follows_dot(&self, is_like: fn(u8) -> bool) -> bool {
        self.lexer.text().as_bytes().get(self.current.span.end as usize).is_some_and(|byte| is_like(*byte))
    }

    fn step(&mut self, target: Expr) -> Expr {
        let is_place = self.check_place(&target);
        let sign = self.advance();
        let span = target.span.to(sign.span);
        let delta = if sign.kind == TokenKind::PlusPlus { 1 } else { -1 };
        let kind = match is_place {
            true => ExprKind::Step { target: Box::new(target), delta, prefix: false },
            false => ExprKind::Error,
        };
        Expr { kind, span }
    }

    fn expect_call(&mut self, callee: Expr) -> Parse<Expr> {
        let opened = self.advance().span;
        let mut args = Vec::new();
        while !self.is(TokenKind::RightParen) {
            args.push(self.expect_expression()?);
            if self.maybe(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect_closing(TokenKind::RightParen, "',' or ')' after the argument", opened)?;
        let span = self.span_from(callee.span);
        Ok(Expr { kind: ExprKind::Call { callee: Box::new(callee), args }, span })
    }

    fn expect_index(&mut self, base: Expr) -> Parse<Expr> {
        let opened = self.advance().span;
        if self.is(TokenKind::RightBracket) {
            let is_append = precedence::assignment(self.peek(1)).is_some();
            let hint = is_append.then(|| format!("to append, write push({}, …)", self.slice(base.span)));
            let end = self.current.span;
            return Err(self.fail(SyntaxError::new(opened.to(end), Problem::EmptyIndex).with_hint(hint)));
        }
        let index = self.expect_expression()?;
        self.expect_closing(TokenKind::RightBracket, "']' after the index", opened)?;
        let span = self.span_from(base.span);
        Ok(Expr { kind: ExprKind::Index { base: Box::new(base), index: Box::new(index) }, span })
    }

    fn expect_primary(&mut self) -> Parse<Expr> {
        let token = self.current;
        let kind = match token.kind {
            TokenKind::Variable => ExprKind::Var(self.ident(token).name),
            TokenKind::Int | TokenKind::Float => self.number(token),
            TokenKind::Null => ExprKind::Null,
            TokenKind::True => ExprKind::Bool(true),
            TokenKind::False => ExprKind::Bool(false),
            TokenKind::Iota => ExprKind::Iota,
            TokenKind::Identifier => return self.expect_named(),
            TokenKind::DoubleQuote | TokenKind::SingleQuote | TokenKind::Backtick => return self.expect_string(),
            TokenKind::LeftParen => return self.expect_paren(),
            TokenKind::LeftBracket => return self.expect_array(),
            TokenKind::Function | TokenKind::Fn => return self.expect_closure(),
            TokenKind::Print | TokenKind::Write => return self.expect_output(),
            _ => return Err(self.fail_no_expression()),
        };
        self.advance();
        Ok(Expr { kind, span: token.span })
    }

    #[cold]
    fn fail_no_expression(&mut self) -> Reported {
        let problem = match self.current.kind {
            TokenKind::And => Some(Problem::NoReference),
            TokenKind::Ellipsis => Some(Problem::NoSpread),
            _ => None,
        };
        if let Some(problem) = problem {
            return self.fail(SyntaxError::new(self.current.span, problem));
        }
        let hint = match self.current.kind {
            TokenKind::Dot => Some("a blank line ends a statement: continue it on the very next line"),
            TokenKind::LeftBrace => Some("an array is written [ … ]"),
            TokenKind::Global => Some("functions read top-level variables without a declaration"),
            _ => None,
        };
        let error = self.expected("an expression").with_hint(hint);
        self.fail(error)
    }

    /// Parses what starts with a bare name: the name, `module::name` or a struct literal.
    fn expect_named(&mut self) -> Parse<Expr> {
        let token = self.advance();
        let name = self.ident(token);
        match self.current.kind {
            TokenKind::PathSeparator => {
                self.advance();
                let member = self.expect_word("a name after '::'")?;
                let span = name.span.to(member.span);
                Ok(Expr { kind: ExprKind::Path { module: name, name: member }, span })
            }
            TokenKind::LeftBrace => self.expect_struct_literal(name),
            _ => Ok(Expr { kind: ExprKind::Name(name.name), span: name.span }),
        }
    }

    fn expect_struct_literal(&mut self, name: Ident) -> Parse<Expr> {
        let opened = self.advance().span;
        let mut fields = Vec::new();
        while self.maybe_item(fields.is_empty(), "',' or '}' after the field")? {
            let field = self.expect_word("a field name")?;
            if !self.is(TokenKind::Colon) {
                let is_other = matches!(self.current.kind, TokenKind::Assign | TokenKind::FatArrow);
                let hint = is_other.then(|| format!("write '{}: value'", field.name));
                let error = self.expected("':' after the field name").with_hint(hint);
                return Err(self.fail(error));
            }
            self.advance();
            fields.push((field, self.expect_expression()?));
        }
        self.expect_closing(TokenKind::RightBrace, "'}' after the fields", opened)?;
        let span = self.span_from(name.span);
        Ok(Expr { kind: ExprKind::StructLit { name, fields }, span })
    }

    fn expect_paren(&mut self) -> Parse<Expr> {
        let opened = self.advance().span;
        if self.is(TokenKind::RightParen) {
            let end = self.current.span;
            return Err(self.fail(SyntaxError::new(opened.to(end), Problem::EmptyParentheses)));
        }
        let inner = self.expect_expression()?;
        self.expect_closing(TokenKind::RightParen, "')'", opened)?;
        Ok(Expr { kind: ExprKind::Paren(Box::new(inner)), span: self.span_from(opened) })
    }

    fn expect_array(&mut self) -> Parse<Expr> {
        let opened = self.advance().span;
        if self.maybe(TokenKind::RightBracket).is_some() {
            return Ok(Expr { kind: ExprKind::List(Vec::new()), span: self.span_from(opened) });
        }
        let first = self.expect_expression()?;
        let kind = if self.is(TokenKind::FatArrow) {
            ExprKind::Map(self.expect_map_entries(first)?)
        } else {
            ExprKind::List(self.expect_list_entries(first)?)
        };
        self.expect_closing(TokenKind::RightBracket, "',' or ']' after the entry", opened)?;
        Ok(Expr { kind, span: self.span_from(opened) })
    }

    fn expect_list_entries(&mut self, first: Expr) -> Parse<Vec<Expr>> {
        let mut items = vec![first];
        while self.maybe(TokenKind::Comma).is_some() && !self.is(TokenKind::RightBracket) {
            items.push(self.expect_expression()?);
            if self.is(TokenKind::FatArrow) {
                let problem = Problem::MixedEntries { first_has_key: false };
                return Err(self.fail(SyntaxError::new(self.current.span, problem)));
            }
        }
        Ok(items)
    }

    /// Parses the entries of a map from the `=>` of the first one on.
    fn expect_map_entries(&mut self, first: Expr) -> Parse<Vec<(Expr, Expr)>> {
        self.advance();
        let mut entries = vec![(first, self.expect_expression()?)];
        while self.maybe(TokenKind::Comma).is_some() && !self.is(TokenKind::RightBracket) {
            let key = self.expect_expression()?;
            if self.maybe(TokenKind::FatArrow).is_none() {
                let is_entry = matches!(self.current.kind, TokenKind::Comma | TokenKind::RightBracket);
                let error = match is_entry {
                    true => SyntaxError::new(key.span, Problem::MixedEntries { first_has_key: true }),
                    false => self.expected("'=>' after the key"),
                };
                return Err(self.fail(error));
            }
            entries.push((key, self.expect_expression()?));
        }
        Ok(entries)
    }

    /// Parses `print` or `write`, which are names that must be called.
    fn expect_output(&mut self) -> Parse<Expr> {
        let token = self.advance();
        let name = self.ident(token);
        if !self.is(TokenKind::LeftParen) {
            let what = if token.kind == TokenKind::Print { "'(' after print" } else { "'(' after write" };
            let error = self.expected(what).with_hint(Some(format!("write {}(…)", name.name)));
            return Err(self.fail(error));
        }
        Ok(Expr { kind: ExprKind::Name(name.name), span: name.span })
    }
}

/// True when `.name` behind this is a field of it.
fn is_container(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Var(_) | ExprKind::Index { .. } | ExprKind::Field { .. } | ExprKind::Call { .. })
}

/// True when `(` behind this calls it.
fn is_callable(expr: &Expr) -> bool {
    !matches!(
        expr.kind,
        ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Interpolation(_)
            | ExprKind::Iota
            | ExprKind::List(_)
            | ExprKind::Map(_)
            | ExprKind::StructLit { .. }
            | ExprKind::Error
    )
}
