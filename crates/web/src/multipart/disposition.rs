//! The `Content-Disposition` of a part: which field it is and what the file was called.
//!
//! Written as browsers write it (HTML standard, "multipart/form-data encoding algorithm"): in quotes, with `"` and line ends as
//! `%22`, `%0D` and `%0A` and nothing else encoded. Other clients write `\"`; a lone backslash is a character, since older
//! browsers send whole Windows paths. `filename*` has no meaning in forms (RFC 7578, section 4.2).

/// What the header says.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Disposition {
    pub(super) name: Vec<u8>,
    /// The last component of the path that was sent, without control characters; empty if nothing of use is left. Without, the
    /// part is a text field.
    pub(super) filename: Option<String>,
}

/// Reads the header's value. None if it is not that of a form field.
pub(super) fn parse(header: &[u8]) -> Option<Disposition> {
    let end = header.iter().position(|byte| *byte == b';')?;
    let (kind, mut rest) = header.split_at_checked(end)?;
    if !kind.trim_ascii().eq_ignore_ascii_case(b"form-data") {
        return None;
    }
    let (mut name, mut filename) = (None, None);
    while let Some(parameter) = rest.strip_prefix(b";") {
        let parameter = parameter.trim_ascii_start();
        if parameter.is_empty() {
            rest = parameter;
            break;
        }
        let equals = parameter.iter().position(|byte| *byte == b'=')?;
        let (key, value) = parameter.split_at_checked(equals)?;
        let (value, behind) = read_value(value.get(1..)?.trim_ascii_start())?;
        rest = behind.trim_ascii_start();
        let key = key.trim_ascii();
        let place = if key.eq_ignore_ascii_case(b"name") {
            &mut name
        } else if key.eq_ignore_ascii_case(b"filename") {
            &mut filename
        } else {
            continue;
        };
        // Two of them would mean one thing here and another behind a filter that takes the other one.
        if place.replace(value).is_some() {
            return None;
        }
    }
    let filename = filename.map(|sent| clean(&sent));
    rest.is_empty().then_some(Disposition { name: name?, filename })
}

/// A parameter's value and what stands behind it.
fn read_value(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let Some(mut rest) = text.strip_prefix(b"\"") else {
        let end = text.iter().position(|byte| *byte == b';').unwrap_or(text.len());
        let (value, behind) = text.split_at_checked(end)?;
        return Some((value.trim_ascii_end().to_vec(), behind));
    };
    let mut value = Vec::with_capacity(rest.len());
    loop {
        let (byte, behind) = match rest {
            [b'"', behind @ ..] => return Some((value, behind)),
            [b'\\', b'"', behind @ ..] | [b'%', b'2', b'2', behind @ ..] => (b'"', behind),
            [b'%', b'0', b'D' | b'd', behind @ ..] => (b'\r', behind),
            [b'%', b'0', b'A' | b'a', behind @ ..] => (b'\n', behind),
            [byte, behind @ ..] => (*byte, behind),
            [] => return None,
        };
        value.push(byte);
        rest = behind;
    }
}

/// The name of the file itself: no folder, nothing invisible.
fn clean(sent: &[u8]) -> String {
    let visible: String = String::from_utf8_lossy(sent).chars().filter(|c| !c.is_control()).collect();
    let last = visible.rsplit(['/', '\\']).next().unwrap_or_default();
    if matches!(last, "." | "..") { String::new() } else { last.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(header: &str) -> Option<(String, Option<String>)> {
        let Disposition { name, filename } = parse(header.as_bytes())?;
        Some((String::from_utf8_lossy(&name).into_owned(), filename))
    }

    fn filename(header: &str) -> Option<String> {
        parsed(header).and_then(|(_, filename)| filename)
    }

    #[test]
    fn name_and_filename_are_read_in_any_order_and_writing() {
        let both = Some(("a".to_owned(), Some("b.txt".to_owned())));
        for header in [
            "form-data; name=\"a\"; filename=\"b.txt\"",
            "FORM-DATA;FileName=\"b.txt\";NAME=\"a\"",
            "form-data; name=a; filename=b.txt",
            "form-data ; name = \"a\" ; filename = \"b.txt\" ;",
            "form-data; name=\"a\"; filename=\"b.txt\"; filename*=UTF-8''evil.exe; x=y",
        ] {
            assert_eq!(parsed(header), both, "{header}");
        }
        assert_eq!(parsed("form-data; name=\"\""), Some((String::new(), None)));
    }

    #[test]
    fn a_parameter_inside_quotes_is_text() {
        let header = "form-data; filename=\"x; name=evil\"; name=\"good\"";
        assert_eq!(parsed(header), Some(("good".to_owned(), Some("x; name=evil".to_owned()))));
    }

    #[test]
    fn quotes_and_line_ends_come_back() {
        assert_eq!(parsed("form-data; name=\"a%22b%0D%0Ac%41\""), Some(("a\"b\r\nc%41".to_owned(), None)));
        assert_eq!(parsed("form-data; name=\"a\\\"b\\c\""), Some(("a\"b\\c".to_owned(), None)));
    }

    #[test]
    fn a_filename_is_reduced_to_its_last_component() {
        for (sent, expected) in [
            ("C:\\Users\\me\\photo.jpg", "photo.jpg"),
            ("../../etc/passwd", "passwd"),
            ("a/..\\b.txt", "b.txt"),
            ("..", ""),
            ("folder/", ""),
            ("a\u{1}\u{7f}\u{85}b%0D%0A.txt", "ab.txt"),
            (".\u{1}.", ""),
            ("größe.txt", "größe.txt"),
            ("", ""),
        ] {
            let header = format!("form-data; name=a; filename=\"{sent}\"");
            assert_eq!(filename(&header).as_deref(), Some(expected), "{sent:?}");
        }
        let broken = parse(b"form-data; name=a; filename=\"\xff.txt\"").and_then(|disposition| disposition.filename);
        assert_eq!(broken.as_deref(), Some("\u{fffd}.txt"));
    }

    #[test]
    fn what_is_no_form_field_is_refused() {
        for header in [
            "",
            "form-data",
            "form-data;",
            "form-data; filename=\"a\"",
            "attachment; name=\"a\"",
            "form-data; name",
            "form-data; name=\"a",
            "form-data; name=\"a\\\"",
            "form-data; name=\"a\" junk",
            "form-data; name=\"a\"; name=\"b\"",
            "form-data; name=\"a\"; filename=\"b\"; filename=\"c\"",
        ] {
            assert_eq!(parsed(header), None, "{header}");
        }
    }
}
