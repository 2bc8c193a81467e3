//! `ferrovox mesh --labels`, and `--nonzero` with `--smooth`.

use super::mesh_report::Simplification;
use crate::{
    args::{MeshArgs, MethodName, NormalsName, Smoothing, TopologyName},
    numbers::format_dims,
    numbers::{format_count, format_number},
    report::{Devices, Grid, JsonTimings, Lines, format_timings, paths},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::{
    io::{LabelTable, read_label_table},
    label_surface::LabelSurfaceParams,
    mesh_filter::SmoothParams,
    pipeline::{
        Coordinates,
        label_mesh::{
            self, LabelCheck, LabelMeshJob, LabelMeshOutcome, LabelSelection, LabelSurfaceOutcome,
        },
    },
};
use serde::Serialize;

/// Maximum number of labels that the readable report lists.
const MAX_LISTED: usize = 30;

/// The JSON object. Times are in milliseconds.
#[derive(Serialize)]
struct Json {
    input: String,
    outputs: Vec<String>,
    #[serde(flatten)]
    grid: Grid,
    sample_type: &'static str,
    #[serde(flatten)]
    devices: Devices,
    coordinates: &'static str,
    mesh_origin: [f64; 3],
    vertices: u64,
    /// Number of triangles of all walls, each counted once.
    triangles: u64,
    /// Number of pairs of neighbouring voxels whose labels do not share their wall.
    unshared_walls: u64,
    /// Number of slabs that were extracted separately.
    slabs: usize,
    smoothing_steps: u32,
    simplification: Option<Simplification>,
    index_bits: u32,
    labels: Vec<Label>,
    timings: JsonTimings,
}

/// The surface of a label.
#[derive(Serialize)]
struct Label {
    label: i64,
    voxels: u64,
    triangles: u64,
    closed: Option<bool>,
    manifold: Option<bool>,
    unbalanced_edges: Option<u64>,
    non_manifold_edges: Option<usize>,
    non_manifold_vertices: Option<usize>,
    self_intersections: Option<u64>,
    components: Option<usize>,
    euler: Option<i64>,
    degenerate_triangles: Option<usize>,
    duplicate_positions: Option<usize>,
    area: f64,
    volume: f64,
    /// Difference from the volume of the voxels, as a fraction of it.
    volume_error: f64,
}

impl From<&LabelSurfaceOutcome> for Label {
    fn from(surface: &LabelSurfaceOutcome) -> Self {
        let report = surface.checked.map(|checked| checked.report);
        Self {
            label: surface.label,
            voxels: surface.voxels,
            triangles: surface.triangles,
            closed: surface.checked.map(|checked| checked.is_closed()),
            manifold: report.map(|report| report.is_manifold()),
            unbalanced_edges: surface.checked.map(|checked| checked.unbalanced_edges),
            non_manifold_edges: report.map(|report| report.non_manifold_edges),
            non_manifold_vertices: report.map(|report| report.non_manifold_vertices),
            self_intersections: surface.checked.map(|checked| checked.self_intersections),
            components: report.map(|report| report.components),
            euler: report.map(|report| report.euler_characteristic()),
            degenerate_triangles: report.map(|report| report.degenerate_triangles),
            duplicate_positions: report.map(|report| report.duplicate_positions),
            area: surface.area,
            volume: surface.volume,
            volume_error: surface.volume_error(),
        }
    }
}

/// Extracts the surfaces of labels, and prints the report.
pub fn run(args: &MeshArgs, labels: LabelSelection, terminal: &Terminal) -> anyhow::Result<()> {
    let source = args.input.source()?;
    let volume = match args.input.object.memory {
        None => args.device.read_ahead(source),
        Some(_) => source,
    };
    let devices = args.device.open()?;
    refuse_options(args, &labels)?;
    let filters = args.mesh_filters();
    let job = LabelMeshJob {
        volume: volume.filter_device(devices.first()),
        labels,
        mask: args.input.mask()?,
        components: filters.components,
        output: args.output.clone(),
        coordinates: args.coordinates.into(),
        space: args.space.into(),
        devices,
        memory: args.input.object.memory,
        surface: surface_params(args),
        simplify: filters.simplify,
        normals: args.normals.is_some(),
        table: match &args.labels.label_table {
            Some(path) => read_label_table(path)?,
            None => LabelTable::default(),
        },
        wall_table: args.labels.wall_table.clone(),
        measure_table: args.labels.measure_table.clone(),
        check: match (args.check, args.report.json) {
            (true, _) => LabelCheck::Required,
            (false, true) => LabelCheck::Yes,
            (false, false) => LabelCheck::No,
        },
    };
    let outcome = run_monitored(terminal, |monitor| label_mesh::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &outcome),
        || readable(args, &outcome),
    )
}

