//! Scan of inputs that fit in the shared memory of the device, with one tile per block.

use super::{
    look_back::TileStates,
    scheduler::{ScanJob, TileScheduler},
    single_pass::staging_buffer,
};
use crate::{
    block,
    operator::{FloatOrder, IntegerOrder, Operator, Order, Sum, Value},
};
use cuda_std::{
    KernelType, SharedView, View, ViewMut, async_copy, cfg::ComputeCapability, kernel,
    misc::max_registers, thread,
};

/// Largest number of vectors per thread.
pub const MAX_RESIDENT_VECTORS: u32 = 13;

/// Size of a vector in bytes, in memory and in dynamic shared memory.
pub const RESIDENT_VECTOR_BYTES: u32 = 16;

/// Scans `job.count` 64-bit values by addition, in a single pass in which all tiles are in shared
/// memory at the same time: see [`scan_resident`].
///
/// **Mapping:** one tile per block, an odd number of consecutive vectors of 2 elements per thread.
/// **Traffic** per element: 8 bytes read, 8 written. `input` and `output` may be the same memory.
///
/// # Safety
/// As for [`scan_sum_u64`](super::scan_sum_u64), with `job.one_tile_per_block` set, one block per
/// tile, a tile of `threads` times an odd number of vectors, 16 bytes of dynamic shared memory per
/// vector, and `input` and `output` aligned to 16 bytes.
#[kernel(V = [u64, f64], baseline)]
pub unsafe fn scan_sum_resident<V: Value + KernelType>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: ScanJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) where
    Sum: Operator<V>,
{
    let write_total = |sum: V| total.write(0, sum);
    scan_resident::<V, Sum, 2>(
        input,
        output,
        initial,
        job,
        states,
        |item| item,
        |value| value,
        write_total,
    );
}

macro_rules! resident_minima {
    ($($name:ident $bits:ident $order:ident $vector:literal $values:literal $other:ident;)+) => {
        $(
            #[doc = concat!("Works like [`scan_sum_resident`] for the minimum of ", $values, " in the")]
            #[doc = concat!("given order, with vectors of ", $vector, " elements.")]
            ///
            /// # Safety
            #[doc = concat!("As for [`scan_sum_resident`] and [`", stringify!($other), "`](super::", stringify!($other), ").")]
            #[kernel(baseline)]
            pub unsafe fn $name(
                input: View<$bits>,
                output: ViewMut<$bits>,
                initial: $bits,
                job: ScanJob,
                states: ViewMut<u64>,
                total: ViewMut<$bits>,
                order: $order<$bits>,
            ) {
                let write_total = |key: $bits| total.write(0, order.bits(key));
                scan_resident::<$bits, <$order<$bits> as Order<$bits>>::Minimum, $vector>(
                    input,
                    output,
                    order.key(initial),
                    job,
                    states,
                    |bits| order.key(bits),
                    |key| order.bits(key),
                    write_total,
                );
            }
        )+
    };
}

resident_minima! {
    scan_min_resident_u32 u32 IntegerOrder 4 "32-bit integers" scan_min_u32;
    scan_min_resident_f32 u32 FloatOrder 4 "32-bit floating-point numbers" scan_min_f32;
    scan_min_resident_u64 u64 IntegerOrder 2 "64-bit integers" scan_min_u64;
    scan_min_resident_f64 u64 FloatOrder 2 "64-bit floating-point numbers" scan_min_f64;
}

/// Body of the kernels for inputs that fit in shared memory. A block copies its tile
/// asynchronously, publishes the tile's aggregate, combines the aggregates of all earlier tiles,
/// with one thread per tile, and writes the tile: the time is one latency for each of these steps.
///
/// A thread has an odd number of consecutive vectors of `N` elements, which it therefore reads in
/// shared memory without bank conflicts, and combines its elements one by one, so floating-point
/// sums depend on the tile's length only. `lift` converts elements to values, and `lower` results
/// to elements.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a kernel's arguments, and what tells the scans apart"
)]
fn scan_resident<V: Value, O: Operator<V>, const N: usize>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: ScanJob,
    states: ViewMut<u64>,
    lift: impl Fn(V) -> V,
    lower: impl Fn(V) -> V,
    write_total: impl Fn(V),
) {
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<64>();
    }
    let rank = thread::thread_idx_x();
    let buffer = staging_buffer::<V>(job.tile as usize);
    let tile = TileScheduler::start(states, job).tile;
    let states = TileStates::new(states, job.epoch);
    let (start, end) = if tile < job.tiles {
        job.bounds(tile)
    } else {
        (0, 0)
    };
    // 32 bits, because 64 take twice as many instructions in the loops
    let len = (end - start) as u32;
    stage::<V, N>(input, start as usize, buffer, len);

    let per_thread = job.tile as u32 / thread::block_dim_x();
    let first = rank * per_thread;
    let last = if first + per_thread < len {
        first + per_thread
    } else {
        len
    };
    let aggregate = reduce_run::<V, O, N>(buffer, first, last, &lift);
    let own = block::exclusive::<V, O>(aggregate);
    if rank == 0 && tile + 1 < job.tiles {
        states.publish_aggregate(tile, own.total);
    }
    let prefix = combine_before::<V, O>(states, tile, initial);
    if rank == 0 && tile + 1 == job.tiles {
        write_total(O::combine(prefix, own.total));
    }
    let before = O::combine(prefix, own.before);
    scan_run::<V, O, N>(
        buffer,
        first,
        last,
        before,
        job.inclusive != 0,
        &lift,
        &lower,
    );
    thread::sync_threads();
    unstage::<V, N>(buffer, output, start as usize, len);
}

