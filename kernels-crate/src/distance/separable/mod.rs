//! Exact distance maps, one axis after the other.
//!
//! The squared distance to the nearest site is a sum over the axes, so the nearest site can be
//! found axis by axis: first along x, from bits; then along y, and then along z, each time as the
//! least over a line of "what it costs to get to this place of the line, and on along the line to
//! the voxel". After Saito and Toriwaki (1994) and Felzenszwalb and Huttenlocher (2012); how a line
//! is minimised is described in [`rounds`] and [`groups`].
//!
//! | module | kernel | reads and writes for each voxel |
//! | --- | --- | --- |
//! | [`rows`] | `nearest_in_rows` | 1 bit, twice; half a byte written |
//! | [`lines`] | `least_from_rows` | half a byte, 4 bytes written |
//! | [`lines`] | `distances_along` | 4 bytes, 4 written |
//! | [`nearest`] | `sites_from_rows`, `nearest_along` | the same, and 4 bytes written and read by the latter, and 4 or 8 written |

pub mod cost;
pub mod far;
pub mod float;
pub mod groups;
pub mod lines;
pub mod nearest;
pub mod places;
pub mod rounds;
pub mod rows;
pub mod source;
pub mod tile;
pub mod tiling;

pub use cost::{Axis, Cost};
pub use far::Far;
pub use lines::{distances_along, least_along, least_from_rows};
pub use nearest::{SiteAt, nearest_along, sites_from_rows};
pub use places::{Layout, Lines};
pub use rows::{FAR, NUMBERS, Words, nearest_in_rows};
pub use source::AcrossRows;
pub use tiling::Tiling;
