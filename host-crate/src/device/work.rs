//! How work is dealt out to the blocks of a device.

use super::{Launch, Stream};
use ferrovox_kernels::rows::{Items, Rows};

/// A launch over `count` items by neighbouring threads: in large pieces for the threads of a CPU,
/// which take a piece each; for a GPU's blocks in pieces small enough that all multiprocessors have
/// some.
pub(crate) fn over(stream: &Stream, count: u64) -> (Launch, Items) {
    let alone = stream.device().limits().threads_per_block == 1;
    let piece = if alone { 1 << 13 } else { 1 << 10 };
    let items = Items {
        count,
        chunk: piece,
    };
    (
        Launch::pieces(items.chunks()).max_useful_threads(piece),
        items,
    )
}

/// How rows of `dims` items are dealt out on a device: whole rows to a thread of the CPU, whose
/// blocks are best of one thread; to a GPU's block pieces of 1024 items in runs of `run` per
/// thread.
pub(crate) fn rows(stream: &Stream, dims: [u32; 3], run: u32) -> Rows {
    let [nx, ny, nz] = dims;
    let (piece, run) = if stream.device().limits().threads_per_block == 1 {
        (1 << 16, 1 << 16)
    } else {
        (1024, run)
    };
    Rows {
        nx,
        ny,
        nz,
        chunk: piece,
        run,
    }
}

/// The launch for [`rows`].
pub(crate) fn rows_launch(rows: Rows) -> Launch {
    let items = rows.nx.min(rows.chunk);
    Launch::pieces(rows.chunks()).max_useful_threads(items.div_ceil(rows.run))
}
