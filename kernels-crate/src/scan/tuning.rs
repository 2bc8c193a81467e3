//! The single-pass sum of `u32` in several shapes, for the bench that finds out which is best.

use super::pipelined::scan_tiles_in_turn;
use super::{
    dealing::TileJob,
    single_pass::{NOTHING, REGISTERS, SHARED, scan_tiles},
};
use crate::operator::Sum;
use cuda_std::{KernelType, View, ViewMut, kernel};

/// How many vectors of 4 elements a thread has, and whether the next tile is read ahead.
pub trait TileShape: KernelType {
    /// Elements for each thread.
    const ITEMS: usize;
    /// Dynamic shared memory for each thread, in bytes.
    const SHARED_BYTES: u32;

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
    ($($name:ident $doc:literal $rows:literal $ahead:ident $registers:literal;)+) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl KernelType for $name {
                const NAME: &'static str = stringify!($name);
            }

            impl TileShape for $name {
                const ITEMS: usize = 4 * $rows;
                const SHARED_BYTES: u32 = if $ahead == SHARED { 16 * $rows } else { 0 };

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
    Rows8 "8 vectors, nothing ahead, 28 warps on a multiprocessor." 8 NOTHING 72;
    Ahead4 "4 vectors, and the next tile's, 32 warps on a multiprocessor." 4 REGISTERS 64;
}

macro_rules! in_turn {
    ($($name:ident $doc:literal $rows:literal $windows:literal $registers:literal;)+) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug)]
            pub struct $name;

            impl KernelType for $name {
                const NAME: &'static str = stringify!($name);
            }

            impl TileShape for $name {
                const ITEMS: usize = 4 * $rows;
                const SHARED_BYTES: u32 = 16 * $rows;

                #[inline(always)]
                fn scan(
                    input: View<u32>,
                    output: ViewMut<u32>,
                    job: TileJob,
                    states: ViewMut<u64>,
                    total: ViewMut<u32>,
                ) {
                    scan_tiles_in_turn::<u32, u32, Sum, 4, $rows, $windows, $registers>(
                        input, output, 0, job, states, total,
                    );
                }
            }
        )+
    };
}

in_turn! {
    Turn4One "4 vectors, 1 window, 24 warps on a multiprocessor." 4 1 80;
    Turn6One "6 vectors, 1 window, 20 warps on a multiprocessor." 6 1 96;
    Turn8One "8 vectors, 1 window, 16 warps on a multiprocessor." 8 1 128;
    Turn8Two "8 vectors, 2 windows, 16 warps on a multiprocessor." 8 2 128;
    Turn10One "10 vectors, 1 window, 12 warps on a multiprocessor." 10 1 160;
}

/// The exclusive sum of `u32` in the shape `S`; otherwise as [`scan_words`](super::scan_words).
///
/// # Safety
/// As [`scan_words`](super::scan_words); the launch gives each thread [`TileShape::SHARED_BYTES`] of dynamic shared memory.
#[kernel(S = [Rows8, Ahead4, Turn4One, Turn6One, Turn8One, Turn8Two, Turn10One])]
pub unsafe fn tune_scan<S: TileShape>(
    input: View<u32>,
    output: ViewMut<u32>,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<u32>,
) {
    S::scan(input, output, job, states, total);
}
