//! The document around a page: its head, its one style, its one script, and the policy that allows nothing else.

use super::markup::Markup;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The mark of the server: the head of a gander.
pub(crate) const MARK: &str = include_str!("mark.svg");

/// What the pages of one kind have in common. They load nothing, so they look the same without a network.
#[derive(Debug)]
pub(crate) struct Shell {
    /// The style sheet.
    pub(crate) style: &'static str,
    /// The script, empty if there is none.
    pub(crate) script: &'static str,
}

impl Shell {
    /// The content security policy: this style and this script, known by their hashes, and nothing from elsewhere.
    fn policy(&self) -> String {
        let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
        let script = if self.script.is_empty() { "'none'".to_owned() } else { hash(self.script) };
        format!(
            "default-src 'none'; style-src {}; script-src {script}; img-src data:; base-uri 'none'; form-action 'none'",
            hash(self.style)
        )
    }

    /// A document with this title (text) and what `body` writes.
    pub(crate) fn document(&self, title: &str, body: impl FnOnce(&mut Markup)) -> String {
        let mut page = Markup::default();
        page.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        // Before everything that it governs.
        page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"").text(&self.policy()).raw("\">\n");
        page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        page.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" content=\"noindex\">\n");
        // An empty icon keeps the browser from asking the program for /favicon.ico.
        page.raw("<link rel=\"icon\" href=\"data:,\">\n<title>").text(title).raw("</title>\n");
        page.raw("<style>").raw(self.style).raw("</style>\n</head>\n<body>\n");
        body(&mut page);
        if !self.script.is_empty() {
            page.raw("<script>").raw(self.script).raw("</script>\n");
        }
        page.raw("</body>\n</html>\n");
        page.into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_hashes_of_style_and_script() {
        // The hashes of "abc" (FIPS 180-2, appendix B) and of the empty text.
        let abc = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        let policy = Shell { style: "abc", script: "" }.policy();
        assert!(policy.contains(&format!("style-src 'sha256-{abc}'; script-src 'none'")), "{policy}");
        let policy = Shell { style: "", script: "abc" }.policy();
        assert!(policy.contains(&format!("script-src 'sha256-{abc}'")), "{policy}");
    }

    #[test]
    fn a_title_is_text() {
        let page = Shell { style: "", script: "" }.document("</title><script>", |_| {});
        assert!(page.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"), "{page}");
    }
}
