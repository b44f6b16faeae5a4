//! Upper and lower case by the simple mappings of Unicode, the same everywhere; slugs.
//!
//! A character becomes one character (`ß` stays `ß`), and bytes that are not UTF-8 stay as they are.

use vm::Str;

/// All letters in upper case.
pub(crate) fn upper(text: &Str) -> Str {
    convert(text, u8::is_ascii_lowercase, <[u8]>::make_ascii_uppercase, upper_char)
}

/// All letters in lower case.
pub(crate) fn lower(text: &Str) -> Str {
    convert(text, u8::is_ascii_uppercase, <[u8]>::make_ascii_lowercase, lower_char)
}

fn convert(text: &Str, changes: fn(&u8) -> bool, ascii: fn(&mut [u8]), one: fn(char) -> char) -> Str {
    if !text.is_ascii() {
        return convert_unicode(text, one);
    }
    if !text.as_bytes().iter().any(changes) {
        return text.clone();
    }
    let mut bytes = text.as_bytes().to_vec();
    ascii(&mut bytes);
    let mut result = Str::from(bytes);
    result.mark_ascii();
    result
}

fn convert_unicode(text: &Str, one: fn(char) -> char) -> Str {
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            out.extend_from_slice(one(c).encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
    Str::from(out)
}

fn upper_char(c: char) -> char {
    let mut mapped = c.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(single), None) => single,
        // Greek letters with a subscript iota have a capital of their own; other full mappings have no simple one.
        _ => match c {
            '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => {
                char::from_u32(u32::from(c) + 8).unwrap_or(c)
            }
            '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => char::from_u32(u32::from(c) + 9).unwrap_or(c),
            _ => c,
        },
    }
}

/// Only `İ` has no single lower case letter by the full mapping; its simple one is the first of the two.
fn lower_char(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// The text as part of a URL: letters without marks and digits, and single dashes between them.
pub(crate) fn slugify(text: &[u8]) -> String {
    let mut slug = String::with_capacity(text.len());
    let mut gap = false;
    for c in String::from_utf8_lossy(text).chars().flat_map(char::to_lowercase) {
        let mut buffer = [0; 4];
        let letters = if c.is_ascii_alphanumeric() { c.encode_utf8(&mut buffer) } else { fold(c) };
        if !letters.is_empty() {
            if gap && !slug.is_empty() {
                slug.push('-');
            }
            gap = false;
            slug.push_str(letters);
        } else if !('\u{300}'..='\u{36f}').contains(&c) {
            // A mark that follows its letter makes no gap.
            gap = true;
        }
    }
    slug
}

/// The ASCII letters that stand for a lower case Latin letter; empty for anything else.
fn fold(c: char) -> &'static str {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ț' => "t",
        'þ' => "th",
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => "",
    }
}
