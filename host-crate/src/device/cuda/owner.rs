//! What memory and streams of a CUDA device have in common.

use super::{Shared, pool::Pool};
use cust::stream::Stream;
use std::sync::Arc;

/// A stream, and the device it belongs to.
pub(super) struct StreamOwner {
    pub stream: Stream,
    pub pool: Arc<Pool>,
    pub shared: Arc<Shared>,
}
