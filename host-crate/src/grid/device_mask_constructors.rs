//! Masks from the samples of a volume on a device.

use super::{DeviceMask, DeviceSample, DeviceVolume, GridError};
use crate::device::{Buffer, DeviceError, Launch, Stream, items_launch};
use cuda_std::Kernel;
use ferrovox_kernels::distance::sites::{
    BitRows, Range, complement_bits, keep_surface, pack_voxels, pack_voxels_by_fours,
};
use std::borrow::Cow;

/// Fails for a level that is not finite.
pub(super) fn check_level(level: f32) -> Result<(), GridError> {
    if level.is_finite() {
        Ok(())
    } else {
        Err(GridError::Level { level })
    }
}

/// Returns `true` if samples can be read four at a time: rows begin at multiples of four.
fn can_load_vectors<T: DeviceSample>(volume: &DeviceVolume<T>) -> bool {
    volume.grid().nx.is_multiple_of(4)
}

/// Returns the name of the kernel that [`pack`] launches.
pub(crate) fn pack_entry<T: DeviceSample>(volume: &DeviceVolume<T>) -> Cow<'static, str> {
    if can_load_vectors(volume) {
        pack_voxels_by_fours::<T>::entry()
    } else {
        pack_voxels::<T>::entry()
    }
}

/// Computes the bits of the samples in a range or, if `invert`, of the finite samples outside it.
pub(crate) fn pack<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    range: Range,
    beyond: Option<&mut Buffer<u32>>,
) -> Result<Buffer<u32>, DeviceError> {
    let bits = BitRows::new(volume.grid());
    let mut within = stream.alloc::<u32>(bits.words() as usize)?;
    let mut empty = stream.alloc::<u32>(0)?;
    let beyond = beyond.unwrap_or(&mut empty);
    let launch = Launch::warp_pieces(bits.words().div_ceil(ferrovox_kernels::bits::GROUP as u64));
    let args = (
        volume.samples().view(),
        bits,
        range,
        within.view_mut(),
        beyond.view_mut(),
    );
    // SAFETY: the samples are those of the grid, of which there is a word for each 32 along a row;
    // buffers begin at multiples of 16.
    unsafe {
        if can_load_vectors(volume) {
            stream.launch::<pack_voxels_by_fours<T>>(launch, args)?;
        } else {
            stream.launch::<pack_voxels<T>>(launch, args)?;
        }
    }
    Ok(within)
}

impl DeviceMask {
    fn pack_volume<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
        range: Range,
    ) -> Result<Self, GridError> {
        Ok(Self {
            bits: pack(stream, volume, range, None)?,
            grid: volume.grid(),
            geometry: *volume.geometry(),
        })
    }

    /// Returns the voxels whose sample is not 0; NaN is not 0. One pass over the volume.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn from_non_zero<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
    ) -> Result<Self, GridError> {
        Self::pack_volume(stream, volume, Range::NOT_ZERO)
    }

    /// Returns the voxels whose sample is from `low` to `high`, both included.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn between<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
        low: f32,
        high: f32,
    ) -> Result<Self, GridError> {
        let range = Range {
            low,
            high,
            inverted: 0,
        };
        Self::pack_volume(stream, volume, range)
    }

    /// Returns the voxels whose sample is at least `level`. NaN is not inside.
    ///
    /// # Errors
    /// [`GridError::Level`] for a level that is not finite; errors of the device.
    pub fn above<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
        level: f32,
    ) -> Result<Self, GridError> {
        check_level(level)?;
        Self::pack_volume(stream, volume, Range::at_least(level))
    }

    /// Returns the voxels whose sample is less than `level`. NaN is not inside.
    ///
    /// # Errors
    /// [`GridError::Level`] for a level that is not finite; errors of the device.
    pub fn below<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
        level: f32,
    ) -> Result<Self, GridError> {
        check_level(level)?;
        Self::pack_volume(stream, volume, Range::below(level))
    }

    /// Returns the surface of a level in whole voxels: those at or [above](Self::above) it with a
    /// face neighbour in the volume that is not.
    ///
    /// # Errors
    /// [`GridError::Level`] for a level that is not finite; errors of the device.
    pub fn from_level<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
        level: f32,
    ) -> Result<Self, GridError> {
        Self::above(stream, volume, level)?.surface(stream)
    }

    /// Returns the voxels of the mask that have a face neighbour in the grid outside the mask.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn surface(&self, stream: &Stream) -> Result<Self, GridError> {
        let mut kept = stream.alloc::<u32>(self.bits.len())?;
        let (launch, items) = items_launch(stream, self.bits.len() as u64);
        // SAFETY: both have the words of the grid, which the items count.
        unsafe {
            let args = (self.bits.view(), self.layout(), items, kept.view_mut());
            stream.launch::<keep_surface>(launch, args)?;
        }
        Ok(Self {
            bits: kept,
            grid: self.grid,
            geometry: self.geometry,
        })
    }

    /// Returns the voxels of the grid that are not in the mask.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn complement(&self, stream: &Stream) -> Result<Self, GridError> {
        let mut complement = stream.alloc::<u32>(self.bits.len())?;
        let (launch, items) = items_launch(stream, self.bits.len() as u64);
        // SAFETY: both have the words of the grid, which the items count.
        unsafe {
            let args = (
                self.bits.view(),
                self.layout(),
                items,
                complement.view_mut(),
            );
            stream.launch::<complement_bits>(launch, args)?;
        }
        Ok(Self {
            bits: complement,
            grid: self.grid,
            geometry: self.geometry,
        })
    }
}
