//! Distribution of work to the blocks of a device.

use super::{Launch, Stream};
use ferrovox_kernels::rows::{Items, Rows};

/// Returns a launch over `count` items with consecutive items per thread: large ranges for the
/// threads of a CPU, and ranges for the blocks of a GPU that are small enough to occupy all
/// multiprocessors.
pub(crate) fn items_launch(stream: &Stream, count: u64) -> (Launch, Items) {
    let has_single_thread_blocks = stream.device().limits().threads_per_block == 1;
    let chunk_len = if has_single_thread_blocks {
        1 << 13
    } else {
        1 << 10
    };
    let items = Items {
        count,
        chunk: chunk_len,
    };
    (
        Launch::pieces(items.chunks()).max_useful_threads(chunk_len),
        items,
    )
}

/// Returns the distribution of rows of `dims` items: whole rows per thread on the CPU, whose blocks
/// have one thread; on a GPU 1024 items per block in runs of `run` per thread.
pub(crate) fn rows(stream: &Stream, dims: [u32; 3], run: u32) -> Rows {
    let [nx, ny, nz] = dims;
    let (chunk_len, run) = if stream.device().limits().threads_per_block == 1 {
        (1 << 16, 1 << 16)
    } else {
        (1024, run)
    };
    Rows {
        nx,
        ny,
        nz,
        chunk: chunk_len,
        run,
    }
}

/// Returns the launch for [`rows`].
pub(crate) fn rows_launch(rows: Rows) -> Launch {
    let items = rows.nx.min(rows.chunk);
    Launch::pieces(rows.chunks()).max_useful_threads(items.div_ceil(rows.run))
}
