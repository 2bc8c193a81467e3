//! Times the isosurface of a gyroid, stage by stage, on every device present.
//!
//! `cargo bench -p ferrovox --bench isosurface -- [SIZE …] [--periods N] [--device NAME] [--normals] [--method fused|staged]
//! [--no-download]`
//!
//! The volume is on the device already; the output's allocation is counted, its download is not (it is told apart). The
//! figures are medians, with the fastest and the slowest run beside them.

use ferrovox::{
    device::Device,
    fields,
    isosurface::{self, IsosurfaceParams, Method},
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
    normals: bool,
    method: Method,
    download: bool,
}

fn options() -> Options {
    let mut options = Options {
        sizes: Vec::new(),
        periods: 4.0,
        device: None,
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

fn print(what: &str, times: &mut [Duration]) {
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (median, least, most) = (times[times.len() / 2], times[0], times[times.len() - 1]);
    println!(
        "    {what:<18} {:>10.3} ms   ({:.3} to {:.3})",
        ms(median),
        ms(least),
        ms(most)
    );
}
