//! Programs of several files.

use super::{Refused, load};
use crate::{Limits, end_of, run};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use vm::{Host, Isolate, Output, Registry};

/// Output and end of a program in the folder `app`; its main file comes first.
fn result(files: &[(&str, &str)]) -> String {
    let registry = Registry::new(stdlib::ALL.iter().copied());
    let texts: HashMap<&str, &str> = files.iter().copied().collect();
    let read = |path: &Path| {
        let found = path.to_str().and_then(|path| texts.get(path));
        found.map(|text| (*text).to_owned()).ok_or_else(|| "no such file".to_owned())
    };
    let (main, text) = files.first().expect("there is a main file");
    let program = match load(Path::new(main), text, &read, registry.signatures()) {
        Ok(program) => program,
        Err(Refused { errors, .. }) => return errors.iter().map(|error| error.message.as_str()).collect(),
    };
    let mut isolate = Isolate::new(registry, Arc::new(Host::default()), Output::kept());
    let end = end_of(run(program, &mut isolate, Limits::default()));
    let output = String::from_utf8_lossy(&isolate.output().take()).into_owned();
    output + &end
}

#[test]
fn a_file_runs_once_where_it_is_used_first() {
    let files = [
        ("app/main.lk", "print(1); use \"lib/a.lk\"; print(2); use \"lib/b.lk\"; print(late(), A)"),
        ("app/lib/a.lk", "use \"b.lk\"; print(\"a\"); const { A = 5 } function late() { return \"old\" }"),
        (
            "app/lib/b.lk",
            "use \"../main.lk\"; print(\"b\"); function late() { return $own } $own = 7; function f() { }",
        ),
    ];
    assert_eq!(result(&files), "1\nb\na\n2\nold 5\n");
}

#[test]
fn variables_of_a_file_are_private() {
    let files = [
        ("app/main.lk", "$x = 1; use \"a.lk\"; print($x, get()); set(); print($x, get())"),
        ("app/a.lk", "$x = [2]; function get() { return $x } function set() { $x[0] = 3 }"),
    ];
    assert_eq!(result(&files), "1 [2]\n1 [3]\n");
}

#[test]
fn what_cannot_be_loaded() {
    for (written, expected) in [
        ("../x.lk", "file module cannot escape the project directory: \"../x.lk\""),
        ("lib/../../app/a.lk", "file module cannot escape the project directory: \"lib/../../app/a.lk\""),
        ("/app/a.lk", "file module cannot escape the project directory: \"/app/a.lk\""),
        ("nope.lk", "cannot read \"nope.lk\": no such file"),
    ] {
        let main = format!("print(1); use \"{written}\"");
        assert_eq!(result(&[("app/main.lk", &main), ("app/a.lk", "")]), expected);
    }
    let other = ("app/a.lk", "\nstruct S { x float }");
    let message = "struct 'S' is already declared at app/main.lk:1 with different fields";
    assert_eq!(result(&[("app/main.lk", "struct S { x int }\nuse \"a.lk\""), other]), message);
}
