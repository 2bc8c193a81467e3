//! What `ferrovox mesh` says when it is done.

use crate::{args::MeshArgs, input::by};
use ferrovox::{
    device::Device,
    grid::{SampleSummary, SampleType},
    isosurface::Method,
    mesh::{MeshReport, Opening},
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::fmt::Write;

/// Everything there is to say.
pub struct MeshRun<'a> {
    pub args: &'a MeshArgs,
    pub iso: f32,
    pub dims: [usize; 3],
    pub sample_type: SampleType,
    pub summary: SampleSummary,
    pub inexact: usize,
    pub vertices: u64,
    pub triangles: u64,
    pub index_bits: u32,
    pub non_finite_cells: u64,
    pub slabs: u64,
    /// None where there was nothing to work on.
    pub devices: Vec<DeviceRun>,
    /// If the mesh was looked at: not where it was streamed.
    pub checked: Option<Checked>,
    pub phase_times: Vec<(&'static str, f64)>,
    pub total: f64,
}

/// What a device did.
pub struct DeviceRun {
    pub device: Device,
    pub slabs: u64,
    pub stages: Vec<(&'static str, f64)>,
}

impl MeshRun<'_> {
    /// The time of each stage where it took longest: devices work at the same time.
    fn stages(&self) -> Vec<(&'static str, f64)> {
        let mut stages: Vec<(&'static str, f64)> = Vec::new();
        for &(name, time) in self.devices.iter().flat_map(|device| &device.stages) {
            match stages.iter_mut().find(|stage| stage.0 == name) {
                Some(stage) => stage.1 = stage.1.max(time),
                None => stages.push((name, time)),
            }
        }
        stages
    }

    fn devices_by(&self, name: impl Fn(&Device) -> String) -> String {
        let names: Vec<String> = self.devices.iter().map(|run| name(&run.device)).collect();
        names.join(", ")
    }
}

/// The check of a mesh, where it is open, and where it lies.
pub struct Checked {
    pub report: MeshReport,
    pub openings: Vec<Opening>,
    pub bounds: Option<[[f32; 3]; 2]>,
}

/// The JSON object. Times are in milliseconds. What only the whole mesh tells is null where it was streamed.
#[derive(Serialize)]
pub struct Json<'a> {
    input: String,
    output: String,
    dims: [usize; 3],
    sample_type: &'static str,
    non_finite_samples: usize,
    inexact_samples: usize,
    iso: f32,
    inside: &'static str,
    method: &'static str,
    device: String,
    device_name: String,
    devices: Vec<JsonDevice<'a>>,
    slabs: u64,
    streamed: bool,
    vertices: u64,
    triangles: u64,
    index_bits: u32,
    normals: bool,
    non_finite_cells: u64,
    closed: Option<bool>,
    manifold: Option<bool>,
    oriented: Option<bool>,
    euler: Option<i64>,
    components: Option<usize>,
    boundary_edges: Option<usize>,
    openings: Option<&'a [Opening]>,
    degenerate_triangles: Option<usize>,
    area: Option<f64>,
    volume: Option<f64>,
    bounds: Option<[[f32; 3]; 2]>,
    timings: Timings<'a>,
}

#[derive(Serialize)]
struct JsonDevice<'a> {
    device: String,
    device_name: String,
    slabs: u64,
    stages: Ordered<&'a [(&'static str, f64)]>,
}

#[derive(Serialize)]
struct Timings<'a> {
    #[serde(flatten)]
    phases: Ordered<&'a [(&'static str, f64)]>,
    total: f64,
    stages: Ordered<Vec<(&'static str, f64)>>,
}

/// Names and numbers as an object that keeps their order.
pub struct Ordered<P>(pub P);

impl<P: AsRef<[(&'static str, f64)]>> Serialize for Ordered<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pairs = self.0.as_ref();
        let mut map = serializer.serialize_map(Some(pairs.len()))?;
        for (name, number) in pairs {
            map.serialize_entry(name, number)?;
        }
        map.end()
    }
}

