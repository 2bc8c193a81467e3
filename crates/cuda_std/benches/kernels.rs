//! Four typical GPU kernels on the CPU executor, compared with equivalent single-threaded loops:
//! `cargo bench -p ferrovox-cuda-std`, or `… -- gemm` for the benchmarks whose names contain
//! `gemm`.
//!
//! Launch and loop alternate, so that both see the same machine load, and the best run of each
//! counts. The launch uses the rayon pool (all cores, unless `RAYON_NUM_THREADS` is set), the loop
//! one thread. Results are compared bit by bit.

use cuda_std::prelude::*;
use cuda_std::{launch_on_cpu, shared_view};
use simt::{LaunchShape, Mode};
use std::hint::black_box;
use std::time::{Duration, Instant};

const RUNS: usize = 15;

/// Side of a tile of the matrix product.
const TILE: usize = 16;

/// Computes `c = a · b` for square matrices whose sides are multiples of the tile's.
#[kernel]
pub unsafe fn gemm(a: View<f32>, b: View<f32>, c: ViewMut<f32>, side: u32) {
    let tile_a = shared_view![f32; TILE * TILE];
    let tile_b = shared_view![f32; TILE * TILE];
    let side = side as usize;
    let x = thread::thread_idx_x() as usize;
    let y = thread::thread_idx_y() as usize;
    let column = thread::block_idx_x() as usize * TILE + x;
    let row = thread::block_idx_y() as usize * TILE + y;
    let mut sum = 0.0;
    for tile in 0..side / TILE {
        tile_a.write(y * TILE + x, a.read(row * side + tile * TILE + x));
        tile_b.write(y * TILE + x, b.read((tile * TILE + y) * side + column));
        thread::sync_threads();
        for k in 0..TILE {
            sum += tile_a.read(y * TILE + k) * tile_b.read(k * TILE + x);
        }
        thread::sync_threads();
    }
    c.write(row * side + column, sum);
}

fn gemm_loop(a: &[f32], b: &[f32], c: &mut [f32], side: usize) {
    c.fill(0.0);
    for (a, c) in a.chunks(side).zip(c.chunks_mut(side)) {
        for (&a, b) in a.iter().zip(b.chunks(side)) {
            for (c, &b) in c.iter_mut().zip(b) {
                *c += a * b;
            }
        }
    }
}

/// Counts the occurrences of each byte: per block in shared memory, then added to the global
/// counts.
#[kernel]
pub unsafe fn histogram(data: View<u8>, counts: ViewMut<u32>) {
    let bins = shared_view![u32; 256];
    let t = thread::thread_idx_x() as usize;
    bins.write(t, 0);
    thread::sync_threads();
    let stride = thread::grid_dim_x() as usize * thread::block_dim_x() as usize;
    let mut i = thread::index_1d() as usize;
    while i < data.len() {
        bins.atomic_add(data.read(i) as usize, 1);
        i += stride;
    }
    thread::sync_threads();
    counts.atomic_add(t, bins.read(t));
}

fn histogram_loop(data: &[u8], counts: &mut [u32; 256]) {
    counts.fill(0);
    for &value in data {
        counts[value as usize] += 1;
    }
}

/// Sums all elements: per thread, by a tree in the block, and by one atomic addition per block.
#[kernel]
pub unsafe fn reduction(data: View<u32>, sum: ViewMut<u32>) {
    let partial = shared_view![u32; 256];
    let t = thread::thread_idx_x() as usize;
    let stride = thread::grid_dim_x() as usize * thread::block_dim_x() as usize;
    let mut i = thread::index_1d() as usize;
    let mut mine = 0_u32;
    while i < data.len() {
        mine = mine.wrapping_add(data.read(i));
        i += stride;
    }
    partial.write(t, mine);
    thread::sync_threads();
    let mut half = thread::block_dim_x() as usize / 2;
    while half > 0 {
        if t < half {
            partial.write(t, partial.read(t).wrapping_add(partial.read(t + half)));
        }
        thread::sync_threads();
        half /= 2;
    }
    if t == 0 {
        sum.atomic_add(0, partial.read(0));
    }
}

