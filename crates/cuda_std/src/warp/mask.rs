//! Lanes, masks of lanes, and waiting for them.

#[cfg(target_arch = "nvptx64")]
mod imp {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"]
        safe fn lane() -> u32;
        #[link_name = "llvm.nvvm.activemask"]
        safe fn active() -> u32;
        #[link_name = "llvm.nvvm.bar.warp.sync"]
        fn sync(mask: u32);
    }

    #[inline(always)]
    pub fn lane_id() -> u32 {
        let lane = lane();
        // SAFETY: a warp has 32 lanes.
        unsafe { core::hint::assert_unchecked(lane < 32) };
        lane
    }

    #[inline(always)]
    pub fn activemask() -> u32 {
        active()
    }

    #[inline(always)]
    pub unsafe fn sync_warp(mask: u32) {
        // SAFETY: the caller's promise.
        unsafe { sync(mask) }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
mod imp {
    #[inline(always)]
    pub fn lane_id() -> u32 {
        simt::current::thread_rank() % 32
    }

    #[inline(always)]
    pub fn activemask() -> u32 {
        simt::sync::active_mask()
    }

    #[inline(always)]
    #[track_caller]
    pub unsafe fn sync_warp(mask: u32) {
        simt::sync::warp_sync(mask);
    }
}

/// The thread's lane within its warp, 0 to 31. Threads fill warps in the order of their rank: x
/// fastest, then y, then z.
#[inline(always)]
#[must_use]
pub fn lane_id() -> u32 {
    imp::lane_id()
}

/// The lanes of this warp that execute this call together.
///
/// On the device that is a snapshot: lanes that took another branch are missing, and the hardware
/// may run together lanes in smaller groups than the source suggests. It is no way to find out
/// which lanes will come to a later call. On the CPU it is the lanes that have not left the kernel.
#[inline(always)]
#[must_use]
pub fn activemask() -> u32 {
    imp::activemask()
}

/// Another name for [`activemask`].
#[inline(always)]
#[must_use]
pub fn active_mask() -> u32 {
    imp::activemask()
}

/// Waits for the lanes of `mask`; what any of them wrote before is seen by all of them after.
///
/// # Safety
///
/// 1. The calling lane is in `mask`.
/// 2. Every lane of `mask` comes to this call with the same mask; none has left the kernel.
#[inline(always)]
#[track_caller]
pub unsafe fn sync_warp(mask: u32) {
    // SAFETY: the caller's promise.
    unsafe { imp::sync_warp(mask) }
}

/// The mask of this lane alone.
#[inline(always)]
#[must_use]
pub fn lane_mask_eq() -> u32 {
    1 << lane_id()
}

/// The mask of the lanes before this one. The number of set bits of `ballot & lane_mask_lt()` is
/// this lane's place among the voters.
#[inline(always)]
#[must_use]
pub fn lane_mask_lt() -> u32 {
    lane_mask_eq() - 1
}

/// The mask of this lane and those before it.
#[inline(always)]
#[must_use]
pub fn lane_mask_le() -> u32 {
    lane_mask_lt() | lane_mask_eq()
}

/// The mask of the lanes after this one.
#[inline(always)]
#[must_use]
pub fn lane_mask_gt() -> u32 {
    !lane_mask_le()
}

/// The mask of this lane and those after it.
#[inline(always)]
#[must_use]
pub fn lane_mask_ge() -> u32 {
    !lane_mask_lt()
}