/// Refuses options that apply to isosurfaces only.
fn refuse_options(args: &MeshArgs, labels: &LabelSelection) -> anyhow::Result<()> {
    let has_pass_band =
        |params: SmoothParams| params.pass_band != SmoothParams::default().pass_band;
    let is_mask = *labels == LabelSelection::NonZero;
    refuse(&[
        (
            args.filters.smooth_params().is_some_and(has_pass_band),
            "label surfaces have no pass band: give --smooth taubin:N or none",
        ),
        (
            args.normals == Some(NormalsName::Trilinear),
            "normals of label surfaces are those of the triangles: give --normals without a rule",
        ),
        (
            args.input.object.fill_cavities,
            "--fill-cavities applies to one object, but a cavity of a segmentation can border on several labels: \
             fill it in the segmentation, or extract one label with --label",
        ),
        (
            is_mask && args.topology == TopologyName::Trilinear,
            "--topology applies to isosurfaces: omit it, or --smooth",
        ),
        (
            is_mask && args.method == MethodName::Staged,
            "--method applies to isosurfaces: omit it, or --smooth",
        ),
    ])?;
    Ok(())
}

/// Returns the parameters of the surface.
fn surface_params(args: &MeshArgs) -> LabelSurfaceParams {
    let contact = args.labels.voxel_contact.into();
    match args.filters.smooth {
        None => LabelSurfaceParams {
            contact,
            ..LabelSurfaceParams::default()
        },
        Some(Smoothing::None) => LabelSurfaceParams {
            contact,
            ..LabelSurfaceParams::raw()
        },
        Some(Smoothing::Taubin(params)) => LabelSurfaceParams {
            contact,
            smoothing_steps: params.iterations,
            fairing_steps: params.iterations,
            ..LabelSurfaceParams::default()
        },
    }
}

fn json(args: &MeshArgs, outcome: &LabelMeshOutcome) -> Json {
    Json {
        input: args.input.name(),
        outputs: paths(&outcome.files),
        grid: Grid::new(outcome.dims, &outcome.geometry),
        sample_type: outcome.sample_type.name(),
        devices: Devices::from_runs(&outcome.devices),
        coordinates: Coordinates::from(args.coordinates).name(),
        mesh_origin: outcome.mesh_origin,
        vertices: outcome.vertices,
        triangles: outcome.triangles,
        unshared_walls: outcome.unshared_walls,
        slabs: outcome.slabs,
        smoothing_steps: surface_params(args).smoothing_steps,
        simplification: outcome.simplified.map(Simplification::from),
        index_bits: outcome.index_bits,
        labels: outcome.labels.iter().map(Into::into).collect(),
        timings: JsonTimings::new(&outcome.timings),
    }
}

/// Formats the readable report.
fn readable(args: &MeshArgs, outcome: &LabelMeshOutcome) -> String {
    let mut lines = Lines::new(9);
    lines.add(
        "volume",
        format!(
            "{}: {} samples of {}, {}",
            args.input.name(),
            format_dims(outcome.dims),
            outcome.sample_type,
            format_count(outcome.labels.len() as u64, "label")
        ),
    );
    let output = match (&args.output, outcome.files.len()) {
        (None, _) => String::new(),
        (Some(output), 1) => format!("{}: ", output.display()),
        (Some(output), files) => format!("{}, {files} files: ", output.display()),
    };
    lines.add(
        "mesh",
        format!(
            "{output}{} vertices, {} triangles",
            outcome.vertices, outcome.triangles
        ),
    );
    if let Some(report) = &outcome.simplified {
        let (before, error) = (report.triangles_before, format_number(report.error));
        lines.add("simple", format!("of {before} triangles, error {error}"));
    }
    for label in outcome.labels.iter().take(MAX_LISTED) {
        lines.add(&format!("  label {}", label.label), label_line(label));
    }
    if let Some(more @ 1..) = outcome.labels.len().checked_sub(MAX_LISTED) {
        lines.add(
            "",
            format!("and {}", format_count(more as u64, "more label")),
        );
    }
    let devices: Vec<String> = outcome
        .devices
        .iter()
        .map(|run| run.device.to_string())
        .collect();
    lines.add("device", devices.join(", "));
    lines.add("ms", format_timings(&outcome.timings));
    lines.text()
}

fn label_line(surface: &LabelSurfaceOutcome) -> String {
    let mut text = format!(
        "{}, {}; area {}, volume {} ({:+.2} % of its voxels)",
        format_count(surface.voxels, "voxel"),
        format_count(surface.triangles, "triangle"),
        format_number(surface.area),
        format_number(surface.volume),
        100.0 * surface.volume_error()
    );
    if let Some(checked) = surface.checked {
        let closed = if checked.is_closed() {
            "closed"
        } else {
            "open"
        };
        let report = checked.report;
        let manifold = if report.is_manifold() {
            "manifold"
        } else {
            "not manifold"
        };
        let intersections = match checked.self_intersections {
            0 => "no self-intersection".to_owned(),
            count => format_count(count, "self-intersection"),
        };
        text += &format!("; {closed}, {manifold}, {intersections}");
    }
    text
}
