//! Runs commands and library calls on inputs that it makes, and compares hashes of all that they
//! give with those of an earlier version: a change that should change nothing can show that it did
//! not.
//!
//! `cargo xtask golden` builds it and the command, and runs it. Elsewhere:
//! `golden --ferrovox PATH --data DIR --check`.

mod commands;
mod inputs;
mod library;
mod record;
mod report;

use anyhow::{Context, Result};
use clap::Parser;
use ferrovox::device::Device;
use ferrovox_tests::golden::Hashes;
use record::{Record, kind_of};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

/// What was recorded when this program was built.
const RECORDED: &str = include_str!("../../golden/hashes.txt");

/// Compare what commands and library calls give with what they gave before.
#[derive(Parser)]
#[command(name = "golden")]
struct Arguments {
    /// The command `ferrovox` [default: beside this program, or in ../bin]
    #[arg(long, value_name = "PATH")]
    ferrovox: Option<PathBuf>,
    /// Folder with the volume of a brain [default: data, the repository's]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Device to run on, several times if wanted [default: cpu, and cuda:0 where there is one]
    #[arg(long, value_name = "DEVICE")]
    device: Vec<Device>,
    /// Write the hashes to this file; of cases that do not run those in it stay
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    keep: Option<PathBuf>,
    /// Compare with the hashes in this file, or with those that the program was built with
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    check: Option<Option<PathBuf>>,
    /// Run only the cases whose names contain this word, several times if wanted
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,
    /// Work in this folder, and leave all files there, to look for what is different in a file
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Name the cases, and run none
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

/// Whether all is as it should be.
fn run(arguments: &Arguments) -> Result<bool> {
    let is_wanted = |name: &str| {
        arguments.only.is_empty() || arguments.only.iter().any(|word| name.contains(word))
    };
    if arguments.list {
        list(is_wanted);
        return Ok(true);
    }
    let start = Instant::now();
    let temporary = tempfile::tempdir().context("cannot make a temporary folder")?;
    let folder = match &arguments.folder {
        Some(folder) => std::path::absolute(folder)?,
        None => temporary.path().to_owned(),
    };
    let command = found(&arguments.ferrovox, &["ferrovox", "../bin/ferrovox"])
        .context("the command ferrovox is not beside this program: say --ferrovox PATH")?;
    let data = found(&arguments.data, &["../data", "../../data"])
        .or_else(|| Some(repository_data()).filter(|data| data.is_dir()))
        .context("the folder data is not found: say --data DIR")?;
    let input = folder.join("in");
    inputs::make(&input, &data)?;

    let (mut all, mut failures) = (Hashes::default(), Vec::new());
    let mut ran = BTreeSet::new();
    for device in devices(&arguments.device)? {
        let mut record = Record::new(&device, std::mem::take(&mut all));
        if device.id() == "cpu" && is_wanted("inputs") {
            record.begin("inputs", false);
            record.files(&input)?;
        }
        let place = folder.join(device.id().replace(':', "-"));
        commands::run(&mut record, &command, &place, is_wanted)?;
        library::run(&mut record, &device, is_wanted);
        let done = record.finish();
        all = done.hashes;
        failures.extend(done.failures);
        ran.extend(done.ran);
    }
    report::time(all.len(), ran.len(), start.elapsed());
    report::failures(&failures);
    let is_recorded = match (&arguments.keep, &arguments.check) {
        (Some(file), _) => keep(file, all, &ran, failures.is_empty())?,
        (None, Some(file)) => report::comparison(&recorded(file)?.compare(&all, &ran)),
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
        .map(|case| (case.name, vec![case.what]));
    let all = [("inputs", vec!["the files that the others read"])];
    for (name, words) in all.into_iter().chain(commands).chain(calls) {
        if is_wanted(name) {
            println!("{name:<28} {}", words.join(" "));
        }
    }
}

/// Writes the hashes, unless a case failed.
fn keep(file: &Path, found: Hashes, ran: &BTreeSet<String>, is_complete: bool) -> Result<bool> {
    if !is_complete {
        eprintln!("golden: nothing is written to {}", file.display());
        return Ok(false);
    }
    let mut hashes = match fs::read_to_string(file) {
        Ok(text) => parsed(&text, &file.display().to_string())?,
        Err(_) => Hashes::default(),
    };
    hashes.renew(found, ran, is_known);
    fs::write(file, hashes.text()).with_context(|| format!("cannot write {}", file.display()))?;
    println!("{}: {} outputs", file.display(), hashes.len());
    Ok(true)
}

/// Whether there is a case of this name, with or without a kind of device.
fn is_known(key: &str) -> bool {
    let (name, kind) = match key.split_once('@') {
        Some((name, _)) => (name, true),
        None => (key, false),
    };
    let mut all = commands::CASES
        .iter()
        .map(|case| (case.name, case.by_kind))
        .chain(library::CASES.iter().map(|case| (case.name, case.by_kind)))
        .chain([("inputs", false)]);
    all.any(|case| case == (name, kind))
}

fn recorded(file: &Option<PathBuf>) -> Result<Hashes> {
    match file {
        None => parsed(RECORDED, "the built-in hashes"),
        Some(file) => {
            let text = fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            parsed(&text, &file.display().to_string())
        }
    }
}

fn parsed(text: &str, name: &str) -> Result<Hashes> {
    Hashes::parse(text)
        .map_err(anyhow::Error::msg)
        .with_context(|| name.to_owned())
}

/// What was given, or the first of the places beside this program that is there.
fn found(given: &Option<PathBuf>, beside: &[&str]) -> Option<PathBuf> {
    if let Some(given) = given {
        return std::path::absolute(given).ok();
    }
    let program = std::env::current_exe().ok()?;
    let mut places = beside.iter().map(|place| program.with_file_name(place));
    places.find(|place| place.exists())
}

/// Where the data are if the program is run where it was built.
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
        _ => eprintln!("golden: no CUDA device: nothing is checked on one"),
    }
    let kinds: Vec<String> = devices.iter().map(kind_of).collect();
    eprintln!("golden: on {}", kinds.join(" and "));
    Ok(devices)
}
