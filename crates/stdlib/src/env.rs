//! Settings from outside: environment, `.env` file, command line.

use macros::module;
use std::collections::HashMap;
use std::io::ErrorKind;
use vm::{Cx, Thrown, Value};

/// The file of settings beside the main script.
const DOT_ENV: &str = ".env";

/// What the `.env` file says, once it was read.
#[derive(Default)]
struct DotEnv(Option<HashMap<Vec<u8>, Vec<u8>>>);

/// A setting: from the environment, else from the `.env` file, so that a deployment can override what stands in a file.
///
/// # Errors
/// There is a `.env` file that cannot be read.
pub(crate) fn lookup(cx: &mut Cx<'_>, name: &[u8]) -> Result<Option<Vec<u8>>, Thrown> {
    let Ok(text) = std::str::from_utf8(name) else { return Ok(None) };
    if let Some(value) = std::env::var_os(text) {
        return Ok(Some(value.into_encoded_bytes()));
    }
    if cx.state::<DotEnv>().0.is_none() {
        let settings = read_file(cx)?;
        cx.state::<DotEnv>().0 = Some(settings);
    }
    Ok(cx.state::<DotEnv>().0.as_ref().and_then(|settings| settings.get(name)).cloned())
}

fn read_file(cx: &Cx<'_>) -> Result<HashMap<Vec<u8>, Vec<u8>>, Thrown> {
    let path = cx.host().root.join(DOT_ENV);
    match std::fs::read(&path) {
        Ok(text) => Ok(parse(&text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(HashMap::new()),
        Err(error) => Err(Thrown::error(format!("env(): cannot read {}: {error}", path.display()))),
    }
}

/// Reads lines `NAME=value`. A value may stand in single or double quotes; `#` starts a comment at the start of a line
/// or after a space. What is no setting is skipped. The last of two settings counts.
fn parse(text: &[u8]) -> HashMap<Vec<u8>, Vec<u8>> {
    let text = text.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(text);
    let settings = text.split(|byte| *byte == b'\n').filter_map(|line| {
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"export ").unwrap_or(line);
        let equals = line.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (line.get(..equals)?.trim_ascii(), line.get(equals + 1..)?.trim_ascii());
        let is_setting = !name.is_empty() && !name.starts_with(b"#");
        is_setting.then(|| (name.to_vec(), unquote(value).to_vec()))
    });
    settings.collect()
}

fn unquote(value: &[u8]) -> &[u8] {
    if let [quote @ (b'"' | b'\''), rest @ ..] = value
        && let Some(end) = rest.iter().position(|byte| byte == quote)
    {
        return rest.get(..end).unwrap_or(rest);
    }
    if value.starts_with(b"#") {
        return b"";
    }
    let comment = value.windows(2).position(|pair| matches!(pair, [b' ' | b'\t', b'#']));
    comment.and_then(|at| value.get(..at)).unwrap_or(value).trim_ascii_end()
}

#[module(name = "")]
pub mod builtins {
    //! Names that need no module.

    use super::*;

    /// A setting from the environment or from the file `.env` beside the main script; the environment goes first.
    ///
    /// `.env` has lines `NAME=value`, values in quotes if they start or end with a space, and comments after `#`.
    ///
    /// ```look
    /// print(env("NO_SUCH_SETTING", "none"), env("NO_SUCH_SETTING") == null)   // none true
    /// ```
    #[builtin(reads)]
    fn env(cx: &mut Cx<'_>, name: &[u8], default: Option<&Value>) -> Result<Value, Thrown> {
        let found = lookup(cx, name)?;
        Ok(found.map_or_else(|| default.cloned().unwrap_or_default(), Value::str))
    }

    /// A setting by its dotted name: `config("mail.from")` is the setting `MAIL_FROM`; see `env`.
    ///
    /// ```look
    /// print(config("no.such.setting", 25))   // 25
    /// ```
    #[builtin(reads)]
    fn config(cx: &mut Cx<'_>, name: &[u8], default: Option<&Value>) -> Result<Value, Thrown> {
        let upper: Vec<u8> = name
            .iter()
            .map(|byte| if matches!(byte, b'.' | b'-' | b' ') { b'_' } else { byte.to_ascii_uppercase() })
            .collect();
        env(cx, &upper, default)
    }

    /// The words after the script's name on the command line.
    ///
    /// ```look
    /// print(count(args()))   // 0
    /// ```
    #[builtin(reads)]
    fn args(cx: &mut Cx<'_>) -> Vec<Value> {
        cx.host().args.iter().map(Value::str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{error_in, isolate_in, text_in};
    use vm::Host;

    #[test]
    fn a_file_of_settings() {
        let text = "\u{FEFF}# comment\r\nA=1\r\n  B = two words  \nexport C=\"x # y\"\nD='it''s'\nE=a#b # c\nF=\nG=#\n\
                    nonsense\n=x\n#H=1\nA=last\nI=a=b\nJ=\"open\nK=\"\" # empty";
        let settings = parse(text.as_bytes());
        for (name, value) in [
            ("A", Some("last")),
            ("B", Some("two words")),
            ("C", Some("x # y")),
            ("D", Some("it")),
            ("E", Some("a#b")),
            ("F", Some("")),
            ("G", Some("")),
            ("H", None),
            ("I", Some("a=b")),
            ("J", Some("\"open")),
            ("K", Some("")),
            ("", None),
        ] {
            assert_eq!(settings.get(name.as_bytes()).map(Vec::as_slice), value.map(str::as_bytes), "{name}");
        }
    }

    #[test]
    fn the_environment_goes_before_the_file() {
        let folder = crate::testing::Folder::new("env");
        std::fs::write(folder.path().join(".env"), "PATH=from the file\nGANDER_TEST_DB_NAME=shop\n").expect("writes");
        let args = vec!["up".to_owned(), "--force".to_owned()];
        let mut isolate = isolate_in(Host { root: folder.path().to_owned(), args, ..Host::default() });
        let mut text = |name: &str, args: Vec<Value>| text_in(&mut isolate, "", name, args);
        assert_ne!(text("env", vec![Value::str("PATH")]), "from the file");
        assert_eq!(text("env", vec![Value::str("GANDER_TEST_DB_NAME")]), "shop");
        assert_eq!(text("config", vec![Value::str("gander.test.db-name")]), "shop");
        assert_eq!(text("env", vec![Value::str("gander_test_db_name")]), "null");
        assert_eq!(text("config", vec![Value::str("gander.no"), Value::int(5)]), "5");
        for name in ["", "=", "A=B", "a\0b", "\u{1F600}"] {
            assert_eq!(text("env", vec![Value::str(name)]), "null");
        }
        assert_eq!(text("args", vec![]), "[up, --force]");
    }

    #[test]
    fn an_unreadable_file_is_an_error() {
        let folder = crate::testing::Folder::new("env-unreadable");
        std::fs::create_dir(folder.path().join(".env")).expect("makes a folder");
        let mut isolate = isolate_in(Host { root: folder.path().to_owned(), ..Host::default() });
        let message = error_in(&mut isolate, "", "env", vec![Value::str("GANDER_TEST_NONE")]);
        assert!(message.starts_with("env(): cannot read "), "{message}");
    }
}
