//! What the lexer and the parser find wrong, and how it is said.
//!
//! The wording of every message stands in this file; the code that finds an error only names it.

use source::{Diagnostic, SourceId, Span};

/// The largest number of errors reported for one file.
const MAX_ERRORS: usize = 20;

/// Says that an error is already among the findings.
#[derive(Debug)]
pub(crate) struct Reported;

/// Something wrong at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SyntaxError {
    problem: Problem,
    span: Span,
    hint: Option<String>,
    opened: Option<Span>,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Problem {
    UnexpectedCharacter(char),
    UnterminatedString {
        line: usize,
    },
    UnterminatedRawString {
        line: usize,
    },
    UnterminatedComment {
        line: usize,
    },
    InvalidNumber(String),
    NumberTooLarge(String),
    /// Warning: an integer literal that is read as a float.
    IntegerBecomesFloat(String),
    /// Warning: a line starts with `-` or `+` and so continues the one before.
    LeadingSign(char),
    /// Something else should stand here. `got` is quoted unless it is a description.
    Expected {
        what: &'static str,
        got: String,
    },
    Unexpected(String),
    Reserved(String),
    ThrowNeedsValue,
    InvalidTarget(&'static str),
    ConstantTarget(String),
    EmptyIndex,
    EmptyParentheses,
    MixedEntries {
        first_has_key: bool,
    },
    NoSpread,
    RestNotLast,
    NoReference,
    TwoDefaults,
    TwoCatches,
    TryAlone,
    StructNotAtTop(String),
    UseNotAtTop,
    IncludeNotPlain,
    FieldNeedsType {
        owner: String,
        field: String,
    },
    FieldInOldForm {
        owner: String,
        field: String,
    },
    ExpressionTooDeep(u32),
    StatementTooDeep(u32),
    ChainTooLong(u32),
    InterpolationTooDeep(u32),
    TooManyUnfinished,
    FileTooLarge(usize),
}

impl SyntaxError {
    /// An error or warning at `span`.
    pub(crate) fn new(span: Span, problem: Problem) -> Self {
        Self { problem, span, hint: None, opened: None }
    }

    /// Says what to do about it, in place of what the problem itself would say.
    pub(crate) fn with_hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into).or(self.hint);
        self
    }

    /// Points at the bracket that is still open.
    pub(crate) fn with_opened(mut self, span: Span) -> Self {
        self.opened = Some(span);
        self
    }

    /// Where it is.
    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// The diagnostic to show.
    pub(crate) fn into_diagnostic(self, source: SourceId) -> Diagnostic {
        let message = self.problem.message();
        let mut diagnostic = match self.problem.warning_code() {
            Some(code) => Diagnostic::warning(code, source, self.span, message),
            None => Diagnostic::parse_error(source, self.span, message),
        };
        if let Some(hint) = self.hint.or_else(|| self.problem.hint().map(str::to_owned)) {
            diagnostic = diagnostic.with_hint(hint);
        }
        if let Some(opened) = self.opened {
            diagnostic = diagnostic.with_label(source, opened, "opened here");
        }
        diagnostic
    }
}

