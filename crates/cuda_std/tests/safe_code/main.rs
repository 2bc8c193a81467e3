//! Misuse by programs without `unsafe`, run natively, under Miri and under AddressSanitizer. Code
//! that must not compile is in `tests/tests/safe_code` of the workspace.
//!
//! Every module with attacks forbids `unsafe`. The module `closures` has the only unsafe call, that
//! of a launch.

mod closures;
mod printing;
mod shared;
mod threads;
mod values;
mod views;

use std::panic::{UnwindSafe, catch_unwind};

/// Returns the message of the panic in which `body` ends.
fn panic_message(body: impl FnOnce() + UnwindSafe) -> String {
    let payload = catch_unwind(body).expect_err("it should have panicked");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast::<&str>().unwrap().to_string(),
    }
}
