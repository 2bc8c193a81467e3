//! Measurement of one map on one device.

use crate::{
    arguments::{Arguments, Job, size_label},
    field::{self, Field},
    support::{self, Outcome},
};
use ferrovox::{
    device::{Device, Recording, Stream},
    distance::{self, DistanceParams, NearestIndices, NoSites, Sites},
    grid::{DeviceMask, DeviceVolume, Geometry},
};
use measure::{Record, Report, Spread};
use std::time::Instant;

/// Measures a job and adds its records to the report.
pub fn measure(
    report: &mut Report,
    device: &Device,
    job: &Job,
    arguments: &Arguments,
) -> Outcome<()> {
    let stream = device.stream()?;
    let sites = field::sites(&stream, job.field, job.dims, job.geometry()?)?;
    let count = sites.count(&stream)?;
    if job.is_first && !arguments.no_pack {
        report.add(measure_packing(&stream, job, &sites, arguments)?);
    }
    let params = DistanceParams {
        method: job.method,
        max_distance: job.max_distance,
        nearest: job.nearest,
        // The sites have been counted already.
        no_sites: NoSites::Infinity,
        ..DistanceParams::default()
    };
    let labels = match job.field {
        Field::Labels => Some(field::labels(&stream, job.dims, job.geometry()?)?),
        _ => None,
    };
    let input_bytes = match &labels {
        Some(labels) => labels.samples().bytes(),
        None => sites.words().bytes(),
    } as u64;
    let before = device.memory_use().now;
    device.reset_peak_memory();
    let compute = || match &labels {
        Some(labels) => distance::transform_labels(&stream, labels, &params),
        None => distance::transform(&stream, Sites::Voxels(&sites), &params),
    };
    let mut times = Vec::new();
    let mut output_bytes = 0;
    for run in 0..=arguments.common.runs {
        let start = Instant::now();
        let map = compute()?;
        stream.synchronize()?;
        // The first run warms up.
        if run > 0 {
            times.push(start.elapsed());
        }
        let nearest = match &map.nearest {
            Some(NearestIndices::U32(sites)) => sites.bytes(),
            Some(NearestIndices::U64(sites)) => sites.bytes(),
            None => 0,
        };
        output_bytes = (map.distances.bytes() + nearest) as u64;
    }
    if arguments.kernels {
        device.record_launches(Recording::Times);
        compute()?;
        for launch in device.take_launches()? {
            let (kernel, time) = (launch.kernel, launch.time.unwrap_or_default());
            eprintln!(
                "{} {}: {kernel} {time:?}",
                job.field.name(),
                size_label(job.dims)
            );
        }
        device.record_launches(Recording::Off);
    }
    let peak = device.memory_use().peak.saturating_sub(before) + input_bytes;
    let record = Record {
        bytes: Some(input_bytes + output_bytes),
        peak_bytes: Some(peak),
        scratch_bytes: Some(peak.saturating_sub(input_bytes + output_bytes)),
        note: format!("{}, {count} sites", job.field.name()),
        ..job.record(device)
    };
    report.add(record.with_times(Spread::from_durations(&times)));
    Ok(())
}

/// Measures the packing of a byte mask into bits.
fn measure_packing(
    stream: &Stream,
    job: &Job,
    sites: &DeviceMask,
    arguments: &Arguments,
) -> Outcome<Record> {
    let byte_mask = stream.upload(&field::unpack_bytes(stream, sites)?)?;
    let mask = DeviceVolume::from_buffer(byte_mask, job.dims, Geometry::default())?;
    let spread = support::time_by_events(stream, arguments.common.runs, 1, || {
        DeviceMask::from_non_zero(stream, &mask)?;
        Ok(())
    })?;
    let record = Record {
        measure: "pack".into(),
        method: String::new(),
        element: "u8".into(),
        note: job.field.name(),
        bytes: Some((mask.samples().bytes() + sites.words().bytes()) as u64),
        ..job.record(stream.device())
    };
    Ok(record.with_times(spread))
}
