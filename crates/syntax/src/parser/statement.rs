//! Statements, and the lists of them that make a file, a block and a case.

use super::{MAX_NESTING, Parse, Parser};
use crate::error::{Problem, Reported, SyntaxError};
use crate::token::TokenKind;
use crate::tree::{Block, Case, Catch, Expr, Stmt, StmtKind};
use source::Span;

/// Where a statement list stands, which decides what may end it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Block,
    Case,
}

impl Parser<'_> {
    /// Parses the whole file.
    pub(super) fn file(&mut self) -> Vec<Stmt> {
        let mut statements = Vec::new();
        while self.parse_statements(List::Block, &mut statements).is_ok() && self.is(TokenKind::RightBrace) {
            let error = self.unexpected().with_hint(Some("there is no block that it could close"));
            self.fail(error);
            self.advance();
        }
        statements
    }

    /// Parses statements up to a token that can only end a list of them. After an error it goes on with the next
    /// statement; the error is handed on only when there is nothing more to read or nothing may be skipped.
    fn parse_statements(&mut self, list: List, statements: &mut Vec<Stmt>) -> Parse<()> {
        loop {
            while self.current.is_supplied() {
                self.advance();
            }
            match self.current.kind {
                TokenKind::EndOfFile | TokenKind::RightBrace => return Ok(()),
                TokenKind::Case | TokenKind::Default if list == List::Case => return Ok(()),
                _ => {}
            }
            let start = self.current.span;
            if let Ok(statement) = self.expect_statement() {
                statements.push(statement);
                continue;
            }
            if self.findings.is_stopped() || self.is_interpolating() {
                return Err(Reported);
            }
            self.synchronize();
            if self.current.span == start && !self.is(TokenKind::EndOfFile) {
                self.advance();
            }
            statements.push(Stmt { kind: StmtKind::Error, span: self.span_from(start) });
        }
    }

    fn expect_statement(&mut self) -> Parse<Stmt> {
        let start = self.current.span;
        let kind = self.expect_kind()?;
        let span = self.span_from(start);
        if needs_end(&kind) {
            if !self.at_end() {
                return Err(self.fail_no_end(start));
            }
            self.maybe(TokenKind::Semicolon);
        }
        Ok(Stmt { kind, span })
    }

    /// Parses a statement up to its `;`. The arms hand on the result as it is, which keeps this frame small: it stands on
    /// the stack once for every level of nesting.
    fn expect_kind(&mut self) -> Parse<StmtKind> {
        let kind = self.current.kind;
        match kind {
            TokenKind::Semicolon => self.word(StmtKind::Empty),
            TokenKind::If => self.expect_if(),
            TokenKind::While => self.expect_while(),
            TokenKind::For => self.expect_for(),
            TokenKind::Foreach => self.expect_foreach(),
            TokenKind::Switch => self.expect_switch(),
            TokenKind::Try => self.expect_try(),
            TokenKind::LeftBrace => self.expect_block("'{'").map(StmtKind::Block),
            TokenKind::Struct => self.expect_struct(),
            TokenKind::Const => self.expect_const(),
            TokenKind::Use => self.expect_use(),
            TokenKind::Function | TokenKind::Fn if self.peek(1).is_word() => self.expect_declaration(),
            TokenKind::Throw => self.expect_throw(),
            TokenKind::Return => self.expect_return(),
            TokenKind::Break => self.word(StmtKind::Break),
            TokenKind::Continue => self.word(StmtKind::Continue),
            TokenKind::Alias
            | TokenKind::Global
            | TokenKind::Else
            | TokenKind::Elseif
            | TokenKind::Catch
            | TokenKind::Finally
            | TokenKind::Case
            | TokenKind::Default
            | TokenKind::As => Err(self.fail_misplaced()),
            _ => self.expect_expression().map(StmtKind::Expr),
        }
    }

    /// Consumes a token that is a statement of its own.
    fn word(&mut self, kind: StmtKind) -> Parse<StmtKind> {
        self.advance();
        Ok(kind)
    }

    /// True where a statement may end.
    fn at_end(&self) -> bool {
        matches!(self.current.kind, TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::EndOfFile)
    }

    fn expect_return(&mut self) -> Parse<StmtKind> {
        self.advance();
        if self.at_end() { Ok(StmtKind::Return(None)) } else { Ok(StmtKind::Return(Some(self.expect_expression()?))) }
    }

    /// Reports that the statement that began at `start` goes on where it should end.
    #[cold]
    fn fail_no_end(&mut self, start: Span) -> Reported {
        let hint = [start, self.previous, self.current.span].into_iter().find_map(|span| habit_hint(self.slice(span)));
        let error = self.expected("';'").with_hint(hint);
        self.fail(error)
    }

    /// Reports a keyword that cannot start a statement.
    #[cold]
    fn fail_misplaced(&mut self) -> Reported {
        let word = self.slice(self.current.span);
        let hint = match self.current.kind {
            TokenKind::Global => {
                let problem = Problem::Reserved(word.to_owned());
                let hint = "functions read top-level variables without a declaration";
                return self.fail(SyntaxError::new(self.current.span, problem).with_hint(Some(hint)));
            }
            TokenKind::Alias => {
                return self.fail(SyntaxError::new(self.current.span, Problem::Reserved(word.to_owned())));
            }
            TokenKind::Else | TokenKind::Elseif => "it must follow the '}' of an 'if'",
            TokenKind::Catch | TokenKind::Finally => "it must follow the '}' of a 'try'",
            TokenKind::Case | TokenKind::Default => "it belongs directly into the braces of a 'switch'",
            _ => "it belongs into 'foreach ($list as $item)' or 'use module as name'",
        };
        let error = self.unexpected().with_hint(Some(hint));
        self.fail(error)
    }

    /// Parses `{…}`. The `;` that a line end before the brace stands for is passed.
    pub(super) fn expect_block(&mut self, what: &'static str) -> Parse<Block> {
        self.maybe_line_end_before_brace();
        let start = self.current.span;
        if !self.is(TokenKind::LeftBrace) {
            let error = self.expected(what).with_hint(Some("the braces are required"));
            return Err(self.fail(error));
        }
        let mut statements = Vec::new();
        self.expect_braces(&mut |parser| parser.parse_statements(List::Block, &mut statements))?;
        Ok(Block { statements, span: self.span_from(start) })
    }

    fn maybe_line_end_before_brace(&mut self) {
        if self.current.is_supplied() && self.peek(1) == TokenKind::LeftBrace {
            self.advance();
        }
    }

    /// Parses `{`, what `inside` parses, and `}`, as a scope of its own.
    fn expect_braces(&mut self, inside: &mut dyn FnMut(&mut Self) -> Parse<()>) -> Parse<()> {
        if self.statement_depth >= MAX_NESTING {
            let problem = Problem::StatementTooDeep(MAX_NESTING);
            return Err(self.fail(SyntaxError::new(self.current.span, problem)));
        }
        // The brace is the last token that was read, so it is the innermost open bracket.
        let outer = std::mem::replace(&mut self.base, self.lexer.open_brackets());
        let opened = self.advance().span;
        self.statement_depth += 1;
        let result = inside(self);
        self.statement_depth -= 1;
        self.base = outer;
        result?;
        self.expect_closing(TokenKind::RightBrace, "'}'", opened)?;
        Ok(())
    }

    /// Parses `(…)` behind a keyword.
    fn expect_condition(&mut self, what: &'static str) -> Parse<Expr> {
        if !self.is(TokenKind::LeftParen) {
            let error = self.expected(what).with_hint(Some("the parentheses are required"));
            return Err(self.fail(error));
        }
        let opened = self.advance().span;
        let cond = self.expect_expression()?;
        self.expect_closing(TokenKind::RightParen, "')'", opened)?;
        Ok(cond)
    }

    fn expect_if(&mut self) -> Parse<StmtKind> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            self.advance();
            let cond = self.expect_condition("'(' after if")?;
            branches.push((cond, self.expect_block("'{' after the condition")?));
            if self.is(TokenKind::Elseif) {
                continue;
            }
            if self.maybe(TokenKind::Else).is_none() {
                break;
            }
            if !self.is(TokenKind::If) {
                otherwise = Some(self.expect_block("'{' after else")?);
                break;
            }
        }
        Ok(StmtKind::If { branches, otherwise })
    }

    fn expect_while(&mut self) -> Parse<StmtKind> {
        self.advance();
        let cond = self.expect_condition("'(' after while")?;
        Ok(StmtKind::While { cond, body: self.expect_block("'{' after the condition")? })
    }

    fn expect_for(&mut self) -> Parse<StmtKind> {
        self.advance();
        let opened = self.expect(TokenKind::LeftParen, "'(' after for")?.span;
        let init = self.parse_list(TokenKind::Semicolon)?;
        self.expect_header_part("';' after the start of the loop")?;
        let cond = if self.is(TokenKind::Semicolon) { None } else { Some(self.expect_expression()?) };
        self.expect_header_part("';' after the condition of the loop")?;
        let step = self.parse_list(TokenKind::RightParen)?;
        self.expect_closing(TokenKind::RightParen, "')' after the step of the loop", opened)?;
        Ok(StmtKind::For { init, cond, step, body: self.expect_block("'{' after the loop header")? })
    }

    /// Parses expressions with commas between them, none if `end` comes at once.
    fn parse_list(&mut self, end: TokenKind) -> Parse<Vec<Expr>> {
        let mut list = Vec::new();
        if !self.is(end) {
            list.push(self.expect_expression()?);
            while self.maybe(TokenKind::Comma).is_some() {
                list.push(self.expect_expression()?);
            }
        }
        Ok(list)
    }

    /// Consumes the `;` in the header of a `for`.
    fn expect_header_part(&mut self, what: &'static str) -> Parse<()> {
        if self.maybe(TokenKind::Semicolon).is_some() {
            return Ok(());
        }
        let hint = match self.current.kind {
            TokenKind::As => "write foreach ($list as $item)",
            TokenKind::Identifier if self.slice(self.current.span) == "in" => "write foreach ($list as $item)",
            _ => "the header is (start; condition; step)",
        };
        let error = self.expected(what).with_hint(Some(hint));
        Err(self.fail(error))
    }

    fn expect_foreach(&mut self) -> Parse<StmtKind> {
        self.advance();
        let opened = self.expect(TokenKind::LeftParen, "'(' after foreach")?.span;
        let subject = self.expect_expression()?;
        if self.maybe(TokenKind::As).is_none() {
            let error = self.expected("'as'").with_hint(Some("write foreach ($list as $item)"));
            return Err(self.fail(error));
        }
        let first = self.expect_variable("a variable after 'as'")?;
        let (key, value) = match self.maybe(TokenKind::FatArrow) {
            Some(_) => (Some(first), self.expect_variable("a variable after '=>'")?),
            None => (None, first),
        };
        self.expect_closing(TokenKind::RightParen, "')' after the loop variable", opened)?;
        Ok(StmtKind::Foreach { subject, key, value, body: self.expect_block("'{' after the loop header")? })
    }

    fn expect_switch(&mut self) -> Parse<StmtKind> {
        self.advance();
        let subject = self.expect_condition("'(' after switch")?;
        self.maybe_line_end_before_brace();
        if !self.is(TokenKind::LeftBrace) {
            return Err(self.fail_expected("'{' after the switch value", None));
        }
        let mut cases = Vec::new();
        self.expect_braces(&mut |parser| parser.parse_cases(&mut cases))?;
        Ok(StmtKind::Switch { subject, cases })
    }

    fn parse_cases(&mut self, cases: &mut Vec<Case>) -> Parse<()> {
        loop {
            while self.maybe(TokenKind::Semicolon).is_some() {}
            let start = self.current.span;
            match self.current.kind {
                TokenKind::Case | TokenKind::Default => {}
                TokenKind::RightBrace | TokenKind::EndOfFile => return Ok(()),
                _ => return Err(self.fail_expected("'case' or 'default'", None)),
            }
            let is_default = self.advance().kind == TokenKind::Default;
            if is_default && cases.iter().any(|case| case.is_default) {
                self.report(start, Problem::TwoDefaults);
            }
            let values = if is_default { Vec::new() } else { self.expect_case_values()? };
            self.expect(TokenKind::Colon, if is_default { "':' after default" } else { "':' after the case value" })?;
            let mut body = Vec::new();
            self.parse_statements(List::Case, &mut body)?;
            let end = body.last().map_or(self.previous, |last| last.span);
            cases.push(Case { values, is_default, body, span: start.to(end) });
        }
    }

    fn expect_case_values(&mut self) -> Parse<Vec<Expr>> {
        let mut values = vec![self.expect_expression()?];
        while self.maybe(TokenKind::Comma).is_some() {
            values.push(self.expect_expression()?);
        }
        Ok(values)
    }

    fn expect_try(&mut self) -> Parse<StmtKind> {
        let start = self.advance().span;
        let body = self.expect_block("'{' after try")?;
        let mut catch = None;
        while self.is(TokenKind::Catch) {
            if catch.is_some() {
                self.report(self.current.span, Problem::TwoCatches);
            }
            catch = Some(self.expect_catch()?);
        }
        let finally = match self.maybe(TokenKind::Finally) {
            Some(_) => Some(self.expect_block("'{' after finally")?),
            None => None,
        };
        if catch.is_none() && finally.is_none() {
            self.report(start, Problem::TryAlone);
        }
        Ok(StmtKind::Try { body, catch, finally })
    }

    fn expect_catch(&mut self) -> Parse<Catch> {
        self.advance();
        let opened = self.expect(TokenKind::LeftParen, "'(' after catch")?.span;
        let is_typed = self.is(TokenKind::Identifier) && self.peek(1) == TokenKind::Variable;
        if is_typed {
            let hint = "a catch takes everything: write catch ($e) and ask error::is($e, …)";
            let error = self.expected("a variable after 'catch ('").with_hint(Some(hint));
            return Err(self.fail(error));
        }
        let variable = self.expect_variable("a variable after 'catch ('")?;
        self.expect_closing(TokenKind::RightParen, "')' after the caught variable", opened)?;
        Ok(Catch { variable, body: self.expect_block("'{' after catch")? })
    }

    fn expect_throw(&mut self) -> Parse<StmtKind> {
        let start = self.advance().span;
        if self.at_end() {
            self.report(start, Problem::ThrowNeedsValue);
            return Ok(StmtKind::Error);
        }
        Ok(StmtKind::Throw(self.expect_expression()?))
    }

    /// True inside a block or a function.
    pub(super) fn is_nested(&self) -> bool {
        self.statement_depth > 0
    }
}

/// True for a statement that does not end by itself.
fn needs_end(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::Expr(_)
            | StmtKind::Throw(_)
            | StmtKind::Return(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::UseModule { .. }
            | StmtKind::UseFile(_)
            | StmtKind::Error
    )
}

/// What to write in place of a word that means something in other languages.
fn habit_hint(word: &str) -> Option<&'static str> {
    Some(match word {
        "echo" | "puts" | "println" => "write print(…)",
        "let" | "var" | "local" | "val" => "a variable needs no declaration: write $name = value",
        "def" | "func" | "fun" | "sub" => "write function name(…) { … }",
        "import" | "include" | "include_once" | "require" | "require_once" => {
            "write use \"file.lk\" for a file or use name for a module"
        }
        "class" | "interface" | "type" | "enum" => "write struct Name { field type } or const { A = iota, B }",
        "elif" | "elsif" => "write elseif",
        "do" | "loop" | "until" => "write while (…) { … }",
        "match" => "write switch (…) { case … }",
        "raise" => "write throw value",
        "new" => "a struct is made by Name{field: value}",
        "and" => "write '&&'",
        "or" => "write '||'",
        "not" => "write '!'",
        _ => return None,
    })
}
