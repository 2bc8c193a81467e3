//! What sources are called in PTX: panic messages and line directives name files, and no path of
//! this machine may be in them.
//!
//! rustc replaces the beginnings of paths. Which ones depends on the crate: those of the kernels'
//! workspace are named from its root, and other people's by their package. As flags of a whole
//! build they would be other flags for each workspace, and cargo would compile all that two crates
//! of kernels have in common once for each of them, and again when the first is built after the
//! second. So each crate is given its own by a script that stands before rustc.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::script::install_script;
use crate::Result;

/// What cargo runs in rustc's place. Crates of a registry keep the names that the flags of the
/// build give them.
const SCRIPT: &str = r#"#!/bin/sh
# Runs rustc ($1) with a name for the sources of the crate at hand.
if [ -z "$CARGO_PKG_NAME" ]; then exec "$@"; fi
here=$(pwd -P)
case $here in
"$FERROVOX_WORKSPACE") exec "$@" "--remap-path-prefix=$here=." ;;
"$FERROVOX_REGISTRY"/*) exec "$@" ;;
esac
exec "$@" "--remap-path-prefix=$CARGO_MANIFEST_DIR=$CARGO_PKG_NAME" "--remap-path-prefix=$here=$CARGO_PKG_NAME"
"#;

/// Names the sources of the crates that a cargo command compiles.
///
/// Arguments: the builder's own directory, the root of the kernels' workspace, and the directory of
/// registries' sources, which is empty where there is none.
pub(super) fn name_sources(
    command: &mut Command,
    directory: &Path,
    workspace: &Path,
    registry: &Path,
) -> Result<()> {
    let script: PathBuf = install_script(&directory.join("name-sources.sh"), SCRIPT)?;
    let registry = if registry.as_os_str().is_empty() {
        Path::new("none")
    } else {
        registry
    };
    command
        .env("RUSTC_WRAPPER", script)
        .env("FERROVOX_WORKSPACE", workspace)
        .env("FERROVOX_REGISTRY", registry);
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_crate_is_named_from_its_workspace_or_by_its_package() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for folder in ["work/kernels", "elsewhere/one", "registry/index/two-1.0"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let said = |here: &str, manifest: &str, package: Option<&str>| {
            let mut plain = Command::new("true");
            name_sources(
                &mut plain,
                &root.join("a builder"),
                &root.join("work"),
                &root.join("registry"),
            )
            .unwrap();
            let variable = |name: &str| {
                let found = plain.get_envs().find(|(key, _)| *key == name);
                found.and_then(|(_, value)| value).unwrap().to_owned()
            };
            let mut command = Command::new(variable("RUSTC_WRAPPER"));
            command
                .args(["echo", "a flag"])
                .current_dir(root.join(here))
                .env("CARGO_MANIFEST_DIR", root.join(manifest))
                .env_remove("CARGO_PKG_NAME");
            for name in ["FERROVOX_WORKSPACE", "FERROVOX_REGISTRY"] {
                command.env(name, variable(name));
            }
            if let Some(package) = package {
                command.env("CARGO_PKG_NAME", package);
            }
            let output = command.output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout)
                .unwrap()
                .trim()
                .replace(&*root.to_string_lossy(), "ROOT")
        };
        assert_eq!(
            said("work", "work/kernels", Some("kernels")),
            "a flag --remap-path-prefix=ROOT/work=."
        );
        assert_eq!(
            said("elsewhere/one", "elsewhere/one", Some("one")),
            "a flag --remap-path-prefix=ROOT/elsewhere/one=one --remap-path-prefix=ROOT/elsewhere/one=one"
        );
        // cargo asks for the version
        assert_eq!(said("work", "work/kernels", None), "a flag");
        let registered = "registry/index/two-1.0";
        assert_eq!(said(registered, registered, Some("two")), "a flag");
    }
}
