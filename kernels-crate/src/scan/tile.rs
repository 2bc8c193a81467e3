//! Storage of a tile: in registers, in shared memory, or read twice from global memory.

use crate::{
    block::{self, BlockScan},
    operator::{Operator, Value},
    warp::{self, FullWarps},
};
use cuda_std::{SharedView, View, ViewMut, async_copy, thread};

/// A complete tile in the registers of a block of full warps: `ROWS` vectors of `N` consecutive
/// elements per thread.
///
/// A warp holds consecutive rows, and a row consists of one vector per lane, so the accesses of a
/// warp are coalesced.
#[derive(Clone, Copy)]
pub struct RegisterTile<I, const N: usize, const ROWS: usize> {
    items: [[I; N]; ROWS],
}

impl<I: Copy, const N: usize, const ROWS: usize> RegisterTile<I, N, ROWS> {
    /// Elements per thread.
    pub const ITEMS: usize = N * ROWS;

    /// Returns a tile whose elements are all `item`.
    #[inline(always)]
    pub fn filled(item: I) -> Self {
        Self {
            items: [[item; N]; ROWS],
        }
    }

    /// Returns the index of the calling thread's vector of a row, for a tile that begins at
    /// `start`.
    #[inline(always)]
    fn at(start: u64, row: usize) -> usize {
        let rank = thread::thread_idx_x() as usize;
        let (warp, lane) = (rank / 32, rank % 32);
        start as usize + (warp * (ROWS * 32 * N) + lane * N) + row * (32 * N)
    }

    /// Reads the tile that begins at `start`, a multiple of `N`.
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

    /// Starts to copy the tile that begins at `start` asynchronously to offset `slot` of the
    /// block's shared memory; each thread copies its own vectors.
    #[inline(always)]
    pub fn stage(input: View<I>, start: u64, buffer: SharedView<I>, slot: usize) {
        let mut row = 0;
        while row < ROWS {
            Self::stage_row(input, start, buffer, slot, row);
            row += 1;
        }
    }

    /// Starts to copy one row of the tile.
    #[inline(always)]
    fn stage_row(input: View<I>, start: u64, buffer: SharedView<I>, slot: usize, row: usize) {
        let (from, to) = (Self::at(start, row), Self::staged_at(slot, row));
        async_copy::copy_vector::<I, N>(input, from, buffer, to);
    }

    /// Returns the part of the tile that the calling thread has staged at `slot`, after waiting for
    /// all of the thread's copies.
    #[inline(always)]
    pub fn read_staged(buffer: SharedView<I>, slot: usize) -> Self {
        async_copy::wait_all();
        Self::read_slot(buffer, slot)
    }

    /// Returns the part of the tile that the calling thread has staged at `slot` or written there,
    /// after the copies have been waited for.
    #[inline(always)]
    pub fn read_slot(buffer: SharedView<I>, slot: usize) -> Self {
        let mut rows = Self {
            items: [buffer.read_vector::<N>(Self::staged_at(slot, 0)); ROWS],
        };
        let mut row = 1;
        while row < ROWS {
            rows.items[row] = buffer.read_vector::<N>(Self::staged_at(slot, row));
            row += 1;
        }
        rows
    }

    /// Returns the number of elements of a slot.
    #[inline(always)]
    pub fn slot_len() -> usize {
        Self::ITEMS * thread::block_dim_x() as usize
    }

    /// Returns the index in shared memory of the calling thread's vector of a row: vectors of
    /// neighbouring threads are adjacent.
    #[inline(always)]
    fn staged_at(slot: usize, row: usize) -> usize {
        slot + (row * thread::block_dim_x() as usize + thread::thread_idx_x() as usize) * N
    }

    /// Scans the rows of the calling thread's warp, after converting elements by `lift`. Returns,
    /// for each row, the exclusive prefix of the thread's vector within the warp, and the warp's
    /// total.
    #[inline(always)]
    pub fn scan_warp<V: Value, O: Operator<V>>(&self, lift: impl Fn(I) -> V) -> ([V; ROWS], V) {
        let mut row_sums = [O::identity(); ROWS];
        let mut row = 0;
        while row < ROWS {
            let mut item = 0;
            while item < N {
                let value = lift(self.items[row][item]);
                row_sums[row] = if item == 0 {
                    value
                } else {
                    O::combine(row_sums[row], value)
                };
                item += 1;
            }
            row += 1;
        }
        warp::inclusive_rows::<V, O, FullWarps, ROWS>(&mut row_sums);
        let mut before = [O::identity(); ROWS];
        let mut total = O::identity();
        let mut row = 0;
        while row < ROWS {
            let within = warp::exclusive_from_inclusive::<V, O, FullWarps>(row_sums[row]);
            let whole = warp::broadcast::<V, FullWarps>(row_sums[row], 31);
            before[row] = O::combine(total, within);
            total = O::combine(total, whole);
            row += 1;
        }
        (before, total)
    }

