//! Conversion of masks to volumes.

use super::{Geometry, Mask, Volume};
use crate::{
    memory::{self, OutOfMemory},
    parallel,
};

impl Mask {
    /// Returns a volume of the same grid: 1 for voxels in the mask, else 0.
    ///
    /// ```
    /// use ferrovox::grid::{Geometry, Mask};
    ///
    /// let mask = Mask::from_indices(&[0, 5], [3, 2, 1], Geometry::default())?;
    /// assert_eq!(mask.to_volume()?.samples(), [1, 0, 0, 0, 0, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn to_volume(&self) -> Result<Volume<u8>, OutOfMemory> {
        words_to_volume(self.words(), self.dims(), *self.geometry())
    }
}

/// Converts the words of a mask to a volume: 1 for set bits, else 0.
pub(crate) fn words_to_volume(
    words: &[u32],
    dims: [usize; 3],
    geometry: Geometry,
) -> Result<Volume<u8>, OutOfMemory> {
    let mut samples = memory::try_zeroed::<u8>("voxels", dims.iter().product())?;
    if !samples.is_empty() {
        let nx = dims[0];
        // number of rows that a thread converts at a time
        let rows = parallel::CHUNK_LEN.div_ceil(nx);
        parallel::for_each_chunk_mut(&mut samples, rows * nx, |first, samples| {
            let words = words.chunks(nx.div_ceil(32)).skip(first / nx);
            for (row, words) in samples.chunks_mut(nx).zip(words) {
                for (voxels, word) in row.chunks_mut(32).zip(words) {
                    for (bit, voxel) in voxels.iter_mut().enumerate() {
                        *voxel = (word >> bit & 1) as u8;
                    }
                }
            }
        });
    }
    Ok(Volume::new(samples, dims, geometry).expect("as many as there are voxels"))
}
