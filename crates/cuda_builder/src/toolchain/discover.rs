//! Where a device toolchain may be.

use std::env;
use std::path::{Path, PathBuf};

/// A toolchain that may or may not be complete.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub rustc: PathBuf,
    pub cargo: PathBuf,
    /// Named by `FERROVOX_LLVM_BIN`; otherwise searched for.
    pub llvm_bin: Option<PathBuf>,
    pub named_by_environment: bool,
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Every candidate, best first. Places without a compiler are noted in `looked_at`.
pub(super) fn candidates(looked_at: &mut Vec<String>) -> Vec<Candidate> {
    let llvm_bin = variable("FERROVOX_LLVM_BIN");
    let mut found = Vec::new();
    let mut consider = |rustc: PathBuf, cargo: PathBuf, named_by_environment: bool| {
        if !rustc.is_file() {
            looked_at.push(format!("{}: no such file", rustc.display()));
        } else if !cargo.is_file() {
            looked_at.push(format!(
                "{}: there is no cargo at {}",
                rustc.display(),
                cargo.display()
            ));
        } else {
            found.push(Candidate {
                rustc,
                cargo,
                llvm_bin: llvm_bin.clone(),
                named_by_environment,
            });
        }
    };
    if let Some(rustc) = variable("FERROVOX_DEVICE_RUSTC") {
        let cargo =
            variable("FERROVOX_DEVICE_CARGO").unwrap_or_else(|| rustc.with_file_name("cargo"));
        consider(rustc, cargo, true);
        return found;
    }
    consider("/usr/bin/rustc".into(), "/usr/bin/cargo".into(), false);
    for bin in versioned_packages() {
        consider(bin.join("rustc"), bin.join("cargo"), false);
    }
    match rustup_toolchains() {
        Some(toolchains) => {
            for bin in toolchains
                .into_iter()
                .map(|toolchain| toolchain.join("bin"))
            {
                consider(
                    bin.join(executable("rustc")),
                    bin.join(executable("cargo")),
                    false,
                );
            }
        }
        None => looked_at.push(
            "rustup: no toolchains directory (neither $RUSTUP_HOME nor ~/.rustup)".to_owned(),
        ),
    }
    found
}

/// Ubuntu's packages `rustc-1.NN` live under `/usr/lib/rust-1.NN/bin`, newest first.
fn versioned_packages() -> Vec<PathBuf> {
    let entries = Path::new("/usr/lib")
        .read_dir()
        .into_iter()
        .flatten()
        .flatten();
    let minor = |name: &str| name.strip_prefix("rust-1.")?.parse::<u32>().ok();
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            Some((
                minor(entry.file_name().to_str()?)?,
                entry.path().join("bin"),
            ))
        })
        .collect();
    found.sort_by_key(|(minor, _)| std::cmp::Reverse(*minor));
    found.into_iter().map(|(_, bin)| bin).collect()
}

/// rustup's toolchains, nightly ones first, newest name first among equals.
fn rustup_toolchains() -> Option<Vec<PathBuf>> {
    let home = variable("RUSTUP_HOME").or_else(|| Some(home_directory()?.join(".rustup")))?;
    let mut toolchains: Vec<PathBuf> = home
        .join("toolchains")
        .read_dir()
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    toolchains.sort_by_key(|path| std::cmp::Reverse(name(path)));
    toolchains.sort_by_key(|path| !name(path).starts_with("nightly"));
    Some(toolchains)
}

/// The user's home directory.
pub(crate) fn home_directory() -> Option<PathBuf> {
    variable("HOME").or_else(|| variable("USERPROFILE"))
}

/// Directories that may hold LLVM's tools for a rustc with this sysroot and LLVM, best first.
pub(super) fn llvm_directories(sysroot: &Path, host: &str, rustc_llvm: u32) -> Vec<PathBuf> {
    // rustup's component `llvm-tools` is rustc's own LLVM.
    let mut directories = vec![sysroot.join("lib/rustlib").join(host).join("bin")];
    for major in rustc_llvm..=rustc_llvm + 8 {
        directories.push(format!("/usr/lib/llvm-{major}/bin").into());
        directories.push(format!("/usr/lib/llvm/{major}/bin").into());
        directories.push(format!("/usr/lib64/llvm{major}/bin").into());
        directories.push(format!("/opt/homebrew/opt/llvm@{major}/bin").into());
    }
    directories.push("/opt/homebrew/opt/llvm/bin".into());
    directories.push("/usr/local/opt/llvm/bin".into());
    directories.extend(env::var_os("PATH").iter().flat_map(env::split_paths));
    directories
}

/// The file name of a program on this system.
pub(super) fn executable(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}
