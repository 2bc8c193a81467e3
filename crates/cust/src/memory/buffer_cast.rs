//! Buffers of other values.

use bytemuck::{Pod, PodCastError};

use super::{DeviceBuffer, DeviceCopy};

/// For types that any bytes are a value of, and that have no padding.
impl<A: DeviceCopy + Pod> DeviceBuffer<A> {
    /// The same memory, as values of another type.
    ///
    /// # Panics
    /// Where [`DeviceBuffer::try_cast`] is an error.
    #[track_caller]
    pub fn cast<B: DeviceCopy + Pod>(self) -> DeviceBuffer<B> {
        match self.try_cast() {
            Ok(buffer) => buffer,
            Err(error) => panic!("the device buffer cannot be cast: {error}"),
        }
    }

    /// The same memory, as values of another type. On an error the buffer is dropped, as in the
    /// published crate.
    ///
    /// # Errors
    /// [`PodCastError::OutputSliceWouldHaveSlop`] where the bytes are no whole number of values,
    /// [`PodCastError::TargetAlignmentGreaterAndInputNotAligned`] where the memory does not begin
    /// where such values may, [`PodCastError::SizeMismatch`] where only one of the two types has no
    /// bytes.
    pub fn try_cast<B: DeviceCopy + Pod>(self) -> Result<DeviceBuffer<B>, PodCastError> {
        let (from, to) = (size_of::<A>(), size_of::<B>());
        let address = self.as_slice().as_device_ptr().as_raw();
        if align_of::<B>() > align_of::<A>() && !address.is_multiple_of(align_of::<B>() as u64) {
            return Err(PodCastError::TargetAlignmentGreaterAndInputNotAligned);
        }
        if from == to {
            let len = self.len();
            return Ok(self.of_other_values(len));
        }
        if from == 0 || to == 0 {
            return Err(PodCastError::SizeMismatch);
        }
        // what the buffer holds was allocated, so its bytes can be counted
        let bytes = self.len() * from;
        if bytes.is_multiple_of(to) {
            Ok(self.of_other_values(bytes / to))
        } else {
            Err(PodCastError::OutputSliceWouldHaveSlop)
        }
    }
}
