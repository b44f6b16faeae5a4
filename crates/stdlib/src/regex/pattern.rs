//! A compiled pattern: linear-time where the pattern allows it, backtracking with a step limit where it looks around or back.

use super::translate::translate;
use regex_automata::meta::{self, Cache};
use regex_automata::util::primitives::NonMaxUsize;
use regex_automata::{Anchored, Input, util::syntax};
use std::ops::Range;
use vm::{Str, Thrown};

/// Patterns with up to this many states, and tables up to this size, get their whole automaton when they are compiled, which
/// makes searching in short texts faster.
const MAX_DFA_STATES: usize = 100;
const MAX_DFA_BYTES: usize = 64 << 10;
/// Longer patterns are refused.
const MAX_PATTERN: usize = 64 * 1024;
/// Compiled size above which a pattern is refused.
const MAX_COMPILED: usize = 8 << 20;
/// Room for the states that the lazy engine makes while it searches.
const LAZY_STATES: usize = 512 * 1024;
/// Steps of the backtracking engine on one search; some tens of milliseconds.
const MAX_STEPS: usize = 1_000_000;
/// What a backtracking pattern is counted with, since it does not say.
const BACKTRACKING_SIZE: usize = 64 * 1024;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    engine: Engine,
    /// Number of groups, the whole match included.
    groups: usize,
    names: Vec<(Box<str>, usize)>,
}

#[derive(Debug)]
enum Engine {
    Linear { regex: meta::Regex, cache: Box<Cache>, slots: Vec<Option<NonMaxUsize>> },
    Backtracking(Box<fancy_regex::Regex>),
}

/// Where the groups of a match lie; the first is the whole.
pub(super) type Groups = Vec<Option<Range<usize>>>;

/// The error of a pattern that cannot be used; it names the pattern and the cause.
#[cold]
fn bad_pattern(function: &str, pattern: &[u8], cause: &str) -> Thrown {
    const SHOWN: usize = 80;
    let pattern = String::from_utf8_lossy(pattern);
    let more = if pattern.chars().nth(SHOWN).is_some() { "…" } else { "" };
    let shown: String = pattern.chars().take(SHOWN).collect();
    Thrown::error(format!("{function}(): the pattern '{shown}{more}' cannot be used: {cause}"))
}

