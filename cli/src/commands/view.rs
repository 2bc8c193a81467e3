//! `ferrovox view`: a page that shows meshes, skeletons and volumes.

use crate::{
    args::{InputArgs, ViewArgs},
    numbers::format_count,
    report::{Devices, JsonTimings, Lines, format_timings, paths},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::{
    io::{LabelTable, MeshFormat, SkeletonFormat, read_label_table},
    pipeline::{
        VolumeSource,
        label_mesh::LabelSelection,
        view::{self, ViewContent, ViewJob, ViewOutcome},
    },
};
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// JSON object. Times are in milliseconds.
#[derive(Serialize)]
struct Report {
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// Size of the page in bytes.
    bytes: u64,
    objects: Vec<ObjectReport>,
    /// Remarks that the page shows.
    notes: Vec<String>,
    #[serde(flatten)]
    devices: Devices,
    timings: JsonTimings,
}

#[derive(Serialize)]
struct ObjectReport {
    name: String,
    /// `surface`, `label`, `skeleton`, `volume` or `distances`.
    kind: &'static str,
    /// Number of triangles, curves or samples.
    count: u64,
}

/// Writes a page, and opens it if no name is given.
pub fn run(args: &ViewArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let object = &args.input.object;
    let has_surface = !object.iso.is_empty() || object.label.is_some();
    refuse(&[
        (
            object.iso.len() > 1,
            "a page shows one surface per volume; give one isovalue",
        ),
        (
            args.label_table.is_some() && args.overlay.is_none() && object.labels.is_none(),
            "--label-table names the labels of --labels or --overlay; add one of them",
        ),
        (
            has_surface && object.labels.is_some() && args.overlay.is_none(),
            "--labels shows the volumes as segmentations, without an isovalue; give the segmentation to --overlay",
        ),
    ])?;
    let output = match &args.output {
        Some(output) => output.clone(),
        None => temporary_page(args),
    };
    let job = ViewJob {
        contents: contents(args)?,
        title: args.title.clone().unwrap_or_else(|| default_title(args)),
        unit: args.unit.clone(),
        output,
        device: args.device.device.open()?,
    };
    let outcome = run_monitored(terminal, |monitor| view::run(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &job, &outcome),
        || readable(&job, &outcome),
    )?;
    if args.output.is_none() {
        open_in_browser(&job.output);
    }
    Ok(())
}

fn contents(args: &ViewArgs) -> anyhow::Result<Vec<ViewContent>> {
    let selection = match &args.input.object.labels {
        Some(labels) => labels.listed(),
        None => None,
    };
    let selection = selection.map_or(LabelSelection::All, LabelSelection::Listed);
    let table = match &args.label_table {
        Some(path) => read_label_table(path)?,
        None => LabelTable::default(),
    };
    let labels = |source: VolumeSource| ViewContent::Labels {
        source: Box::new(source),
        labels: selection.clone(),
        table: Box::new(table.clone()),
    };
    let mut contents = Vec::new();
    for file in &args.input.file.volumes {
        if MeshFormat::from_path(file).is_some() {
            contents.push(ViewContent::Mesh(file.clone()));
            continue;
        }
        if SkeletonFormat::from_path(file).is_some() {
            contents.push(ViewContent::Skeleton(file.clone()));
            continue;
        }
        let mut input: InputArgs = args.input.clone();
        input.file.volumes = vec![file.clone()];
        let source = VolumeSource {
            round_samples: args.surface.round_samples,
            ..input.image_source()?
        };
        contents.push(
            if args.input.object.labels.is_some() && args.overlay.is_none() {
                labels(source)
            } else {
                ViewContent::Volume {
                    source: Box::new(source),
                    level: input.object.level(&input.name())?,
                    inside: input.object.inside.into(),
                    filter: Box::new(input.filter()?),
                }
            },
        );
    }
    let overlay = args.overlay.iter();
    contents.extend(overlay.map(|path| labels(VolumeSource::new(path))));
    let distances = args.distances.iter();
    contents.extend(distances.map(|path| ViewContent::DistanceMap(VolumeSource::new(path).into())));
    Ok(contents)
}

fn default_title(args: &ViewArgs) -> String {
    let name = args.input.file.path().file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Returns the path of a page in the folder for temporary files.
fn temporary_page(args: &ViewArgs) -> PathBuf {
    let stem = default_title(args).replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    std::env::temp_dir().join(format!("ferrovox-{}-{stem}.html", std::process::id()))
}

/// Opens a page with the program of the desktop. The path has been printed already, so a missing
/// program is no error.
fn open_in_browser(page: &Path) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(page);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let _ = command.stderr(Stdio::null()).spawn();
}

fn json(args: &ViewArgs, job: &ViewJob, outcome: &ViewOutcome) -> Report {
    let object = |object: &view::ViewObject| ObjectReport {
        name: object.name.clone(),
        kind: object.kind,
        count: object.count,
    };
    Report {
        inputs: paths(&args.input.file.volumes),
        outputs: paths([&job.output]),
        bytes: outcome.bytes,
        objects: outcome.objects.iter().map(object).collect(),
        notes: outcome.notes.clone(),
        devices: Devices::from_runs(std::slice::from_ref(&outcome.device)),
        timings: JsonTimings::new(&outcome.timings),
    }
}

fn readable(job: &ViewJob, outcome: &ViewOutcome) -> String {
    /// Maximum number of labels that are listed.
    const MAX_LISTED: usize = 12;
    let mut lines = Lines::new(9);
    let megabytes = outcome.bytes as f64 / 1e6;
    lines.add(
        "page",
        format!("{}: {megabytes:.1} MB", job.output.display()),
    );
    for object in outcome.objects.iter().take(MAX_LISTED) {
        let unit = match object.kind {
            "skeleton" => "curve",
            "volume" | "distances" => "sample",
            _ => "triangle",
        };
        lines.add(
            object.kind,
            format!("{}: {}", object.name, format_count(object.count, unit)),
        );
    }
    let more = outcome.objects.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        lines.add(
            "",
            format!("and {}", format_count(more as u64, "more object")),
        );
    }
    for note in &outcome.notes {
        lines.add("note", note);
    }
    lines.add("device", &job.device);
    lines.add("ms", format_timings(&outcome.timings));
    lines.text()
}
