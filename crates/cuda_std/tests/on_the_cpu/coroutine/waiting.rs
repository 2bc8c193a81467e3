//! Threads that wait in frames, on stacks, or for memory; that exit; and operations on shared
//! memory.

use super::{BLOCKS, assert_is_coroutine, in_every_mode, numbers};
use crate::support::shape;
use cuda_std::prelude::*;
use cuda_std::{launch_on_cpu, shared_view, warp};
use simt::Mode;
use std::sync::atomic::Ordering;

#[inline(always)]
fn sync_in_function() {
    thread::sync_threads();
}

/// Barriers in the body, in a function and in a closure, alternating with warp operations.
#[kernel]
pub unsafe fn mixed(input: View<u32>, output: ViewMut<u32>) {
    let array = shared_view![u32; 256];
    let t = thread::thread_idx_x() as usize;
    let n = thread::block_dim_x() as usize;
    let mut mine = input.read(t);
    let wait = || thread::sync_threads();
    for round in 0..6 {
        array.write(t, mine);
        match round % 3 {
            0 => thread::sync_threads(),
            1 => sync_in_function(),
            _ => wait(),
        }
        mine = mine.wrapping_add(array.read((t + 1) % n));
        if round % 2 == 0 {
            // SAFETY: all lanes make this call.
            mine ^= unsafe { warp::warp_vote_ballot(warp::FULL_MASK, mine.is_multiple_of(2)) };
        }
        thread::sync_threads();
    }
    output.write(thread::index_1d() as usize, mine);
}

#[test]
fn frames_and_stacks_wait_at_the_same_barriers() {
    for (seed, block) in (1..).zip(BLOCKS) {
        let n = block as usize;
        let input = numbers(n, seed);
        let output = in_every_mode::<mixed>(shape(2, block), &input);
        let mut mine = input;
        for round in 0..6 {
            let array = mine.clone();
            (0..n).for_each(|t| mine[t] = mine[t].wrapping_add(array[(t + 1) % n]));
            if round % 2 == 0 {
                for lanes in mine.chunks_mut(32) {
                    let ballot = (0..)
                        .zip(&*lanes)
                        .fold(0, |bits, (lane, m)| bits | u32::from(m % 2 == 0) << lane);
                    lanes.iter_mut().for_each(|m| *m ^= ballot);
                }
            }
        }
        assert_eq!(output, [&mine[..], &mine[..]].concat());
    }
}

/// Threads exit before different barriers, which fast mode allows.
#[kernel]
pub unsafe fn leaving(input: View<u32>, output: ViewMut<u32>) {
    let t = thread::thread_idx_x();
    let mut seen = 0;
    for round in 0..input.len() as u32 {
        seen += thread::sync_threads_count(1);
        if t % 8 == round {
            output.write(thread::index_1d() as usize, seen);
            return;
        }
    }
    output.write(thread::index_1d() as usize, seen);
}

#[test]
fn exited_threads_are_not_waited_for() {
    assert_is_coroutine::<leaving>();
    let mut output = [0; 100];
    let input = [0; 5];
    let args = (View::from(&input[..]), ViewMut::from(&mut output[..]));
    // SAFETY: each thread writes an element of its own.
    unsafe { launch_on_cpu::<leaving>(shape(1, 100), Mode::Fast, args) }.unwrap();
    let there = |round| (0..100).filter(|t| t % 8 >= round).count();
    for (t, value) in (0..).zip(output) {
        let rounds = (t % 8 + 1).min(5);
        assert_eq!(
            value as usize,
            (0..rounds).map(there).sum::<usize>(),
            "thread {t}"
        );
    }
}

