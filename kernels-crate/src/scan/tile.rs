//! How a block holds a tile: in registers if it is whole, else by reading it twice.

use crate::{
    block::{self, BlockScan},
    operator::{Operator, Value},
    warp::{self, FullWarps},
};
use cuda_std::{SharedView, View, ViewMut, async_copy, thread};

/// A whole tile in the registers of a block of full warps: each thread has `ROWS` vectors of `N`
/// neighbouring elements.
///
/// A warp has neighbouring rows, and a row is a vector of every lane: so the lanes of a warp read
/// and write next to one another.
#[derive(Clone, Copy)]
pub struct RegisterTile<I, const N: usize, const ROWS: usize> {
    items: [[I; N]; ROWS],
}

impl<I: Copy, const N: usize, const ROWS: usize> RegisterTile<I, N, ROWS> {
    /// Elements for each thread.
    pub const ITEMS: usize = N * ROWS;

    /// A tile that is all `item`.
    #[inline(always)]
    pub fn filled(item: I) -> Self {
        Self {
            items: [[item; N]; ROWS],
        }
    }

    /// Where the calling thread's vector of a row begins, for a tile that begins at `start`.
    #[inline(always)]
    fn at(start: u64, row: usize) -> usize {
        let rank = thread::thread_idx_x() as usize;
        let (warp, lane) = (rank / 32, rank % 32);
        start as usize + (warp * (ROWS * 32 * N) + lane * N) + row * (32 * N)
    }

    /// The tile that begins at `start`, a multiple of `N`.
    #[inline(always)]
    pub fn read(input: View<I>, start: u64) -> Self {
        let mut rows = Self {
            items: [input.read_vector::<N>(Self::at(start, 0)); ROWS],
        };
        let mut row = 1;
        while row < ROWS {
            rows.items[row] = input.read_vector::<N>(Self::at(start, row));
            row += 1;
        }
        rows
    }

    /// Begins to copy the tile that begins at `start` into the block's shared memory, from place
    /// `slot` on, each thread its own vectors.
    #[inline(always)]
    pub fn stage(input: View<I>, start: u64, room: SharedView<I>, slot: usize) {
        let mut row = 0;
        while row < ROWS {
            Self::stage_row(input, start, room, slot, row);
            row += 1;
        }
    }

    /// Begins to copy one row of it.
    #[inline(always)]
    fn stage_row(input: View<I>, start: u64, room: SharedView<I>, slot: usize, row: usize) {
        let (from, to) = (Self::at(start, row), Self::staged_at(slot, row));
        async_copy::copy_vector::<I, N>(input, from, room, to);
    }

    /// The tile that the calling thread has staged at `slot`. Waits for all copies of the thread.
    #[inline(always)]
    pub fn unstage(room: SharedView<I>, slot: usize) -> Self {
        async_copy::wait_all();
        let mut rows = Self {
            items: [room.read_vector::<N>(Self::staged_at(slot, 0)); ROWS],
        };
        let mut row = 1;
        while row < ROWS {
            rows.items[row] = room.read_vector::<N>(Self::staged_at(slot, row));
            row += 1;
        }
        rows
    }

    /// Elements of a slot that a tile can be staged at.
    #[inline(always)]
    pub fn slot_len() -> usize {
        Self::ITEMS * thread::block_dim_x() as usize
    }

    /// Where the calling thread's vector of a row is staged: neighbours' vectors are neighbours.
    #[inline(always)]
    fn staged_at(slot: usize, row: usize) -> usize {
        slot + (row * thread::block_dim_x() as usize + thread::thread_idx_x() as usize) * N
    }

    /// Scans the rows of the calling thread's warp, whose elements are `lift`ed into values: for
    /// each row what comes before the thread's vector within the warp, and all of the warp's rows
    /// combined.
    #[inline(always)]
    pub fn scan_warp<V: Value, O: Operator<V>>(&self, lift: impl Fn(I) -> V) -> ([V; ROWS], V) {
        let mut sums = [O::identity(); ROWS];
        let mut row = 0;
        while row < ROWS {
            let mut item = 0;
            while item < N {
                let value = lift(self.items[row][item]);
                sums[row] = if item == 0 {
                    value
                } else {
                    O::combine(sums[row], value)
                };
                item += 1;
            }
            row += 1;
        }
        warp::inclusive_rows::<V, O, FullWarps, ROWS>(&mut sums);
        let mut before = [O::identity(); ROWS];
        let mut total = O::identity();
        let mut row = 0;
        while row < ROWS {
            let within = warp::exclusive_of::<V, O, FullWarps>(sums[row]);
            let whole = warp::broadcast::<V, FullWarps>(sums[row], 31);
            before[row] = O::combine(total, within);
            total = O::combine(total, whole);
            row += 1;
        }
        (before, total)
    }

    /// Writes the scanned tile, whose rows come after `prefix` and each after its own `before`: for
    /// each element what `put` makes of what comes before it and that combined with it.
    #[inline(always)]
    pub fn write<V: Value, O: Operator<V>, R: Copy>(
        &self,
        prefix: V,
        before: &[V; ROWS],
        output: ViewMut<R>,
        start: u64,
        lift: impl Fn(I) -> V,
        put: impl Fn(V, V) -> R,
    ) {
        let mut row = 0;
        while row < ROWS {
            let before = O::combine(prefix, before[row]);
            let results = scan_vector::<I, V, O, R, N>(before, self.items[row], &lift, &put);
            output.write_vector::<N>(Self::at(start, row), results);
            row += 1;
        }
    }

