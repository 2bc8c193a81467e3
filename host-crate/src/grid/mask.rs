//! Masks on the host.

use super::{
    DeviceMask, Geometry, GridError, Sample, SamplePredicate, device_mask::check_words,
    enclosed::MAX_PASSES, f64_to_f32, kernel_grid,
};
use crate::{
    device::{Device, DeviceError, Stream},
    memory, parallel,
};
use ferrovox_kernels::distance::sites::BitRows;
use std::{
    ops::{Add, Range},
    sync::atomic::{AtomicUsize, Ordering},
};

/// A mask of the voxels of a grid on the host, with one bit per voxel in the layout of
/// [`DeviceMask`].
///
/// ```
/// use ferrovox::grid::{Geometry, Mask};
///
/// let mut sites = Mask::new([2, 2, 2], Geometry::default())?;
/// sites.set_planes(1, &[0.0_f32, 0.0, 1.0, 0.0], |sample| sample > 0.5);
/// assert_eq!(sites.count(), 1);
/// assert_eq!(sites.words(), [0, 0, 0, 1]);
/// # Ok::<(), ferrovox::grid::GridError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    words: Vec<u32>,
    bits: BitRows,
    geometry: Geometry,
}

impl Mask {
    /// Creates an empty mask of a grid of `dims` voxels positioned by `geometry`.
    ///
    /// # Errors
    /// [`DeviceError::TooLarge`](crate::device::DeviceError::TooLarge) for an axis of more than 2³²
    /// − 1 voxels.
    pub fn new(dims: [usize; 3], geometry: Geometry) -> Result<Self, GridError> {
        let bits = BitRows::new(kernel_grid(dims)?);
        let count = bits.words() as usize;
        Ok(Self {
            words: memory::try_zeroed("a bit for each voxel", count).map_err(DeviceError::from)?,
            bits,
            geometry,
        })
    }

    /// Creates a mask from its words, as [`DeviceMask::from_words`] does.
    ///
    /// # Errors
    /// [`GridError::Words`] if there are not `nz · ny · ⌈nx/32⌉` words.
    pub fn from_words(
        mut words: Vec<u32>,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, GridError> {
        let bits = BitRows::new(kernel_grid(dims)?);
        check_words(&mut words, bits, dims)?;
        Ok(Self {
            words,
            bits,
            geometry,
        })
    }

    /// Sets the voxels of whole planes, from plane `first` on, to the result of `is_site` for their
    /// samples. Returns the number of samples that `f32` cannot represent exactly.
    ///
    /// # Panics
    /// If the samples are not whole planes, or exceed the grid.
    pub fn set_planes<T: Sample>(
        &mut self,
        first: usize,
        samples: &[T],
        is_site: impl Fn(f64) -> bool + Sync,
    ) -> usize {
        let grid = self.bits.grid;
        let (nx, ny) = (grid.nx as usize, grid.ny as usize);
        if samples.is_empty() {
            return 0;
        }
        assert!(
            samples.len().is_multiple_of(nx * ny),
            "{} samples are no whole planes of {nx} x {ny}",
            samples.len(),
        );
        self.set_rows(first * ny, samples, is_site)
    }

    /// Sets the voxels of whole rows along x, from row `first` on, as
    /// [`set_planes`](Self::set_planes). Rows are numbered through all planes.
    ///
    /// # Panics
    /// If the samples are not whole rows, or exceed the grid.
    pub fn set_rows<T: Sample>(
        &mut self,
        first: usize,
        samples: &[T],
        is_site: impl Fn(f64) -> bool + Sync,
    ) -> usize {
        self.set_rows_by(first, samples, &is_site)
    }

    /// Sets the voxels of whole rows as [`set_rows`](Self::set_rows).
    pub(crate) fn set_rows_by<T: Sample>(
        &mut self,
        first: usize,
        samples: &[T],
        predicate: &impl SamplePredicate,
    ) -> usize {
        let (nx, per_row) = (self.bits.grid.nx as usize, self.bits.per_row as usize);
        if samples.is_empty() {
            return 0;
        }
        assert!(
            samples.len().is_multiple_of(nx),
            "{} samples are no whole rows of {nx}",
            samples.len(),
        );
        let start = first * per_row;
        let rows = samples.len() / nx;
        let inexact = AtomicUsize::new(0);
        let words = &mut self.words[start..start + rows * per_row];
        for_each_row(words, per_row, &|row, words| {
            let mut rounded = 0;
            let row = &samples[row * nx..][..nx];
            for (word, samples) in words.iter_mut().zip(row.chunks(32)) {
                *word = samples.iter().enumerate().fold(0, |word, (bit, sample)| {
                    rounded += usize::from(!f64_to_f32(sample.to_f64()).1);
                    word | u32::from(predicate.accepts(*sample)) << bit
                });
            }
            if rounded > 0 {
                inexact.fetch_add(rounded, Ordering::Relaxed);
            }
        });
        inexact.into_inner()
    }

    /// Removes the voxels that are not in another mask of the same grid.
    pub(crate) fn intersect(&mut self, other: &Mask) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Removes all voxels.
    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds the voxel with this linear index, which must be inside the grid.
    pub(super) fn set(&mut self, index: u64) {
        let nx = u64::from(self.bits.grid.nx);
        let (row, x) = (index / nx, index % nx);
        let word = row * u64::from(self.bits.per_row) + x / 32;
        self.words[word as usize] |= 1 << (x % 32);
    }

    /// Copies a mask from its device. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(stream: &Stream, mask: &DeviceMask) -> Result<Self, GridError> {
        Ok(Self {
            words: mask.download(stream)?,
            bits: mask.layout(),
            geometry: mask.geometry,
        })
    }

