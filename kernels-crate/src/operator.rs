//! What a scan or a reduction combines, and how.
//!
//! A [`Value`] is what threads hand one another: one, two or four words of 32 bits. An [`Operator`]
//! combines two of them. It must be associative and need not be commutative: the order of the
//! operands is always kept.
//!
//! An operator of one's own on a pair, here the sum of both halves:
//!
//! ```
//! use ferrovox_kernels::operator::{Operator, Pair, Sum};
//!
//! type Both = Pair<u32, u32>;
//! let sum = <Sum as Operator<Both>>::combine(Pair(1, 10), Pair(2, 20));
//! assert_eq!(sum, Pair(3, 30));
//! ```

mod float;
mod order;

pub use order::{Keyed, Order};

use cuda_std::KernelType;

/// What threads can hand one another.
pub trait Value: Copy + Send + Sync + 'static {
    /// How many words: 1, 2 or 4.
    const PARTS: usize;

    /// Word `i`, less than [`PARTS`](Self::PARTS).
    fn part(self, i: usize) -> u32;

    /// The value of its words; those from [`PARTS`](Self::PARTS) on are 0.
    fn from_parts(parts: [u32; 4]) -> Self;
}

/// An associative operation on `V`.
pub trait Operator<V>: Send + Sync + 'static {
    /// Whether the grouping of the operands changes no bit of the result. If it may, a scan keeps
    /// to one grouping, so that equal launches give equal bits.
    const EXACT: bool;

    /// What combined with any value, on either side, is that value.
    fn identity() -> V;

    /// `before` combined with what comes after it.
    fn combine(before: V, after: V) -> V;
}

/// The sum; integers wrap around.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// The least. A NaN makes everything NaN that it is combined with; -0 is less than +0.
#[derive(Clone, Copy, Debug)]
pub struct Min;

/// The greatest. A NaN makes everything NaN that it is combined with; -0 is less than +0.
#[derive(Clone, Copy, Debug)]
pub struct Max;

impl KernelType for Sum {
    const NAME: &'static str = "Sum";
}

impl KernelType for Min {
    const NAME: &'static str = "Min";
}

impl KernelType for Max {
    const NAME: &'static str = "Max";
}

/// Two values that are combined each on its own, together no more than 128 bits.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair<A, B>(pub A, pub B);

impl<A: Value, B: Value> Value for Pair<A, B> {
    const PARTS: usize = if A::PARTS + B::PARTS <= 2 { 2 } else { 4 };

    #[inline(always)]
    fn part(self, i: usize) -> u32 {
        const { assert!(A::PARTS + B::PARTS <= 4, "a pair has at most 128 bits") };
        if i < A::PARTS {
            self.0.part(i)
        } else if i < A::PARTS + B::PARTS {
            self.1.part(i - A::PARTS)
        } else {
            0
        }
    }

    #[inline(always)]
    fn from_parts(parts: [u32; 4]) -> Self {
        let mut second = [0; 4];
        let mut i = 0;
        while i < B::PARTS {
            second[i] = parts[(A::PARTS + i) & 3];
            i += 1;
        }
        Pair(A::from_parts(parts), B::from_parts(second))
    }
}

impl<A, B, O: Operator<A> + Operator<B>> Operator<Pair<A, B>> for O {
    const EXACT: bool = <O as Operator<A>>::EXACT && <O as Operator<B>>::EXACT;

    #[inline(always)]
    fn identity() -> Pair<A, B> {
        Pair(
            <O as Operator<A>>::identity(),
            <O as Operator<B>>::identity(),
        )
    }

    #[inline(always)]
    fn combine(before: Pair<A, B>, after: Pair<A, B>) -> Pair<A, B> {
        Pair(
            <O as Operator<A>>::combine(before.0, after.0),
            <O as Operator<B>>::combine(before.1, after.1),
        )
    }
}

macro_rules! integers {
    ($($ty:ident $parts:literal)+) => {
        $(
            impl Value for $ty {
                const PARTS: usize = $parts;

                #[inline(always)]
                fn part(self, i: usize) -> u32 {
                    (self as u128 >> (32 * i as u32)) as u32
                }

                #[inline(always)]
                fn from_parts(parts: [u32; 4]) -> Self {
                    let low = parts[0] as u64 | (parts[1] as u64) << 32;
                    let high = parts[2] as u64 | (parts[3] as u64) << 32;
                    (low as u128 | (high as u128) << 64) as $ty
                }
            }

            impl Operator<$ty> for Sum {
                const EXACT: bool = true;

                #[inline(always)]
                fn identity() -> $ty {
                    0
                }

                #[inline(always)]
                fn combine(before: $ty, after: $ty) -> $ty {
                    before.wrapping_add(after)
                }
            }

            impl Operator<$ty> for Min {
                const EXACT: bool = true;

                #[inline(always)]
                fn identity() -> $ty {
                    $ty::MAX
                }

                #[inline(always)]
                fn combine(before: $ty, after: $ty) -> $ty {
                    if after < before { after } else { before }
                }
            }

            impl Operator<$ty> for Max {
                const EXACT: bool = true;

                #[inline(always)]
                fn identity() -> $ty {
                    $ty::MIN
                }

                #[inline(always)]
                fn combine(before: $ty, after: $ty) -> $ty {
                    if after > before { after } else { before }
                }
            }
        )+
    };
}

integers!(u32 1 i32 1 u64 2 i64 2 i128 4);

/// An element as a scan reads it, and the value that it counts as.
pub trait Lift<V>: Copy + Send + Sync + 'static {
    /// What stands where there is nothing to read.
    const ZERO: Self;

    /// The element as a value.
    fn lift(self) -> V;
}

macro_rules! lift {
    ($($from:ident to $($to:ident)+;)+) => {
        $($(
            impl Lift<$to> for $from {
                const ZERO: Self = 0 as $from;

                #[inline(always)]
                fn lift(self) -> $to {
                    self as $to
                }
            }
        )+)+
    };
}

lift! {
    u8 to u32 u64 i128;
    u16 to u32 u64 i128;
    u32 to u32 u64 i128;
    i32 to i32 i64 i128;
    u64 to u64 i128;
    i64 to i64 i128;
    f32 to f32 f64;
    f64 to f64;
}
