//! An app after its setup: frozen, run by many threads, every run with the globals the setup left.

#![allow(clippy::indexing_slicing, reason = "an index that does not fit fails the test, as it should")]

use std::path::Path;
use std::sync::Arc;
use vm::{App, Image, Isolate, Output, Value, live_objects};

const PROGRAM: &str = r#"
const { LIMIT = [1, ["k" => "v"]], NOW = count(["x"]) }
struct Cart { items array = ["e"] }
$hits = 0
$list = ["a"]
$rows = ["r" => ["deep" => [1, 2]]]
$captured = "c"
$counter = fn($n) => $n . $captured . (LIMIT[1]["k"])
$hit = function($n) {
    $hits = $hits + 1
    $list[0] = "w"
    push($list, $n)
    $rows["r"]["deep"][0] = $n
    $c = Cart{}
    $c.items[0] = "z"
    return [$hits, $list, $rows, $c.items, LIMIT, NOW]
}
$state = fn() => [$hits, $list, $rows, Cart{}]
$handlers = ["hit" => $hit, "state" => $state, "counter" => $counter]
"#;

/// The app and its handlers, which stand in one map.
fn app() -> Arc<App> {
    let registry = gander::registry();
    let prepared = gander::prepare_text(Path::new("app.lk"), PROGRAM, &registry);
    assert!(prepared.diagnostics.iter().all(|found| !found.is_error()), "{:?}", prepared.diagnostics);
    let slot = prepared.globals.iter().position(|name| &**name == "handlers").expect("a global");
    let image = Image::link(prepared.program.expect("no errors"), &registry).expect("it holds together");
    let host = Arc::new(gander::host(Path::new("app.lk"), Vec::new()));
    let mut setup = Isolate::with_image(image, registry, host, Output::kept());
    setup.run_main().expect("the setup runs");
    let handlers = setup.global(slot).expect("set").clone();
    App::freeze(setup, vec![handlers])
}

fn call(isolate: &mut Isolate, handler: &str, args: Vec<Value>) -> String {
    let function = {
        let run = isolate.new_run(Output::kept());
        isolate.switch(run);
        let app = isolate.app().expect("an app").clone();
        let handlers = app.kept()[0].as_map().expect("a map").clone();
        handlers.get(handler.as_bytes()).and_then(Value::as_function).expect("a handler").clone()
    };
    let result = isolate.call(&function, args).expect("the handler runs");
    vm::text::to_text(&result).to_str_lossy().into_owned()
}

#[test]
fn every_run_begins_with_what_the_setup_left() {
    let app = app();
    let mut isolate = Isolate::for_app(app);
    for _ in 0..2 {
        let hit = call(&mut isolate, "hit", vec![Value::int(1)]);
        assert_eq!(hit, "[1, [w, 1], [r => [deep => [1, 2]]], [z], [1, [k => v]], 1]");
        assert_eq!(call(&mut isolate, "state", vec![]), "[0, [a], [r => [deep => [1, 2]]], Cart{items: [e]}]");
    }
}

#[test]
fn threads_share_an_app_and_see_nothing_of_each_other() {
    let app = app();
    let work = |number: i64| {
        let app = app.clone();
        move || {
            let before = live_objects();
            let mut isolate = Isolate::for_app(app);
            for round in 0..2_000 {
                let n = number * 10_000 + round;
                let hit = call(&mut isolate, "hit", vec![Value::int(n)]);
                assert!(hit.starts_with(&format!("[1, [w, {n}], [r => [deep => [{n}, 2]]]")), "{hit}");
                assert_eq!(call(&mut isolate, "counter", vec![Value::int(n)]), format!("{n}cv"));
            }
            assert_eq!(call(&mut isolate, "state", vec![]), "[0, [a], [r => [deep => [1, 2]]], Cart{items: [e]}]");
            drop(isolate);
            vm::forget_shapes();
            live_objects() - before
        }
    };
    let threads: Vec<_> = (1..=4).map(|number| std::thread::spawn(work(number))).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no thread panics"), 0, "no value outlives its run");
    }
}

#[test]
fn a_run_that_is_put_aside_goes_on_where_it_was() {
    let mut isolate = Isolate::for_app(app());
    call(&mut isolate, "hit", vec![Value::int(7)]);
    let next = isolate.new_run(Output::kept());
    let waiting = isolate.switch(next);
    assert_eq!(call(&mut isolate, "state", vec![]), "[0, [a], [r => [deep => [1, 2]]], Cart{items: [e]}]");
    isolate.switch(waiting);
    assert_eq!(vm::text::to_text(isolate.global(1).expect("the list")).to_str_lossy(), "[w, 7]");
}
