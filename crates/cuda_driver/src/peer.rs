//! Peer access between devices.

use std::ffi::c_int;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUcontext, CUdevice};

impl Driver {
    /// Returns `true` if kernels on `device` can access the memory of `peer`
    /// (`cuDeviceCanAccessPeer`).
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`](crate::CudaError::InvalidDevice).
    pub fn can_access_peer(&self, device: CUdevice, peer: CUdevice) -> CudaResult<bool> {
        let can_access = self.table.device_can_access_peer.get()?;
        let mut accessible: c_int = 0;
        // SAFETY: `accessible` is live for the call; the driver checks the devices.
        check(unsafe { can_access(&mut accessible, device, peer) })?;
        Ok(accessible != 0)
    }

    /// Allows the current context to access the memory of `peer` (`cuCtxEnablePeerAccess`). Access
    /// is one-directional.
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
