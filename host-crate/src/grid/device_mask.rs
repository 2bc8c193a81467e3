//! Masks on a device.

use super::{Geometry, GridError, kernel_grid};
use crate::device::{Buffer, DeviceError, Launch, Stream, items_launch};
use ferrovox_kernels::{
    distance::sites::{BitRows, count_bits, set_bits},
    grid::Grid,
    rows::Items,
};

/// A mask of the voxels of a grid on a device, with one bit per voxel.
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
    /// 32 voxels along x per word, the first in the lowest bit; every row begins with a new word:
    /// word `(z·ny + y)·⌈nx/32⌉ + x/32`. A bit is 1 if the voxel is in the mask, and 0 after the
    /// end of a row.
    pub(crate) bits: Buffer<u32>,
    pub(crate) grid: Grid,
    pub(crate) geometry: Geometry,
}

/// Checks the number of words of a grid, and clears the bits after the ends of the rows.
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

/// Returns the number of set bits. Synchronises the stream.
pub(crate) fn count_ones(stream: &Stream, bits: &Buffer<u32>) -> Result<u64, DeviceError> {
    let mut count = stream.zeros::<u64>(1)?;
    // all blocks add to one counter, so that a few per multiprocessor suffice
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
    /// Creates the mask of the voxels with these linear indices, x fastest, in a grid of `dims`
    /// voxels positioned by `geometry`. Indices may repeat.
    ///
    /// # Errors
    /// [`GridError::Index`] for an index outside the grid; errors of the device.
    pub fn from_indices(
        stream: &Stream,
        indices: &[u64],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let grid = kernel_grid(dims)?;
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
        let (launch, items) = items_launch(stream, indices.len() as u64);
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

    /// Creates a mask from its words: 32 voxels along x per word, the first in the lowest bit;
    /// every row begins with a new word. Bits after the end of a row are cleared.
    ///
    /// # Errors
    /// [`GridError::Words`] if there are not `nz · ny · ⌈nx/32⌉` words; errors of the device.
    pub fn from_words(
        stream: &Stream,
        words: &[u32],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let grid = kernel_grid(dims)?;
        let mut words = words.to_vec();
        check_words(&mut words, BitRows::new(grid), dims)?;
        Ok(Self {
            bits: stream.upload(&words)?,
            grid,
            geometry,
        })
    }

    /// Returns the number of voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        [self.grid.nx, self.grid.ny, self.grid.nz].map(|axis| axis as usize)
    }

    /// Creates a mask from one value per voxel on the host, x fastest, then y, then z. Voxels with
    /// values other than 0 are in the mask.
    ///
    /// # Errors
    /// [`GridError::Values`] if there are not `nx · ny · nz` values; errors of the device.
    pub fn upload(
        stream: &Stream,
        mask: &[u8],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let grid = kernel_grid(dims)?;
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

    /// Copies the mask on the device.
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

    /// Returns the position of the voxels in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the words on the device, as [`from_words`](Self::from_words) takes them.
    pub fn words(&self) -> &Buffer<u32> {
        &self.bits
    }

    /// Returns the layout of the bits.
    pub fn layout(&self) -> BitRows {
        BitRows::new(self.grid)
    }

    /// Returns the number of voxels in the mask. Synchronises the stream.
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

    /// Checks that the mask has all words of the grid, which kernels rely on.
    #[test]
    fn mask_values_must_match_the_grid() {
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
