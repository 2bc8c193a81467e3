//! Outputs as hashes: what the program `golden` compares.

mod bits;
mod hashes;
mod text;

pub use bits::{Bits, of_file};
pub use hashes::{Comparison, Entry, Hashes};
pub use text::plain_json;
