//! A place in a source file together with the lines around it.

use source::{Source, Span};

/// Lines shown above the place, and below it.
const BEFORE: u32 = 6;
const AFTER: u32 = 4;

/// A range in one line of a file. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The file as the user knows it.
    pub(crate) file: String,
    /// The line.
    pub(crate) line: u32,
    /// The first character.
    pub(crate) column: u32,
    /// One past the last character; for a range of several lines the end of the first.
    pub(crate) end_column: u32,
    /// Lines around the place with their numbers.
    pub(crate) excerpt: Vec<(u32, String)>,
}

impl Place {
    /// The place of a span.
    pub(crate) fn of(source: &Source, span: Span) -> Self {
        let start = source.location(span.start);
        let end = source.location(span.end.max(span.start));
        let end_column = if end.line == start.line {
            end.column
        } else {
            u32::try_from(source.line_text(start.line).chars().count()).unwrap_or(u32::MAX - 1) + 1
        };
        let last = u32::try_from(source.text().lines().count()).unwrap_or(u32::MAX).max(start.line);
        let lines = start.line.saturating_sub(BEFORE).max(1)..=start.line.saturating_add(AFTER).min(last);
        Self {
            file: source.name().to_owned(),
            line: start.line,
            column: start.column,
            end_column: end_column.max(start.column + 1),
            excerpt: lines.map(|line| (line, source.line_text(line).to_owned())).collect(),
        }
    }

    /// The marked range of the place's line, in characters from 0; never empty.
    pub(super) fn marked(&self) -> std::ops::Range<usize> {
        let start = self.column.saturating_sub(1) as usize;
        start..(self.end_column.saturating_sub(1) as usize).max(start + 1)
    }
}

/// `file:line:column`, as editors and terminals understand it.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_the_lines_around_it() {
        let text: String = (1..=20).map(|line| format!("line {line}\n")).collect();
        let at = text.find("line 10").map_or(0, |at| at as u32);
        let place = Place::of(&Source::new("a.lk", text), Span::new(at + 5, at + 7));
        assert_eq!((place.line, place.column, place.end_column), (10, 6, 8));
        assert_eq!(place.excerpt.first(), Some(&(4, "line 4".to_owned())));
        assert_eq!(place.excerpt.last(), Some(&(14, "line 14".to_owned())));
        assert_eq!(place.to_string(), "a.lk:10:6");
        assert_eq!(place.marked(), 5..7);
    }

    #[test]
    fn the_ends_of_a_file_are_the_ends_of_the_excerpt() {
        let source = Source::new("a.lk", "é$x\n");
        let place = Place::of(&source, Span::new(2, 4));
        assert_eq!(place.excerpt, [(1, "é$x".to_owned())]);
        assert_eq!((place.column, place.end_column), (2, 4));
        for span in [Span::new(900, 1000), Span::new(3, 1), Span::new(u32::MAX, u32::MAX), Span::new(1, 1)] {
            let place = Place::of(&source, span);
            assert!(place.end_column > place.column, "{place:?}");
        }
        assert!(!Place::of(&Source::new("", ""), Span::new(0, 0)).excerpt.is_empty());
    }

    #[test]
    fn a_range_of_several_lines_ends_with_its_first() {
        let place = Place::of(&Source::new("a.lk", "f(\n1)\n"), Span::new(0, 5));
        assert_eq!((place.column, place.end_column), (1, 3));
    }
}