/// Copies the `len` elements from `start` on to shared memory, for all threads of the block, and
/// completes the last vector with copies of its first element. Contains one barrier.
#[inline(always)]
fn stage<V: Copy, const N: usize>(input: View<V>, start: usize, buffer: SharedView<V>, len: u32) {
    let step = thread::block_dim_x() * N as u32;
    let mut at = thread::thread_idx_x() * N as u32;
    while at + N as u32 <= len {
        async_copy::copy_vector::<V, N>(input, start + at as usize, buffer, at as usize);
        at += step;
    }
    // the incomplete last vector
    if at < len {
        let first = start + at as usize;
        let mut items = [input.read(first); N];
        let mut item = 1;
        while item < N {
            if at + (item as u32) < len {
                items[item] = input.read(first + item);
            }
            item += 1;
        }
        buffer.write_vector::<N>(at as usize, items);
    }
    async_copy::wait_all();
    thread::sync_threads();
}

/// Copies the tile from shared memory to the output.
#[inline(always)]
fn unstage<V: Copy, const N: usize>(
    buffer: SharedView<V>,
    output: ViewMut<V>,
    start: usize,
    len: u32,
) {
    let step = thread::block_dim_x() * N as u32;
    let mut at = thread::thread_idx_x() * N as u32;
    while at + N as u32 <= len {
        let items = buffer.read_vector::<N>(at as usize);
        // element by element, because LLVM copies an array in accesses of 8 bytes
        let mut copies = [items[0]; N];
        let mut item = 1;
        while item < N {
            copies[item] = items[item];
            item += 1;
        }
        output.write_vector::<N>(start + at as usize, copies);
        at += step;
    }
    // the incomplete last vector
    let mut item = 1;
    while item < N {
        if at < len {
            output.write(start + at as usize, buffer.read(at as usize));
            at += 1;
        }
        item += 1;
    }
}

/// Returns the combination of the calling thread's elements, those from `first` up to, but not
/// including, `last`.
#[inline(always)]
fn reduce_run<V: Value, O: Operator<V>, const N: usize>(
    buffer: SharedView<V>,
    first: u32,
    last: u32,
    lift: impl Fn(V) -> V,
) -> V {
    let mut all = O::identity();
    let mut at = first;
    while at + N as u32 <= last {
        let items = buffer.read_vector::<N>(at as usize);
        let mut item = 0;
        while item < N {
            all = O::combine(all, lift(items[item]));
            item += 1;
        }
        at += N as u32;
    }
    // the last vector of the input may be incomplete
    let mut item = 1;
    while item < N {
        if at < last {
            all = O::combine(all, lift(buffer.read(at as usize)));
            at += 1;
        }
        item += 1;
    }
    all
}

/// Replaces the calling thread's elements by their prefixes, beginning with `running`.
#[inline(always)]
fn scan_run<V: Value, O: Operator<V>, const N: usize>(
    buffer: SharedView<V>,
    first: u32,
    last: u32,
    mut running: V,
    inclusive: bool,
    lift: impl Fn(V) -> V,
    lower: impl Fn(V) -> V,
) {
    let mut at = first;
    while at < last {
        let mut items = buffer.read_vector::<N>(at as usize);
        let mut item = 0;
        while item < N {
            let through = O::combine(running, lift(items[item]));
            items[item] = lower(if inclusive { through } else { running });
            running = through;
            item += 1;
        }
        buffer.write_vector::<N>(at as usize, items);
        at += N as u32;
    }
}

/// Returns the combination of `initial` with the aggregates of all tiles before `tile`, for all
/// threads of the block: each thread waits for one tile at a time.
#[inline(always)]
fn combine_before<V: Value, O: Operator<V>>(states: TileStates, tile: u32, initial: V) -> V {
    let mut prefix = initial;
    let mut first = 0;
    while first < tile {
        let at = first + thread::thread_idx_x();
        let value = if at < tile {
            states.wait_for_aggregate::<V>(at)
        } else {
            O::identity()
        };
        prefix = O::combine(prefix, block::reduce::<V, O>(value));
        first += thread::block_dim_x();
    }
    prefix
}