    /// [`write`](Self::write) of a tile that is staged at `slot`. Where there is a next tile, which
    /// begins at `next`, it is staged in its place, row after row: so reads and writes of device
    /// memory are mixed.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "two tiles and three functions")]
    pub fn write_staged<V: Value, O: Operator<V>, R: Copy>(
        room: SharedView<I>,
        slot: usize,
        prefix: V,
        before: &[V; ROWS],
        output: ViewMut<R>,
        start: u64,
        lift: impl Fn(I) -> V,
        put: impl Fn(V, V) -> R,
        input: View<I>,
        next: Option<u64>,
    ) {
        const { assert!(ROWS <= 9, "as many rows as are written out below") };
        // a loop would be kept as one where `put` is long, with `before` in memory
        macro_rules! rows {
            ($($row:literal)+) => {
                $(
                    if $row < ROWS {
                        let before = O::combine(prefix, before[$row]);
                        let items = room.read_vector::<N>(Self::staged_at(slot, $row));
                        let results = scan_vector::<I, V, O, R, N>(before, items, &lift, &put);
                        output.write_vector::<N>(Self::at(start, $row), results);
                        if let Some(next) = next {
                            Self::stage_row(input, next, room, slot, $row);
                        }
                    }
                )+
            };
        }
        rows!(0 1 2 3 4 5 6 7 8);
    }
}

/// For each element of a vector what `put` makes of what comes before it, of which `running` is
/// what comes before the first, and of that combined with it.
#[inline(always)]
fn scan_vector<I: Copy, V: Value, O: Operator<V>, R: Copy, const N: usize>(
    mut running: V,
    items: [I; N],
    lift: impl Fn(I) -> V,
    put: impl Fn(V, V) -> R,
) -> [R; N] {
    let mut results = [put(running, running); N];
    let mut item = 0;
    while item < N {
        let through = O::combine(running, lift(items[item]));
        results[item] = put(running, through);
        running = through;
        item += 1;
    }
    results
}

/// Any part of the input, which each thread reads twice: once to add up, once to scan. Each has
/// neighbouring elements.
#[derive(Clone, Copy)]
pub struct StridedTile {
    /// The calling thread's first element.
    first: usize,
    /// One past its last.
    end: usize,
}

impl StridedTile {
    /// The calling thread's part of the elements from `start` to `end`.
    #[inline(always)]
    pub fn new(start: u64, end: u64) -> Self {
        let threads = thread::block_dim_x() as u64;
        if threads == 1 {
            return Self {
                first: start as usize,
                end: end as usize,
            };
        }
        // the processor's own division: with `div_rem`'s loop here, assemblers spill registers of
        // the loop over tiles
        let each = match (end - start).checked_div(threads) {
            Some(each) => each + (each * threads != end - start) as u64,
            None => 0,
        };
        let limit = |at: u64| if at < end { at as usize } else { end as usize };
        let rank = thread::thread_idx_x() as u64;
        Self {
            first: limit(start + rank * each),
            end: limit(start + (rank + 1) * each),
        }
    }

    /// What comes before the thread's elements within the block's, and all of the block's combined.
    #[inline(always)]
    pub fn scan_block<I: Copy, V: Value, O: Operator<V>>(
        self,
        input: View<I>,
        lift: impl Fn(I) -> V,
    ) -> BlockScan<V> {
        let mut sum = O::identity();
        let mut at = self.first;
        while self.end - at >= RUN {
            let items = input.read_vector::<RUN>(at);
            let mut item = 0;
            while item < RUN {
                sum = O::combine(sum, lift(items[item]));
                item += 1;
            }
            at += RUN;
        }
        while RUN > 1 && at < self.end {
            sum = O::combine(sum, lift(input.read(at)));
            at += 1;
        }
        block::exclusive::<V, O>(sum)
    }

    /// Scans the thread's elements, after `prefix`: gives `put` for each what comes before it, and
    /// that combined with it, and writes what it gives back.
    #[inline(always)]
    pub fn scan<I: Copy, V: Value, O: Operator<V>, R: Copy>(
        self,
        input: View<I>,
        prefix: V,
        output: ViewMut<R>,
        lift: impl Fn(I) -> V,
        put: impl Fn(usize, V, V) -> R,
    ) {
        let mut running = prefix;
        let mut at = self.first;
        while self.end - at >= RUN {
            let items = input.read_vector::<RUN>(at);
            let through = O::combine(running, lift(items[0]));
            let mut results = [put(at, running, through); RUN];
            running = through;
            let mut item = 1;
            while item < RUN {
                let through = O::combine(running, lift(items[item]));
                results[item] = put(at + item, running, through);
                running = through;
                item += 1;
            }
            output.write_vector::<RUN>(at, results);
            at += RUN;
        }
        while RUN > 1 && at < self.end {
            let through = O::combine(running, lift(input.read(at)));
            output.write(at, put(at, running, through));
            running = through;
            at += 1;
        }
    }
}

/// Elements that a thread of a [`StridedTile`] reads at a time: on the CPU as many as make its
/// bounds checks cheap; on a GPU one, since a strided may begin anywhere.
const RUN: usize = if cfg!(target_arch = "nvptx64") { 1 } else { 8 };
