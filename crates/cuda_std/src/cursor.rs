//! Places in views that are moved on by a stride: an addition for each element, where an index of
//! 64 bits takes a multiplication too.
//!
//! In checked mode every access is held to the view, as with an index.

use crate::{SharedView, View, ViewMut};

/// Writes elements of 4 bytes, one after the other, as far apart as the stride.
pub struct WriteCursor<'a, T> {
    #[cfg_attr(target_arch = "nvptx64", allow(dead_code))]
    view: ViewMut<'a, T>,
    stride: u32,
    /// On the device an address, otherwise an index.
    at: u64,
}

impl<'a, T: Copy> WriteCursor<'a, T> {
    /// From element `first` of a view on; the stride is in elements, and less than 2³⁰.
    #[inline(always)]
    pub fn new(view: ViewMut<'a, T>, first: usize, stride: u32) -> Self {
        const { assert!(size_of::<T>() == 4, "elements of 4 bytes") };
        Self {
            #[cfg(target_arch = "nvptx64")]
            // an address need not be one of an element before something is written
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

    /// Writes an element, and goes on to the next; past the end as
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

/// Where in device memory [asynchronous copies](crate::async_copy) of four words come from.
#[derive(Clone, Copy)]
pub struct CopySource<'a> {
    #[cfg_attr(target_arch = "nvptx64", allow(dead_code))]
    view: View<'a, u32>,
    at: u64,
}

impl<'a> CopySource<'a> {
    /// Element `first` of a view, a multiple of four.
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

    /// Goes on by as many elements.
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

/// Where in shared memory [asynchronous copies](crate::async_copy) of four words go.
#[derive(Clone, Copy)]
pub struct CopyTarget {
    #[cfg_attr(target_arch = "nvptx64", allow(dead_code))]
    view: SharedView<u32>,
    /// On the device an address in shared memory, otherwise an index.
    at: u32,
}

impl CopyTarget {
    /// Element `first` of a view, a multiple of four.
    #[inline(always)]
    pub fn new(view: SharedView<u32>, first: usize) -> Self {
        #[cfg(target_arch = "nvptx64")]
        {
            let start: u64;
            // SAFETY: it computes a number.
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

    /// Begins to copy the four words at `source` to the four that are `more` elements beyond the
    /// target, where `more` is best a constant. As [`copy_vector`](crate::async_copy::copy_vector):
    /// [`wait_all`](crate::async_copy::wait_all) waits, and before compute capability 8.0 it is an
    /// ordinary copy.
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
