//! Methods that are not exact, for comparison.

mod compare;
mod metric;
mod nearest;

pub use compare::{Band, Difference, compare};

use super::{DistanceError, DistanceMap, DistanceParams, Method, NoSites};
use crate::device::Stream;
use crate::grid::DeviceMask;

pub(super) fn map(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let method = params.method;
    if params.nearest && method != Method::CenterPoint {
        return Err(DistanceError::NoNearestWith { method });
    }
    if params.no_sites == NoSites::Error && sites.count(stream)? == 0 {
        return Err(DistanceError::NoSites);
    }
    let (distances, nearest) = match method {
        Method::CityBlock => (metric::city_block(stream, sites, params)?, None),
        Method::Chessboard => (metric::chessboard(stream, sites, params)?, None),
        _ => nearest::center_point(stream, sites, params)?,
    };
    Ok(DistanceMap {
        distances,
        nearest,
        dims: sites.dims(),
        geometry: sites.geometry,
    })
}
