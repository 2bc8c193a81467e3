//! Approximate distance transforms, for comparison with the exact ones.
//!
//! | kernel | computes |
//! | --- | --- |
//! | [`measure_rows`] | distance to the nearest site of the voxel's row |
//! | [`spread_city_block`] | extension by one axis of the sum of the distances along the axes |
//! | [`spread_chessboard`] | extension by one axis of the maximum of the distances along the axes |
//! | [`seed_nearest`] | vector propagation: initial sites |
//! | [`spread_nearest`] | vector propagation: the nearest of the neighbours' sites |
//! | [`measure_nearest`] | vector propagation: final distances |

mod metric;
mod nearest;

pub use metric::{measure_rows, spread_chessboard, spread_city_block};
pub use nearest::{PlanePair, measure_nearest, seed_nearest, spread_nearest};
