//! Exact distance maps, one axis after the other.
//!
//! The squared distance to the nearest site is a sum over the axes, so the nearest site can be found axis by axis: first
//! along z, from bits; then along y, and then along x, each time as the least over a line of "what it costs to get to this
//! place of the line, and on along the line to the voxel". After Saito and Toriwaki (1994) and Felzenszwalb and Huttenlocher (2012);
//! how a line is minimised is described in [`mod@line`].
//!
//! | module | kernel | reads and writes for each voxel |
//! | --- | --- | --- |
//! | [`along_z`] | `nearest_along_z` | 1 bit, twice; 2 bytes written |
//! | [`lines`] | `least_along_y` | 2 bytes, 4 written |
//! | [`lines`] | `least_along_x` | 4 bytes, 4 written |
//! | [`nearest`] | `sites_along_y`, `sites_along_x` | the same, and 4 bytes written by the first, read by the second |

pub mod along_z;
pub mod cost;
pub mod line;
pub mod lines;
pub mod nearest;
pub mod tiles;

pub use along_z::{Place, nearest_along_z};
pub use cost::{Axis, Cost};
pub use line::{COLUMNS, GROUP, Shape};
pub use lines::{Far, least_along_x, least_along_y};
pub use nearest::{sites_along_x, sites_along_y};
