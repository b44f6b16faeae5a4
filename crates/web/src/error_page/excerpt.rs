//! The lines around a place, the failing one marked and with carets below it, as HTML and as plain text.

use super::Place;
use super::highlight::{Class, Highlighter};
use super::markup::Markup;
use super::visible;
use std::ops::Range;

/// Characters of a line that are shown. Of a longer one a part around the place is shown.
const LONGEST: usize = 240;

/// Characters shown before the place in a line that is cut on the left.
const LEAD: usize = 60;

/// The part of a line that is shown, and what is marked in it.
struct Shown<'t> {
    number: u32,
    text: &'t str,
    is_cut_left: bool,
    is_cut_right: bool,
    /// Bytes of `text`; none in lines other than that of the place.
    marked: Option<Range<usize>>,
}

/// The lines of the place's excerpt.
fn lines(place: &Place) -> impl Iterator<Item = Shown<'_>> {
    let marked = place.marked();
    place.excerpt.iter().map(move |(number, text)| {
        let is_marked = *number == place.line;
        let first = if is_marked && marked.end > LONGEST { marked.start.saturating_sub(LEAD) } else { 0 };
        let offset = |column: usize| text.char_indices().nth(column).map_or(text.len(), |(at, _)| at);
        let (start, end) = (offset(first), offset(first + LONGEST));
        let inside = |column: usize| offset(column).clamp(start, end) - start;
        Shown {
            number: *number,
            text: text.get(start..end).unwrap_or_default(),
            is_cut_left: start > 0,
            is_cut_right: end < text.len(),
            marked: is_marked.then(|| inside(marked.start)..inside(marked.end)),
        }
    })
}

/// Writes the excerpt; nothing if the source is not known.
pub(super) fn write_html(out: &mut Markup, place: &Place) {
    if place.excerpt.is_empty() {
        return;
    }
    let mut highlighter = Highlighter::new();
    // The block scrolls sideways, so the keyboard must be able to reach it.
    out.raw("<pre class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"Source of ")
        .text(&place.file)
        .raw("\"><code>");
    for line in lines(place) {
        let is_marked = line.marked.is_some();
        out.raw(if is_marked { "<span class=\"line bad\">" } else { "<span class=\"line\">" });
        out.raw("<span class=\"no\">").number(line.number).raw("</span><span class=\"src\">");
        write_source(out, &line, &mut highlighter);
        out.raw("</span></span>");
        if let Some(marked) = &line.marked {
            write_carets(out, &line, marked);
        }
    }
    out.raw("</code></pre>\n");
}

fn write_source(out: &mut Markup, line: &Shown<'_>, highlighter: &mut Highlighter) {
    if line.is_cut_left {
        out.raw("…");
    }
    let marked = line.marked.clone().unwrap_or_default();
    let mut at = 0;
    for (class, piece) in highlighter.line(line.text) {
        let name = name(class);
        if !name.is_empty() {
            out.raw("<span class=\"").raw(name).raw("\">");
        }
        // Before, in and after what is marked.
        let cut = |offset: usize| offset.clamp(at, at + piece.len()) - at;
        let (start, end) = (cut(marked.start), cut(marked.end));
        out.text(piece.get(..start).unwrap_or_default());
        if start < end {
            out.raw("<mark>").text(piece.get(start..end).unwrap_or_default()).raw("</mark>");
        }
        out.text(piece.get(end..).unwrap_or_default());
        if !name.is_empty() {
            out.raw("</span>");
        }
        at += piece.len();
    }
    if line.is_cut_right {
        out.raw("…");
    }
}

/// The class of a piece in the style sheet; empty for plain ones.
fn name(class: Class) -> &'static str {
    match class {
        Class::Plain => "",
        Class::Keyword => "k",
        Class::String => "s",
        Class::Number => "n",
        Class::Comment => "c",
        Class::Variable => "v",
        Class::Call => "f",
    }
}

/// The line of carets. What stands before the place is repeated invisibly: only so do the carets stand below it whatever
/// the width of its characters.
fn write_carets(out: &mut Markup, line: &Shown<'_>, marked: &Range<usize>) {
    out.raw("<span class=\"line carets\" aria-hidden=\"true\"><span class=\"no\"></span><span class=\"src\"><i>");
    if line.is_cut_left {
        out.raw("…");
    }
    out.text(line.text.get(..marked.start).unwrap_or_default()).raw("</i>");
    out.text(&carets(line, marked)).raw("</span></span>");
}

