//! Packages of the workspace, from cargo's metadata.

use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand, TargetKind};

/// Packages of a workspace and their dependencies, without the examples, on which nothing depends.
#[derive(Default)]
pub struct Workspace {
    pub packages: Vec<Package>,
    pub dependencies: Vec<Dependency>,
    pub targets: Vec<Target>,
}

/// Package of the workspace.
pub struct Package {
    pub name: String,
    /// Directory, relative to the workspace.
    pub folder: String,
    /// Name of its library, or of the package if it has none.
    pub library: String,
}

/// Dependency between packages of the workspace, except development dependencies.
pub struct Dependency {
    pub from: String,
    pub to: String,
}

/// Build target of a package: a library or a program.
pub struct Target {
    pub package: String,
    /// Root file, relative to the workspace.
    pub source: PathBuf,
}

/// Returns `true` if `cargo metadata` is available.
pub fn has_cargo() -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let version = std::process::Command::new(cargo).arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

impl Workspace {
    /// Reads `cargo metadata`. Requires neither a network nor a lock file.
    pub fn read(root: &Path) -> Self {
        let metadata = MetadataCommand::new()
            .manifest_path(root.join("Cargo.toml"))
            .no_deps()
            .exec()
            .expect("cargo metadata");
        let mut workspace = Self::default();
        let examples =
            ["examples", "crates/examples"].map(|name| metadata.workspace_root.join(name));
        let packages = metadata.workspace_packages().into_iter();
        for package in
            packages.filter(|it| !examples.iter().any(|one| it.manifest_path.starts_with(one)))
        {
            let from_root = |path: &Path| {
                path.strip_prefix(&metadata.workspace_root)
                    .expect("a path in the workspace")
                    .to_owned()
            };
            let name = package.name.to_string();
            let folder = package
                .manifest_path
                .parent()
                .expect("a manifest is in a folder");
            let mut library = name.clone();
            for target in &package.targets {
                let is_library = target
                    .kind
                    .iter()
                    .any(|kind| matches!(kind, TargetKind::Lib | TargetKind::ProcMacro));
                if is_library {
                    library.clone_from(&target.name);
                }
                if is_library || target.is_bin() || target.is_example() {
                    workspace.targets.push(Target {
                        package: name.clone(),
                        source: from_root(target.src_path.as_std_path()),
                    });
                }
            }
            let known = package.dependencies.iter().filter(|dependency| {
                dependency.kind != DependencyKind::Development
                    && metadata
                        .workspace_packages()
                        .iter()
                        .any(|other| *other.name == dependency.name)
            });
            workspace
                .dependencies
                .extend(known.map(|dependency| Dependency {
                    from: name.clone(),
                    to: dependency.name.clone(),
                }));
            let folder = from_root(folder.as_std_path())
                .to_string_lossy()
                .replace('\\', "/");
            workspace.packages.push(Package {
                name,
                folder,
                library,
            });
        }
        workspace
    }
}
