//! Tests of changes that affect the source hash, and of changes that do not.

use super::*;
use tempfile::TempDir;

/// Creates a workspace with a kernel crate, a library that it inherits, a macro crate, and a crate
/// for the CPU only.
fn workspace() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"*\"]\n[workspace.package]\nversion = \"1.0.0\"\n\
             [workspace.dependencies]\nlib = { path = \"lib\" }\nlibm = \"0.2\"\n",
        ),
        (
            "kernels/Cargo.toml",
            "[package]\nname = \"kernels\"\nversion.workspace = true\nedition = \"2024\"\n[dependencies]\nlib.workspace = true\n\
             libm.workspace = true\n[target.'cfg(not(target_arch = \"nvptx64\"))'.dependencies]\ncpu = { path = \"../cpu\" }\n",
        ),
        ("kernels/src/lib.rs", "mod a;\n"),
        ("kernels/src/a.rs", "fn a() {}\nfn b() {}\n"),
        (
            "lib/Cargo.toml",
            "[package]\nname = \"lib\"\n[dependencies]\nmacros = { path = \"../macros\" }\n",
        ),
        ("lib/src/lib.rs", "\n"),
        (
            "macros/Cargo.toml",
            "[package]\nname = \"macros\"\n[lib]\nproc-macro = true\n[dependencies]\nsyn = \"2\"\n",
        ),
        ("macros/src/lib.rs", "\n"),
        ("cpu/Cargo.toml", "[package]\nname = \"cpu\"\n"),
        ("cpu/src/lib.rs", "\n"),
    ] {
        write(root.path(), path, text);
    }
    write(root.path(), "Cargo.lock", &lock("0.2.1", "2.0.0"));
    root
}

fn lock(libm: &str, syn: &str) -> String {
    format!(
        "[[package]]\nname = \"libm\"\nversion = \"{libm}\"\nsource = \"registry\"\n[[package]]\nname = \"syn\"\nversion = \"{syn}\"\nsource = \"registry\"\n"
    )
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn hash(root: &TempDir) -> String {
    source_hash(root.path().join("kernels")).unwrap()
}

#[test]
fn path_and_line_endings_have_no_effect() {
    let (one, other) = (workspace(), workspace());
    write(
        other.path(),
        "kernels/src/a.rs",
        "fn a() {}\r\nfn b() {}\r\n",
    );
    write(other.path(), "kernels/src/.a.rs.swp", "an editor's");
    assert_eq!(hash(&one), hash(&other));
    assert_eq!(hash(&one).len(), 64);
}

#[test]
fn every_device_source_affects_the_hash() {
    let before = hash(&workspace());
    for (path, text) in [
        ("kernels/src/a.rs", "fn a() {}\nfn c() {}\n"),
        ("kernels/src/table.bin", "x"),
        ("kernels/build.rs", "fn main() {}\n"),
        ("lib/src/lib.rs", "// changed\n"),
        ("macros/src/lib.rs", "// changed\n"),
        (
            "lib/Cargo.toml",
            "[package]\nname = \"lib\"\n[features]\ndefault = [\"x\"]\nx = []\n[dependencies]\nmacros = { path = \"../macros\" }\n",
        ),
        ("Cargo.lock", &lock("0.2.2", "2.0.0")),
    ] {
        let root = workspace();
        write(root.path(), path, text);
        assert_ne!(hash(&root), before, "{path} must affect the hash");
    }
}

#[test]
fn host_only_sources_have_no_effect() {
    let before = hash(&workspace());
    for (path, text) in [
        ("cpu/src/lib.rs", "// changed\n"),
        ("kernels/tests/t.rs", "// new\n"),
        ("Cargo.lock", &lock("0.2.1", "2.9.9")),
        (
            "lib/Cargo.toml",
            "# a remark\n[package]\nname = \"lib\"\n\n[dependencies]\nmacros = { path = \"../macros\" }\n",
        ),
    ] {
        let root = workspace();
        write(root.path(), path, text);
        assert_eq!(hash(&root), before, "{path} must not affect the hash");
    }
}

#[test]
fn a_missing_or_invalid_manifest_is_named() {
    let root = workspace();
    write(root.path(), "lib/Cargo.toml", "[package\n");
    let message = source_hash(root.path().join("kernels"))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("lib") && message.contains("Cargo.toml"),
        "{message}"
    );
    let message = source_hash(root.path().join("nowhere"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("nowhere"), "{message}");
}
