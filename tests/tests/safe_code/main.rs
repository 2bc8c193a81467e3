//! Attacks on the soundness of `cuda_std`, `cust` and `ferrovox` by programs without `unsafe`.
//!
//! Programs that must not compile are in `rejected`, one file each; every other module is a program
//! that runs, and forbids `unsafe`. The attacks on `cuda_std` and `cust` that run are in these
//! packages (`crates/cuda_std/tests/safe_code`, `crates/cust/tests/fake_driver/safe_code.rs`).

mod buffers;
mod elements;
mod grids;
mod rejected;
mod streams;
