//! Sites: one bit for each voxel, and what is made of the bits.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`pack_voxels`], [`pack_voxels_by_fours`] | samples | which of them lie in a range |
//! | [`set_bits`] | indices of voxels | their bits |
//! | [`keep_surface`] | bits of a solid | those with a face neighbour outside it |
//! | [`count_bits`] | bits | how many are 1 |
//! | [`count_tiles`], [`emit_centres`] | bits | centres of the voxels, in their order |
//! | [`negate_within`] | bits, distances | distances below 0 where the bit is 1 |

mod bits;
mod centres;
mod count;
mod negate;
mod pack;
mod range;
mod surface;

pub use bits::{BitRows, TILE};
pub use centres::{count_tiles, emit_centres};
pub use count::{count_bits, set_bits};
pub use negate::negate_within;
#[cfg(not(target_arch = "nvptx64"))]
pub(super) use pack::bits_of;
pub use pack::{pack_voxels, pack_voxels_by_fours};
pub use range::Range;
pub use surface::keep_surface;
