//! Executables built by cargo: commands, tests and benchmarks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use cargo_metadata::{Artifact, Message, MetadataCommand, Package, PackageId, TargetKind};

use crate::paths::{self, cargo_path};

/// Purpose of an executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    Command,
    Test,
    Bench,
}

/// An executable built by cargo.
#[derive(Debug)]
pub struct Program {
    /// Package and target name; only the target name for a command.
    pub name: String,
    /// Name of the package.
    pub package: String,
    /// Directory of the package, which is the working directory under cargo.
    pub folder: PathBuf,
    pub kind: ProgramKind,
    pub path: PathBuf,
}

/// Runs cargo in a directory with additional environment variables, and returns all executables
/// that it built.
///
/// # Errors
/// A failed build.
pub fn build(
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Result<Vec<Program>> {
    eprintln!(
        "cargo {} (in {})",
        arguments.join(" "),
        paths::display_relative(folder)
    );
    let names = package_names(folder)?;
    let mut command = paths::cargo(folder);
    command
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .envs(variables.iter().copied());
    if folder != paths::root() {
        command.env("CARGO_TARGET_DIR", paths::target());
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo {} failed ({})", arguments.join(" "), output.status);
    }
    let messages = Message::parse_stream(&output.stdout[..]);
    Ok(messages
        .filter_map(|message| match message {
            Ok(Message::CompilerArtifact(artifact)) => program(artifact, &names),
            _ => None,
        })
        .collect())
}

/// Returns the path of the command with this name.
///
/// # Errors
/// If cargo built no such command.
pub fn command_path(programs: &[Program], name: &str) -> Result<PathBuf> {
    let mut programs = programs.iter();
    let program =
        programs.find(|program| program.kind == ProgramKind::Command && program.name == name);
    match program {
        Some(program) => Ok(program.path.clone()),
        None => bail!("cargo built no program {name}"),
    }
}

/// Returns the names of the packages in a directory's workspace.
fn package_names(folder: &Path) -> Result<BTreeMap<PackageId, String>> {
    let packages = packages(folder)?.into_iter();
    Ok(packages
        .map(|package| (package.id, package.name.to_string()))
        .collect())
}

/// Returns the packages of a directory's workspace.
fn packages(folder: &Path) -> Result<Vec<Package>> {
    let metadata = MetadataCommand::new()
        .cargo_path(cargo_path())
        .current_dir(folder)
        .no_deps()
        .exec()
        .with_context(|| format!("cannot read the packages of {}", folder.display()))?;
    Ok(metadata.packages)
}

/// Directories of the examples: of the library and of the kernel toolkit.
pub const EXAMPLES: [&str; 2] = ["examples", "crates/examples"];

/// Returns the examples that are packages of the workspace, with their directories.
///
/// # Errors
/// If cargo cannot read the workspace.
pub fn examples() -> Result<BTreeMap<String, PathBuf>> {
    let directories = EXAMPLES.map(|name| paths::root().join(name));
    let packages = packages(&paths::root())?.into_iter();
    let folders = packages.filter_map(|package| {
        let folder = package.manifest_path.parent()?.as_std_path().to_owned();
        Some((package.name.to_string(), folder))
    });
    Ok(folders
        .filter(|(_, folder)| directories.iter().any(|it| folder.starts_with(it)))
        .collect())
}

/// Package of the Python module. It has no tests of its own, and its dependencies have features of
/// common crates that would compile these once more for the tests of the workspace.
pub const PYTHON_MODULE: &str = "ferrovox-python";

/// Returns the arguments for `--workspace` without the examples, which have no tests but would be
/// built as test programs, and without the Python module.
///
/// # Errors
/// See [`examples`].
pub fn workspace_without_examples() -> Result<Vec<String>> {
    let mut arguments = vec!["--workspace".to_owned()];
    let examples = examples()?.into_keys();
    for name in examples.chain([PYTHON_MODULE.to_owned()]) {
        arguments.extend(["--exclude".to_owned(), name]);
    }
    Ok(arguments)
}

/// Converts a cargo artifact to a program, if it is an executable.
fn program(artifact: Artifact, names: &BTreeMap<PackageId, String>) -> Option<Program> {
    let path = artifact.executable?;
    let target = artifact.target;
    let kind = if target.kind.contains(&TargetKind::Bench) {
        ProgramKind::Bench
    } else if artifact.profile.test {
        ProgramKind::Test
    } else {
        ProgramKind::Command
    };
    let package = names.get(&artifact.package_id)?;
    let name = match kind {
        ProgramKind::Command => target.name,
        ProgramKind::Test if !target.kind.contains(&TargetKind::Test) => format!("{package}-unit"),
        ProgramKind::Test | ProgramKind::Bench => format!("{package}-{}", target.name),
    };
    Some(Program {
        name,
        package: package.clone(),
        folder: artifact.manifest_path.parent()?.into(),
        kind,
        path: path.into(),
    })
}

/// Builds the program of a benchmark, and returns its path.
pub fn build_bench(target: &str, profile: Option<&str>) -> Result<PathBuf> {
    // build with the features of the workspace's tests, which share their builds of the library:
    // with the Python module, it would be compiled once more
    let workspace = workspace_without_examples()?;
    let mut build_arguments = vec!["bench", "--bench", target, "--no-run"];
    build_arguments.extend(workspace.iter().map(String::as_str));
    if let Some(profile) = profile {
        build_arguments.extend(["--profile", profile]);
    }
    let programs = build(&paths::root(), &build_arguments, &[])?;
    let mut benches = programs
        .into_iter()
        .filter(|program| program.kind == ProgramKind::Bench);
    let Some(program) = benches.next() else {
        bail!("cargo built no program for the bench {target}");
    };
    Ok(program.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_the_name_of_package_and_target() {
        let line = r#"{"reason":"compiler-artifact","package_id":"path+file:///r/cli#ferrovox-cli@0.1.0","manifest_path":"/r/cli/Cargo.toml",
            "target":{"kind":["test"],"crate_types":["bin"],"name":"cli","src_path":"/r/cli/tests/cli/main.rs","edition":"2024","doc":false,"doctest":false,"test":true},
            "profile":{"opt_level":"0","debuginfo":1,"debug_assertions":true,"overflow_checks":true,"test":true},
            "features":[],"filenames":["/r/target/cli-1"],"executable":"/r/target/cli-1","fresh":true}"#;
        let id = PackageId {
            repr: "path+file:///r/cli#ferrovox-cli@0.1.0".to_owned(),
        };
        let names = BTreeMap::from([(id, "ferrovox-cli".to_owned())]);
        let Message::CompilerArtifact(artifact) = serde_json::from_str(line).unwrap() else {
            panic!("not an artifact");
        };
        let found = program(artifact, &names).unwrap();
        assert_eq!(
            (found.name.as_str(), found.kind, found.folder.as_path()),
            ("ferrovox-cli-cli", ProgramKind::Test, Path::new("/r/cli"))
        );
    }

    #[test]
    fn package_names_of_this_workspace_are_read() {
        let names = package_names(&paths::root()).unwrap();
        assert!(names.values().any(|name| name == "ferrovox-cli"));
        assert!(package_names(Path::new("/no/such/folder")).is_err());
        let examples = examples().unwrap();
        assert!(examples["mesh-a-file"].ends_with("examples/01-mesh-a-file"));
        let arguments = workspace_without_examples().unwrap();
        assert_eq!(arguments.len(), 1 + 2 * (examples.len() + 1));
    }
}
