//! Site masks with one bit per voxel, and operations on them.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`pack_voxels`], [`pack_voxels_by_fours`] | samples | mask of the samples within a range |
//! | [`set_bits`] | linear voxel indices | their bits |
//! | [`keep_surface`] | mask of a solid | mask of its voxels with a face neighbour outside |
//! | [`count_bits`] | mask | number of set bits |
//! | [`count_tiles`], [`emit_centres`] | mask | voxel centres in index order |
//! | [`complement_bits`] | mask | mask of the other voxels |
//! | [`negate_inside`] | mask, distances | negated distances where the mask is set |
//! | [`merge_signed`] | mask, distances to its complement | negated where the mask is set |

mod bits;
mod centres;
mod complement;
mod count;
mod negate;
mod pack;
mod range;
mod surface;

pub use bits::{BitRows, TILE};
pub use centres::{count_tiles, emit_centres};
pub use complement::complement_bits;
pub use count::{count_bits, set_bits};
pub use negate::{merge_signed, negate_inside};
#[cfg(not(target_arch = "nvptx64"))]
pub(super) use pack::pack_flags;
pub use pack::{pack_voxels, pack_voxels_by_fours};
pub use range::Range;
pub use surface::keep_surface;
