//! Times of voxelized meshes by resolution, and their growth per doubling.

use crate::{
    Outcome,
    arguments::Arguments,
    objects::{mesh_name, stem, voxelize_mesh},
    ours::{branch_rule, timed},
};
use ferrovox::{device::Device, grid::Volume, monitor::Monitor, skeleton::medial};
use measure::{Record, Report};
use std::{fmt::Write, path::Path};

/// Skeletons of one mesh by one rule for branches.
struct Series<'a> {
    device: &'a Device,
    path: &'a Path,
    /// Name of the method in `--methods`.
    method: &'a str,
    params: medial::Params,
    /// Number of repetitions.
    runs: usize,
}

/// Measurement of a series at one resolution.
struct Measurement {
    resolution: u32,
    voxels: u64,
    tunnels: u64,
    endpoints: usize,
    is_certified: bool,
    ms: f64,
}

/// Times the medial skeletons of all meshes at all resolutions on a device by each selected rule
/// for branches, and prints a table of the growth. One volume is in memory at a time.
pub fn measure(report: &mut Report, device: &Device, arguments: &Arguments) -> Outcome<()> {
    let mut resolutions = arguments.resolutions.clone();
    resolutions.sort_unstable();
    let mut table = String::from(
        "| mesh | method | resolution | object voxels | tunnels | endpoints | certified | ms | growth per doubling | ns per voxel |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for path in &arguments.meshes {
        for method in &arguments.methods {
            let Some(branches) = branch_rule(method) else {
                continue;
            };
            let series = Series {
                device,
                path,
                method,
                params: medial::Params {
                    branches,
                    ..medial::Params::default()
                },
                runs: arguments.common.runs,
            };
            series.add_rows(report, &resolutions, &mut table)?;
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

impl Series<'_> {
    /// Measures all resolutions, in ascending order, and adds a row of the table for each.
    fn add_rows(
        &self,
        report: &mut Report,
        resolutions: &[u32],
        table: &mut String,
    ) -> Outcome<()> {
        let mut last: Option<Measurement> = None;
        for &resolution in resolutions {
            let found = self.measure(report, resolution)?;
            let growth = last.as_ref().map(|last| growth_per_doubling(last, &found));
            let _ = writeln!(
                table,
                "| {} | {} | {resolution} | {} | {} | {} | {} | {:.1} | {} | {:.0} |",
                stem(self.path),
                self.method,
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
        Ok(())
    }

    /// Times the skeleton at one resolution.
    fn measure(&self, report: &mut Report, resolution: u32) -> Outcome<Measurement> {
        let voxels: Volume<u8> = voxelize_mesh(self.path, resolution)?;
        let devices = std::slice::from_ref(self.device);
        let (skeletons, spread) = timed(self.runs, || {
            Ok(medial::extract(
                devices,
                &voxels,
                &self.params,
                Monitor::new(),
            )?)
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
            device: self.device.id(),
            measure: "skeleton".into(),
            method: self.method.into(),
            element: "u8".into(),
            field: mesh_name(self.path, resolution),
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
}
