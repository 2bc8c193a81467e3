//! Lesson 3: a volume, smoothed.

use course_kernels::stencil::box_mean;
use simt::LaunchShape;

use super::noise;
use crate::machine::{Machine, Outcome};

const DIMS: [u32; 3] = [21, 10, 7];

pub fn run(machine: &Machine) -> Outcome<String> {
    let [nx, ny, nz] = DIMS.map(|size| size as usize);
    let samples: Vec<f32> = noise(nx * ny * nz)
        .map(|number| (number % 256) as f32)
        .collect();
    let on_device = machine.upload(&samples)?;
    let mut means = machine.upload(&vec![0.0; samples.len()])?;
    // blocks of 8 x 4 x 4 threads that cover the volume
    let [x, y, z] = DIMS;
    let grid = (x.div_ceil(8), y.div_ceil(4), z.div_ceil(4));
    let shape = LaunchShape::new(grid, (8, 4, 4));
    // SAFETY: `means` is not used otherwise; each thread writes one.
    unsafe { machine.launch::<box_mean<2>>(shape, (on_device.view(), DIMS, means.view_mut()))? };

    let means = means.download()?;
    let around = |at: usize, size: usize| at.saturating_sub(2)..(at + 3).min(size);
    for (i, mean) in means.iter().enumerate() {
        let (x, y, z) = (i % nx, i / nx % ny, i / (nx * ny));
        let (mut sum, mut count) = (0.0, 0.0);
        for z in around(z, nz) {
            for y in around(y, ny) {
                for x in around(x, nx) {
                    sum += samples[x + nx * (y + ny * z)];
                    count += 1.0;
                }
            }
        }
        if *mean != sum / count {
            return Err(
                format!("the mean at ({x}, {y}, {z}) is {mean}, not {}", sum / count).into(),
            );
        }
    }
    Ok(format!("{nx} x {ny} x {nz} means of boxes of 5 x 5 x 5"))
}
