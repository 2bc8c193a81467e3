//! Benchmark of a process's start-up: the times of opening the driver, creating a context, running
//! the first kernel, and extracting the first mesh.
//!
//! `cargo bench -p ferrovox --bench startup`
//!
//! The driver caches compiled kernels: run with `CUDA_CACHE_DISABLE=1` to include the compilation
//! of the PTX, and again without it for the time from the second start on.

use ferrovox::{
    device::Device,
    isosurface::{self, IsosurfaceParams},
    synthetic,
};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ms = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let count = Device::cuda_count();
    println!(
        "opening the driver        {:>10.3} ms: {count:?}",
        ms(start)
    );
    for index in 0..count.unwrap_or(0) {
        let start = Instant::now();
        let device = Device::cuda(index)?;
        println!("context                   {:>10.3} ms: {device}", ms(start));
        let start = Instant::now();
        let again = Device::cuda(index)?;
        println!(
            "the context once more     {:>10.3} ms: {}",
            ms(start),
            again.id()
        );
        first_kernel(&device)?;
    }
    first_kernel(&Device::cpu())
}

fn first_kernel(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let ms = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let id = device.id();
    let start = Instant::now();
    let stream = device.stream()?;
    let sphere = synthetic::sphere(&stream, [64; 3], 20.0)?;
    stream.download(sphere.samples())?;
    println!("first kernel, download    {:>10.3} ms: {id}", ms(start));
    for which in ["first mesh", "second mesh"] {
        let start = Instant::now();
        let params = IsosurfaceParams::default();
        let surface = isosurface::extract(&stream, &sphere, None, &params)?;
        let vertices = surface.download(&stream)?.vertices.len();
        println!(
            "{which:<25} {:>10.3} ms: {id}, {vertices} vertices",
            ms(start)
        );
    }
    Ok(())
}
