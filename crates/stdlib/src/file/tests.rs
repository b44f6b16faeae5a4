//! Files as programs use them, and every way out of the folder that we know of.

use super::sandbox::{Problem, Sandbox};
use crate::testing::{Folder, error_in, isolate_in, text_in};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use vm::{Host, Isolate, Value};

/// `outer/app` is the program's folder; `outer/app-evil` and `outer/secret` are not.
fn folders(name: &str) -> (Folder, Isolate) {
    let folder = Folder::new(name);
    for inner in ["app", "app-evil"] {
        fs::create_dir(folder.path().join(inner)).expect("makes a folder");
    }
    fs::write(folder.path().join("secret"), "secret").expect("writes");
    fs::write(folder.path().join("app-evil/secret"), "secret").expect("writes");
    let isolate = isolate_in(Host { root: folder.path().join("app"), ..Host::default() });
    (folder, isolate)
}

#[test]
fn files_hold_bytes() {
    let (folder, mut isolate) = folders("file-bytes");
    let mut text = |name: &str, args: Vec<Value>| text_in(&mut isolate, "file", name, args);
    let path = || Value::str("data/deep/ç.bin");
    assert_eq!(text("exists", vec![path()]), "false");
    assert_eq!(text("append", vec![path(), Value::str(b"\xff\0a")]), "true");
    assert_eq!(text("append", vec![path(), Value::int(5)]), "true");
    assert_eq!(fs::read(folder.path().join("app/data/deep/ç.bin")).expect("exists"), b"\xff\0a5");
    assert_eq!(text("size", vec![path()]), "4");
    assert_eq!(text("put", vec![path(), Value::str("ok")]), "true");
    assert_eq!(text("read", vec![path()]), "ok");
    assert_eq!(text("exists", vec![path()]), "true");
    assert_eq!(text("exists", vec![Value::str("data")]), "true");
    assert_eq!(text("exists", vec![Value::str("data/deep/ç.bin/x")]), "false");
    assert_eq!(text("exists", vec![Value::str("x".repeat(5000))]), "false");
    assert_eq!(text("read", vec![Value::str("./data/../data/deep/ç.bin")]), "ok");
    let absolute = folder.path().join("app/data/deep/ç.bin");
    assert_eq!(text("read", vec![Value::str(absolute.as_os_str().as_encoded_bytes())]), "ok");
    assert_eq!(text("remove", vec![path()]), "true");
    assert_eq!(text("remove", vec![path()]), "false");
    assert_eq!(text("remove", vec![Value::str("data/deep")]), "true");
}

#[test]
fn errors_name_the_path_and_the_cause() {
    let (folder, mut isolate) = folders("file-errors");
    fs::create_dir_all(folder.path().join("app/full/inner")).expect("makes folders");
    let mut error = |name: &str, args: Vec<Value>| error_in(&mut isolate, "file", name, args);
    assert_eq!(error("read", vec![Value::str("no\nfile")]), "file::read(): \"no\\nfile\" does not exist");
    assert_eq!(error("size", vec![Value::str("none")]), "file::size(): \"none\" does not exist");
    for name in ["read", "size"] {
        assert_eq!(error(name, vec![Value::str("full")]), format!("file::{name}(): \"full\" is a folder"));
        assert_eq!(error(name, vec![Value::str("")]), format!("file::{name}(): \"\" is not a path"));
    }
    let put = |path: &str| vec![Value::str(path), Value::str("x")];
    assert_eq!(error("put", put("full")), "file::put(): \"full\" is a folder");
    assert_eq!(error("put", put(".")), "file::put(): \".\" is a folder");
    assert_eq!(error("append", put("a\0b")), "file::append(): \"a\\0b\" is not a path");
    assert_eq!(error("remove", vec![Value::str("full")]), "file::remove(): \"full\" is a folder that is not empty");
    assert!(error("remove", vec![Value::str(".")]).starts_with("file::remove(): \".\" "));
    let message = error("put", vec![Value::str("x"), Value::NULL]);
    assert_eq!(message, "file::put(): argument 2 ($contents) must be string, got null");
}

