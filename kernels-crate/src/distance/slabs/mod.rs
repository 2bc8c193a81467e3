//! Distance maps of slabs along z.
//!
//! The exact method divides a map into parts of a few words along x, each with complete scanlines
//! along y and z. To obtain a range of planes instead, it processes the mask transposed to rows
//! along z; its output then has z as the fastest axis and is transposed back.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`transpose_bits`] | mask with rows along x | mask with rows along z |
//! | [`transpose_slab`] | slab with z fastest | slab with x fastest |
//! | [`copy_columns`] | planes of a column range | the same columns within rows of a slab |

pub mod bits;
pub mod columns;
pub mod planes;

pub use bits::{BitTiles, transpose_bits};
pub use columns::copy_columns;
pub use planes::{SlabTiles, transpose_slab};