fn carets(line: &Shown<'_>, marked: &Range<usize>) -> String {
    "^".repeat(line.text.get(marked.clone()).map_or(0, |text| text.chars().count()).max(1))
}

/// Appends the excerpt as text, the failing line with `>` before it.
pub(super) fn write_text(out: &mut String, place: &Place) {
    let width = place.excerpt.last().map_or(0, |(number, _)| number.to_string().len());
    for line in lines(place) {
        let (mark, ellipsis) = (if line.marked.is_some() { '>' } else { ' ' }, if line.is_cut_left { "…" } else { "" });
        out.push_str(&format!("{mark} {:>width$} | {ellipsis}", line.number));
        visible::push_in_line(out, line.text);
        out.push_str(if line.is_cut_right { "…\n" } else { "\n" });
        if let Some(marked) = &line.marked {
            out.push_str(&format!("  {:width$} | {}", "", if line.is_cut_left { " " } else { "" }));
            let mut before = String::new();
            visible::push_in_line(&mut before, line.text.get(..marked.start).unwrap_or_default());
            out.extend(before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }));
            out.push_str(&carets(&line, marked));
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(column: u32, end_column: u32, line: &str) -> Place {
        let excerpt = vec![(9, "before()".to_owned()), (10, line.to_owned()), (11, String::new())];
        Place { file: "a.lk".to_owned(), line: 10, column, end_column, excerpt }
    }

    fn html_of(place: &Place) -> String {
        let mut out = Markup::default();
        write_html(&mut out, place);
        out.into_string()
    }

    fn text_of(place: &Place) -> String {
        let mut out = String::new();
        write_text(&mut out, place);
        out
    }

    #[test]
    fn the_place_is_marked_and_carets_stand_below_it() {
        let place = place(9, 14, "\treturn $user.name");
        assert_eq!(text_of(&place), "   9 | before()\n> 10 | \treturn $user.name\n     | \t       ^^^^^\n  11 | \n");
        let html = html_of(&place);
        assert!(html.contains("<span class=\"line bad\"><span class=\"no\">10</span>"), "{html}");
        assert!(html.contains("<span class=\"v\"><mark>$user</mark></span>.name"), "{html}");
        assert!(html.contains("<i>\treturn </i>^^^^^</span>"), "{html}");
    }

    #[test]
    fn a_mark_may_cover_several_pieces_and_parts_of_them() {
        let html = html_of(&place(4, 9, "f($abc + 1)"));
        let expected =
            "<span class=\"f\">f</span>(<span class=\"v\">$<mark>abc</mark></span><mark> </mark><mark>+</mark>";
        assert!(html.contains(expected), "{html}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}$x{}", "a".repeat(5000), "b".repeat(5000));
        let place = place(5001, 5003, &line);
        let text = text_of(&place);
        assert!(text.lines().all(|line| line.chars().count() < LONGEST + 20), "{text}");
        assert!(text.contains("a$xb"), "{text}");
        let rows: Vec<&str> = text.lines().collect();
        let column =
            |row: usize, sign: &str| rows.get(row).and_then(|row| row.find(sign).map(|at| row[..at].chars().count()));
        assert_eq!(column(1, "$x"), column(2, "^^"));
        assert!(html_of(&place).contains("<mark>$x</mark>"));
    }

    #[test]
    fn a_place_outside_of_its_line_is_no_fault() {
        for (column, end) in [(0, 0), (500, 1), (u32::MAX, u32::MAX), (1, u32::MAX), (3, 2)] {
            for line in ["", "é", "ééé\u{202e}é"] {
                let place = place(column, end, line);
                assert!(text_of(&place).contains('^'), "{column} {end} {line}");
                assert!(html_of(&place).contains('^'), "{column} {end} {line}");
            }
        }
        let place = Place { excerpt: Vec::new(), ..place(1, 2, "") };
        assert_eq!(html_of(&place) + &text_of(&place), "");
    }

    #[test]
    fn source_cannot_become_markup() {
        let html = html_of(&place(1, 3, "</code><script>alert(\"<b>\")</script>\u{202e}"));
        assert!(!html.contains("<script") && !html.contains("<b>") && !html.contains('\u{202e}'), "{html}");
    }
}
