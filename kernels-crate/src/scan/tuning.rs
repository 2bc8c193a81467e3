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
    Rows4 "4 vectors, nothing ahead, 40 warps on a multiprocessor." 4 NOTHING 48;
    Rows8 "8 vectors, nothing ahead, 28 warps on a multiprocessor." 8 NOTHING 72;
    Ahead2 "2 vectors, and the next tile's, 40 warps on a multiprocessor." 2 REGISTERS 48;
    Ahead3 "3 vectors, and the next tile's, 32 warps on a multiprocessor." 3 REGISTERS 56;
    Ahead4 "4 vectors, and the next tile's, 32 warps on a multiprocessor." 4 REGISTERS 64;
    Ahead6 "6 vectors, and the next tile's, 20 warps on a multiprocessor." 6 REGISTERS 88;
    Staged4 "4 vectors, and the next tile's in shared memory, 32 warps on a multiprocessor." 4 SHARED 64;
    Staged6 "6 vectors, and the next tile's in shared memory, 28 warps on a multiprocessor." 6 SHARED 72;
    Staged8 "8 vectors, and the next tile's in shared memory, 20 warps on a multiprocessor." 8 SHARED 88;
    Ahead8 "8 vectors, and the next tile's, 16 warps on a multiprocessor." 8 REGISTERS 112;
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
    Turn2 "2 vectors, 8 windows, 40 warps on a multiprocessor." 2 8 48;
    Turn4 "4 vectors, 8 windows, 32 warps on a multiprocessor." 4 8 64;
    Turn4Near "4 vectors, 4 windows, 32 warps on a multiprocessor." 4 4 64;
    Turn4One "4 vectors, 1 window, 32 warps on a multiprocessor." 4 1 64;
    Turn6 "6 vectors, 8 windows, 24 warps on a multiprocessor." 6 8 80;
    Turn8 "8 vectors, 8 windows, 16 warps on a multiprocessor." 8 8 112;
}

/// The exclusive sum of `u32` in the shape `S`; otherwise as [`scan_words`](super::scan_words).
///
/// # Safety
/// As [`scan_words`](super::scan_words); the launch gives each thread [`TileShape::SHARED_BYTES`] of dynamic shared memory.
#[kernel(S = [Rows4, Rows8, Ahead2, Ahead3, Ahead4, Ahead6, Ahead8, Staged4, Staged6, Staged8, Turn2, Turn4, Turn4Near, Turn4One, Turn6, Turn8])]
pub unsafe fn tune_scan<S: TileShape>(
    input: View<u32>,
    output: ViewMut<u32>,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<u32>,
) {
    S::scan(input, output, job, states, total);
}
