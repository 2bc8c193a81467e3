//! What a program without `unsafe` may try, and what then happens. Each of these was undefined
//! behaviour once.

#![forbid(unsafe_code)]

mod shared;
mod views;

use std::panic::{UnwindSafe, catch_unwind};

/// The text of the panic that `body` ends in.
fn panic_of(body: impl FnOnce() + UnwindSafe) -> String {
    let payload = catch_unwind(body).expect_err("it should have panicked");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast::<&str>().unwrap().to_string(),
    }
}
