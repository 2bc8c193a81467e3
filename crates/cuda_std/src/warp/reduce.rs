//! Reductions over the lanes of a warp.

use super::value::WarpShuffleValue;

/// Reduction operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpReductionOp {
    /// Sum; integers wrap around.
    Add,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// A value that supports sums, minima and maxima: `u32`, `i32`, `u64`, `i64`, `f32`, `f64`.
pub trait WarpArithmeticValue: WarpShuffleValue + sealed::Combine {}

/// A value that supports all reductions: `u32`, `i32`, `u64`, `i64`. From sm_80 on the 32-bit types
/// take one instruction.
pub trait WarpReduceValue: WarpArithmeticValue {}

mod sealed {
    use super::WarpReductionOp::{self, Add, And, Max, Min, Or, Xor};

    pub trait Combine: Sized {
        fn combine(op: WarpReductionOp, a: Self, b: Self) -> Self;

        /// Reduces with the hardware's instruction, if the device has one for this type.
        #[cfg(target_arch = "nvptx64")]
        #[inline(always)]
        unsafe fn redux(self, _op: WarpReductionOp, _mask: u32) -> Option<Self> {
            None
        }
    }

    macro_rules! integers {
        ($($ty:ident { $($redux:item)? })+) => {
            $(
                impl Combine for $ty {
                    #[inline(always)]
                    fn combine(op: WarpReductionOp, a: Self, b: Self) -> Self {
                        match op {
                            Add => a.wrapping_add(b),
                            Min => a.min(b),
                            Max => a.max(b),
                            And => a & b,
                            Or => a | b,
                            Xor => a ^ b,
                        }
                    }

                    $($redux)?
                }

                impl super::WarpArithmeticValue for $ty {}
                impl super::WarpReduceValue for $ty {}
            )+
        };
    }

    integers! {
        u32 {
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            unsafe fn redux(self, op: WarpReductionOp, mask: u32) -> Option<Self> {
                // SAFETY: guaranteed by the caller.
                unsafe { super::redux::u32(op, self, mask) }
            }
        }
        i32 {
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            unsafe fn redux(self, op: WarpReductionOp, mask: u32) -> Option<Self> {
                // SAFETY: guaranteed by the caller.
                unsafe { super::redux::i32(op, self, mask) }
            }
        }
        u64 {}
        i64 {}
    }

    macro_rules! floats {
        ($($ty:ident)+) => {
            $(
                impl Combine for $ty {
                    #[inline(always)]
                    fn combine(op: WarpReductionOp, a: Self, b: Self) -> Self {
                        match op {
                            Min => a.min(b),
                            Max => a.max(b),
                            // Bitwise operations are not offered for floats.
                            _ => a + b,
                        }
                    }
                }

                impl super::WarpArithmeticValue for $ty {}
            )+
        };
    }

    floats!(f32 f64);
}

/// `redux.sync`, available from sm_80 on.
#[cfg(target_arch = "nvptx64")]
mod redux {
    use super::WarpReductionOp::{self, Add, And, Max, Min, Or, Xor};
    use crate::cfg::ComputeCapability;

