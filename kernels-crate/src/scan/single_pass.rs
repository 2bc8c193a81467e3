//! The scan in a single pass: every element is read once and written once.

use super::{
    dealing::{Dealt, TileJob},
    tile::{Rows, Stretch},
};
use crate::{
    block::WarpValues,
    operator::{Operator, Value},
    warp::{self, AnyWarps, FullWarps},
};
use cuda_std::{
    SharedView, View, ViewMut, cfg::ComputeCapability, misc::max_registers,
    shared::dynamic_shared_mem, shared_view, thread,
};

/// The body of the single-pass kernels: scans tile after tile.
///
/// A block is at work on three tiles (see [`Dealt`] for who has which): one whose elements are on their way into dynamic shared
/// memory by asynchronous copies, one that has arrived, and one that waits to be written. In each round it scans the one that has
/// arrived and publishes its aggregate; only then its first warp looks back for what comes before the one that is to be
/// written. So a tile's aggregate is known to all a whole round before a look-back asks for it, nobody waits for anybody else's reads,
/// and the wait for one's own is hidden behind the round. Three barriers a round.
///
/// A tile of `threads · N · ROWS` elements that is whole and aligned to 16 bytes goes this way; any other is read twice. A block
/// of one thread has tiles as long as the host says, reads them twice, and waits only for the tiles before.
///
/// Elements are `lift`ed into values; `put` makes what is written of what comes before an element, and that combined with
/// it; `put_total` gets everything combined.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a kernel's arguments, and what tells the scans apart"
)]
pub fn scan_tiles<
    I: Copy,
    V: Value,
    O: Operator<V>,
    R: Copy,
    const N: usize,
    const ROWS: usize,
    const MOST_REGISTERS: u32,
>(
    input: View<I>,
    output: ViewMut<R>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    lift: impl Fn(I) -> V + Copy,
    put: impl Fn(V, V) -> R + Copy,
    put_total: impl Fn(V) + Copy,
) {
    // older assemblers' allocation needs more than these; there the device decides how many threads a block can have
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<MOST_REGISTERS>();
    }
    let threads = thread::block_dim_x();
    let warps = WarpValues::new(shared_view![u32; WarpValues::LEN]);
    let first_of_warp = warp::lane() == 0;
    let my_warp = (thread::thread_idx_x() / 32) as usize;
    let rows_fit = threads.is_multiple_of(32)
        && job.tile == threads as u64 * Rows::<I, N, ROWS>::ITEMS as u64
        && (input.as_ptr() as usize).is_multiple_of(16)
        && (output.as_ptr() as usize).is_multiple_of(16);
    let in_rows = if rows_fit { job.whole_tiles() } else { 0 };

    let mut dealt = Dealt::first(states, job);
    if dealt.tile < in_rows {
        let room = staging_room::<I>(Rows::<I, N, ROWS>::ITEMS * threads as usize);
        let start = |tile: u32| tile as u64 * job.tile;
        // the first tile comes straight into registers
        let mut rows = Rows::<I, N, ROWS>::read(input, start(dealt.tile));
        if dealt.next < in_rows {
            Rows::<I, N, ROWS>::stage(input, start(dealt.next), room);
        }
        let (mut before, warp_total) = rows.scan_warp::<V, O>(lift);
        if first_of_warp {
            warps.write(my_warp, warp_total);
        }
        thread::sync_threads();
        let mut block = warps.scan::<V, O, FullWarps>();
        dealt.publish::<V, O>(dealt.tile, block.total, initial);
        while dealt.next < in_rows {
            let taken = dealt.take();
            let next_rows = Rows::<I, N, ROWS>::unstage(room);
            // a thread stages where it alone has read
            if dealt.after < in_rows {
                Rows::<I, N, ROWS>::stage(input, start(dealt.after), room);
            }
            let (next_before, warp_total) = next_rows.scan_warp::<V, O>(lift);
            // everybody has read what the warps, and the first thread, wrote in the last round
            thread::sync_threads();
            if first_of_warp {
                warps.write(my_warp, warp_total);
            }
            thread::sync_threads();
            let next_block = warps.scan::<V, O, FullWarps>();
            dealt.publish::<V, O>(dealt.next, next_block.total, initial);
            let prefix = dealt.resolve::<V, O, FullWarps>(block.total, initial, taken, put_total);
            let prefix = O::combine(prefix, block.before);
            rows.write::<V, O, R>(prefix, &before, output, start(dealt.tile), lift, put);
            dealt.advance();
            (rows, before, block) = (next_rows, next_before, next_block);
        }
        let taken = dealt.take();
        // everybody has read what the first thread wrote in the last round
        thread::sync_threads();
        let prefix = dealt.resolve::<V, O, FullWarps>(block.total, initial, taken, put_total);
        let prefix = O::combine(prefix, block.before);
        rows.write::<V, O, R>(prefix, &before, output, start(dealt.tile), lift, put);
        dealt.advance();
        // before the numbers are replaced
        thread::sync_threads();
    }
    let put = |_, before: V, through: V| put(before, through);
    scan_stretches::<I, V, O, R>(input, initial, job, dealt, output, lift, put, put_total);
}

/// Scans tiles of any size and place, which are read twice, as [`scan_tiles`] does; `put` gets the element's index too.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a kernel's arguments, and what tells the scans apart"
)]
pub fn scan_stretches<I: Copy, V: Value, O: Operator<V>, R: Copy>(
    input: View<I>,
    initial: V,
    job: TileJob,
    mut dealt: Dealt,
    output: ViewMut<R>,
    lift: impl Fn(I) -> V,
    put: impl Fn(usize, V, V) -> R,
    put_total: impl Fn(V),
) {
    while dealt.tile < job.tiles {
        let taken = dealt.take();
        let (start, end) = job.bounds(dealt.tile);
        let stretch = Stretch::new(start, end);
        let block = stretch.scan_block::<I, V, O>(input, &lift);
        dealt.publish::<V, O>(dealt.tile, block.total, initial);
        let prefix = dealt.resolve::<V, O, AnyWarps>(block.total, initial, taken, &put_total);
        let prefix = O::combine(prefix, block.before);
        stretch.scan::<I, V, O, R>(input, prefix, output, &lift, &put);
        dealt.advance();
        // before the next tile's number and prefix replace these
        thread::sync_threads();
    }
}

/// The dynamic shared memory as room for `len` elements.
#[inline(always)]
fn staging_room<I: Copy>(len: usize) -> SharedView<I> {
    // SAFETY: the launch gives each thread room for its part of a tile.
    unsafe { SharedView::from_raw_parts(dynamic_shared_mem::<I>(), len) }
}
