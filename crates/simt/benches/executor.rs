//! Cost of the executor: `cargo bench -p ferrovox-simt`, or `… -- barrier` for the benchmarks whose
//! names contain `barrier`.
//!
//! Each figure is the minimum of many short runs on one worker, in nanoseconds per unit of work,
//! which excludes interference by other processes. Checked mode is compared with fast mode.

use simt::sync::{Reduce, barrier, barrier_reduce, warp_exchange, warp_exchange_with, warp_sync};
use simt::{LaunchShape, Mode, current, launch, memory};
use std::hint::black_box;
use std::time::{Duration, Instant};

const RUNS: usize = 40;

/// Threads of most launches; few enough that a run seldom shares its core with another process.
const THREADS: u32 = 16384;

/// Prints the minimum time of a launch, in total and per unit of work.
fn measure(
    name: &str,
    units: u64,
    unit: &str,
    shape: LaunchShape,
    mode: Mode,
    body: impl Fn() + Sync,
) {
    let filter = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    if filter.is_some_and(|filter| !name.contains(&filter)) {
        return;
    }
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        // SAFETY: no body waits in an initialiser of a thread-local variable.
        if let Err(error) = unsafe { launch(name, shape, mode, &body) } {
            println!("{name}: {error}");
            return;
        }
        best = best.min(start.elapsed());
    }
    let milliseconds = best.as_secs_f64() * 1e3;
    let nanoseconds = best.as_secs_f64() * 1e9 / units as f64;
    println!("{name:<46} {milliseconds:>9.3} ms  {nanoseconds:>8.2} ns per {unit}");
}

fn trivial() {
    black_box(current::block_idx().x);
}

fn fast() {
    let mode = Mode::Fast;
    let million = 1_000_000;
    measure(
        "1e6 blocks of 1 trivial thread",
        million,
        "block",
        LaunchShape::new(1_000_000, 1),
        mode,
        trivial,
    );
    measure(
        "4096 blocks of 256 trivial threads",
        4096 * 256,
        "thread",
        LaunchShape::new(4096, 256),
        mode,
        trivial,
    );
    measure(
        "4096 blocks of (8, 8, 4) trivial threads",
        4096 * 256,
        "thread",
        LaunchShape::new(4096, (8, 8, 4)),
        mode,
        trivial,
    );
    measure(
        "1 block of 1 thread",
        1,
        "launch",
        LaunchShape::new(1, 1),
        mode,
        trivial,
    );
    measure(
        "2 blocks of 1 thread",
        1,
        "launch",
        LaunchShape::new(2, 1),
        mode,
        trivial,
    );
    for threads in [32, 256, 1024] {
        let blocks = THREADS / threads;
        measure(
            &format!("16 barriers, blocks of {threads}"),
            u64::from(THREADS) * 16,
            "thread and barrier",
            LaunchShape::new(blocks, threads),
            mode,
            || (0..16).for_each(|_| barrier()),
        );
    }
    measure(
        "16 barrier reductions, blocks of 256",
        u64::from(THREADS) * 16,
        "thread and barrier",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        || {
            for round in 0..16 {
                black_box(barrier_reduce(
                    Reduce::Count,
                    round & current::thread_rank(),
                ));
            }
        },
    );
    measure(
        "1 barrier, blocks of 256",
        THREADS.into(),
        "thread",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        barrier,
    );
    measure(
        "16 warp exchanges, blocks of 256",
        u64::from(THREADS) * 16,
        "lane and operation",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        || {
            for round in 0..16 {
                let values = warp_exchange(u32::MAX, u64::from(current::thread_rank()));
                black_box(values.values[round]);
            }
        },
    );
    measure(
        "16 warp exchanges in place, blocks of 256",
        u64::from(THREADS) * 16,
        "lane and operation",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        || {
            for round in 0..16 {
                let rank = current::thread_rank();
                black_box(warp_exchange_with(u32::MAX, u64::from(rank), |lanes| {
                    lanes.value((rank ^ round) % 32)
                }));
            }
        },
    );
    measure(
        "16 warp syncs, blocks of 256",
        u64::from(THREADS) * 16,
        "lane and operation",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        || {
            (0..16).for_each(|_| warp_sync(u32::MAX));
        },
    );
    measure(
        "16 warp exchanges of one lane",
        u64::from(THREADS) * 16,
        "lane and operation",
        LaunchShape::new(THREADS, 1),
        mode,
        || {
            for _ in 0..16 {
                black_box(warp_exchange(u32::MAX, 1));
            }
        },
    );
    measure(
        "16 warp exchanges in place of one lane",
        u64::from(THREADS) * 16,
        "lane and operation",
        LaunchShape::new(THREADS, 1),
        mode,
        || {
            for _ in 0..16 {
                black_box(warp_exchange_with(u32::MAX, 1, |lanes| lanes.value(0)));
            }
        },
    );
    static KEY: u8 = 0;
    measure(
        "16 look-ups of a shared static",
        u64::from(THREADS) * 16,
        "look-up",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        || {
            for _ in 0..16 {
                black_box(memory::shared_static(&raw const KEY as usize, 1024, 4));
            }
        },
    );
}

fn checked() {
    let mode = Mode::Checked { seed: 1 };
    measure(
        "checked: blocks of 1 trivial thread",
        THREADS.into(),
        "block",
        LaunchShape::new(THREADS, 1),
        mode,
        trivial,
    );
    measure(
        "checked: blocks of 256 trivial threads",
        THREADS.into(),
        "thread",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        trivial,
    );
    measure(
        "checked: 16 barriers, blocks of 256",
        u64::from(THREADS) * 16,
        "thread and barrier",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        || {
            (0..16).for_each(|_| barrier());
        },
    );
    let buffer = vec![0_u32; THREADS as usize];
    let start = buffer.as_ptr() as usize;
    measure(
        "checked: 16 reads of one own word each",
        u64::from(THREADS) * 16,
        "access",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        || {
            let index = current::block_idx().x * 256 + current::thread_rank();
            for _ in 0..16 {
                memory::record_read(memory::Space::Global, start + 4 * index as usize, 4);
            }
        },
    );
    measure(
        "checked: 16 reads of one word by all",
        u64::from(THREADS) * 16,
        "access",
        LaunchShape::new(THREADS / 256, 256),
        mode,
        || {
            for word in 0..16 {
                memory::record_read(memory::Space::Global, start + 4 * word, 4);
            }
        },
    );
}

fn main() {
    let Ok(one) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else {
        println!("no thread pool");
        return;
    };
    println!("one worker, best of {RUNS} runs");
    one.install(|| {
        fast();
        checked();
    });
}
