//! Atomics.

use super::{LENGTH, launch_1d, numbers, whole_floats};
use crate::Machine;
use crate::compare::equal;
use conformance_kernels as kernels;
use conformance_kernels::{BINS, EXTREMES_START};

fn counts(input: &[u8]) -> [u32; BINS] {
    let mut bins = [0; BINS];
    for &x in input {
        bins[x as usize % BINS] += 1;
    }
    bins
}

pub fn histogram<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input: Vec<u8> = numbers(LENGTH, 21).map(|n| (n >> 3) as u8).collect();
    let (from, bins) = (machine.upload(&input)?, machine.upload(&[0_u32; BINS])?);
    // SAFETY: the array has all bins that the kernel uses.
    unsafe {
        machine.launch::<kernels::histogram>(launch_1d(LENGTH, block), (from.view(), bins.ptr))?
    };
    equal("bins", &machine.download(bins)?, &counts(&input))
}

pub fn histogram_by_blocks<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input: Vec<u8> = numbers(LENGTH, 22).map(|n| (n >> 5) as u8).collect();
    let (from, bins) = (machine.upload(&input)?, machine.upload(&[0_u32; BINS])?);
    let shape = launch_1d(LENGTH, block);
    // SAFETY: the array has all bins that the kernel uses.
    unsafe { machine.launch::<kernels::histogram_by_blocks>(shape, (from.view(), bins.ptr))? };
    equal("bins", &machine.download(bins)?, &counts(&input))
}

pub fn float_sums<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input = whole_floats(LENGTH, 23);
    let from = machine.upload(&input)?;
    let (sums, wide) = (machine.upload(&[0.0_f32; 3])?, machine.upload(&[0.5_f64])?);
    let shape = launch_1d(LENGTH, block);
    // SAFETY: three sums and one.
    unsafe { machine.launch::<kernels::float_sums>(shape, (from.view(), sums.ptr, wide.ptr))? };
    let sum: f32 = input.iter().sum();
    equal("sums", &machine.download(sums)?, &[sum; 3])?;
    equal("f64 sum", &machine.download(wide)?, &[f64::from(sum) + 0.5])
}

pub fn extremes<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input: Vec<i32> = numbers(LENGTH, 24)
        .map(|n| (n as i32) << 1 ^ 0x5a)
        .collect();
    let (from, words) = (machine.upload(&input)?, machine.upload(&EXTREMES_START)?);
    // SAFETY: seven words.
    unsafe {
        machine.launch::<kernels::extremes>(launch_1d(LENGTH, block), (from.view(), words.ptr))?
    };
    let got = machine.download(words)?;
    let fold = |start: i32, f: fn(i32, i32) -> i32| input.iter().fold(start, |a, &x| f(a, x));
    let want = [
        fold(-1, |a, x| a & x),
        fold(0, |a, x| a | x),
        fold(0, |a, x| a ^ x),
        fold(i32::MAX, i32::min),
        fold(i32::MIN, i32::max),
        fold(0, i32::wrapping_sub),
    ];
    equal("words", &got[..6], &want)?;
    if input.contains(&got[6]) {
        Ok(())
    } else {
        Err(format!(
            "the exchanged word is {}, which is no input",
            got[6]
        ))
    }
}

pub fn locked_count<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let blocks = 40;
    let (lock, count) = (machine.upload(&[0_u32])?, machine.upload(&[0_u32])?);
    let shape = launch_1d((blocks * block) as usize, block);
    // SAFETY: one word each.
    unsafe { machine.launch::<kernels::locked_count>(shape, (lock.ptr, count.ptr))? };
    equal("count", &machine.download(count)?, &[blocks * block])?;
    equal("lock", &machine.download(lock)?, &[0])
}
