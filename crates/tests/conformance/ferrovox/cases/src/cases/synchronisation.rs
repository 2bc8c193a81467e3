//! Barrier reductions, fences, polling, and lanes.

use super::{LENGTH, launch_1d, numbers};
use crate::Machine;
use crate::compare::equal;
use conformance_kernels as kernels;

pub fn count_even<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let mut input: Vec<u32> = numbers(LENGTH, 31).collect();
    // One block all even and one all odd, as far as the input reaches.
    input.iter_mut().take(block as usize).for_each(|x| *x &= !1);
    input
        .iter_mut()
        .skip(block as usize)
        .take(block as usize)
        .for_each(|x| *x |= 1);
    let shape = launch_1d(LENGTH, block);
    let from = machine.upload(&input)?;
    let results = machine.upload(&vec![9_u32; 3 * shape.grid.x as usize])?;
    // SAFETY: three words per block.
    unsafe { machine.launch::<kernels::count_even>(shape, (from.view(), results.ptr))? };
    let want: Vec<u32> = input
        .chunks(block as usize)
        .flat_map(|chunk| {
            let count = chunk.iter().filter(|&x| x % 2 == 0).count() as u32;
            [count, u32::from(count == block), u32::from(count > 0)]
        })
        .collect();
    equal("counts", &machine.download(results)?, &want)
}

pub fn sum_in_one_launch<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input: Vec<u32> = numbers(LENGTH, 32).map(|n| n % 1000).collect();
    let shape = launch_1d(LENGTH, block);
    let from = machine.upload(&input)?;
    let partial = machine.upload(&vec![0_u32; shape.grid.x as usize])?;
    let (finished, total) = (machine.upload(&[0_u32])?, machine.upload(&[0_u32])?);
    let args = (from.view(), partial.ptr, finished.ptr, total.ptr);
    // SAFETY: one partial sum per block.
    unsafe { machine.launch::<kernels::sum_in_one_launch>(shape, args)? };
    equal("total", &machine.download(total)?, &[input.iter().sum()])
}

pub fn hand_over<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let blocks = 6;
    let shape = launch_1d(blocks * block as usize, block);
    let mailbox = machine.upload(&vec![0_u32; blocks])?;
    let received = machine.upload(&vec![0_u32; blocks])?;
    // SAFETY: one word per block in each.
    unsafe { machine.launch::<kernels::hand_over>(shape, (mailbox.ptr, received.ptr))? };
    let want: Vec<u32> = (100..100 + blocks as u32).collect();
    equal("received", &machine.download(received)?, &want)
}

pub fn lanes<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let shape = launch_1d(3 * block as usize, block);
    let output = machine.upload(&vec![99_u32; 3 * block as usize])?;
    // SAFETY: one word per thread.
    unsafe { machine.launch::<kernels::lanes>(shape, (output.ptr,))? };
    let want: Vec<u32> = (0..3 * block).map(|i| i % block % 32).collect();
    equal("lanes", &machine.download(output)?, &want)
}
