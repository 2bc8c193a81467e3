//! Inspection of launches, and overrides of their block sizes.

use super::{Device, DeviceError, Inner, LaunchOverride, LaunchRecord, Recording};
use crate::occupancy::KernelResources;

impl Device {
    /// Sets the override of this device's launches; [`LaunchOverride::default`] removes it. Must
    /// not be called concurrently with launches.
    ///
    /// # Errors
    /// [`DeviceError::Occupancy`] for a block size, registers or shared memory that no launch on
    /// this device can have, and for an unknown kernel, with similar names.
    pub fn set_launch_override(&self, launch_override: LaunchOverride) -> Result<(), DeviceError> {
        launch_override.check(self.limits())?;
        self.launches().set_launch_override(launch_override);
        Ok(())
    }

    /// Returns `true` if a launch override sets the block size of this kernel.
    pub(crate) fn overrides_block(&self, entry: &str) -> bool {
        let launch_override = self.launches().launch_override(entry);
        launch_override.is_some_and(|it| it.block.is_some())
    }

    /// Starts or stops recording launches, and discards the record so far.
    ///
    /// ```
    /// use ferrovox::device::{BlockSizeSource, Device, Recording};
    /// use ferrovox::synthetic;
    ///
    /// let device = Device::cpu();
    /// device.record_launches(Recording::Shapes);
    /// synthetic::sphere(&device.stream()?, [8, 8, 8], 2.0)?;
    /// let launches = device.take_launches()?;
    /// assert!(launches.iter().all(|launch| launch.block_size_source ==
    ///     BlockSizeSource::Calculator));
    /// # Ok::<(), ferrovox::device::DeviceError>(())
    /// ```
    pub fn record_launches(&self, recording: Recording) {
        self.launches().set_recording(recording);
    }

    /// Returns the launches since the last call, in order. Synchronises with the timed ones.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if one of them failed.
    pub fn take_launches(&self) -> Result<Vec<LaunchRecord>, DeviceError> {
        self.launches().take()
    }

    /// Returns the resources of a kernel on this device according to the driver, compiled with the
    /// register limit of the [launch override](Self::set_launch_override) if there is one; `None`
    /// on the CPU.
    ///
    /// # Errors
    /// [`DeviceError::UnknownKernel`], [`DeviceError::Cuda`] with the compiler's log.
    pub fn kernel_resources(&self, entry: &str) -> Result<Option<KernelResources>, DeviceError> {
        match &*self.inner {
            Inner::Cpu(_) => Ok(None),
            Inner::Cuda(device) => {
                let launch_override = self.launches().launch_override(entry);
                device
                    .resources(entry, launch_override.as_deref())
                    .map(Some)
            }
        }
    }

    /// Returns the number of resident blocks per multiprocessor according to the driver, for
    /// comparison with the [calculator](crate::occupancy); `None` on the CPU.
    ///
    /// # Errors
    /// [`DeviceError::UnknownKernel`], [`DeviceError::Cuda`] if the driver reports an error.
    pub fn active_blocks_by_driver(
        &self,
        entry: &str,
        threads: u32,
        dynamic_shared_bytes: u32,
    ) -> Result<Option<u32>, DeviceError> {
        match &*self.inner {
            Inner::Cpu(_) => Ok(None),
            Inner::Cuda(device) => device
                .active_blocks(entry, threads, dynamic_shared_bytes)
                .map(Some),
        }
    }

    /// Applies the launch override of the environment.
    pub(super) fn apply_environment(&self) -> Result<(), DeviceError> {
        self.set_launch_override(LaunchOverride::from_environment()?)
    }

    /// Fails if this device uses the environment and its override is invalid.
    pub(super) fn check_environment(&self) -> Result<(), DeviceError> {
        if self.shared.uses_environment {
            LaunchOverride::from_environment()?.check(self.limits())
        } else {
            Ok(())
        }
    }
}
