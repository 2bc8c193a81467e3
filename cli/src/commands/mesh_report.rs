//! Reports of `ferrovox mesh`.

use crate::{
    args::{IsoValue, MeshArgs, TopologyName},
    numbers::format_dims,
    numbers::{LabelValue, format_count, format_number},
    report::{Devices, Grid, JsonTimings, Lines, format_stages, format_timings, paths},
};
use ferrovox::{
    isosurface::{Method, NormalSource, Topology, TopologyCounts, VertexPlacement},
    mesh::{MeshReport, Opening},
    mesh_filter::{ComponentFilterReport, SimplifyReport, SmoothParams},
    pipeline::{
        Coordinates,
        mesh::{MeshChecked, MeshOutcome},
    },
};
use serde::Serialize;

/// The JSON object. Times are in milliseconds. Results of the check are null for streamed meshes;
/// counts of ambiguous cells are null unless the topology is trilinear.
#[derive(Serialize)]
pub struct Json<'a> {
    input: String,
    outputs: Vec<String>,
    #[serde(flatten)]
    grid: Grid,
    sample_type: &'static str,
    non_finite_samples: usize,
    inexact_samples: usize,
    iso: f64,
    iso_method: Option<&'static str>,
    /// Label whose surface was extracted, instead of an isovalue.
    label: Option<LabelValue>,
    inside: &'static str,
    method: &'static str,
    topology: &'static str,
    vertex_placement: &'static str,
    #[serde(flatten)]
    devices: Devices,
    slabs: u64,
    streamed: bool,
    coordinates: &'static str,
    mesh_origin: [f64; 3],
    vertices: u64,
    triangles: u64,
    index_bits: u32,
    normals: bool,
    normal_source: Option<&'static str>,
    component_filter: Option<ComponentFilterResult>,
    smoothing: Option<Smoothing>,
    simplification: Option<Simplification>,
    non_finite_cells: u64,
    ambiguous_cells: Option<u64>,
    tunnel_tests: Option<u64>,
    tunnels: Option<u64>,
    inner_vertices: Option<u64>,
    closed: Option<bool>,
    manifold: Option<bool>,
    oriented: Option<bool>,
    euler: Option<i64>,
    components: Option<usize>,
    boundary_edges: Option<usize>,
    openings: Option<&'a [Opening]>,
    degenerate_triangles: Option<usize>,
    duplicate_positions: Option<usize>,
    area: Option<f64>,
    volume: Option<f64>,
    bounds: Option<Bounds>,
    timings: JsonTimings,
}

/// Bounding box in the precision in which positions are stored: with the digits of `f32` near the
/// world origin.
#[derive(Serialize)]
#[serde(untagged)]
enum Bounds {
    Single([[f32; 3]; 2]),
    Double([[f64; 3]; 2]),
}

impl Bounds {
    fn new(checked: &MeshChecked, mesh_origin: [f64; 3]) -> Option<Self> {
        let bounds = checked.bounds?;
        Some(if mesh_origin == [0.0; 3] {
            Self::Single(bounds.map(|corner| corner.map(|x| x as f32)))
        } else {
            Self::Double(bounds)
        })
    }
}

/// Parameters of the smoothing.
#[derive(Serialize)]
struct Smoothing {
    method: &'static str,
    iterations: u32,
    pass_band: f64,
}

impl Smoothing {
    fn new(params: SmoothParams) -> Self {
        Self {
            method: "taubin",
            iterations: params.iterations,
            pass_band: params.pass_band,
        }
    }
}

/// Number of components before and after the choice, and the voxels of the largest one.
#[derive(Serialize)]
struct ComponentFilterResult {
    surfaces_before: u64,
    surfaces: u64,
    largest_voxels: u64,
}

impl ComponentFilterResult {
    fn new(report: ComponentFilterReport) -> Self {
        Self {
            surfaces_before: report.surfaces_before,
            surfaces: report.surfaces,
            largest_voxels: report.largest_voxels,
        }
    }
}

/// Size of the mesh before the simplification, and the error.
#[derive(Serialize)]
pub struct Simplification {
    vertices_before: u64,
    triangles_before: u64,
    error: f64,
}

impl From<SimplifyReport> for Simplification {
    fn from(report: SimplifyReport) -> Self {
        Self {
            vertices_before: report.vertices_before,
            triangles_before: report.triangles_before,
            error: report.error,
        }
    }
}