/// Threads that poll a word which another thread of the block writes between barriers.
#[kernel]
pub unsafe fn spinning(input: View<u32>, output: ViewMut<u32>) {
    let turn = shared_view![u32; 1];
    let t = thread::thread_idx_x();
    if t == 0 {
        turn.write(0, 0);
    }
    for _ in 0..input.len() {
        thread::sync_threads();
        // the last thread must run first
        let mine = thread::block_dim_x() - 1 - t;
        while turn.atomic_load(0, Ordering::Acquire) != mine {}
        turn.atomic_store(0, mine + 1, Ordering::Release);
        thread::sync_threads();
        if t == 0 {
            turn.atomic_exchange(0, 0);
        }
    }
    output.write(t as usize, input.len() as u32);
}

#[test]
fn threads_may_poll_memory_between_barriers() {
    assert_eq!(in_every_mode::<spinning>(shape(1, 37), &[0; 3]), [3; 37]);
}

/// All operations on shared memory, by all threads.
#[kernel]
pub unsafe fn shared_operations(input: View<u32>, output: ViewMut<u32>) {
    let words = shared_view![u32; 8];
    let numbers = shared_view![i64; 4];
    let t = thread::thread_idx_x() as usize;
    if t < 8 {
        words.write(t, input.read(t));
    }
    if t < 4 {
        numbers.write(t, -(input.read(t) as i64));
    }
    thread::sync_threads();
    let x = input.read(t);
    words.atomic_add(0, x);
    words.atomic_min(1, x);
    words.atomic_max(2, x);
    words.atomic_and(3, x | 0xFFFF);
    words.atomic_or(4, x & 0xFF00_00FF);
    words.atomic_xor(5, x);
    let before = words.atomic_exchange(6, x);
    words.atomic_max_no_return(7, before);
    numbers.atomic_add(0, x as i64 - (1 << 31));
    numbers.atomic_min(1, x as i64 - (1 << 31));
    numbers.atomic_max(2, x as i64 - (1 << 31));
    while numbers
        .atomic_compare_exchange(3, numbers.read(3), numbers.read(3) ^ x as i64)
        .is_err()
    {}
    thread::sync_threads();
    if t < 8 {
        output.write(thread::index_1d() as usize, words.read(t));
    } else if t < 12 {
        let number = numbers.read(t - 8);
        output.write(thread::index_1d() as usize, (number ^ number >> 32) as u32);
    }
}

#[test]
fn shared_memory_operations_agree_with_plain_loops() {
    assert_is_coroutine::<shared_operations>();
    for block in [12, 32, 200] {
        let input = numbers(block as usize, block);
        {
            let mut output = vec![0; 2 * block as usize];
            let args = (View::from(&input[..]), ViewMut::from(&mut output[..]));
            // SAFETY: each thread writes an element of its own.
            unsafe { launch_on_cpu::<shared_operations>(shape(2, block), Mode::Fast, args) }
                .unwrap();
            let all = |start: usize, operation: fn(u32, u32) -> u32| {
                input.iter().fold(input[start], |a, &x| operation(a, x))
            };
            let signed = |start: usize, operation: fn(i64, i64) -> i64| {
                let number = input.iter().fold(-i64::from(input[start]), |a, &x| {
                    operation(a, i64::from(x) - (1 << 31))
                });
                (number ^ number >> 32) as u32
            };
            let want = [
                all(0, u32::wrapping_add),
                all(1, u32::min),
                all(2, u32::max),
                all(3, |a, x| a & (x | 0xFFFF)),
                all(4, |a, x| a | x & 0xFF00_00FF),
                all(5, |a, x| a ^ x),
                0,
                0,
                signed(0, |a, x| a + x),
                signed(1, i64::min),
                signed(2, i64::max),
                signed(3, |a, x| a ^ (x + (1 << 31))),
            ];
            for values in output.chunks(block as usize) {
                // The exchanges happen in any order: one value remains, the others and the initial
                // one were returned.
                let mut want = want;
                let left = input.iter().filter(|x| **x != values[6]);
                assert_eq!(left.clone().count(), input.len() - 1, "blocks of {block}");
                want[6] = values[6];
                want[7] = left.chain([&input[6], &input[7]]).fold(0, |a, x| a.max(*x));
                assert_eq!(values[..12], want, "blocks of {block}");
            }
        }
    }
}
