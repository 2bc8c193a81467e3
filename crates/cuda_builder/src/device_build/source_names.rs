//! Names of source files in PTX: panic messages and line directives contain file names, which must
//! not include paths of this machine.
//!
//! rustc can replace path prefixes. The prefixes depend on the crate: files of the kernels'
//! workspace are named relative to its root, those of other crates by their package. As flags of
//! the whole build they would differ between workspaces, and cargo would compile shared
//! dependencies once per workspace, and again whenever builds of workspaces alternate. Therefore a
//! wrapper script around rustc adds the flags for each crate.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::script::install_script;
use crate::Result;

/// The wrapper script, called by cargo instead of rustc. Registry crates are named by flags common
/// to all builds.
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

/// Sets up the names of source files for the crates compiled by a cargo command.
///
/// `directory` is that of the builder, `workspace` the root of the kernels' workspace, and
/// `registry` the directory of registry sources, empty if there is none.
pub(super) fn set_source_names(
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
    fn files_are_named_relative_to_the_workspace_or_by_package() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for folder in ["work/kernels", "elsewhere/one", "registry/index/two-1.0"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let wrapper_output = |here: &str, manifest: &str, package: Option<&str>| {
            let mut plain = Command::new("true");
            set_source_names(
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
            wrapper_output("work", "work/kernels", Some("kernels")),
            "a flag --remap-path-prefix=ROOT/work=."
        );
        assert_eq!(
            wrapper_output("elsewhere/one", "elsewhere/one", Some("one")),
            "a flag --remap-path-prefix=ROOT/elsewhere/one=one --remap-path-prefix=ROOT/elsewhere/one=one"
        );
        // cargo queries the version
        assert_eq!(wrapper_output("work", "work/kernels", None), "a flag");
        let registered = "registry/index/two-1.0";
        assert_eq!(
            wrapper_output(registered, registered, Some("two")),
            "a flag"
        );
    }
}