#[test]
fn nothing_leads_out() {
    let (folder, mut isolate) = folders("file-escape");
    let outer = folder.path().to_str().expect("the folder is ours").to_owned();
    let app = folder.path().join("app");
    symlink("../secret", app.join("link")).expect("links");
    symlink(folder.path(), app.join("up")).expect("links");
    symlink("up/secret", app.join("chain")).expect("links");
    fs::create_dir(app.join("inner")).expect("makes a folder");
    fs::write(app.join("inner/file"), "inside").expect("writes");
    symlink(app.join("inner"), app.join("absolute")).expect("links");
    for path in [
        "../secret",
        "inner/../../secret",
        "inner/../../app-evil/secret",
        "/etc/passwd",
        "/",
        "..",
        "link",
        "up/secret",
        "chain",
        "up/app-evil/secret",
        &format!("{outer}/secret"),
        &format!("{outer}/app-evil/secret"),
        &format!("{outer}/app/../secret"),
        "../new",
        "up/new",
        &format!("{outer}/new"),
        "up/new/deep",
    ] {
        let outside = format!(
            "\"{path}\" is outside {outer}/app, where this program may use files; \
             the environment variable LOOK_FILE_ROOT names another folder"
        );
        for (name, args) in [
            ("read", vec![Value::str(path)]),
            ("exists", vec![Value::str(path)]),
            ("size", vec![Value::str(path)]),
            ("put", vec![Value::str(path), Value::str("x")]),
            ("append", vec![Value::str(path), Value::str("x")]),
        ] {
            assert_eq!(error_in(&mut isolate, "file", name, args), format!("file::{name}(): {outside}"), "{path}");
        }
    }
    assert_eq!(fs::read_to_string(folder.path().join("secret")).expect("untouched"), "secret");
    assert!(!folder.path().join("new").exists());
    // Links inside are as good as what they lead to, and removing one leaves that alone.
    let mut text = |name: &str, path: &str| text_in(&mut isolate, "file", name, vec![Value::str(path)]);
    assert_eq!(text("read", "absolute/file"), "inside");
    assert_eq!(text("remove", "link"), "true");
    assert_eq!(text("remove", "absolute"), "true");
    assert_eq!(text("read", "inner/file"), "inside");
}

#[test]
fn pipes_are_refused() {
    let (folder, mut isolate) = folders("file-pipe");
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("app/pipe")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let mut error = |name: &str, args: Vec<Value>| error_in(&mut isolate, "file", name, args);
    let expected = "\"pipe\" is a pipe or device, not a file";
    assert_eq!(error("read", vec![Value::str("pipe")]), format!("file::read(): {expected}"));
    assert_eq!(error("put", vec![Value::str("pipe"), Value::str("x")]), format!("file::put(): {expected}"));
}

#[test]
fn another_folder_may_be_set() {
    let (folder, _isolate) = folders("file-root");
    let app = folder.path().join("app");
    fs::write(app.join("own"), "own").expect("writes");
    let read = |setting: &str, path: &str| {
        let sandbox = Sandbox::open(&app, Some(OsStr::new(setting))).expect("opens");
        match sandbox.read(path.as_bytes()) {
            Ok(file) => std::io::read_to_string(file).expect("reads"),
            Err(Problem::Outside) => "outside".to_owned(),
            Err(problem) => panic!("{problem:?}"),
        }
    };
    let outer = folder.path().to_str().expect("the folder is ours");
    // A wider folder: relative paths still start at the script.
    assert_eq!(read(outer, "own"), "own");
    assert_eq!(read(outer, "../secret"), "secret");
    assert_eq!(read("..", "../app-evil/secret"), "secret");
    assert_eq!(read(outer, "../../etc/passwd"), "outside");
    // Another folder: relative paths start there.
    assert_eq!(read("../app-evil", "secret"), "secret");
    assert_eq!(read("../app-evil", "../app/own"), "outside");
    assert_eq!(read("../app-evil", &format!("{outer}/app/own")), "outside");
    // Everywhere.
    assert_eq!(read("*", "own"), "own");
    assert_eq!(read("*", "../secret"), "secret");
    assert_eq!(read("*", &format!("{outer}/app-evil/secret")), "secret");
    let message = Sandbox::open(&app, Some(OsStr::new("none"))).expect_err("no such folder");
    assert!(message.starts_with("cannot open the folder "), "{message}");
}

#[test]
fn a_script_folder_behind_a_link() {
    let (folder, _isolate) = folders("file-linked");
    fs::write(folder.path().join("app/own"), "own").expect("writes");
    symlink("app", folder.path().join("current")).expect("links");
    let root = folder.path().join("current");
    let mut isolate = isolate_in(Host { root: root.clone(), ..Host::default() });
    let mut read = |path: &[u8]| text_in(&mut isolate, "file", "read", vec![Value::str(path)]);
    assert_eq!(read(b"own"), "own");
    assert_eq!(read(root.join("own").as_os_str().as_encoded_bytes()), "own");
    assert_eq!(read(folder.path().join("app/own").as_os_str().as_encoded_bytes()), "own");
}
