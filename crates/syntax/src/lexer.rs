//! Bytes → tokens, one at a time, on demand.
//!
//! The lexer supplies the `;` that the end of a line stands for; the innermost open bracket decides whether a line can
//! end a statement. Comments are kept aside. Of a string only the opening quote is a token: what follows is read piece by
//! piece by the parser, which alone can tell where an interpolated expression ends.

mod string;

use crate::error::{Findings, Problem, SyntaxError};
use crate::token::{Token, TokenKind};
use crate::tree::Comment;
use source::Span;
pub(crate) use string::{Piece, StringForm};

/// An open bracket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bracket {
    /// `(` or `[`: line ends mean nothing in it.
    Plain,
    /// `{`: statements or items, ended by lines.
    Brace,
    /// `{` in a string.
    Interpolation,
}

/// A point in the text to return to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LexerMark {
    at: usize,
    brackets: usize,
    braces: usize,
    comments: usize,
}

impl LexerMark {
    /// The byte offset it stands for.
    pub(crate) fn offset(self) -> u32 {
        self.at as u32
    }
}

/// What lies between two tokens.
#[derive(Clone, Copy, Default)]
struct Gap {
    has_newline: bool,
    has_blank_line: bool,
}

/// Reads tokens from a text.
#[derive(Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    brackets: Vec<Bracket>,
    braces: usize,
    last: TokenKind,
    last_end: usize,
    last_can_end: bool,
    starts_line: bool,
    comments: Vec<Comment>,
}