/// Creates the JSON object of a run.
pub fn json<'a>(args: &MeshArgs, run: &'a MeshOutcome) -> Json<'a> {
    let checked = run.checked.as_ref();
    let report = checked.map(|checked| &checked.report);
    let cells = is_trilinear(args).then_some(run.topology);
    Json {
        input: args.input.name(),
        outputs: paths(&args.output),
        grid: Grid::new(run.dims, &run.geometry),
        sample_type: run.sample_type.name(),
        non_finite_samples: run.samples.non_finite,
        inexact_samples: run.inexact_samples,
        iso: run.iso,
        iso_method: args.input.object.iso_value().and_then(IsoValue::rule),
        label: args.input.object.label,
        inside: args.input.object.inside.name(),
        method: Method::from(args.method).name(),
        topology: Topology::from(args.topology).name(),
        vertex_placement: VertexPlacement::from(args.vertices).name(),
        devices: Devices::from_runs(&run.devices),
        slabs: run.slabs,
        streamed: checked.is_none(),
        coordinates: Coordinates::from(args.coordinates).name(),
        mesh_origin: run.mesh_origin,
        vertices: run.vertices,
        triangles: run.triangles,
        index_bits: run.index_bits,
        normals: args.normals.is_some(),
        normal_source: args.normals.map(|normals| {
            if args.mesh_filters().recompute_normals() {
                "triangles"
            } else {
                NormalSource::from(normals).name()
            }
        }),
        component_filter: run.component_filter.map(ComponentFilterResult::new),
        smoothing: args.filters.smooth_params().map(Smoothing::new),
        simplification: run.simplified.map(Simplification::from),
        non_finite_cells: run.non_finite_cells,
        ambiguous_cells: cells.map(|cells| cells.ambiguous_cells),
        tunnel_tests: cells.map(|cells| cells.tunnel_tests),
        tunnels: cells.map(|cells| cells.tunnels),
        inner_vertices: cells.map(|cells| cells.inner_vertices),
        closed: report.map(MeshReport::is_closed),
        manifold: report.map(MeshReport::is_manifold),
        oriented: report.map(MeshReport::is_oriented),
        euler: report.map(MeshReport::euler_characteristic),
        components: report.map(|report| report.components),
        boundary_edges: report.map(|report| report.boundary_edges),
        openings: checked.map(|checked| &checked.openings[..]),
        degenerate_triangles: report.map(|report| report.degenerate_triangles),
        duplicate_positions: report.map(|report| report.duplicate_positions),
        area: report.map(|report| report.area),
        volume: report.map(|report| report.volume),
        bounds: checked.and_then(|checked| Bounds::new(checked, run.mesh_origin)),
        timings: JsonTimings::new(&run.timings).with_stages(&run.device_stages()),
    }
}

/// Formats the readable report.
pub fn readable(args: &MeshArgs, run: &MeshOutcome) -> String {
    let mut lines = Lines::new(9);
    lines.add(
        "volume",
        format!(
            "{}: {} samples of {}",
            args.input.name(),
            format_dims(run.dims),
            run.sample_type
        ),
    );
    let output = match &args.output {
        Some(output) => format!("{}: ", output.display()),
        None => String::new(),
    };
    let normals = args.normals.map_or("", |_| ", normals");
    lines.add(
        "mesh",
        format!(
            "{output}{} vertices, {} triangles{normals}",
            run.vertices, run.triangles
        ),
    );
    if let Some(origin) = origin(args, run.mesh_origin) {
        lines.add("origin", origin);
    }
    if let Some(rule) = args
        .input
        .object
        .iso_value()
        .filter(|it| it.rule().is_some())
    {
        lines.add("isovalue", format!("{}, by {rule}", format_number(run.iso)));
    }
    if let Some(report) = &run.component_filter {
        let (kept, before) = (report.surfaces, report.surfaces_before);
        lines.add(
            "components",
            format!("{kept} of {}", format_count(before, "surface")),
        );
    }
    if let Some(params) = args.filters.smooth_params() {
        let SmoothParams {
            iterations,
            pass_band,
        } = params;
        lines.add(
            "smooth",
            format!("taubin, {iterations} terms, pass band {pass_band}"),
        );
    }
    if let Some(report) = &run.simplified {
        let SimplifyReport {
            triangles_before,
            error,
            ..
        } = report;
        lines.add(
            "simple",
            format!(
                "of {triangles_before} triangles, error {}",
                format_number(*error)
            ),
        );
    }
    if is_trilinear(args) {
        lines.add("cells", cells(&run.topology));
    }
    let checked = run.checked.as_ref().filter(|_| args.check);
    if let Some(MeshChecked {
        report, openings, ..
    }) = checked
    {
        lines.add("topology", topology(report));
        if report.boundary_edges > 0 {
            lines.add("open", opening(report.boundary_edges, openings));
        }
        let enclosed = if report.is_closed() {
            format!(", volume {}", format_number(report.volume))
        } else {
            String::new()
        };
        lines.add(
            "measure",
            format!("area {}{enclosed}", format_number(report.area)),
        );
    }
    let slabs = match run.slabs {
        0 | 1 => String::new(),
        slabs => format!(", {slabs} slabs"),
    };
    let devices = run.devices.iter().map(|run| run.device.to_string());
    let devices: Vec<String> = devices.collect();
    lines.add(
        "device",
        format!(
            "{}, {}{slabs}",
            devices.join(", "),
            Method::from(args.method).name()
        ),
    );
    lines.add("ms", format_timings(&run.timings));
    let stages = run.device_stages();
    if !stages.is_empty() {
        lines.add("stages", format_stages(&stages));
    }
    lines.text()
}

/// Formats the origin of local coordinates, unless it is the world origin.
fn origin(args: &MeshArgs, mesh_origin: [f64; 3]) -> Option<String> {
    let is_local = Coordinates::from(args.coordinates) == Coordinates::Local;
    let [x, y, z] = mesh_origin;
    (is_local && mesh_origin != [0.0; 3]).then(|| format!("{x} {y} {z} of local coordinates"))
}

fn is_trilinear(args: &MeshArgs) -> bool {
    args.topology == TopologyName::Trilinear
}

fn cells(found: &TopologyCounts) -> String {
    format!(
        "{} ambiguous; tunnels looked for in {}, found in {}; {}",
        found.ambiguous_cells,
        found.tunnel_tests,
        found.tunnels,
        match found.inner_vertices {
            1 => "1 inner vertex".to_owned(),
            count => format!("{count} inner vertices"),
        }
    )
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
    format!(
        "{closed}, {manifold}, {oriented}; Euler characteristic {}; {}; {}{}",
        report.euler_characteristic(),
        format_count(report.components as u64, "component"),
        format_count(report.degenerate_triangles as u64, "degenerate triangle"),
        match report.duplicate_positions {
            0 => String::new(),
            count => format!("; {}", format_count(count as u64, "duplicate position")),
        }
    )
}

/// Formats the boundary edges in each face of the volume.
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
