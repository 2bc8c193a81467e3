//! Casts of buffers to other element types.

use bytemuck::{Pod, PodCastError};

use super::{DeviceBuffer, DeviceCopy};

/// Casts between types without padding for which all bit patterns are valid.
impl<A: DeviceCopy + Pod> DeviceBuffer<A> {
    /// Reinterprets the memory as values of another type.
    ///
    /// # Panics
    /// If [`DeviceBuffer::try_cast`] returns an error.
    #[track_caller]
    pub fn cast<B: DeviceCopy + Pod>(self) -> DeviceBuffer<B> {
        match self.try_cast() {
            Ok(buffer) => buffer,
            Err(error) => panic!("the device buffer cannot be cast: {error}"),
        }
    }

    /// Reinterprets the memory as values of another type. If this fails, the buffer is dropped, as
    /// in Rust-CUDA.
    ///
    /// # Errors
    /// [`PodCastError::OutputSliceWouldHaveSlop`] if the size is not a multiple of the new type's,
    /// [`PodCastError::TargetAlignmentGreaterAndInputNotAligned`] if the address is not aligned for
    /// it, [`PodCastError::SizeMismatch`] if only one of the types is zero-sized.
    pub fn try_cast<B: DeviceCopy + Pod>(self) -> Result<DeviceBuffer<B>, PodCastError> {
        let (from, to) = (size_of::<A>(), size_of::<B>());
        let address = self.as_slice().as_device_ptr().as_raw();
        if align_of::<B>() > align_of::<A>() && !address.is_multiple_of(align_of::<B>() as u64) {
            return Err(PodCastError::TargetAlignmentGreaterAndInputNotAligned);
        }
        if from == to {
            let len = self.len();
            return Ok(self.cast_values(len));
        }
        if from == 0 || to == 0 {
            return Err(PodCastError::SizeMismatch);
        }
        // the size of an allocated buffer does not overflow
        let bytes = self.len() * from;
        if bytes.is_multiple_of(to) {
            Ok(self.cast_values(bytes / to))
        } else {
            Err(PodCastError::OutputSliceWouldHaveSlop)
        }
    }
}
