//! Groups of neighbouring scanlines, each processed by one thread.

use super::layout::Scanlines;
use crate::{
    arith::{div_ceil, div_rem},
    rows::Items,
};

/// Number of neighbouring scanlines that a CPU thread processes together, so that it reads complete
/// cache lines. Divides 32, so that the bits of the scanlines lie in one word.
pub const MAX_GROUP_WIDTH: u32 = 16;

/// Division of the scanlines of each batch into groups of `width` neighbours. One thread processes
/// a group.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanlineGroups {
    /// Scanlines.
    pub scanlines: Scanlines,
    /// Number of groups per work item of a block, at least 1.
    pub piece: u32,
    /// Number of scanlines per group: 1, or [`MAX_GROUP_WIDTH`] on a CPU.
    pub width: u32,
}

impl ScanlineGroups {
    /// Returns `true` for groups of [`MAX_GROUP_WIDTH`] scanlines, which only a CPU has.
    #[inline(always)]
    pub const fn is_wide(self) -> bool {
        cfg!(not(target_arch = "nvptx64")) && self.width == MAX_GROUP_WIDTH
    }

    /// Returns the groups as work items.
    #[inline(always)]
    pub const fn items(self) -> Items {
        Items {
            count: self.scanlines.batches * div_ceil(self.scanlines.columns, self.width as u64),
            chunk: self.piece,
        }
    }

    /// Calls `visit` for each group of the calling thread with its batch, the index of its first
    /// scanline in the batch, and its number of scanlines, at most `W`.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each<const W: usize>(self, mut visit: impl FnMut(u64, u64, usize)) {
        let per_batch = div_ceil(self.scanlines.columns, W as u64);
        self.items().for_each(|group_index| {
            let (batch, group_in_batch) = div_rem(group_index as u64, per_batch);
            let column = group_in_batch * W as u64;
            let remaining = self.scanlines.columns - column;
            let count = if remaining < W as u64 {
                remaining
            } else {
                W as u64
            };
            visit(batch, column, count as usize);
        });
    }
}
