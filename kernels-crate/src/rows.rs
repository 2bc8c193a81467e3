//! How the items of a 3-D extent are dealt to blocks and threads.
//!
//! An extent (of samples, cells or edges) is cut into pieces of rows along x. A block takes whole
//! pieces, a thread takes runs of neighbouring items within a piece. Divisions happen once per
//! piece, neighbouring items share what they read, and the result does not depend on how many
//! blocks or threads there are.

use crate::arith::{div_rem, quotient_up, quotient_up_u32};
use cuda_std::thread;

/// An extent of items, cut into pieces of at most `piece` items along x.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Items along x.
    pub nx: u32,
    /// Items along y.
    pub ny: u32,
    /// Items along z.
    pub nz: u32,
    /// Items in a piece, at least 1.
    pub piece: u32,
    /// Neighbouring items that one thread takes at a time, at least 1.
    pub run: u32,
}

/// A run of neighbouring items: `start <= x < end` in row (y, z).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First item.
    pub start: u32,
    /// One past the last item.
    pub end: u32,
    /// The row.
    pub y: u32,
    /// The plane.
    pub z: u32,
}

impl Rows {
    /// The number of pieces: what the blocks of a launch share.
    #[inline(always)]
    pub const fn pieces(self) -> u64 {
        quotient_up_u32(self.nx, self.piece) as u64 * self.ny as u64 * self.nz as u64
    }

    /// Piece number `index`.
    #[inline(always)]
    const fn piece_at(self, index: u64) -> Run {
        let (row, in_row) = div_rem(index, quotient_up_u32(self.nx, self.piece) as u64);
        let (z, y) = div_rem(row, self.ny as u64);
        let start = in_row as u32 * self.piece;
        let rest = self.nx - start;
        Run {
            start,
            end: start + if rest < self.piece { rest } else { self.piece },
            y: y as u32,
            z: z as u32,
        }
    }

    /// Calls `visit` for every run of the calling thread, under any one-dimensional launch shape.
    #[inline(always)]
    pub fn for_each_run(self, mut visit: impl FnMut(Run)) {
        let pieces = self.pieces();
        let mut index = thread::block_idx_x() as u64;
        while index < pieces {
            let piece = self.piece_at(index);
            // 64 bits: a thread that starts past the end must not wrap around to its start
            let mut start = piece.start as u64 + thread::thread_idx_x() as u64 * self.run as u64;
            while start < piece.end as u64 {
                let end = start + self.run as u64;
                let end = if end < piece.end as u64 {
                    end as u32
                } else {
                    piece.end
                };
                visit(Run {
                    start: start as u32,
                    end,
                    ..piece
                });
                start += thread::block_dim_x() as u64 * self.run as u64;
            }
            index += thread::grid_dim_x() as u64;
        }
    }

    /// Calls `visit` with the place of every item of the calling thread: x, y and z.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each(self, mut visit: impl FnMut([u32; 3])) {
        self.for_each_run(|run| {
            let mut x = run.start;
            while x < run.end {
                visit([x, run.y, run.z]);
                x += 1;
            }
        });
    }
}

/// A one-dimensional extent of `count` items, cut into pieces of at most `piece` items that blocks
/// take whole.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items {
    /// How many items.
    pub count: u64,
    /// Items in a piece, at least 1.
    pub piece: u32,
}

impl Items {
    /// The number of pieces: what the blocks of a launch share.
    #[inline(always)]
    pub const fn pieces(self) -> u64 {
        quotient_up(self.count, self.piece as u64)
    }

    /// Calls `visit` for every item of the calling thread, under any one-dimensional launch shape.
    /// Neighbouring threads visit neighbouring items.
    #[inline(always)]
    pub fn for_each(self, mut visit: impl FnMut(usize)) {
        let mut piece = thread::block_idx_x() as u64;
        while piece < self.pieces() {
            let start = piece * self.piece as u64;
            let rest = self.count - start;
            let end = start
                + if rest < self.piece as u64 {
                    rest
                } else {
                    self.piece as u64
                };
            let mut item = start + thread::thread_idx_x() as u64;
            while item < end {
                visit(item as usize);
                item += thread::block_dim_x() as u64;
            }
            piece += thread::grid_dim_x() as u64;
        }
    }
}
