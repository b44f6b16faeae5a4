//! The command line as a user meets it: exit codes, streams, bad input.

#![allow(clippy::indexing_slicing, reason = "an index that does not fit fails the test, as it should")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn file(name: &str, content: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli");
    std::fs::create_dir_all(&folder).expect("the scratch folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, content).expect("the scratch folder is writable");
    path
}

fn gander(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gander")).args(args).output().expect("gander starts")
}

fn run_bytes(name: &str, content: &[u8]) -> (Option<i32>, String, String) {
    let path = file(name, content);
    let output = gander(&[&path.display().to_string()]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Bad input gets one clear line (or a diagnostic) and an exit code, never a panic.
fn assert_refused(name: &str, content: &[u8], code: i32, says: &str) {
    let (exit, stdout, stderr) = run_bytes(name, content);
    assert_eq!(exit, Some(code), "{name}: {stderr}");
    assert_eq!(stdout, "", "{name}");
    assert!(stderr.contains(says), "{name}: {stderr}");
    assert!(!stderr.contains("panicked"), "{name}: {stderr}");
}

#[test]
fn a_file_is_run_with_and_without_the_word_run() {
    let path = file("args.lk", b"print(args())\nexit(3)").display().to_string();
    for args in [vec!["run", &path, "a", "--b"], vec![&*path, "a", "--b"]] {
        let output = gander(&args);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "[a, --b]\n");
        assert_eq!(output.status.code(), Some(3));
    }
}

#[test]
fn a_missing_file_is_wrong_use() {
    let output = gander(&["no/such/file.lk"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: cannot read 'no/such/file.lk': no such file\n");
}

#[test]
fn a_folder_is_wrong_use() {
    let output = gander(&["run", env!("CARGO_MANIFEST_DIR")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("it is a folder"));
}

#[test]
fn bad_files_are_refused_clearly() {
    assert_refused("empty.lk", b"", 1, "is empty");
    assert_refused("binary.lk", b"\x7fELF\x02\x01\x00\x00", 2, "it is not text");
    assert_refused("latin1.lk", b"print(1)\nprint(\"caf\xe9\")\n", 2, "not valid UTF-8 (line 2)");
    assert_refused("huge.lk", &vec![b'#'; 17 * 1024 * 1024], 2, "the limit is");
}

#[test]
fn a_million_levels_are_refused_and_do_not_overflow() {
    const LEVELS: usize = 1_000_000;
    for (name, open, close) in [
        ("brackets", "[", "]"),
        ("parens", "(", ")"),
        ("minus", "-", ""),
        ("not", "!", ""),
        ("blocks", "{", "}"),
        ("closures", "fn() => ", ""),
        ("ternaries", "1 ? ", " : 0"),
        ("fields", "$a.b", ""),
        ("ifs", "if (1) { ", " }"),
        ("sums", "1 + ", ""),
        ("assignments", "$a = ", ""),
    ] {
        let text = format!("$x = {}1{}", open.repeat(LEVELS), close.repeat(LEVELS));
        let text = if matches!(name, "blocks" | "ifs") { text.replacen("$x = ", "", 1) } else { text };
        assert_refused(&format!("deep-{name}.lk"), text.as_bytes(), 1, "Parse Error");
    }
}

#[test]
fn an_uncaught_error_names_the_place_and_the_calls() {
    let (exit, stdout, stderr) = run_bytes(
        "trace.lk",
        b"function inner($x) { return 1 / $x }\nfunction outer() { return inner(0) }\nprint(\"a\")\nouter()\n",
    );
    assert_eq!((exit, &*stdout), (Some(1), "a\n"));
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines[0], "Runtime Error: Division by zero");
    assert!(lines[1].starts_with("File: ") && lines[1].ends_with("trace.lk"), "{stderr}");
    assert_eq!(lines[2], "Line: 1, Column: 29");
    let trace: Vec<&str> = stderr.lines().skip_while(|line| *line != "Stack trace:").skip(1).collect();
    assert_eq!(trace.len(), 3, "{stderr}");
    assert!(trace[0].starts_with("  at inner (") && trace[0].ends_with("trace.lk:1:29)"), "{stderr}");
    assert!(trace[1].starts_with("  at outer (") && trace[2].starts_with("  at top level ("), "{stderr}");
}

#[test]
fn an_uncaught_error_about_a_name_says_which_was_meant() {
    let (exit, _, stderr) = run_bytes("meant.lk", b"$total = 1\nprint($totl)\n");
    assert_eq!(exit, Some(1));
    assert!(stderr.contains("Undefined variable: $totl") && stderr.contains("hint: did you mean $total?"), "{stderr}");
    let (_, _, stderr) = run_bytes("meant2.lk", b"function greet() { return 1 }\nprint(gret())\n");
    assert!(stderr.contains("hint: did you mean greet?"), "{stderr}");
}

#[test]
fn check_reports_as_text_and_as_json() {
    let path = file("check.lk", b"$total = 1\nprint($totl)\nstring::lenn(\"a\")\n").display().to_string();
    let output = gander(&["check", &path]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("did you mean $total?") && text.contains("did you mean string::len?"), "{text}");
    let output = gander(&["check", "--json", &path]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{text}");
    let fine = file("fine.lk", b"print(1)\n").display().to_string();
    let output = gander(&["check", &fine]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("fine.lk: OK\n"));
}

#[test]
fn check_finds_each_kind_of_mistake() {
    for (code, text) in [
        ("param-write", "function f($p) { $p[\"x\"] = 1 }\nf([])\n"),
        ("capture-stale", "function f() { $v = 1\n $g = fn() => $v\n $v = 2\n return $g() }\nf()\n"),
        ("capture-self", "function f() { $g = function() { return $g() }\n return $g }\nf()\n"),
        ("arg-count", "function f($a) { return $a }\nf()\n"),
        ("arg-count", "string::upper()\n"),
        ("undefined-function", "nope()\n"),
        ("global-write", "$g = [1]\nfunction f() { $g[0] = 2 }\nf()\n"),
        ("undefined-variable", "print($nope)\n"),
    ] {
        let path = file(&format!("{code}.lk"), text.as_bytes()).display().to_string();
        let output = gander(&["check", &path]);
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(shown.contains(&format!("[{code}]")), "{code}: {shown}");
        assert_eq!(output.status.code(), Some(1), "{code}");
    }
    let path = file("captured.lk", b"function f() { $v = 1\n return function() { print($v)\n $v = 2 } }\nf()\n");
    let output = gander(&["check", &path.display().to_string()]);
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("captures the value and cannot change it"), "{shown}");
}

#[test]
fn the_session_keeps_variables_and_functions() {
    let input = "$x = 20\nfunction double($n) {\nreturn $n * 2\n}\ndouble($x) + 2\n$f = fn($n) => $n . \"!\"\n1 / 0\n$x\n$f($_)\nexit(4)\n";
    let mut child = Command::new(env!("CARGO_BIN_EXE_gander"))
        .arg("repl")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gander starts");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("the session reads");
    let output = child.wait_with_output().expect("the session ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "20\n42\n<function>\n20\n\"20!\"\n");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("Runtime Error: Division by zero\n"));
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn help_and_documentation_teach() {
    let help = gander(&["--help"]);
    let text = String::from_utf8_lossy(&help.stdout);
    for word in ["run", "check", "repl", "doc"] {
        assert!(text.contains(word), "{text}");
    }
    let doc = gander(&["doc", "string::pad_left"]);
    assert!(String::from_utf8_lossy(&doc.stdout).starts_with("string::pad_left("));
    let unknown = gander(&["doc", "string::pad_lefft"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean string::pad_left?"));
}

#[test]
fn bytecode_is_shown_not_run() {
    let path = file("code.lk", b"print(1 + 2)\n$y = 3\n");
    let output = gander(&["run", "--disassemble", &path.display().to_string()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("function 0 top level") || text.contains("top level"), "{text}");
    assert!(!text.starts_with('3'), "{text}");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let path = file("long.lk", b"for ($i = 0; $i < 200000; $i++) { print(\"line {$i}\") }\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_gander"))
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gander starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("gander ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
