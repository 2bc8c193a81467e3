//! Times of voxelized meshes by resolution, and their growth per doubling.

use crate::{
    Outcome,
    arguments::Arguments,
    objects::{mesh_name, stem, voxelize_mesh},
    ours::timed,
};
use ferrovox::{device::Device, grid::Volume, monitor::Monitor, skeleton::medial};
use measure::{Record, Report};
use std::{fmt::Write, path::Path};

/// Measurement of one mesh at one resolution.
struct Measurement {
    resolution: u32,
    voxels: u64,
    tunnels: u64,
    endpoints: usize,
    is_certified: bool,
    ms: f64,
}

/// Times the medial skeletons of all meshes at all resolutions on a device, and prints a table of
/// the growth. One volume is in memory at a time.
pub fn measure(report: &mut Report, device: &Device, arguments: &Arguments) -> Outcome<()> {
    let mut resolutions = arguments.resolutions.clone();
    resolutions.sort_unstable();
    let mut table = String::from(
        "| mesh | resolution | object voxels | tunnels | endpoints | certified | ms | growth per doubling | ns per voxel |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for path in &arguments.meshes {
        let mut last: Option<Measurement> = None;
        for &resolution in &resolutions {
            let found = measure_mesh(report, device, path, resolution, arguments.common.runs)?;
            let growth = last.as_ref().map(|last| growth_per_doubling(last, &found));
            let _ = writeln!(
                table,
                "| {} | {resolution} | {} | {} | {} | {} | {:.1} | {} | {:.0} |",
                stem(path),
                found.voxels,
                found.tunnels,
                found.endpoints,
                if found.is_certified { "yes" } else { "no" },
                found.ms,
                growth.map_or(String::new(), |growth| format!("{growth:.2}")),
                1e6 * found.ms / found.voxels as f64,
            );
            last = Some(found);
        }
    }
    report.print(&format!("\n{}\n\n{table}", device.id()));
    Ok(())
}

/// Returns the number of nodes with one edge.
fn endpoint_count(label: &medial::LabelSkeleton) -> usize {
    let degrees = label.skeleton.degrees();
    degrees.iter().filter(|&&degree| degree == 1).count()
}

/// Returns the factor by which the time grows when the resolution doubles.
fn growth_per_doubling(last: &Measurement, next: &Measurement) -> f64 {
    let doublings = (f64::from(next.resolution) / f64::from(last.resolution)).log2();
    (next.ms / last.ms).powf(1.0 / doublings)
}

/// Times the medial skeleton of a mesh at one resolution.
fn measure_mesh(
    report: &mut Report,
    device: &Device,
    path: &Path,
    resolution: u32,
    runs: usize,
) -> Outcome<Measurement> {
    let voxels: Volume<u8> = voxelize_mesh(path, resolution)?;
    let devices = std::slice::from_ref(device);
    let params = medial::Params::default();
    let (skeletons, spread) = timed(runs, || {
        Ok(medial::extract(devices, &voxels, &params, Monitor::new())?)
    })?;
    let components = || skeletons.labels.iter().flat_map(|label| &label.components);
    let [nx, ny, nz] = voxels.dims();
    let found = Measurement {
        resolution,
        voxels: components().map(|component| component.voxels).sum(),
        tunnels: components().map(|component| component.tunnels).sum(),
        endpoints: skeletons.labels.iter().map(endpoint_count).sum(),
        is_certified: skeletons.is_certified(),
        ms: spread.median_ms,
    };
    let record = Record {
        system: "ferrovox".into(),
        device: device.id(),
        measure: "skeleton".into(),
        method: "medial".into(),
        element: "u8".into(),
        field: mesh_name(path, resolution),
        size: format!("{nx}x{ny}x{nz}"),
        elements: voxels.samples().len() as u64,
        note: format!(
            "{} object voxels, {} tunnels, certified: {}",
            found.voxels, found.tunnels, found.is_certified
        ),
        ..Record::default()
    };
    report.add(record.with_times(spread));
    Ok(found)
}
