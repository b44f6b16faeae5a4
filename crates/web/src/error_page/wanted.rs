//! The form of answer that a client reads: HTML in a browser, JSON in a program, plain text in a terminal.

/// A form of answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// For people in a browser.
    Html,
    /// For programs.
    Json,
    /// For people in a terminal, and for clients that do not say.
    Text,
}

impl Wanted {
    /// The media type of the answer.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Json => "application/json; charset=utf-8",
            Self::Text => "text/plain; charset=utf-8",
        }
    }
}

/// A body and its media type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Page {
    /// The media type.
    pub(crate) content_type: &'static str,
    /// The body.
    pub(crate) body: String,
}

/// What the client of a request with these fields reads. Only what it names counts: `*/*` is what clients say that take
/// anything and show it as it comes.
pub(crate) fn wanted<'h>(header: impl Fn(&str) -> Option<&'h [u8]>) -> Wanted {
    let has = |name: &str, start: &[u8]| {
        header(name).and_then(|value| value.get(..start.len())).is_some_and(|value| value.eq_ignore_ascii_case(start))
    };
    let Some(accept) = header("accept") else {
        return match () {
            () if has("x-requested-with", b"XMLHttpRequest") => Wanted::Json,
            // A browser too old to say.
            () if has("user-agent", b"Mozilla/") => Wanted::Html,
            () => Wanted::Text,
        };
    };
    let accept = Accept::of(&String::from_utf8_lossy(accept));
    // Browsers never name JSON in a navigation, so it wins where both are equal.
    if accept.json > 0 && accept.json >= accept.html && accept.json >= accept.text {
        Wanted::Json
    } else if accept.html > 0 && accept.html >= accept.text {
        Wanted::Html
    } else if accept.text == 0 && has("x-requested-with", b"XMLHttpRequest") {
        Wanted::Json
    } else {
        Wanted::Text
    }
}

/// How much a client likes each form, in thousandths; 0 for a form that it does not name.
#[derive(Default)]
struct Accept {
    html: u16,
    json: u16,
    text: u16,
}

impl Accept {
    /// Reads an `Accept` field (RFC 9110, 12.5.1).
    fn of(field: &str) -> Self {
        let mut accept = Self::default();
        for item in field.split(',') {
            let mut parts = item.split(';').map(str::trim);
            let media = parts.next().unwrap_or_default().to_ascii_lowercase();
            let weight = parts.find_map(|part| {
                let (name, value) = part.split_once('=')?;
                name.trim().eq_ignore_ascii_case("q").then(|| quality(value.trim()))
            });
            let form = match media.as_str() {
                "text/html" | "application/xhtml+xml" => &mut accept.html,
                "application/json" | "text/json" => &mut accept.json,
                "text/plain" | "text/*" => &mut accept.text,
                media if media.starts_with("application/") && media.ends_with("+json") => &mut accept.json,
                _ => continue,
            };
            *form = (*form).max(weight.unwrap_or(1000));
        }
        accept
    }
}

/// A weight in thousandths; 0 for what is no weight.
fn quality(text: &str) -> u16 {
    let number: f32 = text.parse().unwrap_or(0.0);
    if (0.0..=1.0).contains(&number) { (number * 1000.0).round() as u16 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fields: &[(&str, &str)]) -> Wanted {
        wanted(|name| fields.iter().find(|(other, _)| *other == name).map(|(_, value)| value.as_bytes()))
    }

    #[test]
    fn browsers_get_html() {
        let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
        assert_eq!(of(&[("accept", accept)]), Wanted::Html);
        assert_eq!(of(&[("user-agent", "Mozilla/5.0")]), Wanted::Html);
    }

    #[test]
    fn programs_get_json() {
        for accept in [
            "application/json",
            "application/json, text/plain;q=0.9, */*;q=0.8",
            "APPLICATION/JSON;Q=0.5",
            "application/problem+json",
            "text/html;q=0.4, application/json ; charset=utf-8 ; q=0.5",
            "application/json, text/html",
        ] {
            assert_eq!(of(&[("accept", accept)]), Wanted::Json, "{accept}");
        }
        for accept in ["*/*", ""] {
            let fields = [("accept", accept), ("x-requested-with", "XMLHttpRequest")];
            assert_eq!(of(&fields), Wanted::Json, "{accept}");
        }
        assert_eq!(of(&[("x-requested-with", "xmlhttprequest")]), Wanted::Json);
    }

    #[test]
    fn what_the_client_names_is_worth_more_than_how_it_asks() {
        let fields = [("accept", "text/html, */*; q=0.01"), ("x-requested-with", "XMLHttpRequest")];
        assert_eq!(of(&fields), Wanted::Html);
    }

    #[test]
    fn all_others_get_text() {
        for accept in [
            "*/*",
            "",
            "text/plain",
            "text/plain, text/html;q=0.5, application/json;q=0.4",
            "application/json;q=0",
            "text/html;q=2",
            "text/html;q=nan",
            "text/html;q=-1",
            ",;,;q=,=",
            "image/png",
            "application/jsonx",
        ] {
            assert_eq!(of(&[("accept", accept), ("user-agent", "Mozilla/5.0")]), Wanted::Text, "{accept}");
        }
        assert_eq!(of(&[("user-agent", "curl/8.0")]), Wanted::Text);
        assert_eq!(wanted(|_| None), Wanted::Text);
        assert_eq!(wanted(|_| Some(b"\xff\xfe,text/html;q=\xff")), Wanted::Text);
    }
}