impl<'t> Lexer<'t> {
    /// A lexer at the start of `text`; a byte order mark is skipped.
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 },
            brackets: Vec::new(),
            braces: 0,
            last: TokenKind::Semicolon,
            last_end: 0,
            last_can_end: false,
            starts_line: true,
            comments: Vec::new(),
        }
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// The comments passed so far.
    pub(crate) fn into_comments(self) -> Vec<Comment> {
        self.comments
    }

    /// The next token. At the end of the text it is `EndOfFile`, again and again.
    pub(crate) fn next(&mut self, findings: &mut Findings) -> Token {
        let gap = self.skip_gap(findings);
        self.starts_line |= gap.has_newline;
        if gap.has_newline && self.last_can_end && self.lines_matter() && !self.continues(gap, findings) {
            let end = self.last_end;
            return self.token(TokenKind::Semicolon, end, end);
        }
        let start = self.at;
        let kind = self.scan(findings);
        let token = self.token(kind, start, self.at);
        self.starts_line = false;
        token
    }

    fn token(&mut self, kind: TokenKind, start: usize, end: usize) -> Token {
        // A word behind `.` or `::` is a name, whatever it means elsewhere.
        let is_name = kind.is_word() && matches!(self.last, TokenKind::Dot | TokenKind::PathSeparator);
        self.last = kind;
        self.last_can_end = is_name || kind.can_end_statement();
        self.last_end = end;
        Token { kind, span: span(start, end), starts_line: self.starts_line }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Advances over all bytes that `is_part` of something and returns how many there were.
    fn skip_while(&mut self, is_part: impl Fn(u8) -> bool) -> usize {
        let count = self.rest().iter().take_while(|byte| is_part(**byte)).count();
        self.at += count;
        count
    }

    /// The line that `offset` lies in, counted from 1.
    fn line_of(&self, offset: usize) -> usize {
        self.text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
    }

    /// Passes blanks and comments.
    fn skip_gap(&mut self, findings: &mut Findings) -> Gap {
        let mut gap = Gap::default();
        // Whether there was nothing but blanks since the last line end. The first line holds the token before.
        let mut is_blank = false;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t' | b'\r'), _) => self.at += 1,
                (Some(b'\n'), _) => {
                    self.at += 1;
                    gap.has_newline = true;
                    gap.has_blank_line |= is_blank;
                    is_blank = true;
                }
                (Some(b'#'), _) | (Some(b'/'), Some(b'/')) => {
                    let start = self.at;
                    self.skip_while(|byte| byte != b'\n');
                    let carriage_return = self.text.get(start..self.at).is_some_and(|text| text.ends_with('\r'));
                    self.comments.push(Comment { span: span(start, self.at - usize::from(carriage_return)) });
                    is_blank = false;
                }
                (Some(b'/'), Some(b'*')) => {
                    gap.has_newline |= self.skip_block_comment(findings);
                    is_blank = false;
                }
                _ => return gap,
            }
        }
    }

    /// Passes a block comment and says whether a line ends in it.
    fn skip_block_comment(&mut self, findings: &mut Findings) -> bool {
        let start = self.at;
        let body = self.text.get(start + 2..).unwrap_or_default();
        match body.find("*/") {
            Some(length) => self.at = start + 2 + length + 2,
            None => {
                let line = self.line_of(start);
                self.at = self.text.len();
                findings.add_last(SyntaxError::new(span(start, start + 2), Problem::UnterminatedComment { line }));
            }
        }
        self.comments.push(Comment { span: span(start, self.at) });
        self.text.get(start..self.at).is_some_and(|text| text.contains('\n'))
    }

    /// True where the end of a line can end a statement or an item.
    fn lines_matter(&self) -> bool {
        self.brackets.last().is_none_or(|bracket| *bracket == Bracket::Brace)
    }

    /// True when the line that starts here goes on with the statement above it.
    fn continues(&self, gap: Gap, findings: &mut Findings) -> bool {
        let Some(first) = self.peek(0) else { return false };
        if self.last == TokenKind::RightBrace && is_word_start(first) {
            let length = self.rest().iter().take_while(|byte| is_word_part(**byte)).count();
            let word = self.text.get(self.at..self.at + length).unwrap_or_default();
            return matches!(word, "else" | "elseif" | "catch" | "finally");
        }
        if gap.has_blank_line {
            return false;
        }
        match first {
            b'+' | b'-' => {
                let is_step = self.peek(1) == Some(first);
                if !is_step {
                    let problem = Problem::LeadingSign(char::from(first));
                    findings.add(SyntaxError::new(span(self.at, self.at + 1), problem));
                }
                !is_step
            }
            b'.' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'?' => true,
            _ => false,
        }
    }

    fn scan(&mut self, findings: &mut Findings) -> TokenKind {
        let Some(first) = self.peek(0) else { return TokenKind::EndOfFile };
        if is_word_start(first) {
            let start = self.at;
            self.skip_while(is_word_part);
            let word = self.text.get(start..self.at).unwrap_or_default();
            return TokenKind::keyword(word).unwrap_or(TokenKind::Identifier);
        }
        if first == b'$' && self.peek(1).is_some_and(is_word_start) {
            self.at += 1;
            self.skip_while(is_word_part);
            return TokenKind::Variable;
        }
        if first.is_ascii_digit() {
            return self.scan_number(findings);
        }
        for length in [3, 2, 1] {
            let spelling = self.text.get(self.at..self.at + length).unwrap_or_default();
            if let Some(kind) = TokenKind::sign(spelling) {
                self.at += length;
                self.follow_bracket(kind);
                return kind;
            }
        }
        let c = self.text.get(self.at..).and_then(|text| text.chars().next()).unwrap_or_default();
        let start = self.at;
        self.at += c.len_utf8();
        findings.add(SyntaxError::new(span(start, self.at), Problem::UnexpectedCharacter(c)));
        TokenKind::Invalid
    }

    /// Passes a number. Its value is worked out by the parser, which sees a minus in front of it.
    fn scan_number(&mut self, findings: &mut Findings) -> TokenKind {
        let start = self.at;
        let mut kind = TokenKind::Int;
        let mut is_digit: fn(u8) -> bool = |byte| byte.is_ascii_digit();
        match (self.peek(0), self.peek(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => {
                is_digit = |byte| byte.is_ascii_hexdigit();
                self.at += 2;
                self.skip_while(|byte| byte.is_ascii_hexdigit() || byte == b'_');
            }
            (Some(b'0'), Some(b'b' | b'B')) => {
                self.at += 2;
                self.skip_while(|byte| matches!(byte, b'0' | b'1' | b'_'));
            }
            _ => {
                let skip_digits = |lexer: &mut Self| lexer.skip_while(|byte| byte.is_ascii_digit() || byte == b'_');
                skip_digits(self);
                if self.peek(0) == Some(b'.') && self.peek(1).is_some_and(is_digit) {
                    self.at += 1;
                    skip_digits(self);
                    kind = TokenKind::Float;
                }
                let sign = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
                if matches!(self.peek(0), Some(b'e' | b'E')) && self.peek(1 + sign).is_some_and(is_digit) {
                    self.at += 1 + sign;
                    skip_digits(self);
                    kind = TokenKind::Float;
                }
            }
        }
        let extra = self.skip_while(is_word_part);
        let text = self.text.get(start..self.at).unwrap_or_default();
        if extra == 0 && has_digit_at_ends(text, is_digit) {
            return kind;
        }
        findings.add(SyntaxError::new(span(start, self.at), Problem::InvalidNumber(text.to_owned())));
        TokenKind::Invalid
    }

    fn follow_bracket(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::LeftParen | TokenKind::LeftBracket => self.brackets.push(Bracket::Plain),
            TokenKind::LeftBrace => {
                self.brackets.push(Bracket::Brace);
                self.braces += 1;
            }
            TokenKind::RightParen | TokenKind::RightBracket => {
                self.brackets.pop_if(|bracket| *bracket == Bracket::Plain);
            }
            // A brace also closes what was left open inside it.
            TokenKind::RightBrace => {
                while self.brackets.pop_if(|bracket| *bracket == Bracket::Plain).is_some() {}
                if self.brackets.pop() == Some(Bracket::Brace) {
                    self.braces -= 1;
                }
            }
            _ => {}
        }
    }

    /// Number of open brackets, and of open braces among them.
    pub(crate) fn open_brackets(&self) -> (usize, usize) {
        (self.brackets.len(), self.braces)
    }

    /// Forgets brackets above the first `count`; none of them may be a brace.
    pub(crate) fn forget_brackets(&mut self, count: usize) {
        self.brackets.truncate(count);
    }

    /// A point to return to.
    pub(crate) fn mark(&self) -> LexerMark {
        LexerMark { at: self.at, brackets: self.brackets.len(), braces: self.braces, comments: self.comments.len() }
    }

    /// Goes back to `mark` and returns the number of bytes that were read in vain.
    pub(crate) fn reset(&mut self, mark: LexerMark) -> usize {
        let wasted = self.at.saturating_sub(mark.at);
        self.at = mark.at;
        self.brackets.truncate(mark.brackets);
        self.braces = mark.braces;
        self.comments.truncate(mark.comments);
        wasted
    }

    /// Goes to the end of the text.
    pub(crate) fn stop(&mut self) {
        self.at = self.text.len();
        self.last_can_end = false;
    }
}

/// A span in a text whose length was checked to fit.
fn span(start: usize, end: usize) -> Span {
    Span::new(start as u32, end as u32)
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_word_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// True when every `_` of a number stands between two digits, and something follows `0x` and `0b`.
fn has_digit_at_ends(number: &str, is_digit: fn(u8) -> bool) -> bool {
    let bytes = number.as_bytes();
    let is_digit_at = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| is_digit(*byte));
    let underscores = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_');
    is_digit_at(bytes.len().checked_sub(1))
        && underscores.map(|(at, _)| at).all(|at| is_digit_at(at.checked_sub(1)) && is_digit_at(Some(at + 1)))
}
