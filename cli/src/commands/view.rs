//! `ferrovox view`: a page that shows meshes, skeletons and volumes.

use crate::{
    args::ViewArgs,
    commands::scene_contents::SceneOptions,
    report::{Devices, JsonTimings, Lines, ObjectReport, add_objects, format_timings, paths},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::{
    device::Device,
    pipeline::{
        SceneContent, VolumeSource,
        view::{self, ViewJob, ViewOutcome},
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
    let device = args.device.device.open()?;
    let job = ViewJob {
        contents: contents(args, &device)?,
        title: args.title.clone().unwrap_or_else(|| default_title(args)),
        unit: args.unit.clone(),
        max_triangles: view::MAX_TRIANGLES,
        output,
        device,
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

fn contents(args: &ViewArgs, device: &Device) -> anyhow::Result<Vec<SceneContent>> {
    let options = SceneOptions {
        input: &args.input,
        round_samples: args.surface.round_samples,
        overlay: args.overlay.as_ref(),
        label_table: args.label_table.as_ref(),
        device,
    };
    let mut contents = options.contents(|source| source)?;
    let distances = args.distances.iter();
    contents
        .extend(distances.map(|path| SceneContent::DistanceMap(VolumeSource::new(path).into())));
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
    Report {
        inputs: paths(&args.input.file.volumes),
        outputs: paths([&job.output]),
        bytes: outcome.bytes,
        objects: outcome.objects.iter().map(ObjectReport::new).collect(),
        notes: outcome.notes.clone(),
        devices: Devices::from_runs(std::slice::from_ref(&outcome.device)),
        timings: JsonTimings::new(&outcome.timings),
    }
}

fn readable(job: &ViewJob, outcome: &ViewOutcome) -> String {
    let mut lines = Lines::new(9);
    let megabytes = outcome.bytes as f64 / 1e6;
    lines.add(
        "page",
        format!("{}: {megabytes:.1} MB", job.output.display()),
    );
    add_objects(&mut lines, &outcome.objects);
    for note in &outcome.notes {
        lines.add("note", note);
    }
    lines.add("device", &job.device);
    lines.add("ms", format_timings(&outcome.timings));
    lines.text()
}