fn reduction_loop(data: &[u32]) -> u32 {
    data.iter().fold(0, |sum, &value| sum.wrapping_add(value))
}

/// Number of elements that a block of the bitonic sort sorts.
const SORTED: usize = 1024;

/// Sorts every 1024 elements in shared memory, two per thread.
#[kernel]
pub unsafe fn bitonic(data: ViewMut<u32>) {
    let tile = shared_view![u32; SORTED];
    let t = thread::thread_idx_x() as usize;
    let first = thread::block_idx_x() as usize * SORTED;
    tile.write(t, data.read(first + t));
    tile.write(t + SORTED / 2, data.read(first + t + SORTED / 2));
    thread::sync_threads();
    let mut run = 2;
    while run <= SORTED {
        let mut distance = run / 2;
        while distance > 0 {
            let low = 2 * t - (t & (distance - 1));
            let (a, b) = (tile.read(low), tile.read(low + distance));
            let (least, most) = (a.min(b), a.max(b));
            let rises = low & run == 0;
            tile.write(low, if rises { least } else { most });
            tile.write(low + distance, if rises { most } else { least });
            thread::sync_threads();
            distance /= 2;
        }
        run *= 2;
    }
    data.write(first + t, tile.read(t));
    data.write(first + t + SORTED / 2, tile.read(t + SORTED / 2));
}

fn bitonic_loop(data: &mut [u32]) {
    for tile in data.chunks_exact_mut(SORTED) {
        let mut run = 2;
        while run <= SORTED {
            let mut distance = run / 2;
            while distance > 0 {
                for (pair, both) in tile.chunks_exact_mut(2 * distance).enumerate() {
                    let rises = (pair * 2 * distance) & run == 0;
                    let (low, high) = both.split_at_mut(distance);
                    for (a, b) in low.iter_mut().zip(high) {
                        let (least, most) = ((*a).min(*b), (*a).max(*b));
                        (*a, *b) = if rises { (least, most) } else { (most, least) };
                    }
                }
                distance /= 2;
            }
            run *= 2;
        }
    }
}

/// Returns pseudorandom numbers.
fn random(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 0x9E37_79B9_u32;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    })
}

/// Cost of a run: wall time, and processor time if the system provides it.
#[derive(Clone, Copy)]
struct Cost {
    time: Duration,
    processors: Option<Duration>,
}

impl Cost {
    const MAX: Self = Self {
        time: Duration::MAX,
        processors: None,
    };

    fn measure(work: impl FnOnce()) -> Self {
        let (start, before) = (Instant::now(), processor_time());
        work();
        let time = start.elapsed();
        let processors = before
            .zip(processor_time())
            .map(|(before, after)| after.saturating_sub(before));
        Self { time, processors }
    }

    fn best(self, other: Self) -> Self {
        Self {
            time: self.time.min(other.time),
            processors: self.processors.into_iter().chain(other.processors).min(),
        }
    }
}

/// Returns the processor time of the process's threads, on Linux.
fn processor_time() -> Option<Duration> {
    let mut sum = 0;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        sum += text.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(sum))
}

/// Prints the best of both, and their ratio.
fn compare(name: &str, mut launch: impl FnMut() -> Cost, mut plain: impl FnMut() -> Cost) {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    if filter.is_some_and(|filter| !name.contains(&filter)) {
        return;
    }
    let (mut best, mut best_plain) = (Cost::MAX, Cost::MAX);
    for _ in 0..RUNS {
        best = best.best(launch());
        best_plain = best_plain.best(plain());
    }
    let print = |what: &str, launch: Duration, plain: Duration| {
        let (launch, plain) = (launch.as_secs_f64() * 1e3, plain.as_secs_f64() * 1e3);
        println!(
            "{name:<16} {what:<15} launch {launch:>8.2} ms   loop {plain:>7.2} ms   ratio {:>6.2}",
            launch / plain
        );
    };
    print("wall time", best.time, best_plain.time);
    if let (Some(launch), Some(plain)) = (best.processors, best_plain.processors) {
        print("processor time", launch, plain);
    }
}

