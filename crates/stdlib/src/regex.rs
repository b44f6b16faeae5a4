//! Regular expressions of `string::`: ECMAScript patterns, searched anywhere in the text.
//!
//! Positions are bytes inside; bytes that are not UTF-8 are never part of a match of `.` and stay as they are.

mod cache;
mod pattern;
mod replacement;
#[cfg(test)]
mod tests;
mod translate;

use crate::string::{append, part};
use cache::Patterns;
use pattern::{Groups, Pattern, TooManySteps, search_on};
use replacement::Replacement;
use vm::{Cx, List, Str, Thrown, Value};

/// True when `pattern` matches anywhere in `text`; `function` is for messages.
///
/// # Errors
/// A pattern that cannot be used.
pub(crate) fn is_match(cx: &mut Cx<'_>, function: &str, text: &Str, pattern: &Str) -> Result<bool, Thrown> {
    let compiled = cx.state::<Patterns>().get(function, pattern)?;
    compiled.is_match(text.as_bytes()).map_err(|_| TooManySteps::error(function, pattern))
}

/// All matches: for each the whole, then its groups; a group that took no part is "".
fn match_all(pattern: &mut Pattern, text: &Str) -> Result<Vec<Value>, TooManySteps> {
    let haystack = text.as_bytes();
    let mut matches = Vec::new();
    let mut at = 0;
    if pattern.groups() <= 1 {
        while at <= haystack.len()
            && let Some(found) = pattern.find(haystack, at)?
        {
            at = search_on(haystack, &found);
            let whole = Value::from(part(text, found));
            matches.push(Value::from(List::from(vec![whole])));
        }
        return Ok(matches);
    }
    let mut groups = Groups::with_capacity(pattern.groups());
    while at <= haystack.len() && pattern.find_groups(haystack, at, &mut groups)? {
        let Some(Some(whole)) = groups.first() else { break };
        at = search_on(haystack, whole);
        let group = |range: &Option<std::ops::Range<usize>>| Value::from(part(text, range.clone().unwrap_or_default()));
        matches.push(Value::from(groups.iter().map(group).collect::<List>()));
    }
    Ok(matches)
}

fn replace_all(pattern: &mut Pattern, text: &Str, with: &[u8]) -> Result<Result<Str, Thrown>, TooManySteps> {
    const NAME: &str = "string::regex_replace";
    let haystack = text.as_bytes();
    let replacement = Replacement::new(with, pattern);
    let mut groups = Groups::with_capacity(pattern.groups());
    let (mut at, mut done) = (0, 0);
    let mut out: Option<Str> = None;
    while at <= haystack.len() {
        let found = if replacement.needs_groups() {
            pattern.find_groups(haystack, at, &mut groups)?
        } else {
            groups.clear();
            groups.extend(pattern.find(haystack, at)?.map(Some));
            !groups.is_empty()
        };
        let Some(Some(whole)) = groups.first().filter(|_| found) else { break };
        let out = out.get_or_insert_with(|| Str::with_capacity(haystack.len()));
        let before = haystack.get(done..whole.start).unwrap_or_default();
        for piece in std::iter::once(before).chain(replacement.parts(haystack, &groups)) {
            if let Err(error) = append(out, piece, NAME) {
                return Ok(Err(error));
            }
        }
        done = whole.end;
        at = search_on(haystack, whole);
    }
    let Some(mut out) = out else { return Ok(Ok(text.clone())) };
    let rest = append(&mut out, haystack.get(done..).unwrap_or_default(), NAME);
    Ok(rest.map(|()| out))
}

/// Text, by pattern.
#[macros::module(name = "string")]
pub mod builtins {
    use super::{Patterns, TooManySteps, is_match, match_all, replace_all};
    use crate::text::Text;
    use vm::{Cx, Str, Thrown, Value};

    /// True when the pattern matches anywhere in the text.
    ///
    /// ```look
    /// print(string::regex_match("order 66", '\d+'), string::regex_match("abc", '^\d+$'))   // true false
    /// ```
    #[builtin(pure)]
    fn regex_match(cx: &mut Cx<'_>, text: Text<'_>, pattern: &Str) -> Result<bool, Thrown> {
        is_match(cx, "string::regex_match", &text, pattern)
    }

    /// The text with every match replaced; `$1` in `with` is a group, `$&` the match, `$<name>` a named group, `$$` a `$`.
    ///
    /// ```look
    /// print(string::regex_replace("2024-05-01", '(\d+)-(\d+)-(\d+)', '$3.$2.$1'))   // 01.05.2024
    /// ```
    #[builtin(pure)]
    fn regex_replace(cx: &mut Cx<'_>, text: Text<'_>, pattern: &Str, with: Text<'_>) -> Result<Str, Thrown> {
        const NAME: &str = "string::regex_replace";
        let compiled = cx.state::<Patterns>().get(NAME, pattern)?;
        replace_all(compiled, &text, with.as_bytes()).map_err(|_| TooManySteps::error(NAME, pattern))?
    }

    /// All matches, each a list of the whole match and its groups; a group that took no part is "".
    ///
    /// ```look
    /// print(string::regex_match_all("a1 b2", '([a-z])(\d)'))   // [[a1, a, 1], [b2, b, 2]]
    /// ```
    #[builtin(pure)]
    fn regex_match_all(cx: &mut Cx<'_>, text: Text<'_>, pattern: &Str) -> Result<Vec<Value>, Thrown> {
        const NAME: &str = "string::regex_match_all";
        let compiled = cx.state::<Patterns>().get(NAME, pattern)?;
        match_all(compiled, &text).map_err(|_| TooManySteps::error(NAME, pattern))
    }
}
