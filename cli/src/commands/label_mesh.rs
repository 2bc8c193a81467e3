//! `ferrovox mesh --labels`.

use crate::{
    args::MeshArgs,
    input::format_dims,
    numbers::{LabelList, format_count, format_number},
    report::{Devices, Grid, JsonTimings, Lines, format_timings, paths},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::pipeline::{
    Coordinates,
    label_mesh::{self, LabelCheck, LabelMeshJob, LabelMeshOutcome, LabelSurfaceOutcome},
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
    components: Option<usize>,
    euler: Option<i64>,
    degenerate_triangles: Option<usize>,
    duplicate_positions: Option<usize>,
    area: Option<f64>,
    volume: Option<f64>,
}

impl From<&LabelSurfaceOutcome> for Label {
    fn from(made: &LabelSurfaceOutcome) -> Self {
        let report = made.checked.map(|checked| checked.report);
        Self {
            label: made.label,
            voxels: made.voxels,
            triangles: made.triangles,
            closed: made.checked.map(|checked| checked.is_closed()),
            manifold: report.map(|report| report.is_manifold()),
            unbalanced_edges: made.checked.map(|checked| checked.unbalanced_edges),
            non_manifold_edges: report.map(|report| report.non_manifold_edges),
            non_manifold_vertices: report.map(|report| report.non_manifold_vertices),
            components: report.map(|report| report.components),
            euler: report.map(|report| report.euler_characteristic()),
            degenerate_triangles: report.map(|report| report.degenerate_triangles),
            duplicate_positions: report.map(|report| report.duplicate_positions),
            area: report.map(|report| report.area),
            volume: report.map(|report| report.volume),
        }
    }
}

/// Extracts the surfaces of labels, and prints the report.
pub fn run(args: &MeshArgs, list: &LabelList, terminal: &Terminal) -> anyhow::Result<()> {
    let volume = args.device.read_ahead(args.input.source());
    let devices = args.device.open()?;
    refuse(&[(
        devices.len() > 1,
        "--labels runs on one device: give one to --device",
    )])?;
    let job = LabelMeshJob {
        volume,
        labels: match list {
            LabelList::All => None,
            LabelList::Listed(labels) => Some(labels.clone()),
        },
        output: args.output.clone(),
        coordinates: args.coordinates.into(),
        space: args.space.into(),
        device: devices
            .into_iter()
            .next()
            .ok_or_else(|| anyhow::anyhow!("--device names no device"))?,
        check: match (args.check, args.report.json) {
            (true, _) => LabelCheck::Required,
            (false, true) => LabelCheck::Yes,
            (false, false) => LabelCheck::No,
        },
    };
    let made = run_monitored(terminal, |monitor| label_mesh::run(&job, monitor))?;
    terminal.report(
        &remarks(&made.warnings),
        || json(args, &made),
        || readable(args, &made),
    )
}

fn json(args: &MeshArgs, made: &LabelMeshOutcome) -> Json {
    Json {
        input: args.input.name(),
        outputs: paths(&made.files),
        grid: Grid::new(made.dims, &made.geometry),
        sample_type: made.sample_type.name(),
        devices: Devices::from_runs(&made.devices),
        coordinates: Coordinates::from(args.coordinates).name(),
        mesh_origin: made.mesh_origin,
        vertices: made.vertices,
        triangles: made.triangles,
        index_bits: made.index_bits,
        labels: made.labels.iter().map(Into::into).collect(),
        timings: JsonTimings::new(&made.timings),
    }
}

/// Formats the readable report.
fn readable(args: &MeshArgs, made: &LabelMeshOutcome) -> String {
    let mut lines = Lines::new(9);
    lines.add(
        "volume",
        format!(
            "{}: {} samples of {}, {}",
            args.input.name(),
            format_dims(made.dims),
            made.sample_type,
            format_count(made.labels.len() as u64, "label")
        ),
    );
    let output = match (&args.output, made.files.len()) {
        (None, _) => String::new(),
        (Some(output), 1) => format!("{}: ", output.display()),
        (Some(output), files) => format!("{}, {files} files: ", output.display()),
    };
    lines.add(
        "mesh",
        format!(
            "{output}{} vertices, {} triangles",
            made.vertices, made.triangles
        ),
    );
    for label in made.labels.iter().take(MAX_LISTED) {
        lines.add(&format!("  label {}", label.label), label_line(label));
    }
    if let Some(more @ 1..) = made.labels.len().checked_sub(MAX_LISTED) {
        lines.add(
            "",
            format!("and {}", format_count(more as u64, "more label")),
        );
    }
    let devices: Vec<String> = made
        .devices
        .iter()
        .map(|run| run.device.to_string())
        .collect();
    lines.add("device", devices.join(", "));
    lines.add("ms", format_timings(&made.timings));
    lines.text()
}

fn label_line(made: &LabelSurfaceOutcome) -> String {
    let mut text = format!(
        "{}, {}",
        format_count(made.voxels, "voxel"),
        format_count(made.triangles, "triangle")
    );
    if let Some(checked) = made.checked {
        let closed = if checked.is_closed() {
            "closed"
        } else {
            "open"
        };
        let report = checked.report;
        let touching = match report.non_manifold_edges + report.non_manifold_vertices {
            0 => String::new(),
            _ => format!(
                " (touches itself in {} and {} more)",
                format_count(report.non_manifold_edges as u64, "edge"),
                match report.non_manifold_vertices {
                    1 => "1 vertex".to_owned(),
                    count => format!("{count} vertices"),
                }
            ),
        };
        text += &format!(
            "; {closed}{touching}; area {}, volume {}",
            format_number(report.area),
            format_number(report.volume)
        );
    }
    text
}
