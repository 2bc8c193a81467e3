//! Sites that are voxels.

use super::{Geometry, GridError, grid_of};
use crate::device::{Buffer, DeviceError, Launch, Stream, over};
use ferrovox_kernels::{
    distance::sites::{BitRows, count_bits, set_bits},
    grid::Grid,
    rows::Items,
};

/// Voxels of a grid that are sites, on a device: one bit each.
///
/// ```
/// use ferrovox::{device::Device, grid::{DeviceMask, Geometry}};
///
/// let stream = Device::best().stream()?;
/// let sites = DeviceMask::from_indices(&stream, &[0, 7], [2, 2, 2], Geometry::default())?;
/// assert_eq!(sites.count(&stream)?, 2);
/// assert_eq!(sites.download(&stream)?, [1, 0, 0, 2]);
/// # Ok::<(), ferrovox::grid::GridError>(())
/// ```
#[derive(Debug)]
pub struct DeviceMask {
    /// 32 voxels along x in a word, the first in the lowest bit; rows begin with a word of their
    /// own: word `(z·ny + y)·⌈nx/32⌉ + x/32`. A bit is 1 where there is a site, and 0 after the end
    /// of a row.
    pub(crate) bits: Buffer<u32>,
    pub(crate) grid: Grid,
    pub(crate) geometry: Geometry,
}

/// Makes sure that there are as many words as a grid has, and that bits after the end of a row are 0.
pub(super) fn check_words(
    words: &mut [u32],
    bits: BitRows,
    dims: [usize; 3],
) -> Result<(), GridError> {
    if words.len() as u64 != bits.words() {
        return Err(GridError::Words {
            found: words.len(),
            dims,
            wanted: bits.words(),
        });
    }
    if bits.per_row > 0 {
        let last = bits.voxel_mask(bits.per_row - 1);
        for row in words.chunks_mut(bits.per_row as usize) {
            row[bits.per_row as usize - 1] &= last;
        }
    }
    Ok(())
}

/// How many bits are 1. Synchronises the stream.
pub(crate) fn count_ones(stream: &Stream, bits: &Buffer<u32>) -> Result<u64, DeviceError> {
    let mut count = stream.zeros::<u64>(1)?;
    // blocks add to one count: a few for each multiprocessor are enough
    let words = bits.len() as u64;
    let blocks = 4 * u64::from(stream.device().limits().multiprocessors);
    let piece = words.div_ceil(blocks).max(1 << 12);
    let items = Items {
        count: words,
        chunk: u32::try_from(piece).unwrap_or(u32::MAX),
    };
    // SAFETY: the items are the words, and there is one count.
    unsafe {
        let args = (bits.view(), items, count.view_mut());
        stream.launch::<count_bits>(Launch::pieces(items.chunks()), args)?;
    }
    Ok(stream.download(&count)?[0])
}

impl DeviceMask {
    /// The voxels with these linear indices, x fastest, of a grid of `dims` placed in the world by
    /// `geometry`. An index may come more than once.
    ///
    /// # Errors
    /// [`GridError::Index`] for an index of no voxel; errors of the device.
    pub fn from_indices(
        stream: &Stream,
        indices: &[u64],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let grid = grid_of(dims)?;
        let voxels = grid.samples();
        if let Some(number) = indices.iter().position(|&index| index >= voxels) {
            return Err(GridError::Index {
                number,
                index: indices[number],
                voxels,
            });
        }
        let bits = BitRows::new(grid);
        let indices = stream.upload(indices)?;
        let mut words = stream.zeros::<u32>(bits.words() as usize)?;
        let (launch, items) = over(stream, indices.len() as u64);
        // SAFETY: the indices are of voxels of the grid, and there is a word for each of its words.
        unsafe {
            let args = (indices.view(), bits, items, words.view_mut());
            stream.launch::<set_bits>(launch, args)?;
        }
        Ok(Self {
            bits: words,
            grid,
            geometry,
        })
    }

    /// Takes bits as they are: 32 voxels along x in a word, the first in the lowest bit; rows begin
    /// with a word of their own. Bits after the end of a row are made 0.
    ///
    /// # Errors
    /// [`GridError::Words`] if there are not `nz · ny · ⌈nx/32⌉` of them; errors of the device.
    pub fn from_words(
        stream: &Stream,
        words: &[u32],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let grid = grid_of(dims)?;
        let mut words = words.to_vec();
        check_words(&mut words, BitRows::new(grid), dims)?;
        Ok(Self {
            bits: stream.upload(&words)?,
            grid,
            geometry,
        })
    }

    /// Voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        [self.grid.nx, self.grid.ny, self.grid.nz].map(|axis| axis as usize)
    }

    /// From a mask on the host: a value for each voxel, x fastest, then y, then z; those that are
    /// not 0 are in the mask.
    ///
    /// # Errors
    /// [`GridError::Values`] if there are not `nx · ny · nz` of them; errors of the device.
    pub fn upload(
        stream: &Stream,
        mask: &[u8],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let grid = grid_of(dims)?;
        let found = mask.len();
        if found as u64 != grid.samples() {
            return Err(GridError::Values { found, dims });
        }
        let bits: Vec<u32> = mask
            .chunks(dims[0].max(1))
            .flat_map(|row| row.chunks(32))
            .map(|word| {
                word.iter()
                    .enumerate()
                    .map(|(bit, &voxel)| u32::from(voxel != 0) << bit)
                    .sum()
            })
            .collect();
        Ok(Self {
            bits: stream.upload(&bits)?,
            grid,
            geometry,
        })
    }

    /// The same again.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn copy(&self, stream: &Stream) -> Result<Self, DeviceError> {
        let mut bits = stream.alloc::<u32>(self.bits.len())?;
        stream.copy(&self.bits, &mut bits)?;
        Ok(Self {
            bits,
            grid: self.grid,
            geometry: self.geometry,
        })
    }

    /// The voxels' place in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The words, as [`from_words`](Self::from_words) takes them, on the device.
    pub fn words(&self) -> &Buffer<u32> {
        &self.bits
    }

    /// How the bits lie in the words, as kernels take it.
    pub fn layout(&self) -> BitRows {
        BitRows::new(self.grid)
    }

    /// How many voxels are sites. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn count(&self, stream: &Stream) -> Result<u64, DeviceError> {
        count_ones(stream, &self.bits)
    }

    /// Copies the words to the host. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(&self, stream: &Stream) -> Result<Vec<u32>, DeviceError> {
        stream.download(&self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    /// Kernels would read beyond the end of a mask that is too short.
    #[test]
    fn a_mask_on_the_host_has_a_value_for_each_voxel() {
        let stream = Device::cpu().stream().unwrap();
        let upload =
            |mask: &[u8]| DeviceMask::upload(&stream, mask, [3, 2, 2], Geometry::default());
        for found in [0, 3, 11, 13] {
            let error = upload(&vec![1; found]).unwrap_err();
            assert!(
                matches!(error, GridError::Values { found: n, dims: [3, 2, 2] } if n == found),
                "{error}"
            );
        }
        let mask = upload(&[1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 9]).unwrap();
        assert_eq!(mask.count(&stream).unwrap(), 3);
    }
}
