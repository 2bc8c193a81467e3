//! Votes and matches.

use super::value::WarpShuffleValue;

#[cfg(target_arch = "nvptx64")]
mod imp {
    use super::WarpShuffleValue;

    unsafe extern "C" {
        #[link_name = "llvm.nvvm.vote.all.sync"]
        fn vote_all(mask: u32, predicate: bool) -> bool;
        #[link_name = "llvm.nvvm.vote.any.sync"]
        fn vote_any(mask: u32, predicate: bool) -> bool;
        #[link_name = "llvm.nvvm.vote.ballot.sync"]
        fn vote_ballot(mask: u32, predicate: bool) -> u32;
        #[link_name = "llvm.nvvm.match.any.sync.i32"]
        fn match_any_32(mask: u32, value: u32) -> u32;
        #[link_name = "llvm.nvvm.match.any.sync.i64"]
        fn match_any_64(mask: u32, value: u64) -> u32;
    }

    #[inline(always)]
    pub unsafe fn all(mask: u32, predicate: bool) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe { vote_all(mask, predicate) }
    }

    #[inline(always)]
    pub unsafe fn any(mask: u32, predicate: bool) -> bool {
        // SAFETY: guaranteed by the caller.
        unsafe { vote_any(mask, predicate) }
    }

    #[inline(always)]
    pub unsafe fn ballot(mask: u32, predicate: bool) -> u32 {
        // SAFETY: guaranteed by the caller.
        unsafe { vote_ballot(mask, predicate) }
    }

    /// Returns the mask of the lanes with an equal value, and that of the participating lanes.
    #[inline(always)]
    pub unsafe fn equal_lanes<T: WarpShuffleValue>(mask: u32, value: T) -> (u32, u32) {
        let bits = value.into_u64();
        // SAFETY: guaranteed by the caller.
        let equal = unsafe {
            if T::WIDE {
                let equal = match_any_64(mask, bits);
                if T::LONG {
                    equal & match_any_64(mask, value.high())
                } else {
                    equal
                }
            } else {
                match_any_32(mask, bits as u32)
            }
        };
        (equal, mask)
    }
}

#[cfg(not(target_arch = "nvptx64"))]
mod imp {
    use super::WarpShuffleValue;

    #[inline]
    #[track_caller]
    pub unsafe fn all(mask: u32, predicate: bool) -> bool {
        let (voters, participants) = votes(mask, predicate);
        voters == participants
    }

    #[inline]
    #[track_caller]
    pub unsafe fn any(mask: u32, predicate: bool) -> bool {
        votes(mask, predicate).0 != 0
    }

    #[inline]
    #[track_caller]
    pub unsafe fn ballot(mask: u32, predicate: bool) -> u32 {
        votes(mask, predicate).0
    }

    #[track_caller]
    fn votes(mask: u32, predicate: bool) -> (u32, u32) {
        lanes_with(mask, u64::from(predicate), 1)
    }

    #[inline]
    #[track_caller]
    pub unsafe fn equal_lanes<T: WarpShuffleValue>(mask: u32, value: T) -> (u32, u32) {
        let bits = value.into_u64();
        let (equal, participants) = lanes_with(mask, bits, bits);
        if T::LONG {
            let bits = value.high();
            return (equal & lanes_with(mask, bits, bits).0, participants);
        }
        (equal, participants)
    }

    /// Returns the mask of the lanes whose value is `target`, and that of the participating lanes.
    #[track_caller]
    fn lanes_with(mask: u32, value: u64, target: u64) -> (u32, u32) {
        let all = simt::sync::warp_exchange(mask, value);
        let lanes = (0..32)
            .filter(|&lane| all.participants >> lane & 1 != 0 && all.values[lane] == target)
            .fold(0, |lanes, lane| lanes | 1 << lane);
        (lanes, all.participants)
    }
}

/// Returns `true` if `predicate` is `true` in every lane of `mask`.
///
/// # Safety
///
/// 1. The calling lane is in `mask`.
/// 2. Every lane of `mask` makes this call with the same mask, and none has exited.
#[inline(always)]
#[track_caller]
pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { imp::all(mask, predicate) }
}

/// Returns `true` if `predicate` is `true` in any lane of `mask`.
///
/// # Safety
///
/// The requirements of [`warp_vote_all`].
#[inline(always)]
#[track_caller]
pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { imp::any(mask, predicate) }
}

/// Returns the mask of the lanes of `mask` in which `predicate` is `true`.
///
/// # Safety
///
/// The requirements of [`warp_vote_all`].
#[inline(always)]
#[track_caller]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    // SAFETY: guaranteed by the caller.
    unsafe { imp::ballot(mask, predicate) }
}

/// Returns the mask of the lanes of `mask` whose value has the same bits as this lane's.
///
/// # Safety
///
/// The requirements of [`warp_vote_all`].
#[inline(always)]
#[track_caller]
pub unsafe fn warp_match_any<T: WarpShuffleValue>(mask: u32, value: T) -> u32 {
    // SAFETY: guaranteed by the caller.
    unsafe { imp::equal_lanes(mask, value) }.0
}

/// Returns the mask of the participating lanes if the values of all lanes of `mask` have the same
/// bits, else `None`.
///
/// # Safety
///
/// The requirements of [`warp_vote_all`].
#[inline(always)]
#[track_caller]
pub unsafe fn warp_match_all<T: WarpShuffleValue>(mask: u32, value: T) -> Option<u32> {
    // SAFETY: guaranteed by the caller.
    let (equal, participants) = unsafe { imp::equal_lanes(mask, value) };
    (equal == participants).then_some(participants)
}
