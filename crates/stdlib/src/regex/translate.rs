//! ECMAScript patterns in the syntax of our engines.
//!
//! Everything is rewritten explicitly (`\d` as `[0-9]`, `.` as what it excludes), so that no difference in meaning between
//! the syntaxes can show. Mistakes are found here, in the author's terms.

/// What `\s` matches.
const SPACE: &str = r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
/// What `\w` matches.
const WORD: &str = "0-9A-Za-z_";
/// What `.` does not match.
const LINE_ENDS: &str = r"\n\r\x{2028}\x{2029}";

/// A pattern in the syntax of our engines.
pub(super) struct Translated {
    pub(super) pattern: String,
    /// True when it looks around or back, which only the backtracking engine can.
    pub(super) backtracking: bool,
}

/// Translates a pattern.
///
/// # Errors
/// What is wrong with it.
pub(super) fn translate(source: &str) -> Result<Translated, String> {
    let translated = translate_for(source, false)?;
    if translated.backtracking { translate_for(source, true) } else { Ok(translated) }
}

fn translate_for(source: &str, backtracking: bool) -> Result<Translated, String> {
    let mut translator = Translator {
        rest: source,
        out: String::with_capacity(source.len() * 2),
        groups: count_groups(source),
        backtracking,
        ascii_boundaries: !backtracking,
        open: Vec::new(),
        dot_all: false,
        can_repeat: false,
    };
    translator.run()?;
    Ok(Translated { pattern: translator.out, backtracking: translator.backtracking })
}

/// Number of groups that capture; a reference back may stand before its group.
fn count_groups(source: &str) -> usize {
    let bytes = source.as_bytes();
    let (mut groups, mut at, mut in_class) = (0, 0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => {
                let tail = bytes.get(at + 1..).unwrap_or_default();
                let named = tail.starts_with(b"?<") && !matches!(tail.get(2), Some(b'=' | b'!'));
                groups += usize::from(named || !tail.starts_with(b"?"));
            }
            _ => {}
        }
        at += 1;
    }
    groups
}

struct Translator<'a> {
    rest: &'a str,
    out: String,
    groups: usize,
    backtracking: bool,
    /// True when the engine knows `\b` between ASCII letters; otherwise it is spelt out by looking around.
    ascii_boundaries: bool,
    /// For each open group, whether `.` matched line ends outside it.
    open: Vec<bool>,
    dot_all: bool,
    /// True behind something that `*` can repeat.
    can_repeat: bool,
}

/// One member of a class.
enum Atom {
    One(char),
    /// Class syntax for several characters.
    Several(String),
}

