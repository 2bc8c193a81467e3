//! `cargo xtask new-kernel`: a small crate outside of the workspace with a kernel, ready to be
//! changed: it builds, runs on the CPU executor and on a GPU, is tested in checked mode, and is
//! measured in every block size.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths;

/// Arguments of `new-kernel`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder to make, such as blur or ../experiments/blur; its last part is the kernel's name:
    /// small letters, digits and _
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// The kernel's name, and the crate's [default: the folder's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// The files, and what is in them.
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

/// Names that a crate or a function cannot have, or that would hide another.
const TAKEN: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "core",
    "crate", "cuda_std", "cust", "do", "dyn", "else", "enum", "extern", "false", "final", "fn",
    "for", "gen", "if", "impl", "in", "let", "loop", "macro", "main", "match", "mod", "move",
    "mut", "pub", "ref", "return", "self", "simt", "static", "std", "struct", "super", "test",
    "trait", "true", "type", "use",
];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = resolved(&arguments.path)?;
    let name = &match &arguments.name {
        Some(name) => name.clone(),
        None => name_of(&folder)?,
    };
    check(name)?;
    if folder.exists() {
        bail!("{} is there already; name another folder", folder.display());
    }
    let write = |file: &str, text: &str| -> Result<()> {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    for (file, template) in FILES {
        write(file, &filled(template, name, &folder))?;
    }
    // with the versions that the repository is tested with, the crate builds without asking a
    // registry
    let lock = fs::read_to_string(paths::root().join("examples/03-your-first-kernel/Cargo.lock"));
    if let Ok(lock) = lock {
        write("Cargo.lock", &lock)?;
    }
    write(".gitignore", "target\n")?;
    // where names come in the order of imports depends on the name; without rustfmt they stay as
    // they are
    let sources = FILES.iter().filter(|(file, _)| file.ends_with(".rs"));
    let _ = Command::new("rustfmt")
        .args(["--quiet", "--edition", "2024"])
        .args(sources.map(|(file, _)| folder.join(file)))
        .status();
    let shown = paths::shown(&folder);
    println!(
        "{shown}: a kernel `{name}`. Its README.md says what to run; docs/kernels/experiments.md what to try."
    );
    Ok(())
}

/// A path that need not be there yet, without links and `..`.
fn resolved(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).with_context(|| format!("{}", path.display()))?;
    let there = path.ancestors().find(|ancestor| ancestor.exists());
    let there = there.unwrap_or(Path::new("/"));
    let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
    if rest.components().any(|part| part == Component::ParentDir) {
        bail!(
            "{} goes back from a folder that is not there: leave the .. out",
            path.display()
        );
    }
    let there = there
        .canonicalize()
        .with_context(|| format!("{}", there.display()))?;
    // nothing to join leaves no / at the end
    Ok(there.components().chain(rest.components()).collect())
}

/// The last part of a folder's path.
fn name_of(folder: &Path) -> Result<String> {
    match folder.file_name().and_then(|name| name.to_str()) {
        Some(name) => Ok(name.to_owned()),
        None => bail!(
            "{} does not end in a name for a kernel; give one with --name",
            folder.display()
        ),
    }
}

/// Fails for what cannot be a crate's and a function's name.
fn check(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || !name.chars().all(plain) {
        bail!(
            "`{name}` cannot be a kernel's name: give small letters, digits and _, a letter first; --name gives one that is not the folder's"
        );
    }
    if TAKEN.contains(&name) || ["where", "while", "unsafe", "yield"].contains(&name) {
        bail!("`{name}` means something in Rust; choose another name");
    }
    Ok(())
}

/// A template's text with the names in their places.
fn filled(template: &str, name: &str, folder: &Path) -> String {
    let root = paths::root();
    let root = root.canonicalize().unwrap_or(root);
    let crates = root.join("crates");
    let within = folder.strip_prefix(&root).ok();
    // inside of the repository paths are relative, so that it can be moved
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
    fn names_that_rust_could_not_use_are_refused() {
        for name in ["blur", "blur2", "a_b"] {
            assert!(check(name).is_ok(), "{name}");
        }
        for name in [
            "", "2d", "_x", "Blur", "a-b", "a b", "fn", "core", "../x", "while", "é",
        ] {
            let error = check(name).unwrap_err().to_string();
            assert!(error.contains(&format!("`{name}`")), "{error}");
        }
    }

    #[test]
    fn a_path_is_that_of_the_folder_that_will_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        fs::create_dir(real.join("there")).unwrap();
        let at = |path: &str| resolved(&folder.path().join(path));
        assert_eq!(at("there/../blur").unwrap(), real.join("blur"));
        assert_eq!(at("not/yet/blur").unwrap(), real.join("not/yet/blur"));
        assert_eq!(name_of(&at("blur/").unwrap()).unwrap(), "blur");
        assert_eq!(at("there").unwrap(), real.join("there"));
        let error = at("not/../blur").unwrap_err().to_string();
        assert!(error.contains("leave the .. out"), "{error}");
        assert!(name_of(Path::new("/")).is_err());
    }

    #[test]
    fn nothing_of_a_template_stays() {
        for (file, template) in FILES {
            for folder in [
                paths::root()
                    .canonicalize()
                    .unwrap()
                    .join("examples/x/blur"),
                PathBuf::from("/elsewhere/blur"),
            ] {
                let text = filled(template, "blur", &folder);
                assert!(
                    !text.contains("{{package")
                        && !text.contains("{{name")
                        && !text.contains("{{crates"),
                    "{file}"
                );
            }
        }
        let text = filled(
            "{{crates}} {{crates_of_kernels}} {{here}}",
            "blur",
            &paths::root().canonicalize().unwrap().join("examples/blur"),
        );
        assert_eq!(text, "../../crates ../../../crates examples/blur");
    }
}
