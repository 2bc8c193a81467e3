//! Running the device toolchain's cargo, and reading its messages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::{Profile, Settings};
use crate::environment::scrub_environment;
use crate::error::IoContext;
use crate::{CudaBuilderError, Result};

/// Target triple of NVIDIA GPUs.
pub(super) const TARGET: &str = "nvptx64-nvidia-cuda";

/// Relevant fields of cargo's JSON messages.
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

/// A file built by cargo.
pub(super) struct Artifact {
    /// Manifest of its package.
    pub manifest: PathBuf,
    pub file: PathBuf,
}

/// Returns a cargo command with the settings common to all device builds:
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
        // allows a stable compiler to build `core` and use unstable features for GPUs
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
        // procedural macros need no backtraces
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

/// Runs the command. Progress and cargo's own errors go to standard error immediately, rustc's
/// warnings at the end.
///
/// # Errors
/// A failed build, with rustc's errors.
pub(super) fn run(command: &mut Command, crate_path: &Path) -> Result<Vec<Artifact>> {
    let program = PathBuf::from(command.get_program());
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .at("cannot run", &program)?;
    let text = String::from_utf8_lossy(&output.stdout);
    // lines other than JSON were printed by other programs and are ignored
    let messages: Vec<Message> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let rendered = |is_selected: fn(&str) -> bool| -> String {
        let diagnostics = messages
            .iter()
            .filter_map(|message| message.message.as_ref());
        diagnostics
            .filter(|diagnostic| is_selected(&diagnostic.level))
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
    let artifacts = messages
        .into_iter()
        .filter(|message| message.reason == "compiler-artifact");
    Ok(artifacts
        .flat_map(|message| {
            let manifest = message.manifest_path;
            message.filenames.into_iter().map(move |file| Artifact {
                manifest: manifest.clone(),
                file,
            })
        })
        .collect())
}

/// Appends hints to rustc's diagnostics if its own suggestions do not apply to kernels.
fn with_hints(mut diagnostics: String) -> String {
    let no_std = "there is no std on a GPU; replace `extern crate std` and `std::` paths, or disable the feature of the crate that uses them";
    for (sign, hint) in [
        ("can't find crate for `std`", no_std),
        // for paths, because every crate is compiled with `no_std`
        ("unlinked crate `std`", no_std),
        (
            "register_attr",
            "remove `feature(register_attr)` and `register_attr(nvvm_internal)` inside `#![cfg_attr(target_os = \"cuda\", ...)]`, which cuda_std 0.2 required and compilers since 2022 reject; `no_std` can stay",
        ),
        (
            "`#[panic_handler]` function required",
            "enable the default feature `panic-handler` of cuda_std, or define a panic handler",
        ),
    ] {
        if diagnostics.contains(sign) {
            diagnostics.push_str(&format!("cuda_builder hint: {hint}\n"));
        }
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    #[test]
    fn missing_std_is_explained() {
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
