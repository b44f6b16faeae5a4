//! Any bytes on a connection are understood, refused or waited for, and the same however they are cut.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| http::check_cuts(bytes));
