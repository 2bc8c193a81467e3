//! The executor, from outside: launches, barriers, warps, shared memory, and what checked mode
//! finds.

mod barriers;
mod caught;
mod common;
mod endings;
mod failures;
mod launching;
mod named;
mod named_order;
mod races;
mod reports;
mod shared_memory;
mod warps;
