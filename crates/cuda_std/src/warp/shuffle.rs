//! Shuffles: every lane reads the value of another lane.

use super::value::WarpShuffleValue;

/// Mode of a shuffle: how the source lane is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpShuffleMode {
    /// Source `lane - delta`.
    Up,
    /// Source `lane + delta`.
    Down,
    /// Source lane `delta` of the segment.
    Idx,
    /// Source `lane ^ delta`.
    Xor,
}

/// Returns the source lane of `lane`, and `true` if it lies within the segment of `width` lanes;
/// otherwise `lane` itself and `false`. The arithmetic is that of the PTX instruction, which uses
/// the low five bits of `delta`.
#[inline(always)]
const fn source(mode: WarpShuffleMode, lane: u32, delta: u32, width: u32) -> (u32, bool) {
    let delta = delta & 31;
    let first = lane & !(width - 1);
    let last = first + width - 1;
    let (from, inside) = match mode {
        WarpShuffleMode::Up => (lane.wrapping_sub(delta), delta <= lane - first),
        WarpShuffleMode::Down => (lane + delta, lane + delta <= last),
        WarpShuffleMode::Idx => (first | (delta & (width - 1)), true),
        WarpShuffleMode::Xor => (lane ^ delta, lane ^ delta <= last),
    };
    (if inside { from } else { lane }, inside)
}

#[cfg(target_arch = "nvptx64")]
mod imp {
    use super::WarpShuffleMode::{self, Down, Idx, Up, Xor};
    use super::{WarpShuffleValue, source};

    unsafe extern "C" {
        #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
        fn up(mask: u32, value: u32, delta: u32, segment: u32) -> u32;
        #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
        fn down(mask: u32, value: u32, delta: u32, segment: u32) -> u32;
        #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
        fn idx(mask: u32, value: u32, delta: u32, segment: u32) -> u32;
        #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
        fn bfly(mask: u32, value: u32, delta: u32, segment: u32) -> u32;
    }

    /// Performs one 32-bit shuffle. The last operand holds the segment mask in bits 8 to 12 and the
    /// clamp in bits 0 to 4.
    #[inline(always)]
    unsafe fn half(mode: WarpShuffleMode, mask: u32, value: u32, delta: u32, width: u32) -> u32 {
        let segments = (32 - width) << 8;
        // SAFETY: guaranteed by the caller.
        unsafe {
            match mode {
                Up => up(mask, value, delta, segments),
                Down => down(mask, value, delta, segments | 31),
                Idx => idx(mask, value, delta, segments | 31),
                Xor => bfly(mask, value, delta, segments | 31),
            }
        }
    }

    #[inline(always)]
    pub unsafe fn shuffle<T: WarpShuffleValue>(
        mode: WarpShuffleMode,
        mask: u32,
        value: T,
        delta: u32,
        width: u32,
    ) -> (T, bool) {
        let bits = value.into_u64();
        // SAFETY: guaranteed by the caller.
        let low = unsafe { half(mode, mask, bits as u32, delta, width) };
        let high = if T::WIDE {
            // SAFETY: guaranteed by the caller.
            unsafe { half(mode, mask, (bits >> 32) as u32, delta, width) }
        } else {
            0
        };
        let high_word = if T::LONG {
            let bits = value.high();
            // SAFETY: guaranteed by the caller.
            let low = unsafe { half(mode, mask, bits as u32, delta, width) };
            // SAFETY: guaranteed by the caller.
            let high = unsafe { half(mode, mask, (bits >> 32) as u32, delta, width) };
            u64::from(high) << 32 | u64::from(low)
        } else {
            0
        };
        let (from, inside) = source(mode, crate::warp::lane_id(), delta, width);
        (
            T::from_halves(u64::from(high) << 32 | u64::from(low), high_word),
            inside && mask >> from & 1 != 0,
        )
    }
}

#[cfg(not(target_arch = "nvptx64"))]
mod imp {
    use super::{WarpShuffleMode, WarpShuffleValue, source};

    #[inline]
    #[track_caller]
    pub unsafe fn shuffle<T: WarpShuffleValue>(
        mode: WarpShuffleMode,
        mask: u32,
        value: T,
        delta: u32,
        width: u32,
    ) -> (T, bool) {
        let all = simt::sync::warp_exchange(mask, value.into_u64());
        let high_word = T::LONG.then(|| simt::sync::warp_exchange(mask, value.high()));
        let (from, inside) = source(mode, crate::warp::lane_id(), delta, width);
        let is_participant = all.participants >> from & 1 != 0;
        if is_participant {
            let from = from as usize;
            let high_word = high_word.map_or(0, |all| all.values[from]);
            (T::from_halves(all.values[from], high_word), inside)
        } else {
            (value, false)
        }
    }
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident $mode:ident;)+) => {
        $(
            $(#[$doc])*
            ///
            /// The warp is divided into segments of `width` lanes, a power of two of at most 32.
            /// The `bool` is `true` if the source lane is within the segment and in `mask`. If it
            /// is outside the segment the value is the lane's own; if it is not in `mask` the value
            /// is unspecified. Only the low five bits of `delta` are used.
            ///
            /// A 64-bit value takes two shuffles on the device, a 128-bit value four.
            ///
            /// # Safety
            ///
            /// 1. The calling lane is in `mask`.
            /// 2. Every lane of `mask` makes this call with the same mask, and none has exited.
            ///
            /// # Panics
            ///
            /// If `width` is not a power of two of at most 32.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn $name<T: WarpShuffleValue>(mask: u32, value: T, delta: u32, width: u32) -> (T, bool) {
                assert!(
                    width.is_power_of_two() && width <= 32,
                    "a shuffle's width must be a power of two of at most 32"
                );
                // SAFETY: guaranteed by the caller.
                unsafe { imp::shuffle(WarpShuffleMode::$mode, mask, value, delta, width) }
            }
        )+
    };
}

shuffles! {
    /// Returns the value of the lane `delta` below this one, for inclusive scans.
    warp_shuffle_up Up;
    /// Returns the value of the lane `delta` above this one, for reductions to the first
    /// lane.
    warp_shuffle_down Down;
    /// Returns the value of lane `delta` (modulo `width`) of the segment; a broadcast if all lanes
    /// pass the same `delta`.
    warp_shuffle_idx Idx;
    /// Returns the value of the lane whose index differs in the bits of `delta`, for butterfly
    /// exchanges.
    warp_shuffle_xor Xor;
}

#[cfg(test)]
mod tests {
    use super::WarpShuffleMode::{Down, Idx, Up, Xor};
    use super::source;

    #[test]
    fn sources_follow_the_instruction() {
        assert_eq!(source(Up, 5, 2, 32), (3, true));
        assert_eq!(source(Up, 1, 2, 32), (1, false));
        assert_eq!(source(Up, 9, 2, 8), (9, false));
        assert_eq!(source(Down, 29, 2, 32), (31, true));
        assert_eq!(source(Down, 30, 2, 32), (30, false));
        assert_eq!(source(Down, 7, 1, 8), (7, false));
        assert_eq!(source(Idx, 13, 9, 8), (9, true));
        assert_eq!(source(Xor, 6, 1, 32), (7, true));
        // A butterfly may reach an earlier segment, but not a later one.
        assert_eq!(source(Xor, 9, 8, 8), (1, true));
        assert_eq!(source(Xor, 1, 8, 8), (1, false));
        // Only five bits of the offset are used.
        assert_eq!(source(Down, 3, 33, 32), (4, true));
    }
}