    /// Writes the scanned tile: for each element, the result of `output_of` for its exclusive and
    /// inclusive prefix. `prefix` is the exclusive prefix of the warp, `before` that of each of the
    /// thread's vectors within the warp.
    #[inline(always)]
    pub fn write<V: Value, O: Operator<V>, R: Copy>(
        &self,
        prefix: V,
        before: &[V; ROWS],
        output: ViewMut<R>,
        start: u64,
        lift: impl Fn(I) -> V,
        output_of: impl Fn(V, V) -> R,
    ) {
        let mut row = 0;
        while row < ROWS {
            let before = O::combine(prefix, before[row]);
            let results = scan_vector::<I, V, O, R, N>(before, self.items[row], &lift, &output_of);
            output.write_vector::<N>(Self::at(start, row), results);
            row += 1;
        }
    }

    /// [`write`](Self::write) for a tile that is staged at `slot`. If there is a next tile, which
    /// begins at `next`, its rows are staged in the same slot one by one, which interleaves reads
    /// and writes of global memory.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "two tiles and three functions")]
    pub fn write_staged<V: Value, O: Operator<V>, R: Copy>(
        buffer: SharedView<I>,
        slot: usize,
        prefix: V,
        before: &[V; ROWS],
        output: ViewMut<R>,
        start: u64,
        lift: impl Fn(I) -> V,
        output_of: impl Fn(V, V) -> R,
        input: View<I>,
        next: Option<u64>,
    ) {
        const { assert!(ROWS <= 9, "as many rows as are written out below") };
        // the compiler would keep a loop if `output_of` is long, and `before` in local memory
        macro_rules! rows {
            ($($row:literal)+) => {
                $(
                    if $row < ROWS {
                        let before = O::combine(prefix, before[$row]);
                        let items = buffer.read_vector::<N>(Self::staged_at(slot, $row));
                        let results = scan_vector::<I, V, O, R, N>(before, items, &lift, &output_of);
                        output.write_vector::<N>(Self::at(start, $row), results);
                        if let Some(next) = next {
                            Self::stage_row(input, next, buffer, slot, $row);
                        }
                    }
                )+
            };
        }
        rows!(0 1 2 3 4 5 6 7 8);
    }
}

/// Returns the outputs of a vector of elements, where `running` is the exclusive prefix of the
/// first.
#[inline(always)]
fn scan_vector<I: Copy, V: Value, O: Operator<V>, R: Copy, const N: usize>(
    mut running: V,
    items: [I; N],
    lift: impl Fn(I) -> V,
    output_of: impl Fn(V, V) -> R,
) -> [R; N] {
    let mut results = [output_of(running, running); N];
    let mut item = 0;
    while item < N {
        let through = O::combine(running, lift(items[item]));
        results[item] = output_of(running, through);
        running = through;
        item += 1;
    }
    results
}

/// Any range of the input, distributed over the threads of a block in runs of consecutive elements
/// and read twice: once to reduce, once to scan.
#[derive(Clone, Copy)]
pub struct StridedTile {
    /// First element of the calling thread.
    first: usize,
    /// One past the last element of the calling thread.
    end: usize,
}

impl StridedTile {
    /// Returns the calling thread's part of the elements from `start` to `end`.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn new(start: u64, end: u64) -> Self {
        let threads = thread::block_dim_x() as u64;
        if threads == 1 {
            return Self {
                first: start as usize,
                end: end as usize,
            };
        }
        // Native division: with the loop of `div_rem` here, assemblers spill registers of the loop
        // over tiles.
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

    /// Returns the exclusive prefix of the thread's elements within the block, and the block's
    /// total.
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

    /// Scans the thread's elements, beginning with `prefix`. Writes, for each, the result of
    /// `output_of` for its index, its exclusive and its inclusive prefix.
    #[inline(always)]
    pub fn scan<I: Copy, V: Value, O: Operator<V>, R: Copy>(
        self,
        input: View<I>,
        prefix: V,
        output: ViewMut<R>,
        lift: impl Fn(I) -> V,
        output_of: impl Fn(usize, V, V) -> R,
    ) {
        let mut running = prefix;
        let mut at = self.first;
        while self.end - at >= RUN {
            let items = input.read_vector::<RUN>(at);
            let through = O::combine(running, lift(items[0]));
            let mut results = [output_of(at, running, through); RUN];
            running = through;
            let mut item = 1;
            while item < RUN {
                let through = O::combine(running, lift(items[item]));
                results[item] = output_of(at + item, running, through);
                running = through;
                item += 1;
            }
            output.write_vector::<RUN>(at, results);
            at += RUN;
        }
        while RUN > 1 && at < self.end {
            let through = O::combine(running, lift(input.read(at)));
            output.write(at, output_of(at, running, through));
            running = through;
            at += 1;
        }
    }
}

/// Number of elements that a thread of a [`StridedTile`] reads per iteration: on the CPU enough to
/// make bounds checks cheap; on a GPU one, since a strided tile may have any alignment.
const RUN: usize = if cfg!(target_arch = "nvptx64") { 1 } else { 8 };