fn shape(grid: impl Into<simt::Dim3>, block: impl Into<simt::Dim3>) -> LaunchShape {
    LaunchShape::new(grid, block)
}

fn main() {
    println!(
        "launches on {} threads, loops on one, best of {RUNS} runs each in turn",
        rayon::current_num_threads()
    );

    let side = 512;
    let a: Vec<f32> = random(side * side).map(|x| (x >> 8) as f32).collect();
    let b: Vec<f32> = random(2 * side * side)
        .skip(side * side)
        .map(|x| (x >> 8) as f32)
        .collect();
    let (mut c, mut c_plain) = (vec![0.0; side * side], vec![0.0; side * side]);
    let tiles = (side / TILE) as u32;
    compare(
        "gemm 512",
        || {
            let args = (
                View::from(&a[..]),
                View::from(&b[..]),
                ViewMut::from(&mut c[..]),
                side as u32,
            );
            Cost::measure(|| {
                // SAFETY: each thread writes one element; barriers separate the tiles.
                unsafe { launch_on_cpu::<gemm>(shape((tiles, tiles), (16, 16)), Mode::Fast, args) }
                    .unwrap();
            })
        },
        || Cost::measure(|| gemm_loop(&a, &b, black_box(&mut c_plain), side)),
    );
    assert_eq!(c, c_plain);

    let count = 16 << 20;
    let bytes: Vec<u8> = random(count).map(|x| (x >> 24) as u8).collect();
    let (mut counts, mut counts_plain) = ([0; 256], [0; 256]);
    compare(
        "histogram 16 Mi",
        || {
            counts.fill(0);
            let args = (View::from(&bytes[..]), ViewMut::from(&mut counts[..]));
            Cost::measure(|| {
                // SAFETY: atomics and barriers.
                unsafe { launch_on_cpu::<histogram>(shape(256, 256), Mode::Fast, args) }.unwrap();
            })
        },
        || Cost::measure(|| histogram_loop(&bytes, black_box(&mut counts_plain))),
    );
    assert_eq!(counts, counts_plain);
    drop(bytes);

    let numbers: Vec<u32> = random(count).collect();
    let (mut sum, mut sum_plain) = ([0], 0);
    compare(
        "reduction 16 Mi",
        || {
            sum[0] = 0;
            let args = (View::from(&numbers[..]), ViewMut::from(&mut sum[..]));
            Cost::measure(|| {
                // SAFETY: atomics and barriers.
                unsafe { launch_on_cpu::<reduction>(shape(256, 256), Mode::Fast, args) }.unwrap();
            })
        },
        || Cost::measure(|| sum_plain = black_box(reduction_loop(black_box(&numbers)))),
    );
    assert_eq!(sum[0], sum_plain);

    let million = 1 << 20;
    let (mut sorted, mut sorted_plain) = (vec![0; million], vec![0; million]);
    compare(
        "bitonic 1 Mi",
        || {
            sorted.copy_from_slice(&numbers[..million]);
            let args = (ViewMut::from(&mut sorted[..]),);
            Cost::measure(|| {
                // SAFETY: a block has its own elements; barriers are between its threads.
                unsafe {
                    launch_on_cpu::<bitonic>(
                        shape((million / SORTED) as u32, SORTED as u32 / 2),
                        Mode::Fast,
                        args,
                    )
                }
                .unwrap();
            })
        },
        || {
            sorted_plain.copy_from_slice(&numbers[..million]);
            Cost::measure(|| bitonic_loop(black_box(&mut sorted_plain)))
        },
    );
    assert_eq!(sorted, sorted_plain);
}
