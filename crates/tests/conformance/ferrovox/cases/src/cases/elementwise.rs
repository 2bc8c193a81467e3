//! One thread per element.

use super::{LENGTH, launch_1d, numbers, whole_floats};
use crate::Machine;
use crate::compare::equal;
use conformance_kernels as kernels;
use conformance_kernels::Window;
use simt::{Dim3, LaunchShape};

pub fn vecadd<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let a: Vec<f32> = numbers(LENGTH, 1).map(|n| n as f32 * 0.37).collect();
    let b: Vec<f32> = numbers(LENGTH, 2).map(|n| n as f32 * -0.11).collect();
    let (da, db) = (machine.upload(&a)?, machine.upload(&b)?);
    let dc = machine.upload(&vec![0.0_f32; LENGTH])?;
    // SAFETY: `c` is as long as `a`.
    unsafe {
        machine
            .launch::<kernels::vecadd>(launch_1d(LENGTH, block), (da.view(), db.view(), dc.ptr))?;
    }
    let want: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    equal("c", &machine.download(dc)?, &want)
}

pub fn saxpy<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let (x, y) = (whole_floats(LENGTH, 3), whole_floats(LENGTH, 4));
    let (dx, dy) = (machine.upload(&x)?, machine.upload(&y)?);
    // SAFETY: `y` is as long as `x`.
    unsafe {
        machine.launch::<kernels::saxpy>(launch_1d(LENGTH, block), (2.5, dx.view(), dy.ptr))?
    };
    let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| y + 2.5 * x).collect();
    equal("y", &machine.download(dy)?, &want)
}

pub fn square<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let input: Vec<i32> = numbers(LENGTH, 5)
        .map(|n| (n % 20_000) as i32 - 10_000)
        .collect();
    let (from, to) = (machine.upload(&input)?, machine.upload(&[0_i32; LENGTH])?);
    let shape = LaunchShape {
        grid: Dim3::from(3),
        ..launch_1d(1, block)
    };
    // SAFETY: the output is as long as the input.
    unsafe { machine.launch::<kernels::square>(shape, (from.view(), to.ptr))? };
    let want: Vec<i32> = input.iter().map(|x| x * x).collect();
    equal("squares", &machine.download(to)?, &want)
}

pub fn crop<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let (pitch, rows) = (61_usize, 40_usize);
    let image: Vec<u8> = numbers(pitch * rows, 6).map(|n| n as u8).collect();
    let window = Window {
        left: 5,
        top: 7,
        width: 37,
        height: 21,
        gain: 0.75,
        invert: true,
    };
    let from = machine.upload(&image)?;
    let to = machine.upload(&vec![0.0_f64; (window.width * window.height) as usize])?;
    let (bx, by) = (block.min(16), block.div_ceil(16));
    let shape = LaunchShape {
        grid: Dim3::new(window.width.div_ceil(bx), window.height.div_ceil(by), 1),
        block: Dim3::new(bx, by, 1),
        dynamic_shared_bytes: 0,
    };
    // SAFETY: the window is within the image and the output has its size.
    unsafe { machine.launch::<kernels::crop>(shape, (from.view(), pitch, window, to.ptr))? };
    let want: Vec<f64> = (0..window.height)
        .flat_map(|y| (0..window.width).map(move |x| (x, y)))
        .map(|(x, y)| {
            let sample = image[(window.top + y) as usize * pitch + (window.left + x) as usize];
            0.75 * f64::from(255 - sample)
        })
        .collect();
    equal("window", &machine.download(to)?, &want)
}
