//! Commands. Each runs in its own folder, and all files that it writes are hashed.

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
    /// The name, unique among all cases.
    pub name: &'static str,
    /// The arguments after `ferrovox`. `@x` is the input file x, `{one}` the device, `{two}` two
    /// devices of its type.
    ///
    /// With `--json`, and for `info` and `occupancy`, the standard output is hashed too, without
    /// timings and similar values.
    pub line: &'static str,
    /// `true` if the output depends on the type of the device.
    pub by_kind: bool,
}

/// Runs the selected cases in subfolders of `parent`.
pub fn run(
    record: &mut Record,
    command: &Path,
    parent: &Path,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<()> {
    for case in CASES.iter().filter(|case| is_wanted(case.name)) {
        let folder = parent.join(case.name);
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        record.begin(case.name, case.by_kind);
        let result = run_case(record, command, case, &folder);
        record.end(result);
    }
    Ok(())
}

fn run_case(record: &mut Record, command: &Path, case: &Case, folder: &Path) -> Result<()> {
    let arguments = expand_arguments(case.line, record.device());
    let output = Command::new(command)
        .args(&arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", command.display()))?;
    if !output.status.success() {
        bail!(
            "{}: ferrovox {}: {}",
            output.status,
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    if arguments.iter().any(|argument| argument == "--json") {
        fs::write(folder.join("printed.txt"), plain_json(&stdout)?)?;
    } else if arguments
        .iter()
        .any(|argument| argument == "info" || argument == "occupancy")
    {
        fs::write(folder.join("printed.txt"), stdout.as_bytes())?;
    }
    record.hash_files(folder)
}

fn expand_arguments(line: &str, device: &str) -> Vec<String> {
    line.split_whitespace()
        .map(|word| match word.strip_prefix('@') {
            Some(input) => format!("../../in/{input}"),
            None => word
                .replace("{one}", device)
                .replace("{two}", &device_pair(device)),
        })
        .collect()
}

/// A device and the next one of its type, or the same device twice if there is no other.
fn device_pair(device: &str) -> String {
    let index = device.strip_prefix("cuda:").and_then(|n| n.parse().ok());
    let next = index.map(|index: usize| index + 1);
    match next.filter(|next| Device::cuda_count().is_ok_and(|count| *next < count)) {
        Some(next) => format!("{device},cuda:{next}"),
        None => format!("{device},{device}"),
    }
}
