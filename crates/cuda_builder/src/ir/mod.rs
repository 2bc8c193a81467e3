//! LLVM's textual IR, as far as a linker must understand it: tokens, top-level items, the
//! address-space lowering, stable names.
//!
//! The text is used because it is the one form of LLVM IR that can be worked on without linking
//! LLVM. Everything here walks tokens; nothing searches for substrings, so a name inside a longer
//! name, a string or a comment is never taken for a use.

mod convergent;
mod global;
mod items;
mod lower;
mod names;
mod own_stack;
mod placement;
mod token;

pub(crate) use items::Module;
pub(crate) use lower::{Lowered, lower};
pub(crate) use placement::{DYNAMIC_SHARED, HEAP};
