//! Runs `saxpy` on the CPU, where it can be debugged, and on the GPU, if there is one.

use cuda_std::{View, ViewMut};
use cust::{error::CudaResult, prelude::*};
use first_kernels::saxpy;
use simt::{LaunchError, LaunchShape, Mode};

/// What build.rs made; empty without a device toolchain.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
const BLOCK: u32 = 128;

/// Checked mode also looks for races and for accesses out of bounds.
fn on_cpu(factor: f32, x: &[f32], y: &mut [f32]) -> Result<(), LaunchError> {
    let shape = LaunchShape {
        grid: (x.len() as u32).div_ceil(BLOCK).into(),
        block: BLOCK.into(),
        dynamic_shared_bytes: 0,
    };
    let args = (factor, View::from(x), ViewMut::from(y));
    // SAFETY: `y` is borrowed exclusively.
    unsafe { cuda_std::launch_on_cpu::<saxpy>(shape, Mode::Checked { seed: 1 }, args) }
}

fn on_gpu(factor: f32, x: &[f32], y: &mut [f32]) -> CudaResult<()> {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(PTX, &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let (device_x, device_y) = (DeviceBuffer::from_slice(x)?, DeviceBuffer::from_slice(y)?);
    let grid = (x.len() as u32).div_ceil(BLOCK);
    // SAFETY: a view is passed as pointer and length, and the order is that of the kernel's
    // parameters.
    unsafe {
        launch!(module.saxpy<<<grid, BLOCK, 0, stream>>>(
            factor, device_x.as_device_ptr(), device_x.len(), device_y.as_device_ptr(), device_y.len()
        ))?;
    }
    stream.synchronize()?;
    device_y.copy_to(y)
}

fn main() -> Result<(), LaunchError> {
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let mut from_cpu = vec![1.0; x.len()];
    on_cpu(2.0, &x, &mut from_cpu)?;
    assert!(x.iter().zip(&from_cpu).all(|(x, y)| *y == 2.0 * x + 1.0));
    println!("cpu: {} elements, no findings", from_cpu.len());

    let mut from_gpu = vec![1.0; x.len()];
    match on_gpu(2.0, &x, &mut from_gpu) {
        _ if PTX.is_empty() => println!("gpu: no PTX, see the warnings of the build"),
        Err(error) => println!("gpu: {error}"),
        Ok(()) => {
            assert_eq!(from_gpu, from_cpu);
            println!("gpu: the same {} elements", from_gpu.len());
        }
    }
    Ok(())
}
