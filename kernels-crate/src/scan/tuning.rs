//! The single-pass sum of `u32` in several shapes, for the bench that finds out which is best.

use super::single_pass::{TileJob, scan_tiles};
use crate::operator::Sum;
use cuda_std::{KernelType, View, ViewMut, kernel};

/// How many vectors of 4 elements a thread has, and whether the next tile is read ahead.
pub trait TileShape: KernelType {
    /// Elements for each thread.
    const ITEMS: usize;

    /// The body in this shape.
    fn scan(
        input: View<u32>,
        output: ViewMut<u32>,
        job: TileJob,
        states: ViewMut<u64>,
        total: ViewMut<u32>,
    );
}

macro_rules! shapes {
    ($($name:ident $doc:literal $rows:literal $ahead:literal $registers:literal;)+) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl KernelType for $name {
                const NAME: &'static str = stringify!($name);
            }

            impl TileShape for $name {
                const ITEMS: usize = 4 * $rows;

                #[inline(always)]
                fn scan(
                    input: View<u32>,
                    output: ViewMut<u32>,
                    job: TileJob,
                    states: ViewMut<u64>,
                    total: ViewMut<u32>,
                ) {
                    scan_tiles::<u32, u32, Sum, 4, $rows, $ahead, $registers>(input, output, 0, job, states, total);
                }
            }
        )+
    };
}

shapes! {
    Rows4 "4 vectors, nothing ahead, 40 warps on a multiprocessor." 4 false 48;
    Rows8 "8 vectors, nothing ahead, 28 warps on a multiprocessor." 8 false 72;
    Ahead2 "2 vectors, and the next tile's, 40 warps on a multiprocessor." 2 true 48;
    Ahead3 "3 vectors, and the next tile's, 32 warps on a multiprocessor." 3 true 56;
    Ahead4 "4 vectors, and the next tile's, 32 warps on a multiprocessor." 4 true 64;
    Ahead6 "6 vectors, and the next tile's, 20 warps on a multiprocessor." 6 true 88;
    Ahead8 "8 vectors, and the next tile's, 16 warps on a multiprocessor." 8 true 112;
}

/// The exclusive sum of `u32` in the shape `S`; otherwise as [`scan_words`](super::scan_words).
///
/// # Safety
/// As [`scan_words`](super::scan_words).
#[kernel(S = [Rows4, Rows8, Ahead2, Ahead3, Ahead4, Ahead6, Ahead8])]
pub unsafe fn tune_scan<S: TileShape>(
    input: View<u32>,
    output: ViewMut<u32>,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<u32>,
) {
    S::scan(input, output, job, states, total);
}
