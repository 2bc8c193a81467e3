//! Shared memory: arrays, views, statics and the dynamic allocation; and constant memory.

use crate::support::{MODES, shape, shape_for};
use cuda_std::constant::ConstantSymbol;
use cuda_std::mem::{dynamic_smem_size, total_smem_size};
use cuda_std::prelude::*;
use cuda_std::ptr::{AddressSpace, is_in_address_space};
use cuda_std::shared::dynamic_shared_mem;
use cuda_std::{address_space, launch_on_cpu, shared_array, shared_view};
use simt::{LaunchError, LaunchShape, Mode};
use std::cell::Cell;

#[kernel]
pub unsafe fn reverse(data: ViewMut<u32>) {
    let view = shared_view![u32; 64];
    let array = shared_array![u32; 64];
    let t = thread::thread_idx_x() as usize;
    let n = thread::block_dim_x() as usize;
    let i = thread::index_1d() as usize;
    assert_ne!(view.as_mut_ptr(), array);
    assert_eq!(view.len(), 64);
    view.write(t, data.read(i));
    // SAFETY: one element per thread.
    unsafe { *array.add(t) = 1 };
    thread::sync_threads();
    // SAFETY: separated by the barrier.
    let one = unsafe { *array.add(n - 1 - t) };
    data.write(i, view.read(n - 1 - t) + one);
}

#[test]
fn arrays_belong_to_a_block() {
    for mode in MODES {
        for block in [1, 5, 64] {
            let mut data: Vec<u32> = (0..block * 20).collect();
            let args = (ViewMut::from(&mut data[..]),);
            // SAFETY: whole blocks of at most 64.
            unsafe { launch_on_cpu::<reverse>(shape(20, block), mode, args) }.unwrap();
            for (b, values) in data.chunks(block as usize).enumerate() {
                let last = (b as u32 + 1) * block;
                assert!(values.iter().zip(1..).all(|(&v, k)| v == last - k + 1));
            }
        }
    }
}

#[kernel]
pub unsafe fn shared_counts(input: View<u8>, total: ViewMut<u32>) {
    let counts = shared_view![i32; 4];
    let t = thread::thread_idx_x() as usize;
    if t < 4 {
        counts.write(t, 0);
    }
    thread::sync_threads();
    let i = thread::index_1d() as usize;
    if i < input.len() {
        counts.atomic_add(usize::from(input.read(i) % 4), 1);
    }
    thread::sync_threads();
    if t < 4 {
        total.atomic_add(t, counts.read(t) as u32);
    }
}

#[test]
fn shared_atomics_add_up() {
    let input: Vec<u8> = (0..1000).map(|i| (i * i % 251) as u8).collect();
    let mut want = [0; 4];
    input.iter().for_each(|x| want[usize::from(x % 4)] += 1);
    for mode in MODES {
        let mut total = [0; 4];
        let args = (View::from(&input[..]), ViewMut::from(&mut total[..]));
        // SAFETY: atomics and barriers.
        unsafe { launch_on_cpu::<shared_counts>(shape_for(1000, 64), mode, args) }.unwrap();
        assert_eq!(total, want);
    }
}

#[address_space(shared)]
static mut STATIC_TILE: [i64; 32] = [0; 32];

#[kernel]
pub unsafe fn by_static(data: ViewMut<i64>) {
    let t = thread::thread_idx_x() as usize;
    let i = thread::index_1d() as usize;
    // SAFETY: one element per thread, with a barrier before it is read.
    unsafe {
        STATIC_TILE[t] = data.read(i);
        thread::sync_threads();
        data.write(i, STATIC_TILE[31 - t]);
    }
}

#[test]
fn statics_belong_to_a_block() {
    for mode in MODES {
        let mut data: Vec<i64> = (0..320).collect();
        let args = (ViewMut::from(&mut data[..]),);
        // SAFETY: whole blocks of 32.
        unsafe { launch_on_cpu::<by_static>(shape_for(320, 32), mode, args) }.unwrap();
        for (b, values) in data.chunks(32).enumerate() {
            let first = 32 * b as i64;
            assert!(values.iter().rev().zip(first..).all(|(&v, want)| v == want));
        }
    }
}

#[kernel]
pub unsafe fn dynamic(out: ViewMut<u32>) {
    let memory = dynamic_shared_mem::<u32>();
    let t = thread::thread_idx_x() as usize;
    assert_eq!(dynamic_smem_size(), 128);
    assert!(total_smem_size() >= 128);
    assert_eq!(memory.addr() % 16, 0);
    assert_eq!(memory, dynamic_shared_mem());
    // SAFETY: generic pointers; the allocation has 32 elements.
    unsafe {
        assert!(is_in_address_space(memory.add(31), AddressSpace::Shared));
        assert!(!is_in_address_space(memory.add(32), AddressSpace::Shared));
        assert!(is_in_address_space(out.as_ptr(), AddressSpace::Global));
        *memory.add(t) = thread::block_idx_x() + t as u32;
        thread::sync_threads();
        out.write(thread::index_1d() as usize, *memory.add(31 - t));
    }
}

