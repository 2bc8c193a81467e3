//! A volume of any sample type on a device.

use ferrovox::{
    device::{DeviceError, Stream},
    grid::{AnyDeviceVolume, AnyVolume},
};

/// Copies the samples to the stream's device, and waits until they are there.
pub fn upload(stream: &Stream, volume: &AnyVolume) -> Result<AnyDeviceVolume, DeviceError> {
    let uploaded = AnyDeviceVolume::upload(stream, volume)?;
    stream.synchronize()?;
    Ok(uploaded)
}
