//! PTX text: postprocessing, and a parser for the lint.

mod finish;
mod parse;
mod shared;
mod split;

pub(crate) use finish::{Header, finish};
pub use parse::{Instruction, PtxFunction, PtxModule, SourceLine};
pub(crate) use shared::check_shared;
pub use split::kernel_module;
pub(crate) use split::{Item, Kind, dependencies, entries, split};
