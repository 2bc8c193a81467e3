//! Voxels that are sites, on the host.

use super::{DistanceError, SiteMask, sign::MOST_ROUNDS, sites::check_words};
use crate::{
    device::{Device, DeviceError, Stream},
    device_volume::grid_of,
    files::{FileError, VolumeReader},
    volume::{Geometry, Sample, SampleType, f64_to_f32},
};
use ferrovox_kernels::distance::sites::BitRows;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of samples that are read at a time.
const STEP: usize = 64 << 20;

/// Voxels of a grid that are sites, or inside of something, on the host: one bit each, as [`SiteMask`] has them on a device.
///
/// ```
/// use ferrovox::{distance::HostMask, volume::Geometry};
///
/// let mut sites = HostMask::new([2, 2, 2], Geometry::default())?;
/// sites.set_planes(1, &[0.0_f32, 0.0, 1.0, 0.0], |sample| sample > 0.5);
/// assert_eq!(sites.count(), 1);
/// assert_eq!(sites.words(), [0, 0, 0, 1]);
/// # Ok::<(), ferrovox::distance::DistanceError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HostMask {
    words: Vec<u32>,
    bits: BitRows,
    geometry: Geometry,
}

impl HostMask {
    /// No voxel of a grid of `dims` that lies in the world as `geometry` says.
    ///
    /// # Errors
    /// [`DeviceError::TooLarge`](crate::device::DeviceError::TooLarge) for an axis of more than 2³² − 1 voxels.
    pub fn new(dims: [usize; 3], geometry: Geometry) -> Result<Self, DistanceError> {
        let bits = BitRows::new(grid_of(dims)?);
        let count = bits.words() as usize;
        Ok(Self {
            words: bytemuck::allocation::try_zeroed_vec(count).map_err(|()| too_large(count))?,
            bits,
            geometry,
        })
    }

    /// Takes bits as they are, as [`SiteMask::from_words`] does.
    ///
    /// # Errors
    /// [`DistanceError::Words`] if there are not `nz · ny · ⌈nx/32⌉` of them.
    pub fn from_words(
        mut words: Vec<u32>,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, DistanceError> {
        let bits = BitRows::new(grid_of(dims)?);
        check_words(&mut words, bits, dims)?;
        Ok(Self {
            words,
            bits,
            geometry,
        })
    }

    /// Reads a volume some planes at a time, and keeps of each sample whether `is_site`. Also how many samples are no exact numbers of
    /// f32, which matters where [`SiteMask`] is to have the same: devices have no samples of i32 and f64.
    ///
    /// Memory: a bit per voxel, and 64 MiB of samples or a plane of them.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn read(
        reader: &mut VolumeReader<'_>,
        is_site: impl Fn(f64) -> bool + Sync,
    ) -> Result<(Self, usize), ReadMaskError> {
        let mut mask = Self::new(reader.dims(), *reader.geometry())?;
        let inexact = match reader.sample_type() {
            SampleType::U8 => mask.read_all::<u8>(reader, is_site),
            SampleType::I8 => mask.read_all::<i8>(reader, is_site),
            SampleType::U16 => mask.read_all::<u16>(reader, is_site),
            SampleType::I16 => mask.read_all::<i16>(reader, is_site),
            SampleType::I32 => mask.read_all::<i32>(reader, is_site),
            SampleType::F32 => mask.read_all::<f32>(reader, is_site),
            SampleType::F64 => mask.read_all::<f64>(reader, is_site),
        }?;
        Ok((mask, inexact))
    }

    fn read_all<T: Sample>(
        &mut self,
        reader: &mut VolumeReader<'_>,
        is_site: impl Fn(f64) -> bool + Sync,
    ) -> Result<usize, FileError> {
        reader.set_overlap(0);
        let nz = reader.dims()[2];
        let plane_bytes = reader.plane_len().saturating_mul(size_of::<T>());
        let height = (STEP / plane_bytes.max(1)).max(1);
        let mut inexact = 0;
        for first in (0..nz).step_by(height) {
            let samples = reader.read_planes::<T>(first..nz.min(first + height))?;
            inexact += self.set_planes(first, &samples, &is_site);
        }
        Ok(inexact)
    }

