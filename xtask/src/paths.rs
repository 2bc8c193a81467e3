//! Where things are in the repository.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The top of the repository.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// Host cargo's target directory.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => std::path::absolute(&directory).unwrap_or_else(|_| directory.into()),
        None => root().join("target"),
    }
}

/// Tools that `setup` installs for this repository alone.
pub fn tools() -> PathBuf {
    root().join("target/tools")
}

/// `path` as seen from the top of the repository, for messages.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// The cargo that runs this program.
pub fn cargo_path() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The folder of the compiler that cargo uses here.
pub fn sysroot() -> Option<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(text.trim())).filter(|path| path.is_dir())
}

/// A command that runs it in a folder, with the environment that every build of this repository
/// has.
///
/// `RUSTC_BOOTSTRAP` is taken away: `cargo xtask test` sets it for test programs, some of them run
/// `cargo xtask`, and build scripts of dependencies ask for it. With it all that depends on them
/// would be compiled anew, and without it once more.
pub fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(cargo_path());
    command.current_dir(folder).env_remove("RUSTC_BOOTSTRAP");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_build_has_the_same_environment() {
        let command = cargo(&root());
        let mut variables = command.get_envs();
        assert!(variables.any(|(name, value)| name == "RUSTC_BOOTSTRAP" && value.is_none()));
    }
}
