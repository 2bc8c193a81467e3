//! Misuse by programs without `unsafe`. Each of these cases used to be undefined behaviour.

#![forbid(unsafe_code)]

mod shared;
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
