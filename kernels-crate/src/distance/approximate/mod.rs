//! What other methods make of distances, for comparison.
//!
//! | kernel | what it makes |
//! | --- | --- |
//! | [`measure_rows`] | the distance to the nearest site of each voxel's row |
//! | [`spread_city_block`] | along one axis more, the sum of the distances along the axes |
//! | [`spread_chessboard`] | along one axis more, the largest of the distances along the axes |
//! | [`seed_nearest`], [`spread_nearest`], [`measure_nearest`] | the nearest of the sites that a voxel's neighbours know |

mod metric;
mod nearest;

pub use metric::{measure_rows, spread_chessboard, spread_city_block};
pub use nearest::{Planes, measure_nearest, seed_nearest, spread_nearest};
