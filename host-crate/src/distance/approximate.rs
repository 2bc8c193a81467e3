use super::{DistanceError, DistanceMap, DistanceParams, SiteMask};
use crate::device::Stream;

pub(super) fn map(
    _stream: &Stream,
    _sites: &SiteMask,
    _params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    unimplemented!()
}
