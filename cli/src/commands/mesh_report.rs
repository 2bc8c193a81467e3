//! What `ferrovox mesh` says when it is done.

use crate::{args::MeshArgs, input::by, openings::Opening};
use ferrovox::{
    device::Device,
    isosurface::Method,
    mesh::{MeshReport, TriangleMesh, Triangles},
    volume::{SampleSummary, SampleType},
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::fmt::Write;

/// Everything there is to say, but for the check.
pub struct MeshRun<'a> {
    pub args: &'a MeshArgs,
    pub iso: f32,
    pub device: &'a Device,
    pub dims: [usize; 3],
    pub sample_type: SampleType,
    pub summary: &'a SampleSummary,
    pub inexact: usize,
    pub mesh: &'a TriangleMesh,
    pub non_finite_cells: u64,
    pub phase_times: Vec<(&'static str, f64)>,
    pub stages: Vec<(&'static str, f64)>,
    pub total: f64,
}

/// The check of a mesh, and where it is open.
pub struct Checked {
    pub report: MeshReport,
    pub openings: Vec<Opening>,
}

/// The JSON object. Times are in milliseconds.
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
    vertices: usize,
    triangles: usize,
    index_bits: u32,
    normals: bool,
    non_finite_cells: u64,
    closed: bool,
    manifold: bool,
    oriented: bool,
    euler: i64,
    components: usize,
    boundary_edges: usize,
    openings: &'a [Opening],
    degenerate_triangles: usize,
    area: f64,
    volume: f64,
    bounds: Option<[[f32; 3]; 2]>,
    timings: Timings<'a>,
}

#[derive(Serialize)]
struct Timings<'a> {
    #[serde(flatten)]
    phases: Ordered<'a>,
    total: f64,
    stages: Ordered<'a>,
}

/// Names and numbers as an object that keeps their order.
struct Ordered<'a>(&'a [(&'static str, f64)]);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, number) in self.0 {
            map.serialize_entry(name, number)?;
        }
        map.end()
    }
}

/// The JSON object of a run.
pub fn json<'a>(run: &'a MeshRun<'a>, checked: &'a Checked) -> Json<'a> {
    let report = &checked.report;
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
        device: run.device.id(),
        device_name: run.device.name(),
        vertices: report.vertices,
        triangles: report.triangles,
        index_bits: match run.mesh.triangles {
            Triangles::U32(_) => 32,
            Triangles::U64(_) => 64,
        },
        normals: run.mesh.normals.is_some(),
        non_finite_cells: run.non_finite_cells,
        closed: report.is_closed(),
        manifold: report.is_manifold(),
        oriented: report.is_oriented(),
        euler: report.euler_characteristic(),
        components: report.components,
        boundary_edges: report.boundary_edges,
        openings: &checked.openings,
        degenerate_triangles: report.degenerate_triangles,
        area: report.area,
        volume: report.volume,
        bounds: run
            .mesh
            .bounds()
            .map(|(low, high)| [low.into(), high.into()]),
        timings: Timings {
            phases: Ordered(&run.phase_times),
            total: run.total,
            stages: Ordered(&run.stages),
        },
    }
}

/// The same in a few lines.
pub fn readable(run: &MeshRun<'_>, checked: Option<&Checked>) -> String {
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
    let normals = if run.mesh.normals.is_some() {
        ", normals"
    } else {
        ""
    };
    line(
        "mesh",
        format!(
            "{}: {} vertices, {} triangles{normals}",
            args.output.display(),
            run.mesh.vertices.len(),
            run.mesh.triangles.len()
        ),
    );
    if let Some(Checked { report, openings }) = checked {
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
        .stages
        .iter()
        .map(|(name, time)| format!("{name} {time:.1}"))
        .collect();
    let phases: Vec<String> = run
        .phase_times
        .iter()
        .map(|(name, time)| format!("{name} {time:.1}"))
        .collect();
    line(
        "device",
        format!("{}, {}", run.device, Method::from(args.method).name()),
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
