//! Lesson 5: gravitating bodies.

use course_kernels::n_body::{BLOCK, Body, accelerate};
use simt::LaunchShape;

use super::noise;
use crate::machine::{Machine, Outcome};

const SOFTENING: f32 = 0.05;

pub fn run(machine: &Machine) -> Outcome<String> {
    let numbers: Vec<f32> = noise(4 * 300)
        .map(|number| number as f32 / (1 << 24) as f32)
        .collect();
    let bodies: Vec<Body> = numbers
        .chunks_exact(4)
        .map(|it| [it[0], it[1], it[2], it[3]])
        .collect();
    let on_device = machine.upload(&bodies)?;
    let mut accelerations = machine.upload(&vec![[0.0; 3]; bodies.len()])?;
    let shape = LaunchShape::new(bodies.len().div_ceil(BLOCK) as u32, BLOCK as u32);
    // SAFETY: `accelerations` is not used otherwise; each thread writes one.
    unsafe {
        machine.launch::<accelerate>(
            shape,
            (on_device.view(), SOFTENING, accelerations.view_mut()),
        )?;
    }

    let mut worst = 0.0_f64;
    for (body, found) in bodies.iter().zip(accelerations.download()?) {
        let mut sum = [0.0; 3];
        for other in &bodies {
            let away = [0, 1, 2].map(|axis| f64::from(other[axis]) - f64::from(body[axis]));
            let squared: f64 =
                away.iter().map(|x| x * x).sum::<f64>() + f64::from(SOFTENING).powi(2);
            for (sum, away) in sum.iter_mut().zip(away) {
                *sum += f64::from(other[3]) * away / squared.powf(1.5);
            }
        }
        let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
        let error = (0..3)
            .map(|axis| (f64::from(found[axis]) - sum[axis]).abs())
            .fold(0.0, f64::max);
        worst = worst.max(error / length);
    }
    // f32 compared with f64
    if worst > 1e-4 {
        return Err(format!("an acceleration is wrong by {worst:e} of its length").into());
    }
    Ok(format!("{} bodies", bodies.len()))
}
