//! The least costs along the lines of a tile.
//!
//! Costs along a line are a Monge array: of two outputs, the later one's best place is not before the earlier one's. So the best places of
//! every [`GROUP`]th output are found by halving: the middle one among all places, the middle ones of both halves among the places up to and
//! from its own, and so on; each round of that looks at every place about once. Then each group of outputs looks at the places
//! between the best ones of its first output and of the next group's, each read once for all of them.
//!
//! In the first rounds there are fewer outputs than teams of threads: several teams share the places of one.

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

    /// Elements of the best places of a tile. There is one more for each thread of the block, after these.
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

/// How the threads of a block share the columns of a tile: teams of [`COLUMNS`] threads, a column each; fewer threads are one team
/// whose threads have several columns. Threads that make no team have no work.
#[derive(Clone, Copy)]
pub struct Teams {
    lanes: u32,
    lane: u32,
    /// How many.
    pub count: u32,
    /// The calling thread's, less than `count` if it is in one.
    pub team: u32,
}

impl Teams {
    /// Those of the calling block.
    #[inline(always)]
    pub fn of_block() -> Self {
        let threads = thread::block_dim_x();
        let rank = thread::thread_idx_x();
        if threads < COLUMNS {
            return Self {
                lanes: threads,
                lane: rank,
                count: 1,
                team: 0,
            };
        }
        Self {
            lanes: COLUMNS,
            lane: rank % COLUMNS,
            count: threads / COLUMNS,
            team: rank / COLUMNS,
        }
    }

    /// Calls `visit` for the calling thread's columns.
    #[inline(always)]
    pub fn for_each_column(self, mut visit: impl FnMut(u32)) {
        let mut column = self.lane;
        while self.team < self.count && column < COLUMNS {
            visit(column);
            column += self.lanes;
        }
    }

    /// Calls `visit` with those of `count` items that are the team's, and each of the calling thread's columns.
    #[inline(always)]
    pub fn for_each(self, count: u32, mut visit: impl FnMut(u32, u32)) {
        self.for_each_column(|column| {
            let mut item = self.team;
            while item < count {
                visit(item, column);
                item += self.count;
            }
        });
    }
}

/// The costs of a tile, as they are [stored](Cost::stored), and room for the best places.
#[derive(Clone, Copy)]
pub struct Tile<C, R, B> {
    /// How it lies in memory.
    pub shape: Shape,
    /// Its lines.
    pub axis: Axis<C>,
    /// Who works on it.
    pub teams: Teams,
    /// The stored costs.
    pub costs: R,
    /// The best place of the first output of each group, and after them one for each thread.
    pub bests: B,
}

/// No place.
const NOWHERE: u32 = u32::MAX;

impl<C: Cost, R: Store<C>, B: Store<u32>> Tile<C, R, B> {
    #[inline(always)]
    fn stored(&self, place: u32, column: u32) -> C {
        self.costs.get(self.shape.at(place, column))
    }

    #[inline(always)]
    fn search(&self, output: u32, column: u32, low: u32, high: u32) -> u32 {
        C::search(&self.axis, output, low, high, |place| {
            self.stored(place, column)
        })
    }

    #[inline(always)]
    fn best(&self, group: u32, column: u32) -> u32 {
        self.bests.get((group * COLUMNS + column) as usize)
    }

    #[inline(always)]
    fn put_best(&self, group: u32, column: u32, best: u32) {
        self.bests.put((group * COLUMNS + column) as usize, best);
    }

    /// Finds the best place of each group's first output. All threads of the block call it; a barrier lies before it, and one is its end.
    #[inline(always)]
    pub fn find_bests(&self) {
        let groups = self.shape.groups();
        let last = self.shape.len - 1;
        self.round(1, |_| 0, |_, _| (0, last));
        let mut half = 1;
        while half < groups {
            half *= 2;
        }
        while half > 1 {
            half /= 2;
            // the odd multiples of `half`
            let count = if groups > half {
                (groups - half).div_ceil(2 * half)
            } else {
                0
            };
            let range = |group: u32, column: u32| {
                let low = self.best(group - half, column);
                let high = if group + half < groups {
                    self.best(group + half, column)
                } else {
                    last
                };
                (low, high)
            };
            self.round(count, |item| half * (2 * item + 1), range);
        }
    }

    /// Finds the best places of `count` groups' first outputs, each in a range of its own. A barrier is its end.
    #[inline(always)]
    fn round(
        &self,
        count: u32,
        group: impl Fn(u32) -> u32,
        range: impl Fn(u32, u32) -> (u32, u32),
    ) {
        // teams for each output, a power of two
        let mut log2 = 0;
        while (count << (log2 + 1)) <= self.teams.count && log2 < 5 {
            log2 += 1;
        }
        if log2 == 0 {
            self.teams.for_each(count, |item, column| {
                let group = group(item);
                let (low, high) = range(group, column);
                self.put_best(group, column, self.search(group * GROUP, column, low, high));
            });
            thread::sync_threads();
            return;
        }
        let partials = self.shape.groups();
        self.teams.for_each(count << log2, |item, column| {
            let (output, part) = (item >> log2, item & ((1 << log2) - 1));
            let group = group(output);
            let (low, high) = range(group, column);
            let each = (high - low + (1 << log2)) >> log2;
            let first = low + part * each;
            let best = if first > high {
                NOWHERE
            } else {
                let end = if high - first < each {
                    high
                } else {
                    first + each - 1
                };
                self.search(group * GROUP, column, first, end)
            };
            self.put_best(partials + item, column, best);
        });
        thread::sync_threads();
        self.teams.for_each(count, |item, column| {
            let group = group(item);
            let (mut least, mut best) = (C::MOST, 0);
            let mut part = 0;
            while part < 1 << log2 {
                let place = self.best(partials + (item << log2) + part, column);
                if place != NOWHERE {
                    let stored = self.stored(place, column);
                    let here = C::along(
                        &self.axis,
                        stored,
                        C::place(&self.axis, place),
                        C::slope(&self.axis, group * GROUP),
                    );
                    if here < least || part == 0 {
                        (least, best) = (here, place);
                    }
                }
                part += 1;
            }
            self.put_best(group, column, best);
        });
        thread::sync_threads();
    }

    /// The places among which all best ones of a group's outputs are.
    #[inline(always)]
    pub fn range(&self, group: u32, column: u32) -> (u32, u32) {
        let high = if group + 1 < self.shape.groups() {
            self.best(group + 1, column)
        } else {
            self.shape.len - 1
        };
        (self.best(group, column), high)
    }

    /// The least costs of a group's outputs, of which those beyond the line mean nothing.
    #[inline(always)]
    pub fn least_of_group(&self, group: u32, column: u32) -> [C; GROUP as usize] {
        let axis = &self.axis;
        let first = group * GROUP;
        let (low, high) = self.range(group, column);
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
            let stored = self.stored(at, column);
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
