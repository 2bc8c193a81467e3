//! Search for device toolchains.

use std::env;
use std::path::{Path, PathBuf};

/// A possibly incomplete toolchain.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub rustc: PathBuf,
    pub cargo: PathBuf,
    /// Directory given by `FERROVOX_LLVM_BIN`; `None` to search for it.
    pub llvm_bin: Option<PathBuf>,
    pub named_by_environment: bool,
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Returns all candidates, best first. Locations without a compiler are appended to
/// `searched`.
pub(super) fn candidates(searched: &mut Vec<String>) -> Vec<Candidate> {
    let llvm_bin = variable("FERROVOX_LLVM_BIN");
    let mut found = Vec::new();
    let mut consider = |rustc: PathBuf, cargo: PathBuf, named_by_environment: bool| {
        if !rustc.is_file() {
            searched.push(format!("{}: no such file", rustc.display()));
        } else if !cargo.is_file() {
            searched.push(format!(
                "{}: no cargo at {}",
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
        None => searched.push(
            "rustup: no toolchains directory (neither $RUSTUP_HOME nor ~/.rustup)".to_owned(),
        ),
    }
    found
}

/// Returns the compilers of Ubuntu's packages `rustc-1.NN` in `/usr/lib/rust-1.NN/bin`, newest
/// first.
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

/// Returns the toolchains of rustup: nightly ones first, then by descending name.
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

/// Returns the user's home directory.
pub(crate) fn home_directory() -> Option<PathBuf> {
    variable("HOME").or_else(|| variable("USERPROFILE"))
}

/// Returns directories that may contain LLVM's tools for a rustc with this sysroot and LLVM
/// version, best first.
pub(super) fn llvm_directories(sysroot: &Path, host: &str, rustc_llvm: u32) -> Vec<PathBuf> {
    // rustup's component `llvm-tools` matches rustc's LLVM
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

/// Returns the file name of an executable on this system.
pub(super) fn executable(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}
