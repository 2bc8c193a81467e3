//! Running the device toolchain's cargo, and reading its messages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::{Profile, Settings};
use crate::environment::scrub_environment;
use crate::error::IoContext;
use crate::{CudaBuilderError, Result};

/// The only target there is.
pub(super) const TARGET: &str = "nvptx64-nvidia-cuda";

/// What is read of cargo's JSON messages.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
}

/// A file that cargo made.
pub(super) struct Artifact {
    /// The manifest of the package it belongs to.
    pub manifest: PathBuf,
    pub file: PathBuf,
}

/// A cargo command with the settings that every device build has:
/// `cargo SUBCOMMAND --target … --config profile…`.
pub(super) fn command(
    settings: &Settings,
    subcommand: &str,
    target_directory: &Path,
    flags: &[String],
) -> Command {
    let mut command = Command::new(&settings.toolchain.cargo);
    scrub_environment(&mut command);
    let remap = settings
        .remapped_paths
        .iter()
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let flags: Vec<String> = remap.chain(flags.iter().cloned()).collect();
    command
        .env("RUSTC", &settings.toolchain.rustc)
        // Lets a stable compiler build `core` and use the GPU's unstable features; a nightly does
        // not care.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC_WRAPPER", "")
        .env("CARGO_TARGET_DIR", target_directory)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .env("CARGO_INCREMENTAL", "0");
    command.args([
        subcommand,
        "--lib",
        "--target",
        TARGET,
        "--message-format=json",
    ]);
    let (name, level) = match settings.profile {
        Profile::Release => (
            "release",
            [
                "opt-level=3",
                "debug-assertions=false",
                "overflow-checks=false",
            ],
        ),
        Profile::Debug => (
            "dev",
            [
                "opt-level=1",
                "debug-assertions=true",
                "overflow-checks=true",
            ],
        ),
    };
    if settings.profile == Profile::Release {
        command.arg("--release");
    }
    let common = [
        "codegen-units=1",
        "panic=\"abort\"",
        "lto=\"off\"",
        "incremental=false",
        "strip=false",
        // of procedural macros nobody reads a backtrace
        "build-override.debug=false",
    ];
    let debug = format!("debug=\"{}\"", settings.debug_info);
    for setting in level.iter().chain(&common).copied().chain([debug.as_str()]) {
        command
            .arg("--config")
            .arg(format!("profile.{name}.{setting}"));
    }
    command
}

/// Runs the command. Progress and cargo's own errors go to standard error as they come; so do
/// rustc's warnings, at the end.
///
/// # Errors
/// A build that fails, with rustc's errors.
pub(super) fn run(command: &mut Command, crate_path: &Path) -> Result<Vec<Artifact>> {
    let program = PathBuf::from(command.get_program());
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .at("cannot run", &program)?;
    let text = String::from_utf8_lossy(&output.stdout);
    // Whatever is not JSON was printed by something else; it is not for us.
    let messages: Vec<Message> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let rendered = |wanted: fn(&str) -> bool| -> String {
        let diagnostics = messages
            .iter()
            .filter_map(|message| message.message.as_ref());
        diagnostics
            .filter(|diagnostic| wanted(&diagnostic.level))
            .filter_map(|diagnostic| diagnostic.rendered.as_deref())
            .collect()
    };
    if !output.status.success() {
        let diagnostics = with_hints(rendered(|level| level.starts_with("error")));
        return Err(CudaBuilderError::BuildFailed {
            crate_path: crate_path.to_owned(),
            diagnostics,
        });
    }
    let warnings = rendered(|level| level == "warning");
    if !warnings.is_empty() {
        eprint!("{warnings}");
    }
    let made = messages
        .into_iter()
        .filter(|message| message.reason == "compiler-artifact");
    Ok(made
        .flat_map(|message| {
            let manifest = message.manifest_path;
            message.filenames.into_iter().map(move |file| Artifact {
                manifest: manifest.clone(),
                file,
            })
        })
        .collect())
}

/// rustc's words, and ours where its advice would lead astray.
fn with_hints(mut diagnostics: String) -> String {
    let no_std = "there is no std on a GPU: what says `extern crate std` or `std::` needs another way there, or a feature of the crate turned off";
    for (sign, hint) in [
        ("can't find crate for `std`", no_std),
        // of a path, since `no_std` is said for every crate
        ("unlinked crate `std`", no_std),
        (
            "register_attr",
            "remove two lines, which the published 0.2 asked for and no compiler since 2022 takes: `feature(register_attr)` and `register_attr(nvvm_internal)`. They stand inside `#![cfg_attr(target_os = \"cuda\", ...)]`; the `no_std` there may stay",
        ),
        (
            "`#[panic_handler]` function required",
            "cuda_std has one, behind its default feature `panic-handler`; a crate that does not use it needs its own",
        ),
    ] {
        if diagnostics.contains(sign) {
            diagnostics.push_str(&format!("cuda_builder's advice: {hint}\n"));
        }
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_missing_std_is_explained() {
        for message in [
            "error[E0463]: can't find crate for `std`\n",
            "error[E0433]: cannot find `std`\n^^^ use of unresolved module or unlinked crate `std`\n",
        ] {
            let text = super::with_hints(message.to_owned());
            assert!(text.contains("there is no std on a GPU"), "{text}");
        }
        assert_eq!(super::with_hints("error: x\n".to_owned()), "error: x\n");
    }
}
