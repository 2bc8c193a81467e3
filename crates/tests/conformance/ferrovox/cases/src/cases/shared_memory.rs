//! Shared and constant memory.

use super::{LENGTH, launch_1d, numbers, whole_floats};
use crate::Machine;
use crate::compare::equal;
use conformance_kernels as kernels;
use conformance_kernels::TILE;
use simt::{Dim3, LaunchShape};

pub fn block_sum<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input = whole_floats(LENGTH, 11);
    let shape = launch_1d(LENGTH, block);
    let from = machine.upload(&input)?;
    let sums = machine.upload(&vec![0.0_f32; shape.grid.x as usize])?;
    // SAFETY: one sum per block.
    unsafe { machine.launch::<kernels::block_sum>(shape, (from.view(), sums.ptr))? };
    let want: Vec<f32> = input
        .chunks(block as usize)
        .map(|chunk| chunk.iter().sum())
        .collect();
    equal("sums", &machine.download(sums)?, &want)
}

/// Transposes a matrix. The block is always one tile; `block` changes the shape of the matrix.
pub fn transpose<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let (rows, columns) = (block as usize % 100 + 1, 57_usize);
    let input: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
    let from = machine.upload(&input)?;
    let to = machine.upload(&vec![-1.0_f32; rows * columns])?;
    let tiles = |n: usize| u32::try_from(n.div_ceil(TILE)).expect("a small matrix");
    let shape = LaunchShape {
        grid: Dim3::new(tiles(columns), tiles(rows), 1),
        block: Dim3::new(TILE as u32, TILE as u32, 1),
        dynamic_shared_bytes: 0,
    };
    // SAFETY: both matrices have this many elements.
    unsafe { machine.launch::<kernels::transpose>(shape, (from.view(), rows, columns, to.ptr))? };
    let want: Vec<f32> = (0..columns)
        .flat_map(|column| (0..rows).map(move |row| (row * columns + column) as f32))
        .collect();
    equal("transpose", &machine.download(to)?, &want)
}

pub fn reverse_blocks<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let mut data: Vec<i32> = (0..block as i32 * 9).collect();
    let shape = launch_1d(data.len(), block);
    let buffer = machine.upload(&data)?;
    // SAFETY: the blocks are whole and of at most 256 threads.
    unsafe { machine.launch::<kernels::reverse_blocks>(shape, (buffer.ptr,))? };
    data.chunks_mut(block as usize).for_each(<[i32]>::reverse);
    equal("reversed", &machine.download(buffer)?, &data)
}

pub fn smooth_blocks<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input = whole_floats(LENGTH, 12);
    let (from, to) = (machine.upload(&input)?, machine.upload(&[0.0_f32; LENGTH])?);
    // SAFETY: the output is as long as the input.
    unsafe {
        machine.launch::<kernels::smooth_blocks>(launch_1d(LENGTH, block), (from.view(), to.ptr))?
    };
    let threads = block as usize;
    let want: Vec<f32> = (0..LENGTH)
        .map(|i| {
            let first = i / threads * threads;
            let at = |lane: usize| input.get(first + lane % threads).copied().unwrap_or(0.0);
            let lane = i - first;
            (at(lane + threads - 1) + at(lane) + at(lane + 1)) / 3.0
        })
        .collect();
    equal("smoothed", &machine.download(to)?, &want)
}

pub fn scan_blocks<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input: Vec<u64> = numbers(LENGTH, 13).map(u64::from).collect();
    let (from, to) = (machine.upload(&input)?, machine.upload(&[0_u64; LENGTH])?);
    let shape = LaunchShape {
        dynamic_shared_bytes: 2 * block * 8,
        ..launch_1d(LENGTH, block)
    };
    // SAFETY: the output is as long as the input.
    unsafe { machine.launch::<kernels::scan_blocks>(shape, (from.view(), to.ptr))? };
    let want: Vec<u64> = input
        .chunks(block as usize)
        .flat_map(|chunk| {
            chunk.iter().scan(0, |sum, x| {
                *sum += x;
                Some(*sum)
            })
        })
        .collect();
    equal("scan", &machine.download(to)?, &want)
}

pub fn convolve<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input = whole_floats(LENGTH, 14);
    let (from, to) = (machine.upload(&input)?, machine.upload(&[0.0_f32; LENGTH])?);
    // SAFETY: the output is as long as the input.
    unsafe {
        machine.launch::<kernels::convolve>(launch_1d(LENGTH, block), (from.view(), to.ptr))?
    };
    // Sixteenths times small integers: all sums are exact.
    let weights = [1.0, 4.0, 6.0, 4.0, 1.0].map(|w: f32| w / 16.0);
    let want: Vec<f32> = (0..LENGTH)
        .map(|i| {
            (0..5)
                .filter(|k| i + k >= 2)
                .filter_map(|k| input.get(i + k - 2).map(|x| weights[k] * x))
                .sum()
        })
        .collect();
    equal("convolution", &machine.download(to)?, &want)
}

pub fn rotate_warps<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let mut data: Vec<u32> = numbers(block as usize * 5, 15).collect();
    let shape = launch_1d(data.len(), block);
    let buffer = machine.upload(&data)?;
    // SAFETY: the blocks are whole warps.
    unsafe { machine.launch::<kernels::rotate_warps>(shape, (buffer.ptr,))? };
    data.chunks_mut(32).for_each(|warp| warp.rotate_left(1));
    equal("rotated", &machine.download(buffer)?, &data)
}
