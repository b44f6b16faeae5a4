//! The token table: every word and sign of the language stands here once, with its spelling and its name for messages.

use source::Span;

/// A token. Its text is the source text of its span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Where it stands; empty for a supplied `;` and at the end of the file.
    pub(crate) span: Span,
    /// True when it is the first token of its line.
    pub(crate) starts_line: bool,
}

impl Token {
    /// True for the `;` that the end of a line stands for.
    pub(crate) fn is_supplied(self) -> bool {
        self.kind == TokenKind::Semicolon && self.span.start == self.span.end
    }
}

macro_rules! tokens {
    (
        keywords { $($keyword:ident $word:literal,)* }
        signs { $($sign:ident $spelling:literal,)* }
        foreign { $($foreign:ident $foreign_spelling:literal $hint:literal,)* }
        classes { $($class:ident $description:literal,)* }
    ) => {
        /// What a token is.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum TokenKind {
            $(#[doc = concat!("`", $word, "`")] $keyword,)*
            $(#[doc = concat!("`", $spelling, "`")] $sign,)*
            $(#[doc = concat!("`", $foreign_spelling, "`, which the language does not have")] $foreign,)*
            $(#[doc = $description] $class,)*
        }

        impl TokenKind {
            /// The keyword spelled `word`.
            pub(crate) fn keyword(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$keyword),)*
                    _ => None,
                }
            }

            /// The sign spelled `spelling`, foreign ones included.
            pub(crate) fn sign(spelling: &str) -> Option<Self> {
                match spelling {
                    $($spelling => Some(Self::$sign),)*
                    $($foreign_spelling => Some(Self::$foreign),)*
                    _ => None,
                }
            }

            /// The token as messages call it: quoted when it has one spelling, described otherwise.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$keyword => concat!("'", $word, "'"),)*
                    $(Self::$sign => concat!("'", $spelling, "'"),)*
                    $(Self::$foreign => concat!("'", $foreign_spelling, "'"),)*
                    $(Self::$class => $description,)*
                }
            }

            /// True for identifiers and keywords.
            pub(crate) fn is_word(self) -> bool {
                matches!(self, Self::Identifier $(| Self::$keyword)*)
            }

            /// What to write instead of an operator that other languages have.
            pub(crate) fn foreign_hint(self) -> Option<&'static str> {
                match self {
                    $(Self::$foreign => Some($hint),)*
                    _ => None,
                }
            }
        }
    };
}

tokens! {
    keywords {
        If "if",
        Else "else",
        Elseif "elseif",
        While "while",
        For "for",
        Foreach "foreach",
        As "as",
        Break "break",
        Continue "continue",
        Function "function",
        Fn "fn",
        Alias "alias",
        Return "return",
        Print "print",
        Write "write",
        True "true",
        False "false",
        Null "null",
        Use "use",
        Global "global",
        Try "try",
        Catch "catch",
        Finally "finally",
        Throw "throw",
        Switch "switch",
        Case "case",
        Default "default",
        Struct "struct",
        Const "const",
        Iota "iota",
    }
    signs {
        Ellipsis "...",
        Compare "<=>",
        StarStar "**",
        PlusPlus "++",
        MinusMinus "--",
        PlusAssign "+=",
        MinusAssign "-=",
        StarAssign "*=",
        SlashAssign "/=",
        PercentAssign "%=",
        DotAssign ".=",
        AndAssign "&=",
        OrAssign "|=",
        XorAssign "^=",
        Equal "==",
        NotEqual "!=",
        LessEqual "<=",
        GreaterEqual ">=",
        ShiftLeft "<<",
        ShiftRight ">>",
        AndAnd "&&",
        OrOr "||",
        Coalesce "??",
        FatArrow "=>",
        PathSeparator "::",
        Plus "+",
        Minus "-",
        Star "*",
        Slash "/",
        Percent "%",
        Dot ".",
        And "&",
        Or "|",
        Xor "^",
        Tilde "~",
        Not "!",
        Less "<",
        Greater ">",
        Assign "=",
        Question "?",
        Colon ":",
        Semicolon ";",
        Comma ",",
        LeftParen "(",
        RightParen ")",
        LeftBracket "[",
        RightBracket "]",
        LeftBrace "{",
        RightBrace "}",
        DoubleQuote "\"",
        SingleQuote "'",
        Backtick "`",
    }
    foreign {
        Identical "===" "write '==': it never converts between kinds",
        NotIdentical "!==" "write '!=': it never converts between kinds",
        LessGreater "<>" "write '!='",
        StarStarAssign "**=" "write '$x = $x ** …'",
        ShiftLeftAssign "<<=" "write '$x = $x << …'",
        ShiftRightAssign ">>=" "write '$x = $x >> …'",
        CoalesceAssign "??=" "write '$x = $x ?? …'",
        AndAndAssign "&&=" "write '$x = $x && …'",
        OrOrAssign "||=" "write '$x = $x || …'",
        ColonAssign ":=" "write '='",
        OptionalMember "?." "there is no optional chaining; write '($value ?? []).name'",
        Arrow "->" "write '.' to read a field",
    }
    classes {
        Identifier "a name",
        Variable "a variable",
        Int "an integer",
        Float "a float",
        Invalid "something that is no token",
        EndOfFile "end of file",
    }
}

impl TokenKind {
    /// True when a line that ends in this token may end a statement.
    pub(crate) fn can_end_statement(self) -> bool {
        matches!(
            self,
            Self::Identifier
                | Self::Variable
                | Self::Int
                | Self::Float
                | Self::True
                | Self::False
                | Self::Null
                | Self::Iota
                | Self::Break
                | Self::Continue
                | Self::Return
                | Self::RightParen
                | Self::RightBracket
                | Self::RightBrace
                | Self::PlusPlus
                | Self::MinusMinus
        )
    }

    /// True for the three kinds of opening quotes.
    pub(crate) fn is_quote(self) -> bool {
        matches!(self, Self::DoubleQuote | Self::SingleQuote | Self::Backtick)
    }
}
