//! Devices that reach each other's memory.

use std::ffi::c_int;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUcontext, CUdevice};

impl Driver {
    /// `cuDeviceCanAccessPeer`: whether kernels on `device` can reach the memory of `peer`.
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`](crate::CudaError::InvalidDevice).
    pub fn can_access_peer(&self, device: CUdevice, peer: CUdevice) -> CudaResult<bool> {
        let can_access = self.table.device_can_access_peer.get()?;
        let mut answer: c_int = 0;
        // SAFETY: `answer` is live for the call; the driver checks the devices.
        check(unsafe { can_access(&mut answer, device, peer) })?;
        Ok(answer != 0)
    }

    /// `cuCtxEnablePeerAccess`: the current context may reach the memory of `peer` from here on;
    /// not the other way.
    ///
    /// # Errors
    /// [`CudaError::PeerAccessUnsupported`](crate::CudaError::PeerAccessUnsupported),
    /// [`CudaError::PeerAccessAlreadyEnabled`](crate::CudaError::PeerAccessAlreadyEnabled).
    ///
    /// # Safety
    /// 1. `peer` is a context that has not been destroyed.
    pub unsafe fn enable_peer_access(&self, peer: CUcontext) -> CudaResult<()> {
        let enable = self.table.ctx_enable_peer_access.get()?;
        // SAFETY: a live context (1); the flags are reserved and 0.
        check(unsafe { enable(peer, 0) })
    }
}
