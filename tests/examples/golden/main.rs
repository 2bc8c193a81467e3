//! Runs commands and library calls on generated inputs and compares hashes of all their outputs
//! with the hashes of an earlier version, to show that a change leaves the outputs identical.
//!
//! `cargo xtask golden` builds and runs this program and the command-line program. On another
//! computer: `golden --ferrovox PATH --data DIR --check`.

mod commands;
mod inputs;
mod library;
mod record;
mod report;

use anyhow::{Context, Result};
use clap::Parser;
use ferrovox::device::Device;
use ferrovox_tests::golden::Hashes;
use record::{Record, device_type};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

/// The hashes recorded when this program was built.
const RECORDED: &str = include_str!("../../golden/hashes.txt");

/// Compare the outputs of commands and library calls with recorded hashes.
#[derive(Parser)]
#[command(name = "golden")]
struct Arguments {
    /// Path of the program `ferrovox` [default: next to this program, or in ../bin]
    #[arg(long, value_name = "PATH")]
    ferrovox: Option<PathBuf>,
    /// Folder with the brain volume [default: cli/data of the repository]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Device to run on; may be repeated [default: cpu, and cuda:0 if present]
    #[arg(long, value_name = "DEVICE")]
    device: Vec<Device>,
    /// Write the hashes to this file; keep its entries of cases that do not run
    #[arg(long, alias = "keep", value_name = "FILE", conflicts_with = "check")]
    record: Option<PathBuf>,
    /// Compare with the hashes in this file [default: the hashes built into the program]
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    check: Option<Option<PathBuf>>,
    /// Run only the cases whose names contain this text; may be repeated
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Work in this folder and keep all files, for comparing the contents of changed outputs
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// List the cases without running them
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("golden: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether no case failed and all hashes match.
fn run(arguments: &Arguments) -> Result<bool> {
    let is_wanted = |name: &str| {
        arguments.only.is_empty() || arguments.only.iter().any(|text| name.contains(text))
    };
    if arguments.list {
        list(is_wanted);
        return Ok(true);
    }
    let start = Instant::now();
    let temporary = tempfile::tempdir().context("cannot create a temporary folder")?;
    let folder = match &arguments.folder {
        Some(folder) => std::path::absolute(folder)?,
        None => temporary.path().to_owned(),
    };
    let command = resolve_path(&arguments.ferrovox, &["ferrovox", "../bin/ferrovox"])
        .context("cannot find the program ferrovox next to this program: pass --ferrovox PATH")?;
    let data = resolve_path(&arguments.data, &["../data", "../../data"])
        .or_else(|| Some(repository_data()).filter(|data| data.is_dir()))
        .context("cannot find the folder data: pass --data DIR")?;
    let input = folder.join("in");
    inputs::create(&input, &data)?;

    let (mut all, mut failures) = (Hashes::default(), Vec::new());
    let mut ran = BTreeSet::new();
    for device in devices(&arguments.device)? {
        let mut record = Record::new(&device, std::mem::take(&mut all));
        if device.id() == "cpu" && is_wanted("inputs") {
            record.begin("inputs", false);
            record.hash_files(&input)?;
        }
        let device_folder = folder.join(device.id().replace(':', "-"));
        commands::run(&mut record, &command, &device_folder, is_wanted)?;
        library::run(&mut record, &device, is_wanted);
        let outcome = record.finish();
        all = outcome.hashes;
        failures.extend(outcome.failures);
        ran.extend(outcome.ran);
    }
    report::summary(all.len(), ran.len(), start.elapsed());
    report::failures(&failures);
    let is_recorded = match (&arguments.record, &arguments.check) {
        (Some(file), _) => record_hashes(file, all, &ran, failures.is_empty())?,
        (None, Some(file)) => report::comparison(&recorded_hashes(file)?.compare(&all, &ran)),
        (None, None) => {
            print!("{}", all.text());
            true
        }
    };
    Ok(is_recorded && failures.is_empty())
}

fn list(is_wanted: impl Fn(&str) -> bool) {
    let commands = commands::CASES
        .iter()
        .map(|case| (case.name, case.line.split_whitespace().collect()));
    let calls = library::CASES
        .iter()
        .map(|case| (case.name, vec![case.description]));
    let all = [("inputs", vec!["the files read by the other cases"])];
    for (name, description) in all.into_iter().chain(commands).chain(calls) {
        if is_wanted(name) {
            println!("{name:<28} {}", description.join(" "));
        }
    }
}

/// Writes the hashes to `file` unless a case failed.
fn record_hashes(
    file: &Path,
    found: Hashes,
    ran: &BTreeSet<String>,
    is_complete: bool,
) -> Result<bool> {
    if !is_complete {
        eprintln!("golden: a case failed: {} is not written", file.display());
        return Ok(false);
    }
    let mut hashes = match fs::read_to_string(file) {
        Ok(text) => parse_hashes(&text, &file.display().to_string())?,
        Err(_) => Hashes::default(),
    };
    hashes.update(found, ran, is_case);
    fs::write(file, hashes.text()).with_context(|| format!("cannot write {}", file.display()))?;
    println!("{}: {} outputs", file.display(), hashes.len());
    Ok(true)
}

/// Returns whether a case has this key: its name, followed by a device type if the case has one
/// hash per device type.
fn is_case(key: &str) -> bool {
    let (name, by_kind) = match key.split_once('@') {
        Some((name, _)) => (name, true),
        None => (key, false),
    };
    let mut all = commands::CASES
        .iter()
        .map(|case| (case.name, case.by_kind))
        .chain(library::CASES.iter().map(|case| (case.name, case.by_kind)))
        .chain([("inputs", false)]);
    all.any(|case| case == (name, by_kind))
}

fn recorded_hashes(file: &Option<PathBuf>) -> Result<Hashes> {
    match file {
        None => parse_hashes(RECORDED, "the built-in hashes"),
        Some(file) => {
            let text = fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            parse_hashes(&text, &file.display().to_string())
        }
    }
}

fn parse_hashes(text: &str, name: &str) -> Result<Hashes> {
    Hashes::parse(text)
        .map_err(anyhow::Error::msg)
        .with_context(|| name.to_owned())
}

/// Returns the absolute path of `given`, or the first existing path of `defaults`, which are
/// relative to the folder of this program.
fn resolve_path(given: &Option<PathBuf>, defaults: &[&str]) -> Option<PathBuf> {
    if let Some(given) = given {
        return std::path::absolute(given).ok();
    }
    let program = std::env::current_exe().ok()?;
    let mut paths = defaults.iter().map(|path| program.with_file_name(path));
    paths.find(|path| path.exists())
}

/// The data folder of the repository that this program was built in.
fn repository_data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/data")
}

fn devices(given: &[Device]) -> Result<Vec<Device>> {
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    let mut devices = vec![Device::cpu()];
    match Device::cuda_count() {
        Ok(count) if count > 0 => devices.push(Device::cuda(0)?),
        _ => eprintln!("golden: no CUDA device: only the CPU is tested"),
    }
    let names: Vec<String> = devices.iter().map(device_type).collect();
    eprintln!("golden: devices: {}", names.join(" and "));
    Ok(devices)
}
