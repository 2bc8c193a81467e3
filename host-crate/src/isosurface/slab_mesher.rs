//! The mesh of a resident volume, in parts that are counted before they are emitted.

use super::{
    IndexWidth, IsosurfaceError, IsosurfaceParams,
    fused::{self, CountedPart},
    partition::ResidentSlabs,
};
use crate::{device::Stream, grid::DeviceSample, partition::budget::Pieces};
use std::ops::Range;

/// Ranges of planes of cells of a resident volume, as parts of its mesh.
pub(crate) struct SlabMesher<'a, 'r, T> {
    pub stream: &'a Stream,
    pub resident: &'a ResidentSlabs<'r, T>,
    pub params: &'a IsosurfaceParams,
    /// Index width of the mesh, or an upper bound on it.
    pub width: IndexWidth,
}

impl<'r, T: DeviceSample> Pieces for SlabMesher<'_, 'r, T> {
    type CountedPart = CountedPart<'r, T>;
    type Error = IsosurfaceError;

    fn scratch(&self, piece: Range<u32>) -> Result<u64, IsosurfaceError> {
        let slab = self.resident.slab(piece)?;
        Ok(fused::slab_scratch_bytes(&slab, self.params.topology))
    }

    fn count(&self, piece: Range<u32>) -> Result<(CountedPart<'r, T>, u64), IsosurfaceError> {
        let counted = fused::count(self.stream, self.resident.slab(piece)?, self.params)?;
        let bytes = counted.bytes(self.params, self.width);
        Ok((counted, bytes))
    }
}
