use super::{DistanceError, DistanceMap, DistanceParams, Sites};
use crate::device::Stream;

pub(super) fn map(
    _stream: &Stream,
    _sites: Sites<'_>,
    _params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    unimplemented!()
}
