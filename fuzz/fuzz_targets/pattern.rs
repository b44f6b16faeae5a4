//! Any pattern on any text matches, replaces, or is refused with a message, and soon.
//!
//! The first line of the input is the pattern, the rest the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::sync::Arc;
use vm::{Cx, Host, Isolate, Output, Registry, Value};

thread_local! {
    static ISOLATE: RefCell<Isolate> = RefCell::new(Isolate::new(
        Registry::new(stdlib::ALL.iter().copied()),
        Arc::new(Host::default()),
        Output::to(Box::new(std::io::sink())),
    ));
}

fuzz_target!(|bytes: &[u8]| {
    let at = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (pattern, text) = (&bytes[..at], &bytes[(at + 1).min(bytes.len())..]);
    ISOLATE.with_borrow_mut(|isolate| {
        for (name, with) in [("regex_match", None), ("regex_match_all", None), ("regex_replace", Some("<$1$&>"))] {
            let builtin = isolate.registry().find("string", name).expect("declared");
            let mut args = vec![Value::str(text), Value::str(pattern)];
            args.extend(with.map(Value::str));
            // A refused pattern is fine; a panic or a hang is not.
            let _refused = builtin.invoke(&mut Cx::new(isolate), &mut args);
        }
    });
});
