//! Paths of the repository.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// Returns the host's target directory.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => std::path::absolute(&directory).unwrap_or_else(|_| directory.into()),
        None => root().join("target"),
    }
}

/// Returns the directory of tools that `setup` installs for this repository.
pub fn tools() -> PathBuf {
    root().join("target/tools")
}

/// Formats a path relative to the root of the repository, for messages.
pub fn display_relative(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Returns the path of the cargo that runs this program.
pub fn cargo_path() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Returns the sysroot of the active compiler.
pub fn sysroot() -> Option<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(text.trim())).filter(|path| path.is_dir())
}

/// Returns a command that runs cargo in a directory, with the environment common to all builds of
/// this repository.
///
/// `RUSTC_BOOTSTRAP` is removed: `cargo xtask test` sets it for test programs, some of which run
/// `cargo xtask`, and build scripts of dependencies read it. Different values would cause rebuilds.
pub fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(cargo_path());
    command.current_dir(folder).env_remove("RUSTC_BOOTSTRAP");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bootstrap_variable_is_removed() {
        let command = cargo(&root());
        let mut variables = command.get_envs();
        assert!(variables.any(|(name, value)| name == "RUSTC_BOOTSTRAP" && value.is_none()));
    }
}
