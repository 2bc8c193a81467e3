//! Exact distance maps, computed one axis at a time.
//!
//! The squared distance to the nearest site is a sum over the axes, so it can be minimised axis by
//! axis: first along x, from site bits; then along y and along z, each time as the minimum over a
//! scanline of the cost of a candidate plus its squared distance along the scanline (Saito and
//! Toriwaki 1994; Felzenszwalb and Huttenlocher 2012). The minimisation along a scanline exploits
//! that its costs form a Monge array; see [`argmin_passes`] and [`output_groups`].
//!
//! | module | kernel | reads per voxel | writes per voxel |
//! | --- | --- | --- | --- |
//! | [`rows`] | `scan_row_words` | 1 bit, twice | half a byte |
//! | [`minimise`] | `minimise_from_rows` | half a byte | 4 bytes |
//! | [`minimise`] | `distances_along` | 4 bytes | 4 bytes |
//! | [`group_envelope`] | `group_minima_from_rows` | half a byte | 4 bytes |
//! | [`group_envelope`] | `group_minima_along`, `group_distances_along` | 4 bytes | 4 bytes |
//! | [`nearest_site`] | `nearest_sites_from_rows` | half a byte | 8 bytes |
//! | [`nearest_site`] | `nearest_sites_along` | 8 bytes, the site's row scan | 8 or 12 bytes |
//!
//! Where a thread computes alone, as on the CPU, the minima of integer costs are those of
//! [`group_envelope`]: the lower envelopes of neighbouring scanlines.
//!
//! The tile of a block lies in shared memory. Kernels whose names end in `_in_scratch` are the same
//! functions with tiles in global memory, for scanlines that exceed shared memory.

pub mod argmin_passes;
pub mod conversion;
pub mod cost;
pub mod float;
pub mod group_envelope;
pub mod layout;
pub mod line_costs;
pub mod minimise;
pub mod nearest_site;
pub mod output_groups;
pub mod rows;
pub mod scanline_groups;
pub mod tile;
pub mod tiling;

pub use conversion::DistanceConversion;
pub use cost::{Axis, Cost};
pub use group_envelope::{
    group_distances_along, group_minima_along, group_minima_from_rows, group_shared_bytes,
};
pub use layout::{Layout, Scanlines};
pub use line_costs::RowCosts;
pub use minimise::{
    distances_along, distances_along_in_scratch, minimise_along, minimise_along_in_scratch,
    minimise_from_rows, minimise_from_rows_in_scratch,
};
pub use nearest_site::{
    SiteGrid, nearest_sites_along, nearest_sites_along_in_scratch, nearest_sites_from_rows,
    nearest_sites_from_rows_in_scratch,
};
pub use rows::{FIELDS_PER_WORD, NO_SITE_DISTANCE, WordRange, scan_row_words};
pub use scanline_groups::{MAX_GROUP_WIDTH, ScanlineGroups};
pub use tiling::Tiling;
