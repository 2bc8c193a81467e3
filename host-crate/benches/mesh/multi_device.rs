//! Measurement of several devices on one volume, each with a slab in its memory.

use crate::{
    arguments::{Arguments, Job},
    support::Outcome,
};
use ferrovox::{
    device::Device,
    grid::Geometry,
    isosurface::{self, DeviceSlab, IsosurfaceParams},
    synthetic,
};
use measure::{Record, Report, Spread};
use std::{f64::consts::TAU, time::Instant};

/// Measures the devices of `--devices` together on a gyroid in `f32`. The first of them alone is
/// measured like any other device.
pub fn measure(report: &mut Report, job: &Job, arguments: &Arguments) -> Outcome<()> {
    let devices: Vec<Device> = arguments
        .devices
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    let names: Vec<String> = devices.iter().map(Device::id).collect();
    let params = IsosurfaceParams {
        normals: job.normals,
        method: job.method,
        ..Default::default()
    };
    let dims = [job.size; 3];
    let mut resident = Vec::new();
    let cuts = isosurface::slabs(dims, false, devices.len())?;
    for (device, slab) in devices.iter().zip(cuts) {
        let stream = device.stream()?;
        let planes = slab.planes.clone();
        let samples = synthetic::gyroid_planes(&stream, dims, job.periods * TAU, planes)?;
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
    let mut times = Vec::new();
    let mut last = None;
    for run in 0..=arguments.common.runs {
        // the memory of the previous run is reused
        drop(last.take());
        let start = Instant::now();
        let parts = isosurface::extract_slabs(dims, &Geometry::default(), &slabs, &params)?;
        let time = start.elapsed();
        last = Some(parts);
        // warm-up
        if run > 0 {
            times.push(time);
        }
    }
    let mesh = last.expect("one run at least");
    let record = Record {
        device: names.join("+"),
        vertices: Some(mesh.vertex_count()),
        triangles: Some(mesh.triangle_count()),
        ..job.record(&devices[0])
    };
    report.add(record.with_times(Spread::from_durations(&times)));
    Ok(())
}
