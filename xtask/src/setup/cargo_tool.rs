//! Subcommands of cargo from Python wheels: compiling them takes longer than all checks together.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::State;
use super::assembler::{check_pip, pip_install};
use crate::paths;

/// A subcommand of cargo with its pinned version.
pub struct CargoTool {
    /// Name of the program.
    pub name: &'static str,
    version: &'static str,
}

/// Checks licences, sources, duplicates and advisories of dependencies.
pub const DENY: CargoTool = CargoTool {
    name: "cargo-deny",
    version: "0.20.2",
};

/// Finds unused dependencies.
pub const SHEAR: CargoTool = CargoTool {
    name: "cargo-shear",
    version: "1.14.0",
};

impl CargoTool {
    /// Returns the directory of the program. Each has one of its own, because pip replaces the
    /// programs of a directory.
    fn folder(&self) -> PathBuf {
        paths::tools().join(self.name)
    }

    /// Returns the name and version of the Python package.
    fn package(&self) -> String {
        format!("astral-dev-toolchain-{}=={}", self.name, self.version)
    }

    /// Returns the path of the program.
    fn path(&self) -> PathBuf {
        self.folder().join("bin").join(self.name)
    }

    /// Returns the path of the program if the pinned version is installed.
    fn find(&self) -> Option<PathBuf> {
        let path = self.path();
        let output = Command::new(&path).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        (text.split_whitespace().last()? == self.version).then_some(path)
    }

    /// Returns the state of the program.
    pub(super) fn state(&self) -> State {
        match self.find() {
            Some(path) => State::Present(format!("{} ({})", self.version, path.display())),
            None => State::Missing(format!(
                "to install it: python3 -m pip install --no-deps --target {} {}",
                self.folder().display(),
                self.package()
            )),
        }
    }

    /// Installs the program.
    ///
    /// # Errors
    /// The failure of pip.
    pub fn install(&self) -> Result<()> {
        check_pip()?;
        pip_install(&self.folder(), &self.package())
    }

    /// Returns the path of the program, which is installed if it is missing.
    ///
    /// # Errors
    /// The failure of the installation.
    pub fn ensure(&self) -> Result<PathBuf> {
        if self.find().is_none() {
            self.install()?;
        }
        match self.find() {
            Some(path) => Ok(path),
            None => bail!("{} is not version {}", self.path().display(), self.version),
        }
    }
}
