//! Times the isosurface of a gyroid, stage by stage, on every device present.
//!
//! `cargo bench -p ferrovox --bench isosurface -- [SIZE …] [--periods N] [--device NAME] [--normals] [--method fused|staged]
//! [--no-download] [--devices NAME,NAME…]`
//!
//! The volume is on the device already; the output's allocation is counted, its download is not (it is told apart). The
//! figures are medians, with the fastest and the slowest run beside them.
//!
//! With `--devices` the volume is cut into a slab for each device, filled in there, and all extract at the same time; the time is
//! that until the last is done. The first device alone, with the whole volume, is measured beside it.

use ferrovox::{
    device::Device,
    fields,
    isosurface::{self, DeviceSlab, IsosurfaceParams, Method},
    volume::Geometry,
};
use std::{
    f64::consts::TAU,
    time::{Duration, Instant},
};

const RUNS: usize = 9;

struct Options {
    sizes: Vec<usize>,
    periods: f64,
    device: Option<String>,
    devices: Vec<String>,
    normals: bool,
    method: Method,
    download: bool,
}

fn options() -> Options {
    let mut options = Options {
        sizes: Vec::new(),
        periods: 4.0,
        device: None,
        devices: Vec::new(),
        normals: false,
        method: Method::default(),
        download: true,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--periods" => {
                options.periods = args
                    .next()
                    .and_then(|n| n.parse().ok())
                    .expect("--periods takes a number")
            }
            "--device" => options.device = args.next(),
            "--devices" => {
                let names = args
                    .next()
                    .expect("--devices takes names with commas between");
                options.devices = names.split(',').map(str::to_owned).collect()
            }
            "--no-download" => options.download = false,
            "--method" => {
                let name = args.next().unwrap_or_default();
                let known = Method::ALL.into_iter().find(|method| method.name() == name);
                options.method = known.expect("--method takes fused or staged")
            }
            "--normals" => options.normals = true,
            // cargo's own
            "--bench" => {}
            size => options.sizes.push(
                size.parse()
                    .expect("a size is a number of samples per axis"),
            ),
        }
    }
    if options.sizes.is_empty() {
        options.sizes = vec![128, 256];
    }
    options
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = options();
    if !options.devices.is_empty() {
        let devices: Result<Vec<Device>, _> =
            options.devices.iter().map(|name| name.parse()).collect();
        let devices = devices?;
        for &size in &options.sizes {
            several(&devices, size, &options)?;
        }
        return Ok(());
    }
    let devices = match &options.device {
        Some(name) => vec![name.parse::<Device>()?],
        None => Device::all(),
    };
    for device in devices {
        println!("{device}");
        for &size in &options.sizes {
            match measure(&device, size, &options) {
                Ok(()) => {}
                Err(error) => println!("  {size}^3: {error}"),
            }
        }
    }
    Ok(())
}

fn measure(
    device: &Device,
    size: usize,
    options: &Options,
) -> Result<(), Box<dyn std::error::Error>> {
    let stream = device.stream()?;
    let volume = fields::gyroid(&stream, [size; 3], options.periods * TAU)?;
    stream.synchronize()?;
    let params = IsosurfaceParams {
        normals: options.normals,
        method: options.method,
        ..Default::default()
    };
    let mut wall = Vec::new();
    let mut download = Vec::new();
    let mut stages: Vec<(&'static str, Vec<Duration>)> = Vec::new();
    let (mut vertices, mut triangles) = (0, 0);
    for run in 0..=RUNS {
        let start = Instant::now();
        let surface = isosurface::extract(&stream, &volume, None, &params)?;
        stream.synchronize()?;
        let extracted = start.elapsed();
        let start = Instant::now();
        if options.download {
            surface.download(&stream)?;
        }
        let downloaded = start.elapsed();
        (vertices, triangles) = (surface.vertex_count(), surface.triangle_count());
        if run == 0 {
            continue;
        }
        wall.push(extracted);
        download.push(downloaded);
        for (index, time) in surface.stage_times()?.into_iter().enumerate() {
            if stages.len() == index {
                stages.push((time.stage, Vec::new()));
            }
            stages[index].1.push(time.time);
        }
    }
    println!(
        "  gyroid {size}^3 f32, {} periods, {}: {vertices} vertices, {triangles} triangles",
        options.periods,
        options.method.name()
    );
    print("extract", &mut wall);
    for (stage, times) in &mut stages {
        print(&format!("  {stage}"), times);
    }
    if options.download {
        print("download", &mut download);
    }
    Ok(())
}

/// One device with the whole volume, then all with a slab each.
fn several(
    devices: &[Device],
    size: usize,
    options: &Options,
) -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = devices.iter().map(Device::id).collect();
    println!(
        "gyroid {size}^3 f32, {} periods, resident on {}",
        options.periods,
        names.join(", ")
    );
    let params = IsosurfaceParams {
        normals: options.normals,
        ..Default::default()
    };
    let (dims, extent) = ([size; 3], options.periods * TAU);
    let one = {
        let stream = devices[0].stream()?;
        let volume = fields::gyroid(&stream, dims, extent)?;
        stream.synchronize()?;
        let mut wall = Vec::new();
        for run in 0..=RUNS {
            let start = Instant::now();
            let surface = isosurface::extract(&stream, &volume, None, &params)?;
            stream.synchronize()?;
            let time = start.elapsed();
            drop(surface);
            if run > 0 {
                wall.push(time);
            }
        }
        print("one device", &mut wall)
    };

    let mut resident = Vec::new();
    for (device, slab) in devices
        .iter()
        .zip(isosurface::cut(dims, false, devices.len())?)
    {
        let stream = device.stream()?;
        let planes = slab.planes.clone();
        let samples = fields::gyroid_planes(&stream, dims, extent, planes)?;
        stream.synchronize()?;
        resident.push((stream, samples, slab));
    }
    let slabs: Vec<_> = resident
        .iter()
        .map(|(stream, samples, slab)| DeviceSlab {
            stream,
            samples,
            mask: None,
            first_plane: slab.planes.start,
            cells: slab.cells.clone(),
        })
        .collect();
    let mut wall = Vec::new();
    let mut last = None;
    for run in 0..=RUNS {
        // the memory of the run before is used again
        drop(last.take());
        let start = Instant::now();
        let parts = isosurface::extract_slabs(dims, &Geometry::default(), &slabs, &params)?;
        let time = start.elapsed();
        last = Some(parts);
        if run > 0 {
            wall.push(time);
        }
    }
    let all = print(&format!("{} devices", slabs.len()), &mut wall);
    if let Some(parts) = last {
        for part in &parts.parts {
            let stages: Vec<String> = part
                .mesh
                .stage_times()?
                .iter()
                .map(|stage| format!("{} {:.3}", stage.stage, stage.time.as_secs_f64() * 1e3))
                .collect();
            println!("      {:<8} {}", part.device().id(), stages.join(", "));
        }
        println!(
            "    {} vertices, {} triangles; {:.2} times as fast as one",
            parts.vertex_count(),
            parts.triangle_count(),
            one.as_secs_f64() / all.as_secs_f64()
        );
    }
    Ok(())
}

/// Prints the median, which is also the result.
fn print(what: &str, times: &mut [Duration]) -> Duration {
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (median, least, most) = (times[times.len() / 2], times[0], times[times.len() - 1]);
    println!(
        "    {what:<18} {:>10.3} ms   ({:.3} to {:.3})",
        ms(median),
        ms(least),
        ms(most)
    );
    median
}
