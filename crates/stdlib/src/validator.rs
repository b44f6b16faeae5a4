//! `validator::check`: rules for the fields of a map. The first rule that a field breaks is its error.

use vm::text::{char_count, describe, is_decimal_int, parse_float, to_text};
use vm::{Array, Map, Str, Thrown, Value, View};

/// One rule, read from its text.
enum Rule {
    Required,
    Email,
    Integer,
    Numeric,
    Min(f64),
    Max(f64),
    In(Vec<Vec<u8>>),
}

/// Reads a rule.
///
/// # Errors
/// One that does not exist, or whose limit is no number.
fn parse(field: &Str, rule: &Value) -> Result<Rule, Thrown> {
    let fail = |cause: String| {
        let field = field.to_str_lossy().into_owned();
        Thrown::error(format!("validator::check(): {cause} (rules of the field '{field}')"))
    };
    let View::Str(text) = rule.view() else {
        return Err(fail(format!("a rule must be a string, got {}", describe(rule))));
    };
    let bytes = text.as_bytes();
    let (name, argument) = match memchr::memchr(b':', bytes) {
        Some(at) => (bytes.get(..at).unwrap_or_default(), bytes.get(at + 1..)),
        None => (bytes, None),
    };
    let limit = || {
        let number = argument.and_then(number);
        number.ok_or_else(|| fail(format!("the rule '{}' needs a number", text.to_str_lossy())))
    };
    Ok(match (name, argument) {
        (b"required", None) => Rule::Required,
        (b"email", None) => Rule::Email,
        (b"integer", None) => Rule::Integer,
        (b"numeric", None) => Rule::Numeric,
        (b"min", _) => Rule::Min(limit()?),
        (b"max", _) => Rule::Max(limit()?),
        (b"in", Some(options)) => Rule::In(options.split(|byte| *byte == b',').map(<[u8]>::to_vec).collect()),
        _ => {
            let known = "required, email, integer, numeric, min:N, max:N, in:a,b,c";
            return Err(fail(format!("unknown rule '{}'; known are {known}", text.to_str_lossy())));
        }
    })
}

/// A text that is a number from end to end.
fn number(text: &[u8]) -> Option<f64> {
    if is_decimal_int(text) {
        return std::str::from_utf8(text).ok()?.parse().ok();
    }
    parse_float(text)
}

/// A field's value as rules see it.
struct Field {
    text: Str,
    is_empty: bool,
    is_array: bool,
}

impl Field {
    fn new(value: Option<&Value>) -> Self {
        let Some(value) = value else { return Self { text: Str::new(b""), is_empty: true, is_array: false } };
        let (is_empty, is_array) = match value.view() {
            View::Null => (true, false),
            View::Str(text) => (text.is_empty(), false),
            View::List(list) => (list.is_empty(), true),
            View::Map(map) => (map.is_empty(), true),
            View::Struct(_) | View::Function(_) | View::Handle(_) => (false, true),
            View::Bool(_) | View::Int(_) | View::Float(_) => (false, false),
        };
        let text = if is_array { Str::new(b"") } else { to_text(value) };
        Self { text, is_empty, is_array }
    }

    /// What the field's value breaks of the rule, behind the field's name.
    fn breaks(&self, rule: &Rule) -> Option<String> {
        let text = self.text.as_bytes();
        if self.is_empty {
            return matches!(rule, Rule::Required).then(|| "is required".to_owned());
        }
        if self.is_array && !matches!(rule, Rule::Required) {
            return Some("has an invalid value".to_owned());
        }
        let (fits, message) = match rule {
            Rule::Required => return None,
            Rule::Email => (is_email(&self.text.to_str_lossy()), "is not a valid email".to_owned()),
            Rule::Integer => (is_decimal_int(text), "must be an integer".to_owned()),
            Rule::Numeric => (number(text).is_some(), "must be a number".to_owned()),
            Rule::In(options) => (options.iter().any(|option| option == text), "has an invalid value".to_owned()),
            Rule::Min(limit) => {
                let (size, unit) = self.size();
                (size >= *limit, format!("must be at least {limit}{unit}"))
            }
            Rule::Max(limit) => {
                let (size, unit) = self.size();
                (size <= *limit, format!("must be at most {limit}{unit}"))
            }
        };
        (!fits).then_some(message)
    }

    /// The number, or the number of characters, and the unit for messages.
    fn size(&self) -> (f64, &'static str) {
        match number(self.text.as_bytes()) {
            Some(number) => (number, ""),
            None => (char_count(self.text.as_bytes()) as f64, " characters"),
        }
    }
}

/// The shape of an address: a name, one `@`, and a domain of at least two labels. Whether it exists, only a mail can tell.
fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.rsplit_once('@') else { return false };
    let is_name_char = |c: char| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
    let dots_fit = |part: &str| !part.starts_with('.') && !part.ends_with('.') && !part.contains("..");
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = domain.rsplit('.').next().unwrap_or_default();
    text.len() <= 254
        && (1..=64).contains(&name.len())
        && name.chars().all(is_name_char)
        && dots_fit(name)
        && domain.contains('.')
        && domain.split('.').all(is_label)
        && last.chars().count() >= 2
        && !last.chars().all(|c| c.is_ascii_digit())
}