/// The JSON object of a run.
pub fn json<'a>(run: &'a MeshRun<'a>) -> Json<'a> {
    let checked = run.checked.as_ref();
    let report = checked.map(|checked| &checked.report);
    let device = |did: &'a DeviceRun| JsonDevice {
        device: did.device.id(),
        device_name: did.device.name(),
        slabs: did.slabs,
        stages: Ordered(&did.stages[..]),
    };
    Json {
        input: run.args.input.name(),
        output: run.args.output.display().to_string(),
        dims: run.dims,
        sample_type: run.sample_type.name(),
        non_finite_samples: run.summary.non_finite,
        inexact_samples: run.inexact,
        iso: run.iso,
        inside: run.args.surface.inside.name(),
        method: Method::from(run.args.method).name(),
        device: run.devices_by(Device::id),
        device_name: run.devices_by(Device::name),
        devices: run.devices.iter().map(device).collect(),
        slabs: run.slabs,
        streamed: checked.is_none(),
        vertices: run.vertices,
        triangles: run.triangles,
        index_bits: run.index_bits,
        normals: run.args.normals,
        non_finite_cells: run.non_finite_cells,
        closed: report.map(MeshReport::is_closed),
        manifold: report.map(MeshReport::is_manifold),
        oriented: report.map(MeshReport::is_oriented),
        euler: report.map(MeshReport::euler_characteristic),
        components: report.map(|report| report.components),
        boundary_edges: report.map(|report| report.boundary_edges),
        openings: checked.map(|checked| &checked.openings[..]),
        degenerate_triangles: report.map(|report| report.degenerate_triangles),
        area: report.map(|report| report.area),
        volume: report.map(|report| report.volume),
        bounds: checked.and_then(|checked| checked.bounds),
        timings: Timings {
            phases: Ordered(&run.phase_times[..]),
            total: run.total,
            stages: Ordered(run.stages()),
        },
    }
}

/// The same in a few lines.
pub fn readable(run: &MeshRun<'_>) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<9} {value}");
    };
    let args = run.args;
    line(
        "volume",
        format!(
            "{}: {} samples of {}",
            args.input.name(),
            by(run.dims),
            run.sample_type
        ),
    );
    let normals = if args.normals { ", normals" } else { "" };
    line(
        "mesh",
        format!(
            "{}: {} vertices, {} triangles{normals}",
            args.output.display(),
            run.vertices,
            run.triangles
        ),
    );
    let checked = run.checked.as_ref().filter(|_| args.check);
    if let Some(Checked {
        report, openings, ..
    }) = checked
    {
        line("topology", topology(report));
        if report.boundary_edges > 0 {
            line("open", opening(report.boundary_edges, openings));
        }
        let enclosed = if report.is_closed() {
            format!(", volume {:.6}", report.volume)
        } else {
            String::new()
        };
        line("measure", format!("area {:.6}{enclosed}", report.area));
    }
    let stages: Vec<String> = run
        .stages()
        .iter()
        .map(|(name, time)| format!("{name} {time:.1}"))
        .collect();
    let phases: Vec<String> = run
        .phase_times
        .iter()
        .map(|(name, time)| format!("{name} {time:.1}"))
        .collect();
    let slabs = match run.slabs {
        0 | 1 => String::new(),
        slabs => format!(", {slabs} slabs"),
    };
    line(
        "device",
        format!(
            "{}, {}{slabs}",
            run.devices_by(|device| device.to_string()),
            Method::from(args.method).name()
        ),
    );
    line("ms", format!("{:.1}: {}", run.total, phases.join(", ")));
    if !stages.is_empty() {
        line("stages", stages.join(", "));
    }
    text
}

fn topology(report: &MeshReport) -> String {
    let closed = if report.is_closed() { "closed" } else { "open" };
    let manifold = if report.is_manifold() {
        "manifold"
    } else {
        "not manifold"
    };
    let oriented = if report.is_oriented() {
        "oriented"
    } else {
        "not oriented"
    };
    let parts = if report.components == 1 {
        "component"
    } else {
        "components"
    };
    format!(
        "{closed}, {manifold}, {oriented}; Euler characteristic {}; {} {parts}; {} degenerate triangles",
        report.euler_characteristic(),
        report.components,
        report.degenerate_triangles
    )
}

/// Which part of the boundary lies in which face of the volume.
fn opening(boundary_edges: usize, openings: &[Opening]) -> String {
    let mut places: Vec<String> = openings
        .iter()
        .map(|opening| format!("{} at {}", opening.edges, opening.face))
        .collect();
    let at_faces: usize = openings.iter().map(|opening| opening.edges).sum();
    if boundary_edges > at_faces {
        places.push(format!(
            "{} where cells are left out",
            boundary_edges - at_faces
        ));
    }
    let end = if at_faces > 0 {
        "; the volume ends there, --close shuts it"
    } else {
        ""
    };
    format!("along {boundary_edges} edges: {}{end}", places.join(", "))
}
