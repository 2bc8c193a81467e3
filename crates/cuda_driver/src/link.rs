//! The linker: several pieces of device code made into one.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUjit_option, CUlinkState};

/// What a piece of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkInput {
    /// A binary for one architecture.
    Cubin = 0,
    /// PTX, with the NUL at its end.
    Ptx = 1,
    /// A bundle of binaries and PTX.
    Fatbinary = 2,
}

impl Driver {
    /// `cuLinkCreate`: a linker for the current context's device.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where none is current, and
    /// others.
    ///
    /// # Safety
    /// 1. `keys` and `values` point at `count` options each, as the driver wants them.
    /// 2. They, and what they point at, stay where they are until the linker is destroyed; only the
    ///    driver writes there.
    pub unsafe fn link_create(
        &self,
        count: usize,
        keys: *mut CUjit_option,
        values: *mut *mut c_void,
    ) -> CudaResult<CUlinkState> {
        let create = self.table.link_create.get()?;
        let mut state: CUlinkState = ptr::null_mut();
        // SAFETY: the caller's promises (1, 2); `state` is live for the call.
        check(unsafe { create(count as c_uint, keys, values, &mut state) })?;
        Ok(state)
    }

    /// `cuLinkAddData`: compiles a piece of code if need be, and adds it. It is read before this
    /// returns.
    ///
    /// # Errors
    /// [`CudaError::InvalidPtx`](crate::CudaError::InvalidPtx),
    /// [`CudaError::InvalidImage`](crate::CudaError::InvalidImage) and others.
    ///
    /// # Safety
    /// 1. `state` is a linker that was not completed, its context current.
    /// 2. `data` is what `input` says, whole: binaries are as long as their headers say.
    pub unsafe fn link_add(
        &self,
        state: CUlinkState,
        input: LinkInput,
        data: &[u8],
        name: &CStr,
    ) -> CudaResult<()> {
        let add = self.table.link_add_data.get()?;
        // SAFETY: the caller's promises (1, 2); the driver only reads the data, though its
        // signature takes it as mutable.
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

    /// `cuLinkComplete`: the code of all pieces, as a cubin.
    ///
    /// # Errors
    /// Those of the linker: names that nobody defines, or two do.
    ///
    /// # Safety
    /// 1. `state` is a linker that was not completed, its context current.
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

    /// `cuLinkDestroy`.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle).
    ///
    /// # Safety
    /// 1. `state` is a linker, its context current, and not used afterwards.
    pub unsafe fn link_destroy(&self, state: CUlinkState) -> CudaResult<()> {
        let destroy = self.table.link_destroy.get()?;
        // SAFETY: the caller's promise (1).
        check(unsafe { destroy(state) })
    }
}
