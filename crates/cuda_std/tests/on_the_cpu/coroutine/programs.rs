//! Random programs of barriers and loops.

use super::{BLOCKS, in_every_mode, numbers};
use crate::support::shape;
use cuda_std::prelude::*;
use cuda_std::shared_view;

/// Interprets a program of operations on the block's array, each followed by a barrier: all kinds
/// of barriers, loops around them, and values that live across them.
#[kernel]
pub unsafe fn interpreter(program: View<u32>, output: ViewMut<u32>) {
    let array = shared_view![u32; 256];
    let sums = shared_view![u32; 4];
    let t = thread::thread_idx_x() as usize;
    let n = thread::block_dim_x() as usize;
    let mut mine = thread::index_1d().wrapping_mul(0x9E37_79B9);
    array.write(t, mine);
    if t == 0 {
        (0..4).for_each(|k| sums.write(k, 0));
    }
    thread::sync_threads();
    'all: for at in 0..program.len() {
        let word = program.read(at);
        let (operation, operand) = (word % 9, word / 9);
        let other = (t + operand as usize) % n;
        match operation {
            0 => {
                let value = array.read(other);
                thread::sync_threads();
                array.write(t, value ^ mine);
            }
            1 => mine = mine.wrapping_add(thread::sync_threads_count(mine & operand)),
            2 => mine ^= (thread::sync_threads_or(mine & operand & 0xFF) != 0) as u32,
            3 => mine ^= 2 * (thread::sync_threads_and(mine | operand) != 0) as u32,
            4 => {
                sums.atomic_add(operand as usize % 4, mine);
                thread::sync_threads();
                mine = mine.wrapping_add(sums.read(operand as usize % 4));
            }
            5 => {
                let mut round = 0;
                while round < operand % 3 {
                    let value = array.read(other);
                    {
                        thread::sync_threads();
                    }
                    array.write(t, value.wrapping_mul(3));
                    thread::sync_threads();
                    round += 1;
                    if round == 1 {
                        continue;
                    }
                    mine = mine.rotate_left(round);
                }
            }
            6 => {
                let mut steps = 0_u32;
                let mut x = mine;
                loop {
                    x = x.wrapping_mul(5).wrapping_add(operand);
                    steps += 1;
                    if x.is_multiple_of(7) || steps == 9 {
                        break;
                    }
                }
                mine ^= x.wrapping_add(steps);
            }
            7 => {
                for k in 0..operand as usize % 5 {
                    mine = mine.wrapping_add(array.read((t + k) % n));
                }
            }
            _ => {
                if operand % 16 == 0 {
                    break 'all;
                }
            }
        }
        thread::sync_threads();
    }
    output.write(thread::index_1d() as usize, mine ^ array.read(t));
}

/// Interprets the program with plain loops.
fn interpreted(program: &[u32], block: u32, n: usize) -> Vec<u32> {
    let mut mine: Vec<u32> = (0..n as u32)
        .map(|t| (block * n as u32 + t).wrapping_mul(0x9E37_79B9))
        .collect();
    let mut array = mine.clone();
    let mut sums = [0_u32; 4];
    let count = |mine: &[u32], holds: &dyn Fn(u32) -> bool| {
        mine.iter().filter(|&&m| holds(m)).count() as u32
    };
    for word in program {
        let (operation, operand) = (word % 9, word / 9);
        let other = |t: usize| (t + operand as usize) % n;
        match operation {
            0 => array = (0..n).map(|t| array[other(t)] ^ mine[t]).collect(),
            1 => {
                let held = count(&mine, &|m| m & operand != 0);
                mine.iter_mut().for_each(|m| *m = m.wrapping_add(held));
            }
            2 => {
                let any = count(&mine, &|m| m & operand & 0xFF != 0) > 0;
                mine.iter_mut().for_each(|m| *m ^= any as u32);
            }
            3 => {
                let all = count(&mine, &|m| m | operand != 0) == n as u32;
                mine.iter_mut().for_each(|m| *m ^= 2 * all as u32);
            }
            4 => {
                let sum = &mut sums[operand as usize % 4];
                *sum = mine.iter().fold(*sum, |sum, m| sum.wrapping_add(*m));
                mine.iter_mut().for_each(|m| *m = m.wrapping_add(*sum));
            }
            5 => {
                for round in 1..=operand % 3 {
                    array = (0..n).map(|t| array[other(t)].wrapping_mul(3)).collect();
                    if round > 1 {
                        mine.iter_mut().for_each(|m| *m = m.rotate_left(round));
                    }
                }
            }
            6 => {
                for m in &mut mine {
                    let mut x = *m;
                    let steps = (1..=9).find(|&steps| {
                        x = x.wrapping_mul(5).wrapping_add(operand);
                        x.is_multiple_of(7) || steps == 9
                    });
                    *m ^= x.wrapping_add(steps.unwrap());
                }
            }
            7 => {
                for (t, m) in mine.iter_mut().enumerate() {
                    for k in 0..operand as usize % 5 {
                        *m = m.wrapping_add(array[(t + k) % n]);
                    }
                }
            }
            _ if operand % 16 == 0 => break,
            _ => {}
        }
    }
    mine.iter().zip(array).map(|(m, a)| m ^ a).collect()
}

#[test]
fn random_programs_agree_with_plain_loops() {
    for seed in 1..=60 {
        let mut program = numbers(24, seed * 7919);
        program.truncate(seed as usize % 24 + 1);
        let block = BLOCKS[seed as usize % BLOCKS.len()];
        let output = in_every_mode::<interpreter>(shape(3, block), &program);
        for (b, values) in output.chunks(block as usize).enumerate() {
            assert_eq!(
                values,
                interpreted(&program, b as u32, block as usize),
                "seed {seed}, blocks of {block}"
            );
        }
    }
}