/// The last line of an engine's message, without its label.
fn cause(message: &str) -> String {
    let last = message.lines().last().unwrap_or(message);
    last.trim_start_matches("error: ").to_owned()
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn compile(function: &str, text: &Str) -> Result<Self, Thrown> {
        let bytes = text.as_bytes();
        let fail = |cause: &str| bad_pattern(function, bytes, cause);
        if bytes.len() > MAX_PATTERN {
            return Err(fail(&format!("it is longer than {MAX_PATTERN} bytes")));
        }
        let source = std::str::from_utf8(bytes).map_err(|_| fail("it is not valid UTF-8"))?;
        let translated = translate(source).map_err(|cause| fail(&cause))?;
        if translated.backtracking {
            let regex = fancy_regex::RegexBuilder::new(&translated.pattern)
                .bytes_mode(fancy_regex::BytesMode::UnicodeBytes)
                .backtrack_limit(MAX_STEPS)
                .delegate_size_limit(MAX_COMPILED)
                .build()
                .map_err(|error| fail(&cause(&error.to_string())))?;
            let names = regex.capture_names().enumerate();
            let names = names.filter_map(|(at, name)| Some((Box::from(name?), at))).collect();
            return Ok(Self { groups: regex.captures_len(), names, engine: Engine::Backtracking(Box::new(regex)) });
        }
        let config = meta::Config::new()
            .nfa_size_limit(Some(MAX_COMPILED))
            .hybrid_cache_capacity(LAZY_STATES)
            .dfa_state_limit(Some(MAX_DFA_STATES))
            .dfa_size_limit(Some(MAX_DFA_BYTES))
            .utf8_empty(false);
        let regex = meta::Builder::new()
            .configure(config)
            .syntax(syntax::Config::new().utf8(false))
            .build(&translated.pattern)
            .map_err(|error| match error.size_limit() {
                Some(_) => fail("it is too large; shorten its repetitions"),
                None => fail(&cause(&error.syntax_error().map_or(error.to_string(), ToString::to_string))),
            })?;
        let names = regex.group_info().pattern_names(regex_automata::PatternID::ZERO).enumerate();
        let names = names.filter_map(|(at, name)| Some((Box::from(name?), at))).collect();
        let groups = regex.captures_len();
        let (cache, slots) = (Box::new(regex.create_cache()), vec![None; groups * 2]);
        Ok(Self { groups, names, engine: Engine::Linear { regex, cache, slots } })
    }

    /// Number of groups, the whole match included.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// The number of a named group.
    pub(super) fn group_named(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(known, _)| **known == *name).map(|(_, at)| *at)
    }

    /// True when groups have names.
    pub(super) fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// The memory that it holds, in bytes.
    pub(super) fn size(&self) -> usize {
        match &self.engine {
            Engine::Linear { regex, cache, .. } => regex.memory_usage() + cache.memory_usage(),
            Engine::Backtracking(_) => BACKTRACKING_SIZE,
        }
    }

    /// True when it matches anywhere.
    ///
    /// # Errors
    /// Too many steps.
    pub(super) fn is_match(&mut self, haystack: &[u8]) -> Result<bool, TooManySteps> {
        match &mut self.engine {
            Engine::Linear { regex, cache, .. } => Ok(regex.is_match_with(cache, &Input::new(haystack))),
            Engine::Backtracking(regex) => regex.is_match(haystack).map_err(|_| TooManySteps),
        }
    }

    /// The first match that starts at or after `at`.
    ///
    /// # Errors
    /// Too many steps.
    #[inline]
    pub(super) fn find(&mut self, haystack: &[u8], mut at: usize) -> Result<Option<Range<usize>>, TooManySteps> {
        loop {
            let found = match &mut self.engine {
                Engine::Linear { regex, cache, .. } => {
                    regex.search_with(cache, &input(haystack, at)).map(|found| found.range())
                }
                Engine::Backtracking(regex) => {
                    regex.find_from_pos(haystack, at).map_err(|_| TooManySteps)?.map(|found| found.range())
                }
            };
            match found {
                Some(found) if splits_char(haystack, &found) => at = found.start + 1,
                found => return Ok(found),
            }
        }
    }

    /// As [`Self::find`], with all groups in `groups`; false without a match.
    ///
    /// # Errors
    /// Too many steps.
    pub(super) fn find_groups(
        &mut self,
        haystack: &[u8],
        mut at: usize,
        groups: &mut Groups,
    ) -> Result<bool, TooManySteps> {
        loop {
            groups.clear();
            match &mut self.engine {
                Engine::Linear { regex, cache, slots } => {
                    if regex.search_slots_with(cache, &input(haystack, at), slots).is_none() {
                        return Ok(false);
                    }
                    groups.extend(slots.chunks_exact(2).map(|slots| match slots {
                        [Some(start), Some(end)] => Some(start.get()..end.get()),
                        _ => None,
                    }));
                }
                Engine::Backtracking(regex) => {
                    let Some(found) = regex.captures_from_pos(haystack, at).map_err(|_| TooManySteps)? else {
                        return Ok(false);
                    };
                    groups.extend(found.iter().map(|group| group.map(|group| group.range())));
                }
            }
            match groups.first() {
                Some(Some(found)) if splits_char(haystack, found) => at = found.start + 1,
                _ => return Ok(true),
            }
        }
    }
}

fn input(haystack: &[u8], at: usize) -> Input<'_> {
    let at = at.min(haystack.len());
    Input::new(haystack).span(at..haystack.len()).anchored(Anchored::No)
}

/// True for an empty match between the bytes of one character, which is no place in a text.
fn splits_char(haystack: &[u8], found: &Range<usize>) -> bool {
    found.is_empty() && haystack.get(found.start).is_some_and(|byte| (0x80..0xc0).contains(byte))
}

/// Where to search on behind a match: an empty one is passed by a character.
#[inline]
pub(super) fn search_on(haystack: &[u8], found: &Range<usize>) -> usize {
    if !found.is_empty() {
        return found.end;
    }
    let rest = haystack.get(found.end + 1..).unwrap_or_default();
    found.end + 1 + rest.iter().take_while(|byte| (0x80..0xc0).contains(*byte)).count()
}

/// The backtracking engine has given up.
#[derive(Debug)]
pub(super) struct TooManySteps;

impl TooManySteps {
    /// As an error for the script.
    #[cold]
    pub(super) fn error(function: &str, pattern: &Str) -> Thrown {
        let cause =
            format!("it needs more than {MAX_STEPS} steps on this text; it looks around or back, which is slow");
        bad_pattern(function, pattern.as_bytes(), &cause)
    }
}
