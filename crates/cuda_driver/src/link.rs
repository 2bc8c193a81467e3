//! Linker: combines several pieces of device code into one binary.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUjit_option, CUlinkState};

/// Type of a linker input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkInput {
    /// Binary for one architecture.
    Cubin = 0,
    /// NUL-terminated PTX.
    Ptx = 1,
    /// Bundle of binaries and PTX.
    Fatbinary = 2,
}

impl Driver {
    /// Creates a linker for the current context's device (`cuLinkCreate`).
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if no context is current,
    /// and others.
    ///
    /// # Safety
    /// 1. `keys` and `values` point to `count` options each, in the driver's encoding.
    /// 2. They and the memory they point to stay in place until the linker is destroyed; only the
    ///    driver writes there.
    pub unsafe fn link_create(
        &self,
        count: usize,
        keys: *mut CUjit_option,
        values: *mut *mut c_void,
    ) -> CudaResult<CUlinkState> {
        let create = self.table.link_create.get()?;
        let mut state: CUlinkState = ptr::null_mut();
        // SAFETY: the caller's guarantees (1, 2); `state` is live for the call.
        check(unsafe { create(count as c_uint, keys, values, &mut state) })?;
        Ok(state)
    }

    /// Adds a piece of code, compiling it if necessary (`cuLinkAddData`). The data is read before
    /// this function returns.
    ///
    /// # Errors
    /// [`CudaError::InvalidPtx`](crate::CudaError::InvalidPtx),
    /// [`CudaError::InvalidImage`](crate::CudaError::InvalidImage) and others.
    ///
    /// # Safety
    /// 1. `state` is a linker that has not been completed; its context is current.
    /// 2. `data` is a complete input of type `input`, as long as its headers state.
    pub unsafe fn link_add(
        &self,
        state: CUlinkState,
        input: LinkInput,
        data: &[u8],
        name: &CStr,
    ) -> CudaResult<()> {
        let add = self.table.link_add_data.get()?;
        // SAFETY: the caller's guarantees (1, 2); the driver only reads the data, although its
        // signature takes a mutable pointer.
        check(unsafe {
            add(
                state,
                input as c_int,
                data.as_ptr().cast_mut().cast::<c_void>(),
                data.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        })
    }

    /// Links all inputs and returns the cubin (`cuLinkComplete`).
    ///
    /// # Errors
    /// Errors of the linker, such as undefined or multiply defined symbols.
    ///
    /// # Safety
    /// 1. `state` is a linker that has not been completed; its context is current.
    pub unsafe fn link_complete(&self, state: CUlinkState) -> CudaResult<Vec<u8>> {
        let complete = self.table.link_complete.get()?;
        let (mut image, mut size): (*mut c_void, usize) = (ptr::null_mut(), 0);
        // SAFETY: a linker (1), live out-parameters.
        check(unsafe { complete(state, &mut image, &mut size) })?;
        if image.is_null() {
            return Ok(Vec::new());
        }
        // SAFETY: the linker keeps `size` bytes there until it is destroyed.
        Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec())
    }

    /// Destroys a linker (`cuLinkDestroy`).
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle).
    ///
    /// # Safety
    /// 1. `state` is a linker whose context is current, and is not used afterwards.
    pub unsafe fn link_destroy(&self, state: CUlinkState) -> CudaResult<()> {
        let destroy = self.table.link_destroy.get()?;
        // SAFETY: the caller's guarantee (1).
        check(unsafe { destroy(state) })
    }
}
