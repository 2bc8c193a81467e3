//! What `ferrovox mesh` says when it is done.

use crate::{args::MeshArgs, input::by, phases::milliseconds};
use ferrovox::{
    device::Device,
    isosurface::Method,
    mesh::{MeshReport, Opening},
    monitor::StageTime,
    pipeline::{
        DeviceRun,
        mesh::{MeshChecked, MeshOutcome},
    },
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::fmt::Write;

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
    devices: Vec<JsonDevice>,
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
    timings: Timings,
}

#[derive(Serialize)]
struct JsonDevice {
    device: String,
    device_name: String,
    slabs: u64,
    stages: Ordered<Vec<(&'static str, f64)>>,
}

#[derive(Serialize)]
struct Timings {
    #[serde(flatten)]
    phases: Ordered<Vec<(&'static str, f64)>>,
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

/// The devices' names, in order.
fn names(run: &MeshOutcome, name: impl Fn(&Device) -> String) -> String {
    let names: Vec<String> = run.devices.iter().map(|run| name(&run.device)).collect();
    names.join(", ")
}

/// Stages and how long they took.
pub fn in_milliseconds(stages: &[StageTime]) -> Vec<(&'static str, f64)> {
    let stages = stages.iter();
    stages
        .map(|stage| (stage.stage, milliseconds(stage.time)))
        .collect()
}

/// The JSON object of a run.
pub fn json<'a>(args: &MeshArgs, run: &'a MeshOutcome) -> Json<'a> {
    let checked = run.checked.as_ref();
    let report = checked.map(|checked| &checked.report);
    let device = |did: &DeviceRun| JsonDevice {
        device: did.device.id(),
        device_name: did.device.name(),
        slabs: did.parts,
        stages: Ordered(in_milliseconds(&did.stages)),
    };
    Json {
        input: args.input.name(),
        output: args.output.display().to_string(),
        dims: run.dims,
        sample_type: run.sample_type.name(),
        non_finite_samples: run.samples.non_finite,
        inexact_samples: run.inexact_samples,
        iso: args.surface.iso as f32,
        inside: args.surface.inside.name(),
        method: Method::from(args.method).name(),
        device: names(run, Device::id),
        device_name: names(run, Device::name),
        devices: run.devices.iter().map(device).collect(),
        slabs: run.slabs,
        streamed: checked.is_none(),
        vertices: run.vertices,
        triangles: run.triangles,
        index_bits: run.index_bits,
        normals: args.normals,
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
            phases: Ordered(in_milliseconds(&run.timings.stages)),
            total: milliseconds(run.timings.total),
            stages: Ordered(in_milliseconds(&run.device_stages())),
        },
    }
}

/// The same in a few lines.
pub fn readable(args: &MeshArgs, run: &MeshOutcome) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<9} {value}");
    };
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
    if let Some(MeshChecked {
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
    let listed = |times: &[StageTime]| {
        let times = in_milliseconds(times);
        let times = times.iter().map(|(name, time)| format!("{name} {time:.1}"));
        times.collect::<Vec<_>>().join(", ")
    };
    let slabs = match run.slabs {
        0 | 1 => String::new(),
        slabs => format!(", {slabs} slabs"),
    };
    line(
        "device",
        format!(
            "{}, {}{slabs}",
            names(run, |device| device.to_string()),
            Method::from(args.method).name()
        ),
    );
    let total = milliseconds(run.timings.total);
    line("ms", format!("{total:.1}: {}", listed(&run.timings.stages)));
    let stages = run.device_stages();
    if !stages.is_empty() {
        line("stages", listed(&stages));
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
