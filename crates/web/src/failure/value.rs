//! A value in a few words, for a developer: as it would be written in the language, cut where it gets long.

use crate::error_page::is_secret;
use vm::{Value, View, text};

/// Characters after which the rest is left out.
const LONGEST: usize = 160;

/// How deep lists and maps are shown.
const DEPTH: usize = 4;

/// The value as it is shown. Elements of maps whose names say that they are secret are not.
pub(super) fn shown(value: &Value) -> String {
    let mut out = String::new();
    push(&mut out, value, DEPTH);
    out
}

fn push(out: &mut String, value: &Value, depth: usize) {
    match value.view() {
        View::Str(text) => push_text(out, text.as_bytes()),
        View::List(list) => {
            let elements = list.iter().map(|value| (None, value));
            push_all(out, elements, depth);
        }
        View::Map(map) => {
            let elements = map.iter().map(|(name, value)| (Some(name.to_str_lossy()), value));
            push_all(out, elements, depth);
        }
        View::Struct(object) => {
            let elements = object.iter().map(|(name, value)| (Some(name.into()), value));
            push_all(out, elements, depth);
        }
        _ => out.push_str(&text::to_text(value).to_str_lossy()),
    }
}

fn push_all<'v>(
    out: &mut String,
    elements: impl ExactSizeIterator<Item = (Option<std::borrow::Cow<'v, str>>, &'v Value)>,
    depth: usize,
) {
    if depth == 0 && elements.len() > 0 {
        out.push_str("[…]");
        return;
    }
    out.push('[');
    for (at, (name, value)) in elements.enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        if out.len() >= LONGEST {
            out.push('…');
            break;
        }
        let is_hidden = name.as_deref().is_some_and(is_secret);
        if let Some(name) = name {
            push_text(out, name.as_bytes());
            out.push_str(" => ");
        }
        if is_hidden { out.push('…') } else { push(out, value, depth - 1) }
    }
    out.push(']');
}

fn push_text(out: &mut String, text: &[u8]) {
    let cut = text.get(..LONGEST).unwrap_or(text);
    let written = String::from_utf8_lossy(cut).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    out.push('"');
    out.push_str(&written);
    out.push_str(if cut.len() < text.len() { "…\"" } else { "\"" });
}

#[cfg(test)]
mod tests {
    use super::*;
    use vm::{List, Map, Str};

    #[test]
    fn values_look_as_they_are_written() {
        let list = List::from_iter([Value::int(1), Value::str("a\"b"), Value::NULL]);
        let map: Map = [(Str::from("name"), Value::from(list)), (Str::from("on"), Value::TRUE)].into_iter().collect();
        assert_eq!(shown(&Value::from(map)), r#"["name" => [1, "a\"b", null], "on" => true]"#);
    }

    #[test]
    fn secrets_and_long_values_are_left_out() {
        let map: Map = [(Str::from("password"), Value::str("hunter2"))].into_iter().collect();
        assert_eq!(shown(&Value::from(map)), r#"["password" => …]"#);
        let long: List = (0..10_000).map(Value::int).collect();
        assert!(shown(&Value::from(long)).len() < 2 * LONGEST);
        let mut deep = Value::int(1);
        for _ in 0..10_000 {
            deep = Value::from(List::from_iter([deep]));
        }
        assert_eq!(shown(&deep), "[[[[[…]]]]]");
        assert!(shown(&Value::str("x".repeat(100_000))).len() < 2 * LONGEST);
    }
}
