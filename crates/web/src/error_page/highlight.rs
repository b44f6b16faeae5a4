//! Which part of a source line is what, for colours. It looks at each line for itself but for what a line leaves open, and
//! never fails: what it does not know is plain.

/// What a piece of source is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Signs, blanks and names without a colour.
    Plain,
    /// A word of the language.
    Keyword,
    /// A string without its interpolations.
    String,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// A variable, also in a string.
    Variable,
    /// The name of a function that is called, or of its module.
    Call,
}

/// The words of the language.
const KEYWORDS: [&str; 30] = [
    "alias", "as", "break", "case", "catch", "const", "continue", "default", "else", "elseif", "false", "finally",
    "fn", "for", "foreach", "function", "global", "if", "iota", "null", "print", "return", "struct", "switch", "throw",
    "true", "try", "use", "while", "write",
];

/// What the lines so far have left open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    Nothing,
    Comment,
    String(char),
}

/// Reads lines one after the other.
#[derive(Debug)]
pub(super) struct Highlighter {
    open: Open,
}

impl Highlighter {
    /// One that begins outside of strings and comments.
    pub(super) fn new() -> Self {
        Self { open: Open::Nothing }
    }

    /// The pieces of a line; together they are the line.
    pub(super) fn line<'t>(&mut self, line: &'t str) -> Vec<(Class, &'t str)> {
        let mut pieces = Vec::new();
        let mut rest = line;
        while !rest.is_empty() {
            let (class, bytes) = match self.open {
                Open::Nothing => self.code(rest),
                Open::Comment => self.comment(rest, 0),
                Open::String(quote) => self.string(rest, quote),
            };
            // A piece has at least one character, so the loop ends.
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let (piece, tail) = rest.split_at_checked(bytes.max(first)).unwrap_or((rest, ""));
            pieces.push((class, piece));
            rest = tail;
        }
        pieces
    }

    /// The piece at the start of code, and its length in bytes.
    fn code(&mut self, text: &str) -> (Class, usize) {
        let mut chars = text.chars();
        let first = chars.next().unwrap_or_default();
        let second = chars.next();
        match (first, second) {
            ('#', _) | ('/', Some('/')) => (Class::Comment, text.len()),
            ('/', Some('*')) => self.comment(text, 2),
            ('"' | '\'' | '`', _) => {
                self.open = Open::String(first);
                (Class::String, 1)
            }
            ('$', Some(c)) if is_word(c) => (Class::Variable, 1 + word(text.get(1..).unwrap_or_default())),
            (c, _) if c.is_ascii_digit() => (Class::Number, number(text)),
            (c, _) if is_word(c) => {
                let length = word(text);
                let (name, after) = text.split_at_checked(length).unwrap_or((text, ""));
                let class = match name {
                    _ if after.starts_with("::") => Class::Call,
                    name if KEYWORDS.contains(&name) => Class::Keyword,
                    _ if after.trim_start().starts_with('(') => Class::Call,
                    _ => Class::Plain,
                };
                (class, length)
            }
            _ => (Class::Plain, first.len_utf8()),
        }
    }

    /// A comment to its end, which is looked for from byte `from`.
    fn comment(&mut self, text: &str, from: usize) -> (Class, usize) {
        let end = text.get(from..).and_then(|body| body.find("*/"));
        self.open = if end.is_some() { Open::Nothing } else { Open::Comment };
        (Class::Comment, end.map_or(text.len(), |at| from + at + 2))
    }

    /// The inside of a string to its end or to the next interpolation.
    fn string(&mut self, text: &str, quote: char) -> (Class, usize) {
        let interpolates = quote != '\'';
        if interpolates && let Some(length) = interpolation(text) {
            return (Class::Variable, length);
        }
        let mut is_escaped = false;
        for (at, c) in text.char_indices() {
            if is_escaped {
                is_escaped = false;
            } else if c == '\\' && quote != '`' {
                is_escaped = true;
            } else if c == quote {
                self.open = Open::Nothing;
                return (Class::String, at + 1);
            } else if c == '{' && at > 0 && interpolates && text.get(at..).and_then(interpolation).is_some() {
                return (Class::String, at);
            }
        }
        (Class::String, text.len())
    }
}

/// The length of the interpolation `{$…}` that the text begins with, if it ends in this line.
fn interpolation(text: &str) -> Option<usize> {
    /// Longer ones are shown as text, so that a line of braces does not take quadratic time.
    const LONGEST: usize = 200;
    text.strip_prefix("{$").filter(|rest| rest.starts_with(is_word))?;
    let mut depth = 0;
    for (at, c) in text.char_indices().take(LONGEST) {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at + 1),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The length of the word that the text begins with.
fn word(text: &str) -> usize {
    text.find(|c| !is_word(c)).unwrap_or(text.len())
}

/// The length of the number that the text begins with.
fn number(text: &str) -> usize {
    let whole = word(text);
    let fraction = text
        .get(whole..)
        .and_then(|rest| rest.strip_prefix('.'))
        .map_or(0, |rest| if rest.starts_with(|c: char| c.is_ascii_digit()) { 1 + word(rest) } else { 0 });
    whole + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[&str]) -> String {
        let mut highlighter = Highlighter::new();
        let mut out = String::new();
        for line in lines {
            for (class, piece) in highlighter.line(line) {
                match class {
                    Class::Plain => out.push_str(piece),
                    class => out.push_str(&format!("{}‹{piece}›", format!("{class:?}").chars().next().unwrap_or('?'))),
                }
            }
            out.push('\n');
        }
        out
    }

    #[test]
    fn the_parts_of_a_line_have_their_classes() {
        assert_eq!(
            shown(&["  return db::find($id, 1.5e3) ?? null # none"]),
            "  K‹return› C‹db›::C‹find›(V‹$id›, N‹1.5e3›) ?? K‹null› C‹# none›\n"
        );
        assert_eq!(shown(&["if (count($x) > 0x1F) { // y"]), "K‹if› (C‹count›(V‹$x›) > N‹0x1F›) { C‹// y›\n");
    }

    #[test]
    fn interpolations_show_as_variables() {
        assert_eq!(shown(&[r#""a {$u.name} {b} \" c"."#]), "S‹\"›S‹a ›V‹{$u.name}›S‹ {b} \\\" c\"›.\n");
        assert_eq!(shown(&["'{$raw}'"]), "S‹'›S‹{$raw}'›\n");
        assert_eq!(shown(&[r#""{$open"#]), "S‹\"›S‹{$open›\n");
    }

    #[test]
    fn strings_and_comments_go_on_in_the_next_line() {
        assert_eq!(shown(&["/* a", "b */ 1", "`x", "y` 2"]), "C‹/* a›\nC‹b */› N‹1›\nS‹`›S‹x›\nS‹y`› N‹2›\n");
    }

    #[test]
    fn pieces_are_the_line_whatever_it_holds() {
        for line in ["", "$", "$é", "\"\\", "é“”\u{202e}\0", "/*", "/**/", "1.", "1..2", "{$}", "`{$a{`", "'\\''"]
        {
            let pieces: String = Highlighter::new().line(line).into_iter().map(|(_, piece)| piece).collect();
            assert_eq!(pieces, line);
        }
    }
}
