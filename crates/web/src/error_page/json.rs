//! JSON that is being written: commas and quotes come by themselves.

/// A JSON text.
#[derive(Debug, Default)]
pub(crate) struct Json {
    out: String,
    needs_comma: bool,
}

impl Json {
    fn separate(&mut self) {
        if self.needs_comma {
            self.out.push(',');
        }
        self.needs_comma = true;
    }

    /// Writes `open`, what `inside` writes, and `close`.
    fn nest(&mut self, open: char, close: char, inside: impl FnOnce(&mut Self)) -> &mut Self {
        self.separate();
        self.out.push(open);
        self.needs_comma = false;
        inside(self);
        self.out.push(close);
        self.needs_comma = true;
        self
    }

    /// An object; `inside` writes keys and values.
    pub(crate) fn object(&mut self, inside: impl FnOnce(&mut Self)) -> &mut Self {
        self.nest('{', '}', inside)
    }

    /// An array; `inside` writes its values.
    pub(crate) fn array(&mut self, inside: impl FnOnce(&mut Self)) -> &mut Self {
        self.nest('[', ']', inside)
    }

    /// The key of the value that is written next.
    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        self.string(key);
        self.out.push(':');
        self.needs_comma = false;
        self
    }

    /// A string.
    pub(crate) fn string(&mut self, text: &str) -> &mut Self {
        self.separate();
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                c if c.is_control() => self.out.push_str(&format!("\\u{:04x}", u32::from(c))),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
        self
    }

    /// A string, or `null`.
    pub(crate) fn optional(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.string(text),
            None => self.literal("null"),
        }
    }

    /// A number.
    pub(crate) fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        self.literal(&number.into().to_string())
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, is_true: bool) -> &mut Self {
        self.literal(if is_true { "true" } else { "false" })
    }

    fn literal(&mut self, text: &str) -> &mut Self {
        self.separate();
        self.out.push_str(text);
        self
    }

    /// The text.
    pub(crate) fn into_string(self) -> String {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_nest_and_strings_are_escaped() {
        let mut json = Json::default();
        json.object(|json| {
            json.key("a\"").string("\\ \n\r\t\u{1}\u{85}é\u{2028}");
            json.key("b").array(|json| {
                json.number(1u32).object(|_| {}).array(|_| {}).optional(None).optional(Some("x"));
            });
            json.key("c").boolean(true).key("d").boolean(false);
        });
        assert_eq!(
            json.into_string(),
            "{\"a\\\"\":\"\\\\ \\n\\r\\t\\u0001\\u0085é\u{2028}\",\"b\":[1,{},[],null,\"x\"],\"c\":true,\"d\":false}"
        );
    }
}
