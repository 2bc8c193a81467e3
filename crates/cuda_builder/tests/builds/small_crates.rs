//! Small crates, each for one test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Crates with one source file that depend on cuda_std; the second entry lists its features in
/// quotation marks. They are members of one workspace, so that dependencies are compiled once.
const SMALL: [(&str, &str, &str); 6] = [
    ("plain", "", INDEXED),
    ("messages", "\"panic-messages\"", INDEXED),
    (
        "old_headers",
        "",
        "#![cfg_attr(target_os = \"cuda\", no_std, feature(register_attr), register_attr(nvvm_internal))]\n\
         use cuda_std::prelude::*;\n#[kernel]\npub unsafe fn one(x: *mut u32) { *x = 1; }\n",
    ),
    (
        "vectors",
        "\"vek\", \"glam-all\"",
        "use cuda_std::glam::{DVec2, I64Vec2};\nuse cuda_std::prelude::*;\nuse cuda_std::vek::Vec3;\n\
         #[kernel]\npub unsafe fn scaled(x: *mut Vec3<f32>, by: Vec3<f32>) {\n\
         let x = &mut *x.add(thread::index_1d() as usize);\n*x = (*x * by).normalized();\n}\n\
         #[kernel]\npub unsafe fn whole(x: *const DVec2, y: *mut I64Vec2) { *y = (*x).as_i64vec2(); }\n",
    ),
    (
        "addition",
        "",
        "use cuda_std::kernel;\n#[kernel]\npub unsafe fn add(a: *const f32, b: *const f32, c: *mut f32) { *c = *a + *b; }\n",
    ),
    (
        "with_std",
        "",
        "use cuda_std::kernel;\n#[kernel]\npub unsafe fn one() { let _file = std::fs::File::create(\"foo.txt\"); }\n",
    ),
];

/// A kernel that can panic.
const INDEXED: &str = "use cuda_std::prelude::*;\n#[kernel]\npub unsafe fn one(x: &[u32], y: *mut u32) { *y = x[3]; }\n";

/// Returns the directory of a small crate.
pub fn small(name: &str) -> PathBuf {
    static WORKSPACE: LazyLock<PathBuf> = LazyLock::new(|| {
        let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("small-crates");
        let cuda_std = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuda_std");
        let cuda_std = cuda_std.canonicalize().unwrap();
        // the dependency versions that the repository has already compiled
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
        write_if_changed(
            &workspace.join("Cargo.lock"),
            &fs::read_to_string(lock).unwrap(),
        );
        let members = SMALL.map(|(name, ..)| name);
        write_if_changed(
            &workspace.join("Cargo.toml"),
            &format!("[workspace]\nresolver = \"2\"\nmembers = {members:?}\n"),
        );
        for (name, features, source) in SMALL {
            let manifest = format!(
                "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\n\
                 cuda_std = {{ package = \"ferrovox-cuda-std\", path = {cuda_std:?}, features = [{features}] }}\n"
            );
            let folder = workspace.join(name);
            write_if_changed(&folder.join("Cargo.toml"), &manifest);
            write_if_changed(&folder.join("src/lib.rs"), source);
        }
        workspace
    });
    WORKSPACE.join(name)
}

/// Keeps an identical file, because a new timestamp would cause a rebuild.
fn write_if_changed(path: &Path, text: &str) {
    if !fs::read_to_string(path).is_ok_and(|old| old == text) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