/// The errors by field.
fn check(data: &Value, rules: &Map) -> Result<Map, Thrown> {
    let mut errors = Map::new();
    for (field, rules) in rules.iter() {
        let single = std::slice::from_ref(rules);
        let rules = match rules.view() {
            View::List(list) => Array::List(list).values(),
            View::Map(map) => Array::Map(map).values(),
            _ => single,
        };
        let value = match data.view() {
            View::Map(map) => map.get_str(field),
            View::Struct(instance) => instance.get(field.as_bytes()),
            _ => None,
        };
        let value = Field::new(value);
        for rule in rules {
            let rule = parse(field, rule)?;
            if errors.get_str(field).is_none()
                && let Some(broken) = value.breaks(&rule)
            {
                let message = Str::concat(&[field.as_bytes(), b" ", broken.as_bytes()]);
                errors.insert(field.clone(), Value::from(message));
            }
        }
    }
    Ok(errors)
}

/// Checks of what users send.
#[macros::module(name = "validator")]
pub mod builtins {
    use vm::text::describe;
    use vm::{Array, Map, Str, Thrown, Value, View};

    /// Checks the fields of a map against rules and gives `ok` and, for each field that breaks one, a message in `errors`.
    ///
    /// Rules: `required`, `email`, `integer`, `numeric`, `min:N` and `max:N` (the number itself, or the number of
    /// characters of other text), `in:a,b,c`. An empty field only breaks `required`.
    ///
    /// ```look
    /// $result = validator::check(["age" => "12", "mail" => ""], ["age" => ["integer", "min:18"], "mail" => ["required", "email"]])
    /// print($result)   // [ok => false, errors => [age => age must be at least 18, mail => mail is required]]
    /// ```
    #[builtin(pure)]
    fn check(data: &Value, rules: Array<'_>) -> Result<Map, Thrown> {
        let rules = match rules {
            Array::Map(rules) => rules.clone(),
            Array::List(list) if list.is_empty() => Map::new(),
            Array::List(_) => {
                return Err(Thrown::error("validator::check(): the rules must be a map from fields to lists"));
            }
        };
        match data.view() {
            View::Null | View::Map(_) | View::Struct(_) => {}
            View::List(list) if list.is_empty() => {}
            _ => {
                let given = describe(data);
                return Err(Thrown::error(format!("validator::check(): the data must be a map, got {given}")));
            }
        }
        let errors = super::check(data, &rules)?;
        let ok = Value::bool(errors.is_empty());
        Ok([(Str::from("ok"), ok), (Str::from("errors"), Value::from(errors))].into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, text};
    use vm::{List, Map, Str, Value};

    fn map(key: &str, value: Value) -> Value {
        Value::from([(Str::from(key), value)].into_iter().collect::<Map>())
    }

    fn check(value: Value, rules: &[&str]) -> String {
        let rules: List = rules.iter().map(Value::str).collect();
        text("validator", "check", vec![map("f", value), map("f", Value::from(rules))])
    }

    #[track_caller]
    fn assert_passes(value: &str, rule: &str, message: &str) {
        let expected = match message {
            "" => "[ok => true, errors => []]".to_owned(),
            _ => format!("[ok => false, errors => [f => f {message}]]"),
        };
        assert_eq!(check(Value::str(value), &[rule]), expected, "{value:?} {rule}");
    }

    #[test]
    fn rules_take_whole_values() {
        for (value, rule, message) in [
            ("", "required", "is required"),
            (" ", "required", ""),
            ("", "email", ""),
            ("42", "integer", ""),
            ("-42", "integer", ""),
            ("123abc", "integer", "must be an integer"),
            ("1.5", "integer", "must be an integer"),
            ("1.5", "numeric", ""),
            ("1e3", "numeric", ""),
            ("inf", "numeric", "must be a number"),
            ("12", "min:18", "must be at least 18"),
            ("18", "min:18", ""),
            ("12abc", "min:6", "must be at least 6 characters"),
            ("çğüşıö", "min:6", ""),
            ("çğüşıö", "max:5", "must be at most 5 characters"),
            ("6", "max:5.5", "must be at most 5.5"),
            ("admin", "in:admin,user", ""),
            ("adm", "in:admin,user", "has an invalid value"),
        ] {
            assert_passes(value, rule, message);
        }
        assert_eq!(
            check(Value::str("x"), &["integer", "min:5"]),
            "[ok => false, errors => [f => f must be an integer]]"
        );
        assert_eq!(check(Value::NULL, &["required"]), "[ok => false, errors => [f => f is required]]");
        assert_eq!(check(Value::int(5), &["integer", "max:5"]), "[ok => true, errors => []]");
        assert_eq!(check(Value::from(List::from(vec![Value::NULL])), &["required"]), "[ok => true, errors => []]");
    }

    #[test]
    fn addresses_have_a_shape() {
        for address in ["a@b.co", "first.last+tag@sub.example.com", "ü@münchen.de"] {
            assert_passes(address, "email", "");
        }
        for address in [
            "a",
            "@b.co",
            "a@",
            "a@b",
            "a@b.c",
            "a b@c.de",
            "a@b..de",
            ".a@b.de",
            "a@-b.de",
            "a@b@c.de",
            "a@1.2.3.4",
            "a@b.de\n",
        ] {
            assert_passes(address, "email", "is not a valid email");
        }
    }

    #[test]
    fn wrong_rules_and_data_are_errors() {
        let rules = |rule: Value| vec![map("f", Value::NULL), map("f", rule)];
        assert!(error("validator", "check", rules(Value::str("requird"))).contains("unknown rule 'requird'"));
        assert!(error("validator", "check", rules(Value::str("min:x"))).contains("needs a number"));
        assert!(error("validator", "check", rules(Value::int(1))).contains("a rule must be a string, got int 1"));
        assert!(error("validator", "check", vec![Value::int(1), map("f", Value::NULL)]).contains("must be a map"));
        assert_eq!(
            text("validator", "check", vec![Value::NULL, map("f", Value::str("required"))]),
            "[ok => false, errors => [f => f is required]]"
        );
    }
}
