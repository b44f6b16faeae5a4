//! An app after its setup: frozen, run by many threads, every run with the globals the setup left.

#![allow(clippy::indexing_slicing, reason = "an index that does not fit fails the test, as it should")]

use std::path::Path;
use std::sync::Arc;
use vm::{App, Cx, Image, Interrupter, Isolate, Output, Thrown, ThrownKind, Value, live_objects};

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
$forever = function() { while (true) { try { while (true) { } } catch ($e) { } } }
$large = fn($n) => strlen(string::repeat("x", $n))
$handlers = ["forever" => $forever, "large" => $large, "hit" => $hit, "state" => $state, "counter" => $counter]
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

fn try_call(isolate: &mut Isolate, handler: &str, args: Vec<Value>) -> Result<Value, Thrown> {
    isolate.begin_run();
    let app = isolate.app().expect("an app").clone();
    let handlers = app.kept()[0].as_map().expect("a map").clone();
    let function = handlers.get(handler.as_bytes()).and_then(Value::as_function).expect("a handler").clone();
    isolate.call(&function, args)
}

fn call(isolate: &mut Isolate, handler: &str, args: Vec<Value>) -> String {
    let result = try_call(isolate, handler, args).expect("the handler runs");
    vm::text::to_text(&result).to_str_lossy().into_owned()
}

#[test]
fn every_run_begins_with_what_the_setup_left() {
    let app = app();
    let mut isolate = Isolate::for_app(app, &Interrupter::default());
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
            let mut isolate = Isolate::for_app(app, &Interrupter::default());
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
fn runs_that_wait_do_not_disturb_each_other() {
    let app = app();
    let interrupter = Interrupter::default();
    let mut waiting = Isolate::for_app(app.clone(), &interrupter);
    call(&mut waiting, "hit", vec![Value::int(7)]);
    let mut other = Isolate::for_app(app, &interrupter);
    assert_eq!(call(&mut other, "state", vec![]), "[0, [a], [r => [deep => [1, 2]]], Cart{items: [e]}]");
    assert_eq!(vm::text::to_text(waiting.global(1).expect("the list")).to_str_lossy(), "[w, 7]");
}

/// Asks for attention as often as it is asked itself, and ends the run the third time.
fn insist(cx: &mut Cx<'_>) -> Result<(), Thrown> {
    let asked = cx.state::<u32>();
    *asked += 1;
    if *asked == 3 {
        let trace = cx.isolate().trace();
        assert_eq!(trace.first().map(|entry| entry.function.as_str()), Some("__anonymous__"));
        return Err(Thrown::stop());
    }
    cx.isolate().interrupter().attend();
    Ok(())
}

#[test]
fn running_code_asks_whoever_runs_it_whether_it_goes_on() {
    let mut isolate = Isolate::for_app(app(), &Interrupter::default());
    isolate.set_attention(Some(insist));
    isolate.interrupter().attend();
    let result = try_call(&mut isolate, "forever", vec![]);
    assert!(matches!(result.map_err(Thrown::into_kind), Err(ThrownKind::Stop)));
    assert_eq!(*isolate.state::<u32>(), 3);
}

#[test]
fn a_large_piece_is_refused_before_it_is_made() {
    let mut isolate = Isolate::for_app(app(), &Interrupter::default());
    vm::memory::watch(1 << 20, &isolate.interrupter());
    let result = try_call(&mut isolate, "large", vec![Value::int(2 << 20)]);
    let taken = vm::memory::pause();
    assert!(matches!(result.map_err(Thrown::into_kind), Err(ThrownKind::Stop)));
    assert!(taken.is_exceeded && taken.bytes < 1 << 20, "{taken:?}");
    assert_eq!(call(&mut isolate, "large", vec![Value::int(2 << 20)]), "2097152");
}
