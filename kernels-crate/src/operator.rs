//! Operators and values of scans and reductions.
//!
//! A [`Value`] is exchanged between threads as one, two or four 32-bit words. An [`Operator`]
//! combines two values. It must be associative, but need not be commutative: the order of the
//! operands is always preserved.
//!
//! A custom operator, here the sum of both members of a pair:
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

pub use order::{FloatKeyMin, FloatOrder, IntegerOrder, Order};

use cuda_std::KernelType;

/// A value that threads can exchange.
pub trait Value: Copy + Send + Sync + 'static {
    /// Number of 32-bit words: 1, 2 or 4.
    const WORDS: usize;

    /// Returns word `i`, which is less than [`WORDS`](Self::WORDS).
    fn word(self, i: usize) -> u32;

    /// Restores a value from its words; those from [`WORDS`](Self::WORDS) on are 0.
    fn from_words(words: [u32; 4]) -> Self;
}

/// An associative operation on `V`.
pub trait Operator<V>: Send + Sync + 'static {
    /// `true` if the result does not depend on the grouping of the operands. Otherwise scans use a
    /// fixed grouping, so that equal launches yield equal bits.
    const EXACT: bool;

    /// `true` if the combination of a value with itself is that value. Scans of warps then need no
    /// condition for the lanes that have no predecessor.
    const IDEMPOTENT: bool = false;

    /// Returns the neutral element.
    fn identity() -> V;

    /// Combines `before` with the value `after` that follows it.
    fn combine(before: V, after: V) -> V;
}

/// Addition; integers wrap around.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// Minimum. The result is NaN if either operand is; -0 is less than +0.
#[derive(Clone, Copy, Debug)]
pub struct Min;

/// Maximum. The result is NaN if either operand is; -0 is less than +0.
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

/// Two values that are combined separately, with at most 128 bits together.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair<A, B>(pub A, pub B);

impl<A: Value, B: Value> Value for Pair<A, B> {
    const WORDS: usize = if A::WORDS + B::WORDS <= 2 { 2 } else { 4 };

    #[inline(always)]
    fn word(self, i: usize) -> u32 {
        const { assert!(A::WORDS + B::WORDS <= 4, "a pair has at most 128 bits") };
        if i < A::WORDS {
            self.0.word(i)
        } else if i < A::WORDS + B::WORDS {
            self.1.word(i - A::WORDS)
        } else {
            0
        }
    }

    #[inline(always)]
    fn from_words(words: [u32; 4]) -> Self {
        let mut second = [0; 4];
        let mut i = 0;
        while i < B::WORDS {
            second[i] = words[(A::WORDS + i) & 3];
            i += 1;
        }
        Pair(A::from_words(words), B::from_words(second))
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
    ($($ty:ident $words:literal)+) => {
        $(
            impl Value for $ty {
                const WORDS: usize = $words;

                #[inline(always)]
                fn word(self, i: usize) -> u32 {
                    (self as u128 >> (32 * i as u32)) as u32
                }

                #[inline(always)]
                fn from_words(words: [u32; 4]) -> Self {
                    let low = words[0] as u64 | (words[1] as u64) << 32;
                    let high = words[2] as u64 | (words[3] as u64) << 32;
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
                const IDEMPOTENT: bool = true;

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
                const IDEMPOTENT: bool = true;

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

/// Conversion of an input element to the type in which it is scanned.
pub trait Lift<V>: Copy + Send + Sync + 'static {
    /// The element used where there is no input.
    const ZERO: Self;

    /// Converts the element.
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
