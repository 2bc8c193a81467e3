//! Distribution of the items of a 3-D extent over blocks and threads.
//!
//! An extent (of samples, cells, edges or pixels) is divided into chunks of neighbouring items of a
//! row along x. A block processes entire chunks, and a thread processes runs of neighbouring items
//! within a chunk. There is one integer division per chunk, the items of a run can share reads, and
//! the result does not depend on the number of blocks or threads.

use crate::arith::{div_ceil, div_ceil_u32, div_rem};
use cuda_std::thread;

/// A 3-D extent of items, divided into chunks of at most `chunk` items along x.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Items along x.
    pub nx: u32,
    /// Items along y.
    pub ny: u32,
    /// Items along z.
    pub nz: u32,
    /// Maximum number of items per chunk, at least 1.
    pub chunk: u32,
    /// Number of neighbouring items that one thread processes at a time, at least 1.
    pub run: u32,
}

/// A run of neighbouring items: `start <= x < end` in row (y, z).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First item.
    pub start: u32,
    /// One past the last item.
    pub end: u32,
    /// Index of the row within its plane.
    pub y: u32,
    /// Index of the plane.
    pub z: u32,
}

impl Rows {
    /// Returns the number of chunks, the unit of work of a block.
    #[inline(always)]
    pub const fn chunks(self) -> u64 {
        div_ceil_u32(self.nx, self.chunk) as u64 * self.ny as u64 * self.nz as u64
    }

    /// Returns chunk `index`.
    #[inline(always)]
    const fn chunk_at(self, index: u64) -> Run {
        let (row, in_row) = div_rem(index, div_ceil_u32(self.nx, self.chunk) as u64);
        let (z, y) = div_rem(row, self.ny as u64);
        let start = in_row as u32 * self.chunk;
        let remaining = self.nx - start;
        Run {
            start,
            end: start
                + if remaining < self.chunk {
                    remaining
                } else {
                    self.chunk
                },
            y: y as u32,
            z: z as u32,
        }
    }

    /// Calls `visit` for every run of the calling thread, for any one-dimensional launch shape.
    #[inline(always)]
    pub fn for_each_run(self, mut visit: impl FnMut(Run)) {
        let chunks = self.chunks();
        let mut index = thread::block_idx_x() as u64;
        while index < chunks {
            let chunk = self.chunk_at(index);
            // in 64 bits: the start of a thread without a run in this chunk must not wrap around
            let mut start = chunk.start as u64 + thread::thread_idx_x() as u64 * self.run as u64;
            while start < chunk.end as u64 {
                let end = start + self.run as u64;
                let end = if end < chunk.end as u64 {
                    end as u32
                } else {
                    chunk.end
                };
                visit(Run {
                    start: start as u32,
                    end,
                    ..chunk
                });
                start += thread::block_dim_x() as u64 * self.run as u64;
            }
            index += thread::grid_dim_x() as u64;
        }
    }

    /// Calls `visit` with the index `[x, y, z]` of every item of the calling thread.
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

/// A one-dimensional extent of `count` items, divided into chunks of at most `chunk` items; a block
/// processes whole chunks.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items {
    /// Number of items.
    pub count: u64,
    /// Maximum number of items per chunk, at least 1.
    pub chunk: u32,
}

impl Items {
    /// Returns the number of chunks, the unit of work of a block.
    #[inline(always)]
    pub const fn chunks(self) -> u64 {
        div_ceil(self.count, self.chunk as u64)
    }

    /// Calls `visit` for every item of the calling thread, for any one-dimensional launch shape.
    /// Neighbouring threads visit neighbouring items.
    #[inline(always)]
    pub fn for_each(self, mut visit: impl FnMut(usize)) {
        let mut chunk = thread::block_idx_x() as u64;
        while chunk < self.chunks() {
            let start = chunk * self.chunk as u64;
            let remaining = self.count - start;
            let end = start
                + if remaining < self.chunk as u64 {
                    remaining
                } else {
                    self.chunk as u64
                };
            let mut item = start + thread::thread_idx_x() as u64;
            while item < end {
                visit(item as usize);
                item += thread::block_dim_x() as u64;
            }
            chunk += thread::grid_dim_x() as u64;
        }
    }
}