impl<'a> Translator<'a> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The text up to `end`, which is passed over.
    fn until(&mut self, end: char) -> Option<&'a str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    fn run(&mut self) -> Result<(), String> {
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape()?,
                '[' => {
                    self.class()?;
                    self.can_repeat = true;
                }
                '(' => self.open_group()?,
                ')' => {
                    self.dot_all = self.open.pop().ok_or("there is a ')' without its '('")?;
                    self.out.push(')');
                    self.can_repeat = true;
                }
                '.' if self.dot_all => self.push_set(r"(?s:.)"),
                '.' => self.push_set(&format!("[^{LINE_ENDS}]")),
                '*' | '+' | '?' => self.repeat(&c.to_string())?,
                '{' => match self.counts() {
                    Some(counts) => self.repeat(&counts)?,
                    None => self.literal('{'),
                },
                '|' | '^' | '$' => {
                    self.out.push(c);
                    self.can_repeat = false;
                }
                _ => self.literal(c),
            }
        }
        if self.open.is_empty() { Ok(()) } else { Err("there is a '(' without its ')'".to_owned()) }
    }

    fn push_set(&mut self, set: &str) {
        self.out.push_str(set);
        self.can_repeat = true;
    }

    fn literal(&mut self, c: char) {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            self.out.push('\\');
        }
        self.out.push(c);
        self.can_repeat = true;
    }

    fn repeat(&mut self, operator: &str) -> Result<(), String> {
        if !self.can_repeat {
            return Err(format!("there is nothing that '{operator}' could repeat"));
        }
        self.out.push_str(operator);
        if self.eat("?") {
            self.out.push('?');
        }
        self.can_repeat = false;
        Ok(())
    }

    /// `{2}`, `{2,}` or `{2,5}` behind its brace; anything else is plain text.
    fn counts(&mut self) -> Option<String> {
        let (counts, rest) = self.rest.split_once('}')?;
        let (min, max) = counts.split_once(',').unwrap_or((counts, counts));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(min) || !(max.is_empty() || is_number(max)) {
            return None;
        }
        self.rest = rest;
        Some(format!("{{{counts}}}"))
    }

    fn open_group(&mut self) -> Result<(), String> {
        self.can_repeat = false;
        let around = ["?=", "?!", "?<=", "?<!"];
        if let Some(look) = around.into_iter().find(|look| self.rest.starts_with(look)) {
            self.eat(look);
            self.backtracking = true;
            self.begin("(", look);
        } else if self.eat("?:") {
            self.begin("(", "?:");
        } else if self.eat("?<") {
            let name = self.until('>').ok_or("a group's name has no '>'")?;
            let mut bytes = name.bytes();
            let valid = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
                && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if !valid {
                return Err(format!("'{name}' is no name for a group"));
            }
            self.begin("(?<", name);
            self.out.push('>');
        } else if self.eat("?") {
            self.flags()?;
        } else {
            self.begin("(", "");
        }
        Ok(())
    }

    fn begin(&mut self, open: &str, kind: &str) {
        self.out.push_str(open);
        self.out.push_str(kind);
        self.open.push(self.dot_all);
    }

    /// `(?i)` for the rest of the group, or `(?i:…)`.
    fn flags(&mut self) -> Result<(), String> {
        let end = self.rest.find([':', ')']).ok_or("there is a '(?' without its ')'")?;
        let (flags, rest) = self.rest.split_at(end);
        let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
        if flags.is_empty() || !on.chars().chain(off.chars()).all(|flag| "ims".contains(flag)) {
            return Err(format!("'(?{flags}' is no kind of group; flags are i, m and s"));
        }
        let dot_all = (self.dot_all || on.contains('s')) && !off.contains('s');
        self.rest = rest;
        if self.eat(":") {
            self.begin("(?", flags);
            self.out.push(':');
        } else {
            self.eat(")");
            self.out.push_str(&format!("(?{flags})"));
        }
        self.dot_all = dot_all;
        Ok(())
    }

    /// An escape outside a class.
    fn escape(&mut self) -> Result<(), String> {
        let digits = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 && !self.rest.starts_with('0') {
            return self.reference(digits);
        }
        if self.eat("b") || self.rest.starts_with('B') {
            let inside = self.eat("B");
            let spelt_out =
                |first, second| format!("(?:(?<=[{WORD}])({first}[{WORD}])|(?<![{WORD}])({second}[{WORD}]))");
            self.out.push_str(&match (self.ascii_boundaries, inside) {
                (true, false) => r"(?-u:\b)".to_owned(),
                (true, true) => r"(?-u:\B)".to_owned(),
                (false, false) => spelt_out("?!", "?="),
                (false, true) => spelt_out("?=", "?!"),
            });
            self.can_repeat = false;
            return Ok(());
        }
        if self.eat("k<") {
            let name = self.until('>').ok_or("a reference to a group has no '>'")?;
            self.backtracking = true;
            self.push_set(&format!(r"\k<{name}>"));
            return Ok(());
        }
        match self.escaped()? {
            Atom::One(c) => self.literal(c),
            Atom::Several(set) => self.push_set(&format!("[{set}]")),
        }
        Ok(())
    }

    /// `\2`: what group 2 has matched.
    fn reference(&mut self, digits: usize) -> Result<(), String> {
        // As many digits as name a group; the others are text.
        for len in (1..=digits).rev() {
            let number = self.rest.get(..len).and_then(|number| number.parse::<usize>().ok());
            if let Some(number) = number.filter(|number| *number <= self.groups) {
                self.rest = self.rest.get(len..).unwrap_or_default();
                self.backtracking = true;
                self.push_set(&format!(r"(?:\{number})"));
                return Ok(());
            }
        }
        Err(format!("'\\{}' refers to a group that does not exist", self.rest.get(..digits).unwrap_or_default()))
    }

    /// What an escape stands for inside and outside of classes.
    fn escaped(&mut self) -> Result<Atom, String> {
        let c = self.next().ok_or("there is a '\\' at the end")?;
        Ok(Atom::One(match c {
            'd' => return Ok(Atom::Several("0-9".to_owned())),
            'D' => return Ok(Atom::Several("[^0-9]".to_owned())),
            'w' => return Ok(Atom::Several(WORD.to_owned())),
            'W' => return Ok(Atom::Several(format!("[^{WORD}]"))),
            's' => return Ok(Atom::Several(SPACE.to_owned())),
            'S' => return Ok(Atom::Several(format!("[^{SPACE}]"))),
            'p' | 'P' if self.eat("{") => {
                let name = self.until('}').ok_or("a property has no '}'")?;
                return Ok(Atom::Several(format!("\\{c}{{{name}}}")));
            }
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'f' => '\u{c}',
            '0' => '\0',
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => char::from(letter as u8 % 32),
                _ => return Err("'\\c' needs a letter".to_owned()),
            },
            'x' => self.hex(2).and_then(char::from_u32).unwrap_or('x'),
            'u' => return self.unicode().map(Atom::One),
            other => other,
        }))
    }

    /// The number in that many hex digits, passed over only when they are all there.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest.get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let number = u32::from_str_radix(text, 16).ok()?;
        self.rest = self.rest.get(digits..).unwrap_or_default();
        Some(number)
    }

    /// `\u0131`, `\u{131}`, or a surrogate pair; a `\u` without digits is the letter.
    fn unicode(&mut self) -> Result<char, String> {
        if self.eat("{") {
            let digits = self.until('}').unwrap_or_default();
            let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
            return c.ok_or_else(|| format!("'\\u{{{digits}}}' is no character"));
        }
        let Some(unit) = self.hex(4) else { return Ok('u') };
        if (0xd800..0xdc00).contains(&unit) && self.eat("\\u") {
            let low = self.hex(4).filter(|low| (0xdc00..0xe000).contains(low));
            let c = low.and_then(|low| char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00)));
            return c.ok_or_else(|| format!("'\\u{unit:04x}' is half a character"));
        }
        char::from_u32(unit).ok_or_else(|| format!("'\\u{unit:04x}' is half a character"))
    }

    /// A class behind its `[`.
    fn class(&mut self) -> Result<(), String> {
        const UNCLOSED: &str = "there is a '[' without its ']'";
        let negated = self.eat("^");
        if self.eat("]") {
            self.out.push_str(if negated { "(?s:.)" } else { r"[^\x{0}-\x{10FFFF}]" });
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        while !self.eat("]") {
            let first = self.class_atom(UNCLOSED)?;
            let ranged = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            if !ranged {
                self.push_atom(&first);
                continue;
            }
            self.eat("-");
            let last = self.class_atom(UNCLOSED)?;
            match (&first, &last) {
                (Atom::One(from), Atom::One(to)) if from > to => {
                    return Err(format!("the range '{from}-{to}' is in the wrong order"));
                }
                (Atom::One(_), Atom::One(_)) => {
                    self.push_atom(&first);
                    self.out.push('-');
                    self.push_atom(&last);
                }
                _ => [first, Atom::One('-'), last].iter().for_each(|atom| self.push_atom(atom)),
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn class_atom(&mut self, unclosed: &str) -> Result<Atom, String> {
        match self.next().ok_or(unclosed)? {
            '\\' if self.eat("b") => Ok(Atom::One('\u{8}')),
            '\\' => self.escaped(),
            c => Ok(Atom::One(c)),
        }
    }

    fn push_atom(&mut self, atom: &Atom) {
        match atom {
            Atom::One(c) if c.is_ascii_alphanumeric() || !c.is_ascii() => self.out.push(*c),
            Atom::One(c) => self.out.push_str(&format!("\\x{:02X}", u32::from(*c))),
            Atom::Several(set) => self.out.push_str(set),
        }
    }
}
