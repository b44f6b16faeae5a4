//! Text made visible: characters that show nothing, drive a terminal or reorder a line are written as `\u{…}`.

/// Bytes of a single text that are shown; an error may carry a text of any size.
const LONGEST: usize = 8 * 1024;

/// Does this character show nothing, or change how others show? Tab and line feed are no such, nor are the joiners that
/// some scripts are written with.
pub(super) fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' => true,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// Appends a character.
pub(super) fn push_char(out: &mut String, c: char) {
    if is_hidden(c) {
        out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
    } else {
        out.push(c);
    }
}

/// Appends a text.
pub(super) fn push(out: &mut String, text: &str) {
    text.chars().for_each(|c| push_char(out, c));
}

/// Appends a text as a part of one line.
pub(super) fn push_in_line(out: &mut String, text: &str) {
    for c in text.chars() {
        if c == '\n' { out.push_str("\\n") } else { push_char(out, c) }
    }
}

/// The part of a text that is shown.
pub(super) fn shorten(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_drives_a_terminal_or_reorders_a_line_is_spelled_out() {
        let mut out = String::new();
        push(&mut out, "a\u{1b}[31m\u{202e}b\u{7f}\u{9b}\r\0é\tz\n\u{feff}");
        assert_eq!(out, "a\\u{1b}[31m\\u{202e}b\\u{7f}\\u{9b}\\u{d}\\u{0}é\tz\n\\u{feff}");
        let mut line = String::new();
        push_in_line(&mut line, "a\nb");
        assert_eq!(line, "a\\nb");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = "é".repeat(LONGEST);
        assert_eq!(shorten(&long).len(), LONGEST);
        assert_eq!(shorten(&format!("a{long}")).len(), LONGEST - 1);
        assert_eq!(shorten("short"), "short");
    }
}
