//! Outputs are replaced atomically: an existing file survives every failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ferrovox::grid::{Geometry, Volume};
use ferrovox::io::{MeshWriteOptions, VolumeWriteOptions, write_mesh, write_volume};
use ferrovox::mesh::{TriangleMesh, Triangles};

use crate::helpers::folder;

const MESHES: [&str; 8] = [
    "a.ply", "a.obj", "a.stl", "a.vtk", "a.vtp", "a.off", "a.glb", "a.3mf",
];
const VOLUMES: [&str; 8] = [
    "a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.npy", "a.vti", "a.tif", "a.ozx",
];

/// Returns a mesh of about 300 KB.
fn mesh() -> TriangleMesh {
    TriangleMesh {
        origin: [0.0; 3],
        vertices: (0..10_000).map(|i| [i as f32, 0.0, 0.0]).collect(),
        normals: None,
        triangles: Triangles::U32((0..9_998).map(|i| [i, i + 1, i + 2]).collect()),
    }
}

/// Writes every kind of file into a folder and returns the messages of those that failed.
fn write_all(folder: &Path) -> Vec<String> {
    // Noise, so that gzip does not compress it.
    let noise = |x: usize, y: usize, z: usize| {
        ((x * 7919 + y * 104_729 + z * 1_299_709).wrapping_mul(2_654_435_761) >> 13) as u16
    };
    let volume = Volume::from_fn([64, 64, 64], Geometry::default(), noise)
        .unwrap()
        .into();
    let meshes =
        MESHES.map(|name| write_mesh(folder.join(name), &mesh(), &MeshWriteOptions::default()));
    let volumes = VOLUMES
        .map(|name| write_volume(folder.join(name), &volume, &VolumeWriteOptions::default()));
    meshes
        .into_iter()
        .chain(volumes)
        .filter_map(|result| result.err().map(|error| error.to_string()))
        .collect()
}

/// Returns the names and contents of all files, sorted.
fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut content: Vec<_> = paths
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    content.sort();
    content
}

fn fill_with_old_files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    for name in MESHES.into_iter().chain(VOLUMES) {
        fs::write(folder.join(name), format!("what stood in {name}")).unwrap();
    }
    content(folder)
}

#[test]
fn old_files_are_replaced_without_leftovers() {
    let folder = folder();
    let before = fill_with_old_files(folder.path());
    assert_eq!(write_all(folder.path()), Vec::<String>::new());
    let after = content(folder.path());
    assert_eq!(after.len(), before.len());
    for (old, new) in before.iter().zip(&after) {
        assert_eq!(old.0, new.0);
        // More than the child process below may write.
        assert!(new.1.len() > 1 << 16, "{}", new.0.display());
    }
}

/// Name of the environment variable that tells a child process where to write.
const FULL_DISK: &str = "FERROVOX_TEST_FULL_DISK";

/// Simulates a disk that is full after 64 KiB: a child process with limited file sizes (`ulimit
/// -f`) that ignores the signal, so that it receives the error.
#[cfg(unix)]
#[test]
fn full_disk_leaves_the_old_files() {
    if let Some(folder) = std::env::var_os(FULL_DISK) {
        for error in write_all(Path::new(&folder)) {
            println!("refused: {error}");
        }
        return;
    }
    let folder = folder();
    let before = fill_with_old_files(folder.path());
    let child = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 128; exec \"$0\" --exact replacing::full_disk_leaves_the_old_files --nocapture"])
        .arg(std::env::current_exe().unwrap())
        .env(FULL_DISK, folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout);
    let count = MESHES.len() + VOLUMES.len();
    assert_eq!(text.matches("refused: ").count(), count, "{text}");
    for name in MESHES.into_iter().chain(VOLUMES) {
        let fact = format!(
            "{}: cannot write: File too large",
            folder.path().join(name).display()
        );
        assert!(text.contains(&fact), "{name}: {text}");
    }
    assert_eq!(content(folder.path()), before);
}

/// The device that is always full is written directly, because a device cannot be replaced.
#[cfg(target_os = "linux")]
#[test]
fn full_device_is_an_error() {
    let folder = folder();
    let link = folder.path().join("full.ply");
    std::os::unix::fs::symlink("/dev/full", &link).unwrap();
    let error = write_mesh(&link, &mesh(), &MeshWriteOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("full.ply: cannot write: No space left on device"),
        "{error}"
    );
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(!fs::metadata("/dev/full").unwrap().is_file());
}

#[test]
fn missing_folder_is_reported() {
    let folder = folder();
    let path = folder.path().join("nowhere").join("a.ply");
    let error = write_mesh(&path, &mesh(), &MeshWriteOptions::default())
        .unwrap_err()
        .to_string();
    let missing = folder.path().join("nowhere");
    assert_eq!(
        error,
        format!(
            "{}: cannot create the file: there is no folder {}; create it first",
            path.display(),
            missing.display()
        )
    );
}

#[test]
fn directory_as_output_is_an_error() {
    let folder = folder();
    let path = folder.path().join("a.ply");
    fs::create_dir(&path).unwrap();
    let error = write_mesh(&path, &mesh(), &MeshWriteOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("a.ply: this is a directory; give the name of a file"),
        "{error}"
    );
}

/// Folders in which nobody can create files, including the superuser.
#[cfg(target_os = "linux")]
#[test]
fn unwritable_folder_is_an_error() {
    let error = write_mesh("/proc/a.ply", &mesh(), &MeshWriteOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("/proc/a.ply: cannot create a file in its folder: "),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn folder_without_permission_keeps_the_old_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = folder.path().join("a.ply");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let superuser = fs::write(folder.path().join("probe"), "").is_ok();
    let result = write_mesh(&path, &mesh(), &MeshWriteOptions::default());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    if !superuser {
        let error = result.unwrap_err().to_string();
        assert!(
            error.contains("a.ply: permission denied; check the permissions"),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let (target, link) = (
        folder.path().join("target.ply"),
        folder.path().join("link.ply"),
    );
    fs::write(&target, "old").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write_mesh(&link, &mesh(), &MeshWriteOptions::default()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read(&target).unwrap().starts_with(b"ply\n"));
    assert_eq!(
        fs::metadata(&target).unwrap().permissions().mode() & 0o777,
        0o640
    );
}
