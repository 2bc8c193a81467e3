//! Lesson 4: a matrix product.

use course_kernels::gemm::{TILE, multiply};
use simt::LaunchShape;

use super::noise;
use crate::machine::{Machine, Outcome};

/// Rows and columns of the first matrix, columns of the second. None is a multiple of the tile
/// size.
const SIZES: [usize; 3] = [37, 50, 21];

pub fn run(machine: &Machine) -> Outcome<String> {
    let [rows, inner, columns] = SIZES;
    let numbers = |count| {
        noise(count)
            .map(|number| (number % 1000) as f32 / 7.0)
            .collect::<Vec<_>>()
    };
    let (a, b) = (numbers(rows * inner), numbers(inner * columns));
    let (on_device_a, on_device_b) = (machine.upload(&a)?, machine.upload(&b)?);
    let mut c = machine.upload(&vec![0.0; rows * columns])?;
    let blocks = |size: usize| size.div_ceil(TILE) as u32;
    let shape = LaunchShape::new((blocks(columns), blocks(rows)), (TILE as u32, TILE as u32));
    let sizes = SIZES.map(|size| size as u32);
    // SAFETY: `c` is not used otherwise; each thread writes one element.
    unsafe {
        machine.launch::<multiply>(
            shape,
            (on_device_a.view(), on_device_b.view(), sizes, c.view_mut()),
        )?
    };

    let c = c.download()?;
    for row in 0..rows {
        for column in 0..columns {
            let mut sum = 0.0;
            for k in 0..inner {
                sum += a[row * inner + k] * b[k * columns + column];
            }
            // the same order without contraction: equal bits
            let found = c[row * columns + column];
            if found != sum {
                return Err(format!("row {row}, column {column} is {found}, not {sum}").into());
            }
        }
    }
    Ok(format!("{rows} x {inner} by {inner} x {columns}"))
}
