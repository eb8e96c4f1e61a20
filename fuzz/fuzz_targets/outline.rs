//! The outline of a text agrees with the parser.

#![no_main]

#[path = "../../tests/outline/reference.rs"]
#[expect(dead_code, reason = "the tests look at more of it")]
mod reference;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Ok(text) = std::str::from_utf8(text) {
        reference::check(text);
    }
});
