//! Launches of a device that can be looked at and changed.

use super::{Device, DeviceError, Inner, LaunchOverride, LaunchRecord, Recording};
use crate::occupancy::KernelResources;

impl Device {
    /// Sets the override of this device's launches; [`LaunchOverride::default`] leaves them to the
    /// calculator again. Call it while nothing is being launched.
    ///
    /// # Errors
    /// [`DeviceError::Occupancy`] for a block size, registers or shared memory that no launch on
    /// this device could have, and for a kernel that there is not, with names like it.
    pub fn set_launch_override(&self, launch_override: LaunchOverride) -> Result<(), DeviceError> {
        launch_override.check(self.limits())?;
        self.launches().set_launch_override(launch_override);
        Ok(())
    }

    /// Whether a launch override asks for a size of this kernel's blocks.
    pub(crate) fn overrides_block(&self, entry: &str) -> bool {
        let launch_override = self.launches().launch_override(entry);
        launch_override.is_some_and(|it| it.block.is_some())
    }

    /// From now on launches are remembered, or no longer. What was remembered is forgotten.
    ///
    /// ```
    /// use ferrovox::device::{BlockSizeSource, Device, Recording};
    /// use ferrovox::synthetic;
    ///
    /// let device = Device::cpu();
    /// device.record_launches(Recording::Shapes);
    /// synthetic::sphere(&device.stream()?, [8, 8, 8], 2.0)?;
    /// let launches = device.take_launches()?;
    /// assert!(launches.iter().all(|launch| launch.block_size_source == BlockSizeSource::Calculator));
    /// # Ok::<(), ferrovox::device::DeviceError>(())
    /// ```
    pub fn record_launches(&self, recording: Recording) {
        self.launches().set_recording(recording);
    }

    /// The launches since they were last taken, in order. Synchronises with those that are timed.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if one of them failed.
    pub fn take_launches(&self) -> Result<Vec<LaunchRecord>, DeviceError> {
        self.launches().take()
    }

    /// What a kernel takes of this device, by the driver that compiled it, with as many registers
    /// as an [launch override](Self::set_launch_override) leaves it; nothing on the CPU.
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

    /// How many blocks of a kernel a multiprocessor holds by the driver, for comparison with the
    /// result of the [calculator](crate::occupancy); nothing on the CPU.
    ///
    /// # Errors
    /// [`DeviceError::UnknownKernel`], [`DeviceError::Cuda`] for what the driver refuses.
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

    /// Makes launches as the environment has them.
    pub(super) fn heed_environment(&self) -> Result<(), DeviceError> {
        self.set_launch_override(LaunchOverride::of_environment()?)
    }

    /// Fails if this device heeds an environment that makes no sense.
    pub(super) fn check_environment(&self) -> Result<(), DeviceError> {
        if self.shared.heeds_environment {
            LaunchOverride::of_environment()?.check(self.limits())
        } else {
            Ok(())
        }
    }
}
