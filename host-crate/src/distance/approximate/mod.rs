//! Approximate distance transforms, for comparison with the exact ones.

mod compare;
mod metric;
mod nearest;

pub use compare::{Band, Difference, compare};

use super::{DistanceError, DistanceMap, DistanceParams, Method, NoSites};
use crate::device::Stream;
use crate::grid::DeviceMask;

pub(super) fn transform(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let method = params.method;
    if params.nearest && method != Method::CenterPoint {
        return Err(DistanceError::NearestUnsupported { method });
    }
    if params.no_sites == NoSites::Error && sites.count(stream)? == 0 {
        return Err(DistanceError::NoSites);
    }
    let (distances, nearest) = match method {
        Method::CityBlock => (metric::city_block_distances(stream, sites, params)?, None),
        Method::Chessboard => (metric::chessboard_distances(stream, sites, params)?, None),
        _ => nearest::propagate_vectors(stream, sites, params)?,
    };
    Ok(DistanceMap {
        distances,
        nearest,
        dims: sites.dims(),
        geometry: sites.geometry,
    })
}
