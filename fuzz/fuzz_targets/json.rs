//! Any bytes decode to a value or an error with a place; a value that was encoded decodes to itself.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stdlib::json;
use vm::compare::equals;

fuzz_target!(|bytes: &[u8]| {
    match json::parse(bytes) {
        Ok(value) => {
            let mut text = Vec::new();
            json::write(&mut text, &value).expect("what was decoded is short enough");
            let again = json::parse(&text).expect("what was encoded decodes");
            assert!(equals(&value, &again).expect("JSON is not nested too deep"));
        }
        Err(error) => assert!(error.offset <= bytes.len() && error.line >= 1 && error.column >= 1),
    }
});
