//! The scan in a single pass: every element is read once and written once.

use super::{
    dealing::{Dealt, TileJob},
    tile::{Rows, Stretch},
};
use crate::{
    block::WarpValues,
    operator::{Lift, Operator, Value},
    warp::{self, AnyWarps, FullWarps},
};
use cuda_std::{
    SharedView, View, ViewMut, cfg::ComputeCapability, misc::max_registers,
    shared::dynamic_shared_mem, shared_view, thread,
};

/// Nothing is read ahead: other blocks of the multiprocessor have to fill the time.
pub const NOTHING: u8 = 0;
/// The next tile is read ahead into registers.
pub const REGISTERS: u8 = 1;
/// The next tile is copied ahead into dynamic shared memory, which has room for a tile.
pub const SHARED: u8 = 2;

/// The body of the single-pass kernels: scans tile after tile.
///
/// While a block works on a tile it has the loads of its next one in flight, as `AHEAD` says; see [`Dealt`] for who has which
/// tiles. Each tile: its threads scan their elements among themselves; the first warp publishes the tile's aggregate,
/// looks back for what came before, and publishes its prefix; all threads write. Two barriers a tile.
///
/// A tile of `threads · N · ROWS` elements that is whole and aligned to 16 bytes is held in registers; any other is read
/// twice. A block of one thread has tiles as long as the host says, reads them twice, and waits only for the tiles before.
///
/// `total` gets everything combined.
#[inline(always)]
pub fn scan_tiles<
    I: Lift<V>,
    V: Value,
    O: Operator<V>,
    const N: usize,
    const ROWS: usize,
    const AHEAD: u8,
    const MOST_REGISTERS: u32,
>(
    input: View<I>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) {
    // older assemblers' allocation needs more than these; there the device decides how many threads a block can have
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<MOST_REGISTERS>();
    }
    let threads = thread::block_dim_x();
    let room = WarpValues::new(shared_view![u32; WarpValues::LEN]);
    let staged = staging_room::<I>(if AHEAD == SHARED {
        Rows::<I, N, ROWS>::ITEMS * threads as usize
    } else {
        0
    });

    let rows_fit = threads.is_multiple_of(32)
        && job.tile == threads as u64 * Rows::<I, N, ROWS>::ITEMS as u64
        && (input.as_ptr() as usize).is_multiple_of(16)
        && (output.as_ptr() as usize).is_multiple_of(16);
    let tiles_in_rows = if rows_fit { job.whole_tiles() } else { 0 };
    let read = |tile: u32| {
        if tile < tiles_in_rows {
            Rows::<I, N, ROWS>::read(input, tile as u64 * job.tile)
        } else {
            Rows::filled(I::ZERO)
        }
    };
    let put_total = |value: V| total.write(0, value);

    let mut dealt = Dealt::first(states, job);
    let mut rows = read(dealt.tile);
    while dealt.tile < tiles_in_rows {
        let ahead = if AHEAD == REGISTERS {
            read(dealt.next)
        } else {
            Rows::filled(I::ZERO)
        };
        let (before, warp_total) = rows.scan_warp::<V, O>();
        if warp::lane() == 0 {
            room.write((thread::thread_idx_x() / 32) as usize, warp_total);
        }
        thread::sync_threads();
        if AHEAD == SHARED && dealt.next < tiles_in_rows {
            Rows::<I, N, ROWS>::stage(input, dealt.next as u64 * job.tile, staged);
        }
        let block = room.scan::<V, O, FullWarps>();
        let prefix = dealt.resolve::<V, O, FullWarps>(block.total, initial, put_total);
        let prefix = O::combine(prefix, block.before);
        let start = dealt.tile as u64 * job.tile;
        rows.write::<V, O>(prefix, &before, job.inclusive != 0, output, start);
        dealt.advance();
        rows = match AHEAD {
            REGISTERS => ahead,
            SHARED if dealt.tile < tiles_in_rows => Rows::unstage(staged),
            _ => read(dealt.tile),
        };
    }
    let inclusive = job.inclusive != 0;
    let put = |_, before: V, through: V| if inclusive { through } else { before };
    scan_stretches::<I, V, O, V>(input, initial, job, dealt, output, put, put_total);
}

/// Scans tiles of any size and place, which are read twice. For each element `put` gets its index, what comes before it, and
/// that combined with it, and says what to write.
#[inline(always)]
pub fn scan_stretches<I: Lift<V>, V: Value, O: Operator<V>, R: Copy>(
    input: View<I>,
    initial: V,
    job: TileJob,
    mut dealt: Dealt,
    output: ViewMut<R>,
    put: impl Fn(usize, V, V) -> R,
    put_total: impl Fn(V),
) {
    while dealt.tile < job.tiles {
        let (start, end) = job.bounds(dealt.tile);
        let stretch = Stretch::new(start, end);
        let block = stretch.scan_block::<I, V, O>(input);
        let prefix = dealt.resolve::<V, O, AnyWarps>(block.total, initial, &put_total);
        let prefix = O::combine(prefix, block.before);
        stretch.scan::<I, V, O, R>(input, prefix, output, &put);
        dealt.advance();
        // before the next tile's number and prefix replace these
        thread::sync_threads();
    }
}

/// The dynamic shared memory as room for `len` elements.
#[inline(always)]
fn staging_room<I: Copy>(len: usize) -> SharedView<I> {
    // SAFETY: the launch gives as much if the kernel stages tiles; else the view is empty.
    unsafe { SharedView::from_raw_parts(dynamic_shared_mem::<I>(), len) }
}