    /// Says of the voxels of whole planes, from plane `first` on, whether they are sites: of each sample whether `is_site`. How many
    /// samples are no exact numbers of f32.
    ///
    /// # Panics
    /// If the samples are no whole planes, or more than there are.
    pub fn set_planes<T: Sample>(
        &mut self,
        first: usize,
        samples: &[T],
        is_site: impl Fn(f64) -> bool + Sync,
    ) -> usize {
        let grid = self.bits.grid;
        let (nx, per_row) = (grid.nx as usize, self.bits.per_row as usize);
        if samples.is_empty() {
            return 0;
        }
        assert!(
            samples.len().is_multiple_of(nx * grid.ny as usize),
            "{} samples are no whole planes of {nx} x {}",
            samples.len(),
            grid.ny
        );
        let start = first * self.bits.per_plane() as usize;
        let rows = samples.len() / nx;
        let inexact = AtomicUsize::new(0);
        self.words[start..start + rows * per_row]
            .par_chunks_mut(per_row)
            .zip(samples.par_chunks(nx))
            .for_each(|(words, row)| {
                let mut rounded = 0;
                for (word, samples) in words.iter_mut().zip(row.chunks(32)) {
                    *word = samples.iter().enumerate().fold(0, |word, (bit, sample)| {
                        let sample = sample.to_f64();
                        rounded += usize::from(!f64_to_f32(sample).1);
                        word | u32::from(is_site(sample)) << bit
                    });
                }
                if rounded > 0 {
                    inexact.fetch_add(rounded, Ordering::Relaxed);
                }
            });
        inexact.into_inner()
    }

    /// A copy of a device's. Waits for it.
    ///
    /// # Errors
    /// Those of the device.
    pub fn download(stream: &Stream, mask: &SiteMask) -> Result<Self, DistanceError> {
        Ok(Self {
            words: mask.download(stream)?,
            bits: mask.layout(),
            geometry: mask.geometry,
        })
    }

    /// A copy on a device.
    ///
    /// # Errors
    /// Those of the device.
    pub fn upload(&self, stream: &Stream) -> Result<SiteMask, DistanceError> {
        Ok(SiteMask {
            bits: stream.upload(&self.words)?,
            grid: self.bits.grid,
            geometry: self.geometry,
        })
    }

    /// The voxels that have a neighbour across a face, in the grid, which is not of the mask; found on a device, as
    /// [`SiteMask::surface`].
    ///
    /// # Errors
    /// Those of the device.
    pub fn surface(&self, device: &Device) -> Result<Self, DistanceError> {
        let stream = device.stream()?;
        let surface = self.upload(&stream)?.surface(&stream)?;
        Self::download(&stream, &surface)
    }

    /// The voxels that these enclose; found on a device, as [`SiteMask::enclosed_by`].
    ///
    /// # Errors
    /// Those of the device.
    pub fn enclosed(&self, device: &Device) -> Result<Self, DistanceError> {
        let stream = device.stream()?;
        let enclosed = SiteMask::enclosed_by(&stream, &self.upload(&stream)?)?;
        Self::download(&stream, &enclosed)
    }

    /// Bytes of device memory that [`surface`](Self::surface) takes.
    pub fn surface_bytes(&self) -> u64 {
        2 * self.bytes()
    }

    /// Bytes of device memory that [`enclosed`](Self::enclosed) takes.
    pub fn enclosed_bytes(&self) -> u64 {
        3 * self.bytes() + MOST_ROUNDS as u64 * 4
    }

    /// Voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        let grid = self.bits.grid;
        [grid.nx, grid.ny, grid.nz].map(|axis| axis as usize)
    }

    /// The voxels' place in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The same voxels at another place in the world.
    pub fn with_geometry(self, geometry: Geometry) -> Self {
        Self { geometry, ..self }
    }

    /// The words, as [`SiteMask::from_words`] takes them.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words of some planes.
    pub(super) fn planes(&self, z: std::ops::Range<usize>) -> &[u32] {
        let plane = self.bits.per_plane() as usize;
        &self.words[z.start * plane..z.end * plane]
    }

    /// How the bits lie in the words.
    pub(super) fn layout(&self) -> BitRows {
        self.bits
    }

    /// Bytes of the words.
    pub(super) fn bytes(&self) -> u64 {
        self.bits.words() * 4
    }

    /// How many voxels.
    pub fn count(&self) -> u64 {
        let ones = |word: &u32| u64::from(word.count_ones());
        self.words.par_iter().map(ones).sum()
    }
}

/// The host has no memory for so many words.
fn too_large(words: usize) -> DeviceError {
    let memory = Device::cpu().memory().ok();
    DeviceError::OutOfMemory {
        device: "the host".to_owned(),
        requested: 4 * words as u64,
        free: memory.map_or(0, |memory| memory.free),
        total: memory.map_or(0, |memory| memory.total),
    }
}

/// Why a mask was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadMaskError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The volume is too large.
    #[error(transparent)]
    Distance(#[from] DistanceError),
}
