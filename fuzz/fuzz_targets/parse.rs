//! Any text parses to a tree and diagnostics, whose places can be shown.

#![no_main]

use libfuzzer_sys::fuzz_target;
use source::{Source, SourceMap, Style, render};

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let id = sources.add(Source::new("fuzz.lk", text));
    let parsed = syntax::parse(id, text);
    for diagnostic in &parsed.diagnostics {
        assert!(!render(diagnostic, &sources, Style::Plain).is_empty());
    }
});
