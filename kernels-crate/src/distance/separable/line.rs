//! The least costs along the lines of a tile.
//!
//! Costs along a line are a Monge array: of two outputs, the later one's best place is not before the earlier one's. So the best places of
//! every [`GROUP`]th output are found by halving: the middle one among all places, the middle ones of both halves among the places up to and
//! from its own, and so on; each round of that looks at every place about once. Then each group of outputs looks at the places
//! between the best ones of its first output and of the next group's, each read once for all of them.

use super::cost::{Axis, Cost};
use cuda_std::{SharedView, ViewMut, thread};

/// Lines of a tile. Neighbouring lines lie beside one another, so that the lanes of a warp have neighbouring lines.
pub const COLUMNS: u32 = 32;

/// Neighbouring outputs that a thread works out together.
pub const GROUP: u32 = 8;

/// Memory that a block keeps a tile in: shared, or of its own in the device's memory where that is too small.
pub trait Store<T>: Copy {
    /// Element `at`.
    fn get(&self, at: usize) -> T;

    /// Replaces element `at`.
    fn put(&self, at: usize, value: T);
}

impl<T: Copy> Store<T> for SharedView<T> {
    #[inline(always)]
    fn get(&self, at: usize) -> T {
        self.read(at)
    }

    #[inline(always)]
    fn put(&self, at: usize, value: T) {
        self.write(at, value);
    }
}

impl<T: Copy> Store<T> for ViewMut<'_, T> {
    #[inline(always)]
    fn get(&self, at: usize) -> T {
        self.read(at)
    }

    #[inline(always)]
    fn put(&self, at: usize, value: T) {
        self.write(at, value);
    }
}

/// How a tile of lines of `len` voxels lies in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Voxels of a line.
    pub len: u32,
    /// From a place to the next: [`COLUMNS`], or one more, so that neighbouring places of a line are in different banks.
    pub stride: u32,
}

impl Shape {
    /// Groups of a line.
    #[inline(always)]
    pub const fn groups(self) -> u32 {
        self.len.div_ceil(GROUP)
    }

    /// Elements of the costs of a tile.
    #[inline(always)]
    pub const fn costs(self) -> usize {
        self.len as usize * self.stride as usize
    }

    /// Elements of the best places of a tile.
    #[inline(always)]
    pub const fn bests(self) -> usize {
        self.groups() as usize * COLUMNS as usize
    }

    /// Where the cost of a place of a column is.
    #[inline(always)]
    pub fn at(self, place: u32, column: u32) -> usize {
        (place * self.stride + column) as usize
    }
}

/// The costs of a tile, as they are [stored](Cost::stored), and room for the best places.
#[derive(Clone, Copy)]
pub struct Tile<C, R, B> {
    /// How it lies in memory.
    pub shape: Shape,
    /// Its lines.
    pub axis: Axis<C>,
    /// The stored costs.
    pub costs: R,
    /// The best place of the first output of each group.
    pub bests: B,
}

/// Calls `visit` for the items of the calling thread: `count` in each column.
#[inline(always)]
pub fn for_each_item(count: u32, mut visit: impl FnMut(u32, u32)) {
    let mut item = thread::thread_idx_x();
    while item < count * COLUMNS {
        visit(item / COLUMNS, item % COLUMNS);
        item += thread::block_dim_x();
    }
}

impl<C: Cost, R: Store<C>, B: Store<u32>> Tile<C, R, B> {
    #[inline(always)]
    fn search(&self, output: u32, column: u32, low: u32, high: u32) -> u32 {
        C::search(&self.axis, output, low, high, |place| {
            self.costs.get(self.shape.at(place, column))
        })
    }

    #[inline(always)]
    fn best(&self, group: u32, column: u32) -> u32 {
        self.bests.get((group * COLUMNS + column) as usize)
    }

    /// Finds the best place of each group's first output. All threads of the block call it; a barrier lies before it, and one is its end.
    #[inline(always)]
    pub fn find_bests(&self) {
        let groups = self.shape.groups();
        let last = self.shape.len - 1;
        let put = |group: u32, column: u32, best: u32| {
            self.bests.put((group * COLUMNS + column) as usize, best);
        };
        for_each_item(1, |_, column| {
            put(0, column, self.search(0, column, 0, last));
        });
        let mut half = 1;
        while half < groups {
            half *= 2;
        }
        while half > 1 {
            half /= 2;
            thread::sync_threads();
            // the odd multiples of `half`
            let count = if groups > half {
                (groups - half).div_ceil(2 * half)
            } else {
                0
            };
            for_each_item(count, |item, column| {
                let group = half * (2 * item + 1);
                let low = self.best(group - half, column);
                let high = if group + half < groups {
                    self.best(group + half, column)
                } else {
                    last
                };
                put(group, column, self.search(group * GROUP, column, low, high));
            });
        }
        thread::sync_threads();
    }

    /// The least costs of a group's outputs, of which those beyond the line mean nothing.
    #[inline(always)]
    pub fn least_of_group(&self, group: u32, column: u32) -> [C; GROUP as usize] {
        let axis = &self.axis;
        let first = group * GROUP;
        let low = self.best(group, column);
        let high = if group + 1 < self.shape.groups() {
            self.best(group + 1, column)
        } else {
            self.shape.len - 1
        };
        let slope = |k: u32| C::slope(axis, first + k);
        let slopes = [
            slope(0),
            slope(1),
            slope(2),
            slope(3),
            slope(4),
            slope(5),
            slope(6),
            slope(7),
        ];
        let mut least = [C::MOST; GROUP as usize];
        let (mut at, mut place) = (low, C::place(axis, low));
        let one = C::of(1);
        while at <= high {
            let stored = self.costs.get(self.shape.at(at, column));
            let mut k = 0;
            while k < GROUP as usize {
                let here = C::along(axis, stored, place, slopes[k]);
                least[k] = if here < least[k] { here } else { least[k] };
                k += 1;
            }
            place = place.plus(one);
            at += 1;
        }
        let mut k = 0;
        while k < GROUP as usize {
            least[k] = C::cost(least[k], axis, first + k as u32);
            k += 1;
        }
        least
    }
}
