//! `cargo xtask new-kernel`: creates a small crate outside the workspace with a kernel to modify.
//! It builds, runs on the CPU executor and on a GPU, is tested in checked mode, and has a benchmark
//! over block sizes.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths;

/// Arguments of `new-kernel`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Directory to create, such as blur or ../experiments/blur; its last component is the kernel's
    /// name: lowercase letters, digits and _
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Name of the kernel and the crate [default: last component of PATH]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// Files of the crate and their templates.
const FILES: [(&str, &str); 9] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    ("build.rs", include_str!("template/build.rs.txt")),
    ("README.md", include_str!("template/README.md.txt")),
    (
        "kernels/Cargo.toml",
        include_str!("template/kernels_Cargo.toml.txt"),
    ),
    (
        "kernels/src/lib.rs",
        include_str!("template/kernels_lib.rs.txt"),
    ),
    ("src/lib.rs", include_str!("template/lib.rs.txt")),
    ("src/main.rs", include_str!("template/main.rs.txt")),
    ("tests/checked.rs", include_str!("template/checked.rs.txt")),
    ("benches/sweep.rs", include_str!("template/sweep.rs.txt")),
];

/// Names that are not valid for a crate or a function, or would shadow another crate.
const RESERVED: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "core",
    "crate", "cuda_std", "cust", "do", "dyn", "else", "enum", "extern", "false", "final", "fn",
    "for", "gen", "if", "impl", "in", "let", "loop", "macro", "main", "match", "mod", "move",
    "mut", "pub", "ref", "return", "self", "simt", "static", "std", "struct", "super", "test",
    "trait", "true", "type", "use",
];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = resolve_path(&arguments.path)?;
    let name = &match &arguments.name {
        Some(name) => name.clone(),
        None => directory_name(&folder)?,
    };
    check_name(name)?;
    if folder.exists() {
        bail!(
            "{} already exists; choose another directory",
            folder.display()
        );
    }
    let write = |file: &str, text: &str| -> Result<()> {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    for (file, template) in FILES {
        write(file, &fill_template(template, name, &folder))?;
    }
    // the tested versions of dependencies, so that the crate builds offline
    let lock =
        fs::read_to_string(paths::root().join("crates/examples/01-your-first-kernel/Cargo.lock"));
    if let Ok(lock) = lock {
        write("Cargo.lock", &lock)?;
    }
    write(".gitignore", "target\n")?;
    // the order of imports depends on the name; without rustfmt they stay unsorted
    let sources = FILES.iter().filter(|(file, _)| file.ends_with(".rs"));
    let _ = Command::new("rustfmt")
        .args(["--quiet", "--edition", "2024"])
        .args(sources.map(|(file, _)| folder.join(file)))
        .status();
    let shown = paths::display_relative(&folder);
    println!(
        "created {shown} with the kernel `{name}`; see its README.md for commands and docs/kernels/experiments.md for experiments"
    );
    Ok(())
}

/// Resolves links and `..` of a path that may not exist yet.
fn resolve_path(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).with_context(|| format!("{}", path.display()))?;
    let existing = path.ancestors().find(|ancestor| ancestor.exists());
    let existing = existing.unwrap_or(Path::new("/"));
    let missing = path.strip_prefix(existing).unwrap_or(Path::new(""));
    if missing
        .components()
        .any(|part| part == Component::ParentDir)
    {
        bail!(
            "{} has .. after a directory that does not exist; remove the ..",
            path.display()
        );
    }
    let existing = existing
        .canonicalize()
        .with_context(|| format!("{}", existing.display()))?;
    // joining an empty path would append a slash
    Ok(existing.components().chain(missing.components()).collect())
}

/// Returns the last component of a directory's path.
fn directory_name(folder: &Path) -> Result<String> {
    match folder.file_name().and_then(|name| name.to_str()) {
        Some(name) => Ok(name.to_owned()),
        None => bail!(
            "{} does not end in a valid name; give one with --name",
            folder.display()
        ),
    }
}

/// Returns an error if the name is not valid for a crate and a function.
fn check_name(name: &str) -> Result<()> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let starts_with_letter = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !starts_with_letter || !name.chars().all(is_allowed) {
        bail!(
            "`{name}` is not a valid kernel name; use lowercase letters, digits and _, starting with a letter, or give another name with --name"
        );
    }
    if RESERVED.contains(&name) || ["where", "while", "unsafe", "yield"].contains(&name) {
        bail!("`{name}` is reserved; choose another name");
    }
    Ok(())
}

/// Replaces the placeholders of a template.
fn fill_template(template: &str, name: &str, folder: &Path) -> String {
    let root = paths::root();
    let root = root.canonicalize().unwrap_or(root);
    let crates = root.join("crates");
    let within = folder.strip_prefix(&root).ok();
    // inside the repository paths are relative, so that the repository can be moved
    let (up, of_kernels, here) = match within {
        Some(within) => {
            let up = "../".repeat(within.components().count());
            (
                format!("{up}crates"),
                format!("../{up}crates"),
                within.display().to_string(),
            )
        }
        None => {
            let crates = crates.display().to_string();
            (crates.clone(), crates, folder.display().to_string())
        }
    };
    template
        .replace("{{name}}", name)
        .replace("{{package}}", name)
        .replace("{{crates}}", &up)
        .replace("{{crates_of_kernels}}", &of_kernels)
        .replace("{{here}}", &here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_names_are_errors() {
        for name in ["blur", "blur2", "a_b"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in [
            "", "2d", "_x", "Blur", "a-b", "a b", "fn", "core", "../x", "while", "é",
        ] {
            let error = check_name(name).unwrap_err().to_string();
            assert!(error.contains(&format!("`{name}`")), "{error}");
        }
    }

    #[test]
    fn paths_of_missing_directories_are_resolved() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        fs::create_dir(real.join("there")).unwrap();
        let at = |path: &str| resolve_path(&folder.path().join(path));
        assert_eq!(at("there/../blur").unwrap(), real.join("blur"));
        assert_eq!(at("not/yet/blur").unwrap(), real.join("not/yet/blur"));
        assert_eq!(directory_name(&at("blur/").unwrap()).unwrap(), "blur");
        assert_eq!(at("there").unwrap(), real.join("there"));
        let error = at("not/../blur").unwrap_err().to_string();
        assert!(error.contains("remove the .."), "{error}");
        assert!(directory_name(Path::new("/")).is_err());
    }

    #[test]
    fn all_placeholders_are_replaced() {
        for (file, template) in FILES {
            for folder in [
                paths::root()
                    .canonicalize()
                    .unwrap()
                    .join("examples/x/blur"),
                PathBuf::from("/elsewhere/blur"),
            ] {
                let text = fill_template(template, "blur", &folder);
                assert!(
                    !text.contains("{{package")
                        && !text.contains("{{name")
                        && !text.contains("{{crates"),
                    "{file}"
                );
            }
        }
        let text = fill_template(
            "{{crates}} {{crates_of_kernels}} {{here}}",
            "blur",
            &paths::root().canonicalize().unwrap().join("examples/blur"),
        );
        assert_eq!(text, "../../crates ../../../crates examples/blur");
    }
}
