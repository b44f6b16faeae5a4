//! The conformance programs once more, each as the handler of a route: on a fiber of a server, cut into slices, with what they
//! print as the body of a response.
//!
//! A program's declarations stay at the top level and its other statements move into the handler. Left out are programs for
//! which that means something else: those whose functions use variables of the top level, those of several files, and those
//! that end with an error, whose output is not a body. How many are left is checked, so that they cannot become few unnoticed.

use libtest_mimic::{Arguments, Failed, Trial};
use source::{Source, SourceMap, Span};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::rc::Rc;
use syntax::tree::{Expr, ExprKind, Stmt, StmtKind};
use syntax::visit::{self, Visitor};
use test_support::{Case, Server, find_cases};

/// Programs that can be run so.
const LEAST: usize = 400;

/// Programs that show how closures see variables of the top level.
const ABOUT_THE_TOP_LEVEL: [&str; 2] =
    ["language/c119_a_top_level_variable_is_read_live", "language/use_takes_the_value_at_creation"];

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let cases = match find_cases(&folder) {
        Ok(cases) => cases,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = Vec::new();
    for case in cases {
        let Some(program) = std::fs::read_to_string(&case.program).ok().and_then(|text| handler(&text)) else {
            continue;
        };
        let Some(expected) = case.plain_output().map(<[u8]>::to_vec) else { continue };
        if case.program.ends_with("main.lk") || ABOUT_THE_TOP_LEVEL.contains(&case.name.as_str()) {
            continue;
        }
        let name = format!("route::{}", case.name);
        trials.push(Trial::test(name, move || check(&case, &program, &expected)));
    }
    if trials.len() < LEAST {
        eprintln!("error: only {} programs can be run as a handler, at least {LEAST} should be", trials.len());
        return ExitCode::FAILURE;
    }
    libtest_mimic::run(&args, trials).exit_code()
}

fn check(case: &Case, program: &str, expected: &[u8]) -> Result<(), Failed> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("route").join(case.name.replace('/', "-"));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("app.lk");
    std::fs::write(&file, program)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_gander"));
    case.set_environment(&mut command);
    // Slices so short that every loop is cut.
    let flags = ["--listen", "127.0.0.1:0", "--workers", "1", "--log-format", "text", "--dev=off", "--slice", "50us"];
    command.arg("serve").args(flags).arg(&file);
    let server = Server::run(command)?;
    let reply = server.get("/");
    if reply.status == 200 && reply.body == expected {
        return Ok(());
    }
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (expected, got, told) = (shown(expected), shown(&reply.body), server.told());
    Err(Failed::from(format!("--- expected\n{expected}\n--- got, status {}\n{got}\n--- log\n{told}", reply.status)))
}

/// The program as a route's handler, if that means the same.
fn handler(text: &str) -> Option<String> {
    let mut sources = SourceMap::new();
    let id = sources.add(Source::new("app.lk", text));
    let parsed = syntax::parse(id, text);
    if parsed.has_errors() {
        return None;
    }
    let (mut declarations, mut statements) = (Names::default(), Names::default());
    let (mut top, mut body) = (String::new(), String::new());
    for stmt in &parsed.program.statements {
        let written = cut(text, stmt.span)?;
        match stmt.kind {
            StmtKind::UseFile(_) => return None,
            StmtKind::UseModule { .. } | StmtKind::Struct(_) | StmtKind::Const(_) | StmtKind::Function(_) => {
                declarations.visit_stmt(stmt);
                top.push_str(written);
                top.push_str(";\n");
            }
            _ => {
                statements.visit_stmt(stmt);
                body.push_str(written);
                body.push_str(";\n");
            }
        }
    }
    let is_apart = declarations.0.is_disjoint(&statements.0);
    is_apart.then(|| format!("{top}route(\"GET\", \"/\", function() {{\n{body}}})\n"))
}

fn cut(text: &str, span: Span) -> Option<&str> {
    text.get(span.start as usize..span.end as usize)
}

/// All variables that are named.
#[derive(Default)]
struct Names(HashSet<Rc<str>>);

impl Visitor for Names {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Foreach { key, value, .. } = &stmt.kind {
            self.0.extend(key.iter().chain([value]).map(|ident| ident.name.clone()));
        }
        visit::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        if let ExprKind::Var(name) = &expr.kind {
            self.0.insert(name.clone());
        }
        visit::walk_expr(self, expr);
    }
}
