//! Measurement of one volume on one device.

use crate::{
    arguments::{Arguments, Job},
    field,
    support::Outcome,
};
use ferrovox::{
    device::{Device, Element, Stream},
    grid::{DeviceSample, DeviceVolume, SampleType},
    isosurface::{self, DeviceMesh, DeviceTriangles, IsosurfaceParams},
    synthetic::Quantised,
};
use measure::{Record, Report, Spread};
use std::time::{Duration, Instant};

/// Measures a job and adds its records to the report.
pub fn measure(
    report: &mut Report,
    device: &Device,
    job: &Job,
    arguments: &Arguments,
) -> Outcome<()> {
    macro_rules! measure_sample_type {
        ([$(($variant:ident, $type:ident)),+]) => {
            match job.sample {
                $(SampleType::$variant => measure_type::<$type>(report, device, job, arguments),)+
                other => Err(format!("kernels do not read samples of type {other}").into()),
            }
        };
    }
    ferrovox::for_kernel_sample_types! { [measure_sample_type] }
}

/// Times of repeated runs.
#[derive(Default)]
struct Times {
    extract: Vec<Duration>,
    download: Vec<Duration>,
    stages: Vec<(&'static str, Vec<Duration>)>,
}

fn measure_type<T: Quantised + DeviceSample + Element>(
    report: &mut Report,
    device: &Device,
    job: &Job,
    arguments: &Arguments,
) -> Outcome<()> {
    let stream = device.stream()?;
    let volume = field::volume::<T>(&stream, job)?;
    stream.synchronize()?;
    let params = IsosurfaceParams {
        iso: field::levels(job.sample, job.field).offset,
        normals: job.normals,
        method: job.method,
        topology: job.topology,
        ..Default::default()
    };
    let mut times = Times::default();
    // warm-up, which also determines the memory use
    device.reset_peak_memory();
    let mesh = isosurface::extract(&stream, &volume, None, &params)?;
    stream.synchronize()?;
    let record = describe_mesh(device, job, &volume, &mesh);
    drop(mesh);
    for _ in 0..arguments.common.runs {
        run(&stream, &volume, &params, arguments, &mut times)?;
    }
    let about = Record {
        bytes: None,
        vertices: None,
        triangles: None,
        peak_bytes: None,
        scratch_bytes: None,
        ..record.clone()
    };
    let record_measure = |measure: String, bytes: Option<u64>| Record {
        measure,
        bytes,
        ..about.clone()
    };
    let mesh_bytes = record
        .bytes
        .map(|bytes| bytes - volume.samples().bytes() as u64);
    report.add(record.with_times(Spread::from_durations(&times.extract)));
    for (stage, times) in &times.stages {
        report.add(
            record_measure(format!("- {stage}"), None).with_times(Spread::from_durations(times)),
        );
    }
    if !arguments.no_download {
        // limited by the bus, so not reported as a fraction of the copy bandwidth
        let mut record = record_measure("download".into(), None)
            .with_times(Spread::from_durations(&times.download));
        record.bytes = mesh_bytes;
        report.add(record);
    }
    Ok(())
}

/// Runs the extraction once.
fn run<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    params: &IsosurfaceParams,
    arguments: &Arguments,
    times: &mut Times,
) -> Outcome<()> {
    let start = Instant::now();
    let mesh = isosurface::extract(stream, volume, None, params)?;
    stream.synchronize()?;
    times.extract.push(start.elapsed());
    if !arguments.no_download {
        let start = Instant::now();
        mesh.download(stream)?;
        times.download.push(start.elapsed());
    }
    drop(mesh);
    if !arguments.no_stages {
        // repeated without stages, since the events between them take time
        let params = &IsosurfaceParams {
            time_stages: true,
            ..*params
        };
        let mesh = isosurface::extract(stream, volume, None, params)?;
        for (index, time) in mesh.stage_times()?.into_iter().enumerate() {
            if times.stages.len() == index {
                times.stages.push((time.stage, Vec::new()));
            }
            times.stages[index].1.push(time.time);
        }
    }
    Ok(())
}

/// Returns a record that describes a mesh, without times.
fn describe_mesh<T: DeviceSample>(
    device: &Device,
    job: &Job,
    volume: &DeviceVolume<T>,
    mesh: &DeviceMesh,
) -> Record {
    let indices = match &mesh.triangles {
        DeviceTriangles::U32(indices) => indices.bytes(),
        DeviceTriangles::U64(indices) => indices.bytes(),
    };
    let normals = mesh.normals.as_ref().map_or(0, |normals| normals.bytes());
    let needed = (volume.samples().bytes() + mesh.positions.bytes() + normals + indices) as u64;
    let peak = device.memory_use().peak;
    Record {
        bytes: Some(needed),
        vertices: Some(mesh.vertex_count() as u64),
        triangles: Some(mesh.triangle_count() as u64),
        peak_bytes: Some(peak),
        scratch_bytes: Some(peak.saturating_sub(needed)),
        ..job.record(device)
    }
}