    /// Copies the mask to a device.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn upload(&self, stream: &Stream) -> Result<DeviceMask, GridError> {
        Ok(DeviceMask {
            bits: stream.upload(&self.words)?,
            grid: self.bits.grid,
            geometry: self.geometry,
        })
    }

    /// Returns the voxels of the mask that have a face neighbour in the grid outside the mask;
    /// computed on a device by [`DeviceMask::surface`].
    ///
    /// # Errors
    /// Errors of the device.
    pub fn surface(&self, device: &Device) -> Result<Self, GridError> {
        let stream = device.stream()?;
        let surface = self.upload(&stream)?.surface(&stream)?;
        Self::download(&stream, &surface)
    }

    /// Returns the voxels that the mask encloses; computed on a device by
    /// [`DeviceMask::enclosed_by`].
    ///
    /// # Errors
    /// Errors of the device.
    pub fn enclosed(&self, device: &Device) -> Result<Self, GridError> {
        let stream = device.stream()?;
        let enclosed = DeviceMask::enclosed_by(&stream, &self.upload(&stream)?)?;
        Self::download(&stream, &enclosed)
    }

    /// Returns the voxels of the grid that are not in the mask; computed on a device by
    /// [`DeviceMask::complement`].
    ///
    /// # Errors
    /// Errors of the device.
    pub fn complement(&self, device: &Device) -> Result<Self, GridError> {
        let stream = device.stream()?;
        let complement = self.upload(&stream)?.complement(&stream)?;
        Self::download(&stream, &complement)
    }

    /// Returns the bytes of device memory that [`surface`](Self::surface) and
    /// [`complement`](Self::complement) need.
    pub fn surface_bytes(&self) -> u64 {
        2 * self.bytes()
    }

    /// Returns the bytes of device memory that [`enclosed`](Self::enclosed) needs.
    pub fn enclosed_bytes(&self) -> u64 {
        3 * self.bytes() + MAX_PASSES as u64 * 4
    }

    /// Returns the number of voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        let grid = self.bits.grid;
        [grid.nx, grid.ny, grid.nz].map(|axis| axis as usize)
    }

    /// Returns the position of the voxels in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Replaces the geometry and keeps the voxels.
    pub fn with_geometry(self, geometry: Geometry) -> Self {
        Self { geometry, ..self }
    }

    /// Returns the words, as [`DeviceMask::from_words`] takes them.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the words of some planes.
    pub(crate) fn planes(&self, z: Range<usize>) -> &[u32] {
        let plane = self.bits.per_plane() as usize;
        &self.words[z.start * plane..z.end * plane]
    }

    /// Returns the layout of the bits.
    pub(crate) fn layout(&self) -> BitRows {
        self.bits
    }

    /// Returns the bytes of the words.
    pub(crate) fn bytes(&self) -> u64 {
        self.bits.words() * 4
    }

    /// Returns the number of voxels in the mask.
    pub fn count(&self) -> u64 {
        let ones = |word: &u32| u64::from(word.count_ones());
        let of_range = |range: Range<usize>| self.words[range].iter().map(ones).sum::<u64>();
        parallel::reduce(self.words.len(), parallel::CHUNK_LEN, of_range, u64::add).unwrap_or(0)
    }
}

/// Calls `fill` for every row of words, in parallel.
fn for_each_row(words: &mut [u32], per_row: usize, fill: &(dyn Fn(usize, &mut [u32]) + Sync)) {
    // number of rows per task
    let rows = parallel::CHUNK_LEN.div_ceil(32 * per_row);
    parallel::for_each_chunk_mut(words, rows * per_row, |first, words| {
        let numbered = (first / per_row..).zip(words.chunks_mut(per_row));
        numbered.for_each(|(row, words)| fill(row, words));
    });
}
