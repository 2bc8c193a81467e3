//! Processing of LLVM IR text for the link step: tokens, top-level items, address-space lowering,
//! stable names.
//!
//! Text is the only form of LLVM IR that can be processed without linking LLVM. Everything operates
//! on tokens instead of substrings, so that occurrences in longer names, strings or comments are
//! never mistaken for uses.

mod convergent;
mod global;
mod items;
mod lower;
mod names;
mod placement;
mod token;
mod volatile;

pub(crate) use items::Module;
pub(crate) use lower::{LoweredModule, lower};
pub(crate) use placement::{DYNAMIC_SHARED, HEAP};
