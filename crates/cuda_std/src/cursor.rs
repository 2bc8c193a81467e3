//! Strided access to views with one addition per element, where a 64-bit index needs a
//! multiplication too.
//!
//! In checked mode every access is bounds-checked, as with an index.

use crate::{SharedView, View, ViewMut};

/// Writes consecutive 4-byte elements of a view at a fixed stride.
pub struct WriteCursor<'a, T> {
    #[cfg_attr(target_arch = "nvptx64", allow(dead_code))]
    view: ViewMut<'a, T>,
    stride: u32,
    /// Address on the device, element index on the CPU.
    at: u64,
}

impl<'a, T: Copy> WriteCursor<'a, T> {
    /// Creates a cursor at element `first`. The stride is in elements and less than 2³⁰.
    #[inline(always)]
    pub fn new(view: ViewMut<'a, T>, first: usize, stride: u32) -> Self {
        const { assert!(size_of::<T>() == 4, "elements of 4 bytes") };
        Self {
            #[cfg(target_arch = "nvptx64")]
            // the address need not be inside the view until an element is written
            at: view.as_mut_ptr().wrapping_add(first) as u64,
            #[cfg(target_arch = "nvptx64")]
            stride: stride * 4,
            #[cfg(not(target_arch = "nvptx64"))]
            at: first as u64,
            #[cfg(not(target_arch = "nvptx64"))]
            stride,
            view,
        }
    }

    /// Writes an element and advances to the next. Out of bounds it behaves like
    /// [`View::read`](crate::View::read).
    #[inline(always)]
    #[track_caller]
    pub fn write(&mut self, value: T) {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the element is within the view by the kernel's contract, and has 4 bytes.
        unsafe {
            core::arch::asm!(
                "st.global.b32 [{}], {};",
                in(reg64) self.at,
                in(reg32) core::mem::transmute_copy::<T, u32>(&value),
                options(nostack)
            );
            self.at = crate::misc::opaque_u64(self.at + self.stride as u64);
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            self.view.write(self.at as usize, value);
            self.at += u64::from(self.stride);
        }
    }
}

/// Source of [asynchronous copies](crate::async_copy) of four words, in device memory.
#[derive(Clone, Copy)]
pub struct CopySource<'a> {
    #[cfg_attr(target_arch = "nvptx64", allow(dead_code))]
    view: View<'a, u32>,
    at: u64,
}

impl<'a> CopySource<'a> {
    /// Creates a source at element `first`, a multiple of four.
    #[inline(always)]
    pub fn new(view: View<'a, u32>, first: usize) -> Self {
        Self {
            #[cfg(target_arch = "nvptx64")]
            at: view.as_ptr().wrapping_add(first) as u64,
            #[cfg(not(target_arch = "nvptx64"))]
            at: first as u64,
            view,
        }
    }

    /// Advances by `elements` elements.
    #[inline(always)]
    pub fn advance(&mut self, elements: u32) {
        #[cfg(target_arch = "nvptx64")]
        {
            self.at = crate::misc::opaque_u64(self.at + (elements * 4) as u64);
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            self.at += u64::from(elements);
        }
    }
}

/// Target of [asynchronous copies](crate::async_copy) of four words, in shared memory.
#[derive(Clone, Copy)]
pub struct CopyTarget {
    #[cfg_attr(target_arch = "nvptx64", allow(dead_code))]
    view: SharedView<u32>,
    /// Shared-memory address on the device, element index on the CPU.
    at: u32,
}

impl CopyTarget {
    /// Creates a target at element `first`, a multiple of four.
    #[inline(always)]
    pub fn new(view: SharedView<u32>, first: usize) -> Self {
        #[cfg(target_arch = "nvptx64")]
        {
            let start: u64;
            // SAFETY: only computes an address.
            unsafe {
                core::arch::asm!(
                    "cvta.to.shared.u64 {}, {};",
                    out(reg64) start,
                    in(reg64) view.as_mut_ptr(),
                    options(pure, nomem, nostack)
                );
            }
            let at = start as u32 + first as u32 * 4;
            Self { view, at }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        Self {
            view,
            at: first as u32,
        }
    }

    /// Begins to copy four words from `source` to the elements at `more` beyond this target; `more`
    /// should be a constant. As for [`copy_vector`](crate::async_copy::copy_vector),
    /// [`wait_all`](crate::async_copy::wait_all) waits for the copy, and before compute capability
    /// 8.0 it is an ordinary copy.
    #[inline(always)]
    #[track_caller]
    pub fn copy_4(&self, source: CopySource<'_>, more: u32) {
        #[cfg(target_arch = "nvptx64")]
        {
            use crate::cfg::ComputeCapability;
            if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32
            {
                // SAFETY: both ranges are within their views by the kernel's contract, which
                // includes the alignment.
                unsafe {
                    core::arch::asm!(
                        "cp.async.cg.shared.global [{}], [{}], 16;",
                        in(reg32) self.at + more * 4,
                        in(reg64) source.at,
                        options(nostack)
                    );
                }
                return;
            }
            let (a, b, c, d): (u32, u32, u32, u32);
            // SAFETY: as above.
            unsafe {
                core::arch::asm!(
                    "ld.global.v4.b32 {{{}, {}, {}, {}}}, [{}];",
                    out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d,
                    in(reg64) source.at,
                    options(nostack)
                );
                core::arch::asm!(
                    "st.shared.v4.b32 [{}], {{{}, {}, {}, {}}};",
                    in(reg32) self.at + more * 4,
                    in(reg32) a, in(reg32) b, in(reg32) c, in(reg32) d,
                    options(nostack)
                );
            }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        crate::async_copy::copy_vector::<u32, 4>(
            source.view,
            source.at as usize,
            self.view,
            self.at as usize + more as usize,
        );
    }
}
