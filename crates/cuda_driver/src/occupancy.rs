//! Occupancy queries for a kernel on the current context's device.

use std::ffi::c_int;
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaError, CudaResult, check};
use crate::types::CUfunction;

impl Driver {
    /// Returns the maximum number of resident blocks per multiprocessor for blocks of this size and
    /// dynamic shared memory (`cuOccupancyMaxActiveBlocksPerMultiprocessor`, or its variant with
    /// flags if `flags` is not 0).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`].
    ///
    /// # Safety
    /// 1. `function` belongs to a loaded module of the current context.
    pub unsafe fn max_active_blocks(
        &self,
        function: CUfunction,
        block_threads: u32,
        dynamic_shared_bytes: usize,
        flags: u32,
    ) -> CudaResult<u32> {
        let threads = c_int::try_from(block_threads).map_err(|_| CudaError::InvalidValue)?;
        let mut blocks: c_int = 0;
        if flags == 0 {
            let query = self.table.occupancy_max_active_blocks.get()?;
            // SAFETY: a live function (1) and out-parameter.
            check(unsafe { query(&mut blocks, function, threads, dynamic_shared_bytes) })?;
        } else {
            let query = self.table.occupancy_max_active_blocks_with_flags.get()?;
            // SAFETY: a live function (1) and out-parameter.
            check(unsafe { query(&mut blocks, function, threads, dynamic_shared_bytes, flags) })?;
        }
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// Returns the smallest grid and the block size with the highest occupancy, at most
    /// `block_limit` threads per block; 0 sets no limit (`cuOccupancyMaxPotentialBlockSize`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`].
    ///
    /// # Safety
    /// 1. `function` belongs to a loaded module of the current context.
    pub unsafe fn max_potential_block_size(
        &self,
        function: CUfunction,
        dynamic_shared_bytes: usize,
        block_limit: u32,
    ) -> CudaResult<(u32, u32)> {
        let query = self.table.occupancy_max_potential_block_size.get()?;
        let limit = c_int::try_from(block_limit).map_err(|_| CudaError::InvalidValue)?;
        let (mut grid, mut block): (c_int, c_int) = (0, 0);
        // SAFETY: a live function (1) and out-parameters; a null callback means that dynamic shared
        // memory does not depend on the block size.
        check(unsafe {
            query(
                &mut grid,
                &mut block,
                function,
                ptr::null(),
                dynamic_shared_bytes,
                limit,
            )
        })?;
        Ok((
            u32::try_from(grid).unwrap_or(0),
            u32::try_from(block).unwrap_or(0),
        ))
    }

    /// Returns the dynamic shared memory per block, in bytes, with which `blocks` blocks of
    /// `block_threads` threads fit on a multiprocessor (`cuOccupancyAvailableDynamicSMemPerBlock`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`]; [`CudaError::MissingFunction`] before CUDA 11.0.
    ///
    /// # Safety
    /// 1. `function` belongs to a loaded module of the current context.
    pub unsafe fn available_dynamic_shared_memory(
        &self,
        function: CUfunction,
        blocks: u32,
        block_threads: u32,
    ) -> CudaResult<usize> {
        let query = self.table.occupancy_available_dynamic_smem.get()?;
        let blocks = c_int::try_from(blocks).map_err(|_| CudaError::InvalidValue)?;
        let threads = c_int::try_from(block_threads).map_err(|_| CudaError::InvalidValue)?;
        let mut bytes = 0usize;
        // SAFETY: a live function (1) and out-parameter.
        check(unsafe { query(&mut bytes, function, blocks, threads) })?;
        Ok(bytes)
    }
}