    unsafe extern "C" {
        #[link_name = "llvm.nvvm.redux.sync.add"]
        fn add(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.umin"]
        fn umin(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.umax"]
        fn umax(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.min"]
        fn min(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.max"]
        fn max(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.and"]
        fn and(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.or"]
        fn or(value: u32, mask: u32) -> u32;
        #[link_name = "llvm.nvvm.redux.sync.xor"]
        fn xor(value: u32, mask: u32) -> u32;
    }

    const AVAILABLE: bool =
        ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32;

    #[inline(always)]
    pub unsafe fn u32(op: WarpReductionOp, value: u32, mask: u32) -> Option<u32> {
        if !AVAILABLE {
            return None;
        }
        // SAFETY: guaranteed by the caller.
        Some(unsafe {
            match op {
                Add => add(value, mask),
                Min => umin(value, mask),
                Max => umax(value, mask),
                And => and(value, mask),
                Or => or(value, mask),
                Xor => xor(value, mask),
            }
        })
    }

    #[inline(always)]
    pub unsafe fn i32(op: WarpReductionOp, value: i32, mask: u32) -> Option<i32> {
        if !AVAILABLE {
            return None;
        }
        // SAFETY: guaranteed by the caller.
        unsafe {
            match op {
                Min => Some(min(value as u32, mask) as i32),
                Max => Some(max(value as u32, mask) as i32),
                _ => u32(op, value as u32, mask).map(|bits| bits as i32),
            }
        }
    }
}

/// Reduces without `redux`: by a butterfly for the full warp, otherwise lane by lane.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
unsafe fn reduce<T: WarpArithmeticValue>(op: WarpReductionOp, mask: u32, value: T) -> T {
    use super::{FULL_MASK, warp_shuffle_idx, warp_shuffle_xor};

    // SAFETY: guaranteed by the caller, for this and every shuffle.
    if let Some(reduced) = unsafe { value.redux(op, mask) } {
        return reduced;
    }
    if mask == FULL_MASK {
        return [16, 8, 4, 2, 1].into_iter().fold(value, |sum, distance| {
            // SAFETY: as above.
            T::combine(
                op,
                sum,
                unsafe { warp_shuffle_xor(mask, sum, distance, 32) }.0,
            )
        });
    }
    let mut remaining = mask & mask.wrapping_sub(1);
    // SAFETY: as above.
    let mut sum = unsafe { warp_shuffle_idx(mask, value, mask.trailing_zeros(), 32) }.0;
    while remaining != 0 {
        // SAFETY: as above; `remaining` is equal in all lanes, so all make the same shuffles.
        let next = unsafe { warp_shuffle_idx(mask, value, remaining.trailing_zeros(), 32) }.0;
        sum = T::combine(op, sum, next);
        remaining &= remaining - 1;
    }
    sum
}

/// Reduces after one exchange, in the device's order of combination.
#[cfg(not(target_arch = "nvptx64"))]
#[track_caller]
unsafe fn reduce<T: WarpArithmeticValue>(op: WarpReductionOp, mask: u32, value: T) -> T {
    let all = simt::sync::warp_exchange(mask, value.into_u64());
    let lane_value = |lane: u32| T::from_u64(all.values[lane as usize]);
    if all.participants == super::FULL_MASK {
        let mut sums: [T; 32] = core::array::from_fn(|lane| lane_value(lane as u32));
        for distance in [16, 8, 4, 2, 1] {
            for lane in 0..distance {
                sums[lane] = T::combine(op, sums[lane], sums[lane + distance]);
            }
        }
        return sums[0];
    }
    let lanes = (0..32).filter(|lane| all.participants >> lane & 1 != 0);
    lanes
        .map(lane_value)
        .reduce(|sum, next| T::combine(op, sum, next))
        .unwrap_or(value)
}

/// Reduces `value` over the lanes of `mask`. Every lane gets the result.
///
/// # Safety
///
/// 1. The calling lane is in `mask`.
/// 2. Every lane of `mask` makes this call with the same mask and `op`, and none has exited.
#[inline(always)]
#[track_caller]
pub unsafe fn warp_reduce<T: WarpReduceValue>(mask: u32, value: T, op: WarpReductionOp) -> T {
    // SAFETY: guaranteed by the caller.
    unsafe { reduce(op, mask, value) }
}

macro_rules! reductions {
    ($bound:ident: $($(#[$doc:meta])* $name:ident $op:ident;)+) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            ///
            /// The requirements of [`warp_reduce`].
            #[inline(always)]
            #[track_caller]
            pub unsafe fn $name<T: $bound>(mask: u32, value: T) -> T {
                // SAFETY: guaranteed by the caller.
                unsafe { reduce(WarpReductionOp::$op, mask, value) }
            }
        )+
    };
}

reductions! { WarpArithmeticValue:
    /// Returns the sum over the lanes of `mask`; integers wrap around. Floats are added in a fixed
    /// order, also on the CPU: in a full warp lanes 16 apart, then 8, 4, 2, 1; otherwise in lane
    /// order.
    warp_reduce_add Add;
    /// Returns the minimum over the lanes of `mask`; for floats, of the values that are not NaN.
    warp_reduce_min Min;
    /// Returns the maximum over the lanes of `mask`; for floats, of the values that are not NaN.
    warp_reduce_max Max;
}

reductions! { WarpReduceValue:
    /// Returns the bitwise and over the lanes of `mask`.
    warp_reduce_and And;
    /// Returns the bitwise or over the lanes of `mask`.
    warp_reduce_or Or;
    /// Returns the bitwise exclusive or over the lanes of `mask`.
    warp_reduce_xor Xor;
}
