//! Making a program smaller while it still shows what it shows.

use source::{SourceId, Span};
use syntax::tree::{Block, Expr, ExprKind, Stmt, StmtKind};
use syntax::visit::{self, Visitor};

/// After so many programs the smallest one so far has to do.
const MAX_TRIES: usize = 20_000;

/// The smallest program that could be found for which `still_fails` is true, as it is for `source`.
///
/// Statements go first, alone and in groups, then blocks lose what is around them, then expressions become parts of
/// themselves or literals. What ends a loop is left alone: the heads of loops, and counters in the body of a `while`.
pub fn shrink(source: &str, mut still_fails: impl FnMut(&str) -> bool) -> String {
    let mut smallest = source.to_owned();
    let mut tries = 0;
    loop {
        let mut improved = false;
        let mut edits = edits(&smallest);
        edits.sort_by_key(Edit::gain);
        while let Some(edit) = edits.pop() {
            let Some(candidate) = edit.apply(&smallest) else { continue };
            tries += 1;
            if tries > MAX_TRIES {
                return smallest;
            }
            if still_fails(&candidate) {
                smallest = candidate;
                improved = true;
                // Other edits meant other positions, except those in front of this one.
                edits.retain(|other| other.span.end <= edit.span.start);
            }
        }
        if !improved {
            return without_blank_lines(smallest, still_fails);
        }
    }
}

/// What removed statements leave behind, unless it matters.
fn without_blank_lines(smallest: String, mut still_fails: impl FnMut(&str) -> bool) -> String {
    let lines = smallest.lines().filter(|line| !line.trim().is_empty());
    let dense: String = lines.flat_map(|line| [line.trim(), "\n"]).collect();
    if still_fails(&dense) { dense } else { smallest }
}

/// A part of the text and what it becomes.
struct Edit {
    span: Span,
    text: String,
}

impl Edit {
    /// How many bytes it saves.
    fn gain(&self) -> usize {
        ((self.span.end - self.span.start) as usize).saturating_sub(self.text.len())
    }

    /// The text after the edit; none when it would not be shorter.
    fn apply(&self, source: &str) -> Option<String> {
        let before = source.get(..self.span.start as usize)?;
        let after = source.get(self.span.end as usize..)?;
        let shorter = self.gain() > 0;
        shorter.then(|| format!("{before}{}{after}", self.text))
    }
}

/// Everything that may be tried. A text that cannot be parsed is cut by lines.
fn edits(source: &str) -> Vec<Edit> {
    let parsed = syntax::parse(SourceId(0), source);
    if parsed.has_errors() {
        return lines(source);
    }
    let mut collector = Collector { source, edits: Vec::new(), in_while: false };
    collector.list(&parsed.program.statements);
    visit::walk_program(&mut collector, &parsed.program);
    collector.edits
}

fn lines(source: &str) -> Vec<Edit> {
    let mut start = 0;
    let mut edits = Vec::new();
    for line in source.split_inclusive('\n') {
        let end = start + line.len() as u32;
        edits.push(Edit { span: Span::new(start, end), text: String::new() });
        start = end;
    }
    edits
}

struct Collector<'a> {
    source: &'a str,
    edits: Vec<Edit>,
    /// Directly in the body of a `while`.
    in_while: bool,
}

impl Collector<'_> {
    fn replace(&mut self, span: Span, text: impl Into<String>) {
        self.edits.push(Edit { span, text: text.into() });
    }

    /// Groups of neighbouring statements: all, halves, quarters and so on.
    fn list(&mut self, statements: &[Stmt]) {
        let is_counter =
            |statement: &Stmt| matches!(&statement.kind, StmtKind::Expr(Expr { kind: ExprKind::Step { .. }, .. }));
        let mut size = statements.len();
        while size > 0 {
            for group in statements.chunks(size) {
                if !(self.in_while && group.iter().any(is_counter))
                    && let (Some(first), Some(last)) = (group.first(), group.last())
                {
                    self.replace(first.span.to(last.span), "");
                }
            }
            size /= 2;
        }
    }

    /// The text between the braces of a block instead of what it belongs to.
    fn unwrap(&mut self, around: Span, block: &Block) {
        let inside = Span::new(block.span.start + 1, block.span.end.saturating_sub(1));
        let text = inside.slice(self.source).to_owned();
        self.replace(around, text);
    }
}

impl Visitor for Collector<'_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If { branches, otherwise } => {
                branches.iter().for_each(|(_, block)| self.unwrap(stmt.span, block));
                otherwise.iter().for_each(|block| self.unwrap(stmt.span, block));
            }
            StmtKind::While { body, .. } => {
                self.unwrap(stmt.span, body);
                self.in_while = true;
                return self.visit_block(body);
            }
            StmtKind::For { body, .. } => {
                self.unwrap(stmt.span, body);
                return self.visit_block(body);
            }
            StmtKind::Foreach { body, .. } => self.unwrap(stmt.span, body),
            StmtKind::Try { body, catch, finally } => {
                self.unwrap(stmt.span, body);
                if let Some(catch) = catch {
                    self.unwrap(stmt.span, &catch.body);
                }
                if let (Some(catch), Some(finally)) = (catch, finally) {
                    // Without the `finally`, and without the `catch`.
                    self.replace(Span::new(catch.body.span.end, finally.span.end), "");
                    let text = format!("finally {}", finally.span.slice(self.source));
                    self.replace(Span::new(body.span.end, finally.span.end), text);
                }
            }
            StmtKind::Switch { cases, .. } => {
                for case in cases {
                    self.list(&case.body);
                    self.replace(case.span, "");
                }
            }
            StmtKind::Block(block) => self.unwrap(stmt.span, block),
            _ => {}
        }
        visit::walk_stmt(self, stmt);
    }

    fn visit_block(&mut self, block: &Block) {
        self.list(&block.statements);
        self.in_while = false;
        visit::walk_block(self, block);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        self.in_while = false;
        for literal in ["1", "null", "[]", "\"\""] {
            self.replace(expr.span, literal);
        }
        expr.for_each_child(&mut |child| {
            let text = child.span.slice(self.source).to_owned();
            self.edits.push(Edit { span: expr.span, text });
        });
        visit::walk_expr(self, expr);
    }
}
