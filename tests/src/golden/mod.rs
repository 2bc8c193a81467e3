//! Golden outputs as hashes, used by the example program `golden`.

mod bits;
mod hashes;
mod text;

pub use bits::{BitHash, hash_file};
pub use hashes::{Comparison, Entry, Hashes};
pub use text::plain_json;
