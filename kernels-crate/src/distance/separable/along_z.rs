//! The nearest site along z.

use crate::{arith::quotient_up_u32, grid::Grid};
use cuda_std::{KernelType, View, ViewMut, kernel, thread};

/// A place along an axis, or none.
pub trait Place: KernelType + Copy + PartialEq + Send + Sync + 'static {
    /// No place: all ones.
    const NONE: Self;

    /// A place less than all ones.
    fn of(at: u32) -> Self;

    /// The place, or all ones in 32 bits.
    fn get(self) -> u32;
}

impl Place for u16 {
    const NONE: Self = u16::MAX;

    #[inline(always)]
    fn of(at: u32) -> Self {
        at as u16
    }

    #[inline(always)]
    fn get(self) -> u32 {
        if self == u16::MAX {
            u32::MAX
        } else {
            self as u32
        }
    }
}

impl Place for u32 {
    const NONE: Self = u32::MAX;

    #[inline(always)]
    fn of(at: u32) -> Self {
        at
    }

    #[inline(always)]
    fn get(self) -> u32 {
        self
    }
}

/// Voxels along z whose bits a thread has at a time.
const CHUNK: u32 = 32;

/// For each voxel the nearest site above or below it: the one below where both are as near.
///
/// A thread takes whole columns along z; the threads of a warp take neighbouring ones, whose bits are in one word. It goes through the
/// column twice, 32 voxels at a time: downwards to leave in the last voxel of each chunk what lies beyond the chunk, then upwards, with the
/// chunk's bits in a register. Per voxel a bit is read twice, and a place written. Sites more than `most` voxels
/// away do not count.
///
/// # Safety
/// `bits` hold a word for each 32 voxels of each row, `places` an element for each voxel.
#[kernel(P = [u16, u32])]
pub unsafe fn nearest_along_z<P: Place>(
    bits: View<u32>,
    grid: Grid,
    most: u32,
    places: ViewMut<P>,
) {
    let per_row = quotient_up_u32(grid.nx, 32) as usize;
    let words_of_plane = per_row * grid.ny as usize;
    let plane = grid.nx as usize * grid.ny as usize;
    let mut y = thread::block_idx_x();
    while y < grid.ny {
        let mut x = thread::thread_idx_x();
        while x < grid.nx {
            let column = Column {
                bits,
                word: y as usize * per_row + (x / 32) as usize,
                bit: x % 32,
                words_of_plane,
                voxel: y as usize * grid.nx as usize + x as usize,
                plane,
                nz: grid.nz,
            };
            column.leave_what_follows(places);
            column.find(most, places);
            x += thread::block_dim_x();
        }
        y += thread::grid_dim_x();
    }
}

/// The voxels of one x and y.
#[derive(Clone, Copy)]
struct Column<'a> {
    bits: View<'a, u32>,
    word: usize,
    bit: u32,
    words_of_plane: usize,
    voxel: usize,
    plane: usize,
    nz: u32,
}

impl Column<'_> {
    /// One past the last voxel of the chunk that begins at `start`.
    #[inline(always)]
    fn end(&self, start: u32) -> u32 {
        if self.nz - start < CHUNK {
            self.nz
        } else {
            start + CHUNK
        }
    }

    /// Bit k is 1 where voxel `start + k` is a site.
    #[inline(always)]
    fn chunk(&self, start: u32, end: u32) -> u32 {
        let mut sites = 0;
        let mut z = start;
        while z < end {
            let word = self.bits.read(z as usize * self.words_of_plane + self.word);
            sites |= (word >> self.bit & 1) << (z - start);
            z += 1;
        }
        sites
    }

    #[inline(always)]
    fn leave_what_follows<P: Place>(&self, places: ViewMut<P>) {
        let mut following = P::NONE;
        let mut start = (self.nz.saturating_sub(1)) & !(CHUNK - 1);
        loop {
            let end = self.end(start);
            if end > start {
                places.write((end - 1) as usize * self.plane + self.voxel, following);
            }
            let sites = self.chunk(start, end);
            if sites != 0 {
                following = P::of(start + sites.trailing_zeros());
            }
            if start == 0 {
                break;
            }
            start -= CHUNK;
        }
    }

    #[inline(always)]
    fn find<P: Place>(&self, most: u32, places: ViewMut<P>) {
        let mut before = P::NONE.get();
        let mut start = 0;
        while start < self.nz {
            let end = self.end(start);
            let after = places
                .read((end - 1) as usize * self.plane + self.voxel)
                .get();
            let sites = self.chunk(start, end);
            let mut z = start;
            while z < end {
                let k = z - start;
                if sites >> k & 1 != 0 {
                    before = z;
                }
                let from_here = sites >> k;
                let next = if from_here != 0 {
                    z + from_here.trailing_zeros()
                } else {
                    after
                };
                // where there is none, the distance is large and stays so
                let down = if before == u32::MAX {
                    u32::MAX
                } else {
                    z - before
                };
                let up = if next == u32::MAX { u32::MAX } else { next - z };
                let (nearest, distance) = if down <= up {
                    (before, down)
                } else {
                    (next, up)
                };
                let place = if distance > most || nearest == u32::MAX {
                    P::NONE
                } else {
                    P::of(nearest)
                };
                places.write(z as usize * self.plane + self.voxel, place);
                z += 1;
            }
            start = end;
        }
    }
}