#[test]
fn dynamic_memory_has_the_launchs_size() {
    for mode in MODES {
        let mut out = [0; 96];
        let shape = LaunchShape {
            dynamic_shared_bytes: 128,
            ..shape(3, 32)
        };
        let args = (ViewMut::from(&mut out[..]),);
        // SAFETY: 32 elements for 32 threads.
        unsafe { launch_on_cpu::<dynamic>(shape, mode, args) }.unwrap();
        assert_eq!((out[0], out[31], out[64]), (31, 0, 33));
    }
}

#[kernel]
pub unsafe fn read_what_nobody_wrote(out: ViewMut<u32>) {
    let tile = shared_view![u32; 8];
    out.write(0, tile.read(3));
}

#[kernel]
pub unsafe fn write_past_the_end(out: ViewMut<u32>) {
    let tile = shared_view![u32; 8];
    tile.write(8, out.read(0));
}

#[kernel]
pub unsafe fn forget_the_barrier(out: ViewMut<u32>) {
    let tile = shared_view![u32; 2];
    let t = thread::thread_idx_x() as usize;
    tile.write(t, 1);
    out.write(t, tile.read(1 - t));
}

#[test]
fn checked_mode_tracks_shared_views() {
    let checked = Mode::Checked { seed: 4 };
    let mut out = [0; 2];
    let mut run = |which: usize, threads: u32, mode: Mode| {
        let args = (ViewMut::from(&mut out[..]),);
        // SAFETY: the mistakes stay within the executor's memory.
        unsafe {
            match which {
                0 => launch_on_cpu::<read_what_nobody_wrote>(shape(1, threads), mode, args),
                1 => launch_on_cpu::<write_past_the_end>(shape(1, threads), mode, args),
                _ => launch_on_cpu::<forget_the_barrier>(shape(1, threads), mode, args),
            }
        }
    };
    for (which, threads) in [(0, 1), (1, 1), (2, 2)] {
        let error = run(which, threads, checked).unwrap_err();
        assert!(matches!(error, LaunchError::Findings(_)), "{error}");
        assert!(error.to_string().contains("shared.rs"), "{error}");
    }
    // Out-of-bounds accesses are found in every mode, the others in checked mode only.
    assert!(run(1, 1, Mode::Fast).is_err());
    run(0, 1, Mode::Fast).unwrap();
}

thread_local! {
    static KEPT: Cell<Option<SharedView<u32>>> = const { Cell::new(None) };
}

#[kernel]
pub unsafe fn keep_the_view() {
    let tile = shared_view![u32; 64];
    tile.write(3, 5);
    KEPT.set(Some(tile));
}

/// The contract of a launch forbids this; if a kernel violates it, the view still refers to the
/// executor's own memory.
#[test]
fn a_view_that_outlives_its_launch_does_not_alias_other_memory() {
    // SAFETY: the view is used after the launch, in memory that is kept.
    unsafe { launch_on_cpu::<keep_the_view>(shape(1, 1), Mode::Fast, ()) }.unwrap();
    let view = KEPT.take().unwrap();
    let others: Vec<Vec<u32>> = (0..64).map(|_| vec![0; 64]).collect();
    (0..64).for_each(|i| view.write(i, 7));
    assert_eq!(view.read(3), 7);
    assert!(others.iter().flatten().all(|&word| word == 0));
}

#[address_space(constant)]
static SCALES: [f32; 2] = [1.0, 2.0];

#[kernel]
pub unsafe fn scale(data: ViewMut<f32>) {
    let i = thread::index_1d() as usize;
    data.write(i, data.read(i) * SCALES[i % 2]);
}

#[test]
fn the_host_sets_constants() {
    assert_eq!(SCALES.symbol(), "SCALES");
    assert_eq!(SCALES.value_on_cpu(), [1.0, 2.0]);
    let run = || {
        let mut data = [1.0, 1.0];
        let args = (ViewMut::from(&mut data[..]),);
        // SAFETY: one element per thread.
        unsafe { launch_on_cpu::<scale>(shape(1, 2), Mode::Fast, args) }.unwrap();
        data
    };
    assert_eq!(run(), [1.0, 2.0]);
    // SAFETY: no launch is running, and only this test uses the constant.
    unsafe { SCALES.set_on_cpu(&[3.0, -1.0]) };
    assert_eq!(run(), [3.0, -1.0]);
}
