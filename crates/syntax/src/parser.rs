//! Tokens → tree: recursive descent for statements, operator precedence for expressions.
//!
//! Naming law: `parse_x` may find no x and says so with `None`, `expect_x` finds an x or reports an error, `maybe_x`
//! consumes an x if there is one. An error is reported where it is found; [`Reported`] then unwinds to the enclosing
//! statement list, which skips to the next statement. Every recursion passes a counter, so no input can exhaust the stack.
//!
//! Invariant: the lexer is never asked for a token behind an opening quote, nor behind the `}` of an interpolation; the
//! text there belongs to a string.

mod declaration;
mod expression;
mod function;
mod number;
mod recovery;
mod statement;
mod string;

use crate::error::{Findings, Problem, Reported, SyntaxError};
use crate::lexer::Lexer;
use crate::token::{Token, TokenKind};
use crate::tree::{Ident, Program};
use source::{Diagnostic, SourceId, Span};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// How deep statements may stand in statements, and expressions in expressions.
pub const MAX_NESTING: u32 = 150;

/// How many operators one expression may chain, and how many accesses and calls may follow one value.
pub const MAX_CHAIN: u32 = 1000;

/// The largest source file, in bytes.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;

/// No expression of a tree without errors stands deeper below another one than this. Later stages may recurse over it.
pub const MAX_TREE_HEIGHT: u32 = 2000;

/// How deep interpolated strings may stand in one another.
const MAX_STRING_NESTING: u32 = 32;

/// How often the text of a file may be read in vain while looking for the ends of interpolations. Text that merely looks
/// like one is given up after a few bytes, so a real program stays far below one.
const PATIENCE: usize = 8;

/// What came of parsing a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Parsed {
    /// The tree. With errors it has gaps.
    pub program: Program,
    /// Errors and warnings in source order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// True when the program cannot be run.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Parses a whole file. The diagnostics point into the file `id`.
pub fn parse(id: SourceId, text: &str) -> Parsed {
    if text.len() > MAX_SOURCE_BYTES {
        let error = SyntaxError::new(Span::at(0), Problem::FileTooLarge(MAX_SOURCE_BYTES));
        return Parsed { program: Program::default(), diagnostics: vec![error.into_diagnostic(id)] };
    }
    let mut parser = Parser::new(text);
    let statements = parser.file();
    let program = Program { statements, comments: parser.lexer.into_comments() };
    Parsed { program, diagnostics: parser.findings.into_diagnostics(id) }
}

type Parse<T> = Result<T, Reported>;

/// The state of the parser: a cursor over the tokens, what was found, and the counters that limit recursion.
struct Parser<'t> {
    lexer: Lexer<'t>,
    findings: Findings,
    names: HashMap<&'t str, Rc<str>>,
    current: Token,
    ahead: VecDeque<Token>,
    /// The last token consumed.
    previous: Span,
    /// Brackets and braces that were open where the innermost statement list began.
    base: (usize, usize),
    statement_depth: u32,
    expression_depth: u32,
    string_depth: u32,
    level: Level,
    /// Bytes that may still be read in vain while looking for the ends of interpolations.
    patience: usize,
}

/// What an expression between two brackets consists of so far.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Operators.
    operators: u32,
    /// The longest run of prefix operators.
    prefix: u32,
    /// The longest chain of accesses and calls.
    postfix: u32,
    /// The height of the tallest expression inside.
    tallest: u32,
}

impl Level {
    /// An upper bound for the height of the tree.
    fn height(self) -> u32 {
        self.operators + self.prefix + self.postfix + self.tallest + 2
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        let start = Token { kind: TokenKind::Semicolon, span: Span::at(0), starts_line: true };
        let mut parser = Self {
            lexer: Lexer::new(text),
            findings: Findings::default(),
            names: HashMap::new(),
            current: start,
            ahead: VecDeque::new(),
            previous: Span::at(0),
            base: (0, 0),
            statement_depth: 0,
            expression_depth: 0,
            string_depth: 0,
            level: Level::default(),
            patience: PATIENCE * (text.len() + 4096),
        };
        parser.advance();
        parser
    }

    /// Consumes the current token and returns it.
    fn advance(&mut self) -> Token {
        let token = self.current;
        self.previous = token.span;
        if self.findings.is_stopped() {
            self.lexer.stop();
            self.ahead.clear();
        }
        self.current = match self.ahead.pop_front() {
            Some(next) => next,
            None => self.lexer.next(&mut self.findings),
        };
        token
    }

    /// The kind of the token `distance` tokens after the current one; a quote on the way is the answer.
    fn peek(&mut self, distance: usize) -> TokenKind {
        let mut last = self.current.kind;
        for at in 0..distance {
            if last.is_quote() {
                return last;
            }
            last = match self.ahead.get(at) {
                Some(token) => token.kind,
                None => {
                    let token = self.lexer.next(&mut self.findings);
                    self.ahead.push_back(token);
                    token.kind
                }
            };
        }
        last
    }

    fn is(&self, kind: TokenKind) -> bool {
        self.current.kind == kind
    }

    fn maybe(&mut self, kind: TokenKind) -> Option<Token> {
        self.is(kind).then(|| self.advance())
    }

    /// Consumes a token of this kind; `what` describes it and its place, as in "'(' after if".
    fn expect(&mut self, kind: TokenKind, what: &'static str) -> Parse<Token> {
        if self.is(kind) { Ok(self.advance()) } else { Err(self.fail_expected(what, None)) }
    }

