//! Distance maps by slabs along z.
//!
//! The exact method makes a map in parts of some words of bits along x, with all lines along y and
//! z whole. So that a part is some planes of the volume, it is given the bits along z instead; what
//! comes out then has z fastest, and is transposed.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`transpose_bits`] | bits along x | bits along z |
//! | [`transpose_slab`] | a slab, z fastest | the same, x fastest |
//! | [`copy_columns`] | some planes of some columns | the same, in rows of a slab |

pub mod bits;
pub mod columns;
pub mod planes;

pub use bits::{BitTiles, transpose_bits};
pub use columns::copy_columns;
pub use planes::{SlabTiles, transpose_slab};
