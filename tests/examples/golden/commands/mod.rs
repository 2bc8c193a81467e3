//! Commands: each runs in a folder of its own, and every file that it writes counts.

mod cases;

pub use cases::CASES;

use crate::record::Record;
use anyhow::{Context, Result, bail};
use ferrovox::device::Device;
use ferrovox_tests::golden::plain_json;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// A command line.
pub struct Case {
    /// The name, which no other case has.
    pub name: &'static str,
    /// The line after `ferrovox`. `@x` is the input file x, `{one}` the device, `{two}` two devices
    /// of its kind.
    ///
    /// With `--json`, and of `info` and `occupancy`, what it prints counts too, without timings and
    /// the like.
    pub line: &'static str,
    /// Whether the bits depend on the kind of device.
    pub by_kind: bool,
}

/// Runs the cases that are wanted, in folders in `place`.
pub fn run(
    record: &mut Record,
    command: &Path,
    place: &Path,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<()> {
    for case in CASES.iter().filter(|case| is_wanted(case.name)) {
        let folder = place.join(case.name);
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        record.begin(case.name, case.by_kind);
        let outcome = run_one(record, command, case, &folder);
        record.end(outcome);
    }
    Ok(())
}

fn run_one(record: &mut Record, command: &Path, case: &Case, folder: &Path) -> Result<()> {
    let words = words(case.line, record.device());
    let output = Command::new(command)
        .args(&words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", command.display()))?;
    if !output.status.success() {
        bail!(
            "{}: ferrovox {}: {}",
            output.status,
            words.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let said = String::from_utf8_lossy(&output.stdout);
    if words.iter().any(|word| word == "--json") {
        fs::write(folder.join("printed.txt"), plain_json(&said)?)?;
    } else if words
        .iter()
        .any(|word| word == "info" || word == "occupancy")
    {
        fs::write(folder.join("printed.txt"), said.as_bytes())?;
    }
    record.files(folder)
}

fn words(line: &str, device: &str) -> Vec<String> {
    line.split_whitespace()
        .map(|word| match word.strip_prefix('@') {
            Some(input) => format!("../../in/{input}"),
            None => word.replace("{one}", device).replace("{two}", &two(device)),
        })
        .collect()
}

/// A device and the next of its kind, or itself again where there is none.
fn two(device: &str) -> String {
    let index = device.strip_prefix("cuda:").and_then(|n| n.parse().ok());
    let next = index.map(|index: usize| index + 1);
    match next.filter(|next| Device::cuda_count().is_ok_and(|count| *next < count)) {
        Some(next) => format!("{device},cuda:{next}"),
        None => format!("{device},{device}"),
    }
}