    /// Consumes the bracket that closes the one at `opened`.
    fn expect_closing(&mut self, kind: TokenKind, what: &'static str, opened: Span) -> Parse<Token> {
        if self.is(kind) { Ok(self.advance()) } else { Err(self.fail_expected(what, Some(opened))) }
    }

    fn fail_expected(&mut self, what: &'static str, opened: Option<Span>) -> Reported {
        let error = self.expected(what);
        self.fail(match opened {
            Some(opened) => error.with_opened(opened),
            None => error,
        })
    }

    /// The error that something else than the current token should stand here.
    #[cold]
    fn expected(&self, what: &'static str) -> SyntaxError {
        let problem = Problem::Expected { what, got: self.shown() };
        SyntaxError::new(self.place(), problem).with_hint(self.current.kind.foreign_hint())
    }

    /// The error that the current token cannot stand here.
    #[cold]
    fn unexpected(&self) -> SyntaxError {
        let problem = Problem::Unexpected(self.shown());
        SyntaxError::new(self.place(), problem).with_hint(self.current.kind.foreign_hint())
    }

    /// Reports an error at the current token. There is nothing to say about a token that was an error itself.
    #[cold]
    fn fail(&mut self, error: SyntaxError) -> Reported {
        if self.is(TokenKind::EndOfFile) {
            self.findings.add_last(error);
        } else if !self.is(TokenKind::Invalid) {
            self.findings.add(error);
        }
        Reported
    }

    /// Reports an error that does not keep the parser from going on.
    #[cold]
    fn report(&mut self, span: Span, problem: Problem) {
        self.findings.add(SyntaxError::new(span, problem));
    }

    /// Where the current token stands; the end of a file shows best behind the last token.
    fn place(&self) -> Span {
        if self.is(TokenKind::EndOfFile) { Span::at(self.previous.end) } else { self.current.span }
    }

    /// The current token as messages show it.
    fn shown(&self) -> String {
        const LONGEST: usize = 30;
        if self.current.is_supplied() {
            return "end of line".to_owned();
        }
        if self.is(TokenKind::EndOfFile) {
            return "end of file".to_owned();
        }
        let is_quote = self.current.kind.is_quote();
        let start = self.current.span.start;
        let end = if is_quote { self.lexer.text().len() as u32 } else { self.current.span.end };
        let mut shown = String::from("'");
        for (index, c) in self.slice(Span::new(start, end)).chars().enumerate() {
            if index == LONGEST || c == '\n' {
                shown.push('…');
                break;
            }
            shown.push(c);
            if is_quote && index > 0 && shown.get(1..2) == shown.get(shown.len() - 1..) {
                break;
            }
        }
        shown.push('\'');
        shown
    }

    fn slice(&self, span: Span) -> &'t str {
        span.slice(self.lexer.text())
    }

    /// From `start` to the end of the last token consumed.
    fn span_from(&self, start: Span) -> Span {
        Span::new(start.start, self.previous.end.max(start.start))
    }

    /// One shared copy of a name.
    fn intern(&mut self, name: &'t str) -> Rc<str> {
        self.names.entry(name).or_insert_with(|| Rc::from(name)).clone()
    }

    /// The name that a word or a variable is.
    fn ident(&mut self, token: Token) -> Ident {
        let text = self.slice(token.span);
        Ident { name: self.intern(text.strip_prefix('$').unwrap_or(text)), span: token.span }
    }

    /// Consumes a variable. A name without `$` gets a hint.
    fn expect_variable(&mut self, what: &'static str) -> Parse<Ident> {
        if let Some(token) = self.maybe(TokenKind::Variable) {
            return Ok(self.ident(token));
        }
        if self.is(TokenKind::And) {
            return Err(self.fail(SyntaxError::new(self.current.span, Problem::NoReference)));
        }
        let word = self.slice(self.current.span);
        let hint = self.current.kind.is_word().then(|| format!("a variable starts with '$': ${word}"));
        let error = self.expected(what).with_hint(hint);
        Err(self.fail(error))
    }

    /// Consumes a name; keywords do not count.
    fn expect_name(&mut self, what: &'static str) -> Parse<Ident> {
        if let Some(token) = self.maybe(TokenKind::Identifier) {
            return Ok(self.ident(token));
        }
        let word = self.slice(self.current.span);
        let hint = match self.current.kind {
            TokenKind::Variable => Some(format!("leave out the '$': {}", word.trim_start_matches('$'))),
            kind if kind.is_word() => Some(format!("'{word}' is a keyword")),
            _ => None,
        };
        let error = self.expected(what).with_hint(hint);
        Err(self.fail(error))
    }

    /// Consumes a name that stands where keywords mean nothing, such as that of a field.
    fn expect_word(&mut self, what: &'static str) -> Parse<Ident> {
        if self.current.kind.is_word() {
            let token = self.advance();
            return Ok(self.ident(token));
        }
        Err(self.fail_expected(what, None))
    }

    /// Passes what separates the items of a `{…}` group: commas, semicolons, the end of a line. False at the end of the
    /// group; an error when the next item follows without a separator.
    fn maybe_item(&mut self, is_first: bool, what: &'static str) -> Parse<bool> {
        let mut is_separated = is_first || self.current.starts_line;
        while matches!(self.current.kind, TokenKind::Comma | TokenKind::Semicolon) {
            self.advance();
            is_separated = true;
        }
        match self.current.kind {
            TokenKind::RightBrace | TokenKind::EndOfFile => Ok(false),
            _ if is_separated => Ok(true),
            _ => Err(self.fail_expected(what, None)),
        }
    }
}