impl Problem {
    /// The code of a warning; none for errors.
    fn warning_code(&self) -> Option<&'static str> {
        match self {
            Self::IntegerBecomesFloat(_) => Some("int-literal"),
            Self::LeadingSign(_) => Some("leading-minus"),
            _ => None,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::UnexpectedCharacter(c) if c.is_control() => format!("Unexpected character: '{}'", c.escape_default()),
            Self::UnexpectedCharacter(c) => format!("Unexpected character: '{c}'"),
            Self::UnterminatedString { line } => format!("Unterminated string at line {line}"),
            Self::UnterminatedRawString { line } => format!("Unterminated raw string at line {line}"),
            Self::UnterminatedComment { line } => format!("Unterminated block comment starting at line {line}"),
            Self::InvalidNumber(text) => format!("Invalid number: '{text}'"),
            Self::NumberTooLarge(text) => format!("Number too large: '{text}' does not fit into 64 bits"),
            Self::IntegerBecomesFloat(text) => {
                format!("{text} exceeds the 64-bit integer range and is read as a float")
            }
            Self::LeadingSign(sign) => format!("This line starts with '{sign}' and continues the statement above it"),
            Self::Expected { what, got } => format!("Expect {what}. (got {got})"),
            Self::Unexpected(what) => format!("Unexpected {what}"),
            Self::Reserved(word) => format!("'{word}' is a reserved word and does nothing"),
            Self::ThrowNeedsValue => "an expression is required after throw".to_owned(),
            Self::InvalidTarget(what) => {
                format!("Invalid assignment target: {what} is not a variable, element or field")
            }
            Self::ConstantTarget(name) => {
                format!("Invalid assignment target: '{name}' is not a variable, and constants cannot be reassigned")
            }
            Self::EmptyIndex => "Expect an index between '[' and ']'".to_owned(),
            Self::EmptyParentheses => "Expect an expression between '(' and ')'".to_owned(),
            Self::MixedEntries { first_has_key: true } => {
                "This entry needs a key: the first one has one, so all entries are 'key => value'".to_owned()
            }
            Self::MixedEntries { first_has_key: false } => {
                "This entry has a key, but the first one has none: give all entries a key or none".to_owned()
            }
            Self::NoSpread => "'...' is only allowed before the last parameter of a function".to_owned(),
            Self::RestNotLast => "the '...' parameter must be the last one".to_owned(),
            Self::NoReference => "there are no references: values are copied".to_owned(),
            Self::TwoDefaults => "a switch has only one 'default'".to_owned(),
            Self::TwoCatches => "a try has only one 'catch'".to_owned(),
            Self::TryAlone => "a try needs a 'catch' or a 'finally'".to_owned(),
            Self::StructNotAtTop(name) => {
                format!("struct '{name}' must be declared at the top level of a file, not inside a function or a block")
            }
            Self::UseNotAtTop => {
                "'use' is only allowed at the top level of a file, not inside a function or a block".to_owned()
            }
            Self::IncludeNotPlain => "the path after 'use' must be plain text".to_owned(),
            Self::FieldNeedsType { owner, field } => format!("struct '{owner}': field '{field}' needs a type"),
            Self::FieldInOldForm { owner, field } => {
                format!("struct '{owner}': field '{field}' is in the old 'name: default' form")
            }
            Self::ExpressionTooDeep(max) => format!("Expression nested too deep (max {max})"),
            Self::StatementTooDeep(max) => format!("Statement nested too deep (max {max})"),
            Self::ChainTooLong(max) => format!("Expression chain too long (max {max} operators)"),
            Self::InterpolationTooDeep(max) => format!("Interpolation nested too deep (max {max})"),
            Self::TooManyUnfinished => "Too many unfinished '{…}' in strings".to_owned(),
            Self::FileTooLarge(max) => format!("File too large (max {} MiB)", max >> 20),
        }
    }

    /// What helps with every problem of this kind.
    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::UnexpectedCharacter('$') => {
                Some("a variable is '$' and then a letter or '_'; other letters than a-z cannot stand in names")
            }
            Self::UnexpectedCharacter('“' | '”' | '„' | '‘' | '’') => Some("use the straight quotes \" or '"),
            Self::UnexpectedCharacter('\u{a0}') => Some("this is a no-break space; use an ordinary one"),
            Self::UnexpectedCharacter(c) if c.is_alphabetic() => {
                Some("names are made of a-z, A-Z, 0-9 and '_'; other text belongs into a string")
            }
            Self::InvalidNumber(_) => Some("a number is digits with '_' between them, or starts with 0x or 0b"),
            Self::LeadingSign(_) => {
                Some("to start a statement, end the line above with ';'; to go on, put the sign at its end")
            }
            Self::ThrowNeedsValue => Some("for example: throw \"what went wrong\""),
            Self::NoSpread => Some("pass the elements one by one or pass the array itself"),
            Self::NoReference => Some("leave out the '&'; a function returns what it has changed"),
            Self::IncludeNotPlain => Some("a '{' before a letter or '$' starts an interpolation; use single quotes"),
            Self::FieldNeedsType { .. } => {
                Some("write 'name type': int, float, string, bool, array, map, fn, any or a struct; '?' allows null")
            }
            Self::StatementTooDeep(_) | Self::ExpressionTooDeep(_) => Some("move the inner part into a function"),
            Self::ChainTooLong(_) => Some("build the value in several statements"),
            _ => None,
        }
    }
}

/// Everything found so far, and whether reading goes on.
#[derive(Default, Debug)]
pub(crate) struct Findings {
    items: Vec<SyntaxError>,
    errors: usize,
    is_muted: bool,
    is_stopped: bool,
    is_fatal: bool,
}

/// A point to return to when an attempt fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FindingsMark {
    items: usize,
    errors: usize,
    is_stopped: bool,
}

impl Findings {
    /// Keeps an error or a warning, unless reading has stopped or the text is being skipped.
    pub(crate) fn add(&mut self, error: SyntaxError) {
        if self.is_muted || self.is_stopped {
            return;
        }
        if error.problem.warning_code().is_none() {
            self.errors += 1;
        }
        self.items.push(error);
        if self.errors >= MAX_ERRORS {
            self.is_stopped = true;
        }
    }

    /// Keeps an error after which there is nothing left to read.
    pub(crate) fn add_last(&mut self, error: SyntaxError) {
        self.add(error);
        self.is_stopped = true;
    }

    /// Keeps an error that also ends every attempt in progress.
    pub(crate) fn add_fatal(&mut self, error: SyntaxError) {
        self.add_last(error);
        self.is_fatal = true;
    }

    /// True when an error was found since `mark`.
    pub(crate) fn has_errors_since(&self, mark: FindingsMark) -> bool {
        self.errors > mark.errors
    }

    /// True when nothing more is to be read.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// True when an attempt may not be given up quietly.
    pub(crate) fn is_fatal(&self) -> bool {
        self.is_fatal
    }

    /// Drops or keeps what is added from now on.
    pub(crate) fn set_muted(&mut self, is_muted: bool) {
        self.is_muted = is_muted;
    }

    /// A point to return to.
    pub(crate) fn mark(&self) -> FindingsMark {
        FindingsMark { items: self.items.len(), errors: self.errors, is_stopped: self.is_stopped }
    }

    /// Forgets what was found since `mark`.
    pub(crate) fn reset(&mut self, mark: FindingsMark) {
        self.items.truncate(mark.items);
        self.errors = mark.errors;
        self.is_stopped = mark.is_stopped;
    }

    /// All findings in the order of the source.
    pub(crate) fn into_diagnostics(mut self, source: SourceId) -> Vec<Diagnostic> {
        self.items.sort_by_key(|item| (item.span().start, item.span().end));
        self.items.into_iter().map(|item| item.into_diagnostic(source)).collect()
    }
}
