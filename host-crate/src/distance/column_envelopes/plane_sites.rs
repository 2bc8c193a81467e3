//! Envelopes of the sites of a part, built plane by plane.

use super::{
    ColumnEnvelopes,
    candidate::{ColumnCost, Columns},
    plane_range::PlaneRange,
    stacks::{CHUNK, EnvelopeStacks},
};
use crate::{
    device::Stream,
    distance::{DistanceError, DistanceParams, NearestIndices, Sites, transform},
    grid::DeviceMask,
    memory::ExtendOrUnwind,
    parallel,
};

/// Sites of a part whose envelopes are computed plane by plane.
pub(super) struct PlaneSites<'a> {
    pub stream: &'a Stream,
    pub sites: &'a DeviceMask,
    /// Index in the volume of the first plane.
    pub first_plane: usize,
    pub params: DistanceParams,
}

impl PlaneSites<'_> {
    /// Computes the envelopes of the columns, as far as they are nearest to positions in other
    /// planes than those of the part.
    pub fn envelopes<C: ColumnCost>(
        &self,
        columns: Columns<C>,
    ) -> Result<ColumnEnvelopes, DistanceError> {
        let [nx, ny, nz] = self.sites.dims();
        let chunk_count = columns.count.div_ceil(CHUNK);
        let mut stacks = parallel::map(chunk_count, |chunk| {
            EnvelopeStacks::new(CHUNK.min(columns.count - chunk * CHUNK))
        });
        let words = self.sites.download(self.stream)?;
        let words_per_plane = words.len() / nz.max(1);
        let occupied = words.chunks(words_per_plane.max(1)).enumerate();
        for (plane, words) in occupied.filter(|(_, words)| words.iter().any(|&word| word != 0)) {
            let nearest = self.nearest_in_plane(words, [nx, ny, 1])?;
            let z = (self.first_plane + plane) as u32;
            parallel::for_each_mut(&mut stacks, |chunk, stacks| {
                let first = chunk * CHUNK;
                let columns_of_chunk = nearest.iter().enumerate().skip(first).take(CHUNK);
                for (column, &site) in columns_of_chunk.filter(|(_, site)| **site != u64::MAX) {
                    let candidate = columns.candidate(column, z, site as u32);
                    stacks.push(column - first, candidate, columns.weights[2]);
                }
            });
        }
        let (first, end) = (self.first_plane, self.first_plane + nz);
        let (before, after) = (PlaneRange::new(..first), PlaneRange::new(end..));
        let chunks = parallel::map(chunk_count, |chunk| {
            let (mut counts, mut sites) = (Vec::new(), Vec::new());
            let mut envelope = Vec::new();
            for column in 0..CHUNK.min(columns.count - chunk * CHUNK) {
                stacks[chunk].copy_column(column, &mut envelope);
                let first_needed = if first > 0 {
                    before.trim(&envelope, columns.weights[2]).len()
                } else {
                    0
                };
                let last_needed = after.trim(&envelope, columns.weights[2]).len();
                let skipped = first_needed..first_needed.max(envelope.len() - last_needed);
                envelope.drain(skipped);
                counts.push_or_unwind(envelope.len() as u32);
                sites.extend_or_unwind(envelope.iter().map(|&candidate| columns.site(candidate)));
            }
            (counts, sites)
        });
        ColumnEnvelopes::from_chunks([nx, ny], *self.sites.geometry(), chunks)
    }

    /// Returns the index of the nearest site within a plane for each voxel of the plane.
    fn nearest_in_plane(&self, words: &[u32], dims: [usize; 3]) -> Result<Vec<u64>, DistanceError> {
        let geometry = *self.sites.geometry();
        let plane = DeviceMask::from_words(self.stream, words, dims, geometry)?;
        let map = transform(self.stream, Sites::Voxels(&plane), &self.params)?;
        download_nearest(self.stream, map.nearest)
    }
}

/// Copies indices of nearest sites to the host; `u64::MAX` if there is none.
pub(super) fn download_nearest(
    stream: &Stream,
    nearest: Option<NearestIndices>,
) -> Result<Vec<u64>, DistanceError> {
    Ok(match nearest {
        Some(NearestIndices::U32(nearest)) => {
            let narrow = stream.download(&nearest)?;
            let widen = |&index: &u32| match index {
                u32::MAX => u64::MAX,
                index => index.into(),
            };
            parallel::collect(narrow.len(), parallel::CHUNK_LEN, |range, list| {
                list.extend_or_unwind(narrow[range].iter().map(widen));
            })
        }
        Some(NearestIndices::U64(nearest)) => stream.download(&nearest)?,
        None => Vec::new(),
    })
}
