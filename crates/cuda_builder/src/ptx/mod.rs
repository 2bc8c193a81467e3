//! PTX text: the file that ships, and a parser for the lint.

mod finish;
mod parse;

pub(crate) use finish::{Header, finish};
pub use parse::{Instruction, PtxFunction, PtxModule, SourceLine};
