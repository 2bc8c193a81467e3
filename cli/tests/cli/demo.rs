//! `ferrovox demo`.

use crate::support::Folder;
use ferrovox::{io::read_mesh, mesh};
use std::fs;

#[test]
fn demo_writes_meshes_and_pictures() {
    let folder = Folder::new();
    let run = folder.run("demo").ok();
    assert!(run.stdout.lines().count() <= 12, "{}", run.stdout);
    assert_eq!(run.stderr, "");
    for name in ["brain", "metaballs"] {
        assert!(run.stdout.contains(name), "{}", run.stdout);
        let made = read_mesh(folder.path("demo").join(name).with_extension("ply")).unwrap();
        assert!(made.normals.is_some());
        let report = mesh::check(&made);
        assert!(
            report.is_manifold() && report.is_oriented() && report.triangles > 10_000,
            "{name}: {report:?}"
        );
        let picture = fs::read(folder.path("demo").join(name).with_extension("png")).unwrap();
        assert!(
            picture.len() > 20_000 && picture.len() < 500_000,
            "{name}.png has {} bytes",
            picture.len()
        );
    }
    let names: Vec<_> = fs::read_dir(folder.path("demo"))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(names.len(), 10, "{names:?}");
    for page in ["brain.html", "metaballs.html"] {
        assert!(run.stdout.contains(page), "{}", run.stdout);
    }
    for name in [
        "metaballs.swc",
        "metaballs-distances.nii.gz",
        "brain.nii.gz",
    ] {
        assert!(folder.path("demo").join(name).is_file(), "{name}");
    }
}

#[test]
fn missing_device_leaves_no_files() {
    let folder = Folder::new();
    folder.refuses("demo -o a/b --device cuda:99", &["cuda:99"]);
}
