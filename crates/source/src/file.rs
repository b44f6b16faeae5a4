//! Source files and the way from a byte offset to a line and column.

use crate::Span;

/// Index of a file in a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct SourceId(pub u32);

/// A line and column a person counts: both start at 1, columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One file of source text.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// Takes text that is known under `name` (as the user wrote it, usually a path).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect();
        Self { name: name.into(), text, line_starts }
    }

    /// The name the file was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset; an offset past the end is the end.
    pub fn location(&self, offset: u32) -> Location {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start as usize..offset as usize).unwrap_or("");
        Location { line: line as u32, column: before.chars().count() as u32 + 1 }
    }

    /// Text of line `line` (from 1) without its line end.
    pub fn line_text(&self, line: u32) -> &str {
        let index = line.saturating_sub(1) as usize;
        let Some(start) = self.line_starts.get(index) else { return "" };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |next| *next as usize);
        self.text.get(*start as usize..end).unwrap_or("").trim_end_matches(['\n', '\r'])
    }

    /// Text of a span.
    pub fn slice(&self, span: Span) -> &str {
        span.slice(&self.text)
    }
}

/// All files of one program.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<Source>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn add(&mut self, source: Source) -> SourceId {
        self.files.push(source);
        SourceId(self.files.len() as u32 - 1)
    }

    /// The file with this id.
    ///
    /// # Panics
    /// When the id comes from another map.
    pub fn get(&self, id: SourceId) -> &Source {
        self.files.get(id.0 as usize).expect("a SourceId is only made by the map that holds its file")
    }

    /// All files in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.files.iter().enumerate().map(|(index, file)| (SourceId(index as u32), file))
    }
}
