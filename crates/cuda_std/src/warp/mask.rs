//! Lane indices, lane masks and warp barriers.

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
        // SAFETY: guaranteed by the caller.
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

/// Returns the thread's lane within its warp, 0 to 31. Threads are assigned to warps in rank order:
/// x fastest, then y, then z.
#[inline(always)]
#[must_use]
pub fn lane_id() -> u32 {
    imp::lane_id()
}

/// Returns the mask of the lanes of this warp that execute this call together.
///
/// On the device it is a snapshot: lanes on another branch are missing, and the hardware may split
/// converged lanes into smaller groups. It must not be used to determine which lanes will reach a
/// later call. On the CPU it contains the lanes that have not exited.
#[inline(always)]
#[must_use]
pub fn activemask() -> u32 {
    imp::activemask()
}

/// Returns the mask of active lanes; an alias of [`activemask`].
#[inline(always)]
#[must_use]
pub fn active_mask() -> u32 {
    imp::activemask()
}

/// Waits for the lanes of `mask` (`__syncwarp`). Writes that any of them made before are visible to
/// all of them afterwards.
///
/// # Safety
///
/// 1. The calling lane is in `mask`.
/// 2. Every lane of `mask` makes this call with the same mask, and none has exited.
#[inline(always)]
#[track_caller]
pub unsafe fn sync_warp(mask: u32) {
    // SAFETY: guaranteed by the caller.
    unsafe { imp::sync_warp(mask) }
}

/// Returns the mask of this lane only.
#[inline(always)]
#[must_use]
pub fn lane_mask_eq() -> u32 {
    1 << lane_id()
}

/// Returns the mask of the lanes below this one. The number of set bits of `ballot &
/// lane_mask_lt()` is this lane's rank among the voters.
#[inline(always)]
#[must_use]
pub fn lane_mask_lt() -> u32 {
    lane_mask_eq() - 1
}

/// Returns the mask of this lane and the lanes below it.
#[inline(always)]
#[must_use]
pub fn lane_mask_le() -> u32 {
    lane_mask_lt() | lane_mask_eq()
}

/// Returns the mask of the lanes above this one.
#[inline(always)]
#[must_use]
pub fn lane_mask_gt() -> u32 {
    !lane_mask_le()
}

/// Returns the mask of this lane and the lanes above it.
#[inline(always)]
#[must_use]
pub fn lane_mask_ge() -> u32 {
    !lane_mask_lt()
}
