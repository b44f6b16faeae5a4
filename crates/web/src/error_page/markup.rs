//! HTML that is being written: only text that is part of the program can get in as markup, all other text is escaped.

use super::visible;

/// A piece of HTML.
#[derive(Debug, Default)]
pub(crate) struct Markup(String);

impl Markup {
    /// Appends markup. It is `'static`, so that nothing that comes from outside can get here.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Appends text as content or as the value of a quoted attribute.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '`' => self.0.push_str("&#96;"),
                c => visible::push_char(&mut self.0, c),
            }
        }
        self
    }

    /// Appends a number.
    pub(crate) fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        self.0.push_str(&number.into().to_string());
        self
    }

    /// The HTML.
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let mut markup = Markup::default();
        markup.raw("<p title=\"").text("\" onload='x'>`</script>&amp;\0").raw("\">").number(7u32);
        assert_eq!(
            markup.into_string(),
            "<p title=\"&quot; onload=&#39;x&#39;&gt;&#96;&lt;/script&gt;&amp;amp;\\u{0}\">7"
        );
    }
}
