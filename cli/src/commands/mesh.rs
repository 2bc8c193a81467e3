//! `ferrovox mesh`.

use super::mesh_report::{json, readable};
use crate::{
    args::{CoordinatesName, MeshArgs, MethodName, SpaceName},
    numbers::LabelList,
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::{
    isosurface::NormalSource,
    pipeline::{
        Level, VolumeSource,
        label_mesh::LabelSelection,
        mesh::{self, MeshCheck, MeshJob, SurfaceOptions},
    },
};

/// Reads the volume, extracts its isosurface, writes the mesh, and prints the report.
pub fn run(args: &MeshArgs, terminal: &Terminal) -> anyhow::Result<()> {
    refuse(&[(
        args.space == SpaceName::Lps && args.coordinates == CoordinatesName::Voxel,
        "--space lps does not apply to --coordinates voxel: omit one of them",
    )])?;
    if let Some(labels) = label_selection(args) {
        return super::label_mesh::run(args, labels, terminal);
    }
    refuse(&[
        (
            args.labels.wall_table.is_some(),
            "--wall-table lists the walls between labels: give --labels",
        ),
        (
            args.labels.measure_table.is_some(),
            "--measure-table lists the surfaces of labels: give --labels, or --nonzero with --smooth",
        ),
        (
            args.labels.label_table.is_some(),
            "--label-table names the labels of a .glb file: give --labels",
        ),
    ])?;
    let is_staged = args.method == MethodName::Staged;
    refuse(&[(
        is_staged && args.input.object.memory.is_some(),
        "--method staged needs the whole volume in memory: omit --memory, or use --method fused",
    )])?;
    let job = job(args)?;
    refuse(&[(
        is_staged && job.devices.len() > 1,
        "--method staged runs on one device: give one to --device, or use --method fused",
    )])?;
    let outcome = run_monitored(terminal, |monitor| mesh::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &outcome),
        || readable(args, &outcome),
    )
}

/// Returns the labels to extract as closed manifolds with shared walls, or `None` for an
/// isosurface.
fn label_selection(args: &MeshArgs) -> Option<LabelSelection> {
    let is_smooth = args.filters.smooth_params().is_some();
    match &args.input.object.labels {
        Some(LabelList::All) => Some(LabelSelection::All),
        Some(LabelList::Listed(labels)) => Some(LabelSelection::Listed(labels.clone())),
        None if args.labels.nonzero && is_smooth => Some(LabelSelection::NonZero),
        None => None,
    }
}

fn job(args: &MeshArgs) -> anyhow::Result<MeshJob> {
    let surface = SurfaceOptions {
        inside: args.input.object.inside.into(),
        close: args.close,
        topology: args.topology.into(),
        vertices: args.vertices.into(),
        normals: args.normals.map(NormalSource::from),
        method: args.method.into(),
        ..SurfaceOptions::default()
    };
    let level = args.input.object.level(&args.input.name())?;
    let source = VolumeSource {
        round_samples: args.surface.round_samples,
        ..args.input.source()?
    };
    let volume = match args.input.object.memory {
        None => args.device.read_ahead(source),
        Some(_) => source,
    };
    let devices = args.device.open()?;
    Ok(MeshJob {
        volume: volume.filter_device(devices.first()),
        // without another level, the parser requires --nonzero
        level: level.unwrap_or(Level::NonZero),
        mask: args.input.mask()?,
        output: args.output.clone(),
        surface,
        coordinates: args.coordinates.into(),
        space: args.space.into(),
        filters: args.mesh_filters(),
        devices,
        memory: args.input.object.memory,
        check: match (args.check, args.report.json) {
            (true, _) => MeshCheck::Required,
            (false, true) => MeshCheck::IfWhole,
            (false, false) => MeshCheck::No,
        },
    })
}
