//! A mesh written piece by piece gives the file of the whole mesh, or none.

use std::fs;
use std::path::Path;
use std::process::Command;

use ferrovox::io::{FileProblem, MeshFormat, MeshWriteOptions, MeshWriter, write_mesh};
use ferrovox::mesh::{MeshError, TriangleMesh, Triangles};
use proptest::prelude::*;

use crate::helpers::folder;

const NAMES: [&str; 8] = [
    "a.ply", "a.obj", "a.stl", "a.vtk", "a.vtp", "a.off", "a.glb", "a.3mf",
];
const NO_TRIANGLES: &[[u32; 3]] = &[];

fn options(normals: bool) -> MeshWriteOptions {
    MeshWriteOptions {
        normals,
        ..MeshWriteOptions::default()
    }
}

/// Writes a mesh in pieces. Each of `cuts` states the end of a piece, as numbers of vertices and
/// triangles, and the width of its indices.
fn write_pieces(path: &Path, mesh: &TriangleMesh, cuts: &[(usize, usize, bool)]) {
    let mut writer = MeshWriter::create(path, &options(mesh.normals.is_some())).unwrap();
    let triangles: Vec<[u64; 3]> = mesh.triangles.iter().collect();
    let (mut v, mut t) = (0, 0);
    for &(to_v, to_t, wide) in cuts {
        let normals = mesh.normals.as_ref().map(|normals| &normals[v..to_v]);
        let (vertices, wide_triangles) = (&mesh.vertices[v..to_v], &triangles[t..to_t]);
        if wide {
            writer.append(vertices, normals, wide_triangles).unwrap();
        } else {
            let narrow: Vec<[u32; 3]> = wide_triangles
                .iter()
                .map(|corners| corners.map(|corner| corner as u32))
                .collect();
            writer.append(vertices, normals, &narrow).unwrap();
        }
        (v, t) = (to_v, to_t);
        let counts = writer.counts();
        assert_eq!((counts.vertices, counts.triangles), (v as u64, t as u64));
    }
    let counts = writer.finish().unwrap();
    assert_eq!(counts.vertices, mesh.vertices.len() as u64);
    assert_eq!(counts.triangles, triangles.len() as u64);
}

/// Returns a pseudo-random sequence that is the same on all machines.
fn noise(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 33
    }
}

fn random_mesh(vertices: usize, triangles: usize, normals: bool, seed: u64) -> TriangleMesh {
    let mut next = noise(seed);
    let mut vector = |_| [0; 3].map(|_| next() as f32 / 1e8 - 9.0);
    let positions: Vec<_> = (0..vertices).map(&mut vector).collect();
    let normals = normals.then(|| (0..vertices).map(&mut vector).collect());
    let corners = |_| [0; 3].map(|_| (next() % vertices as u64) as u32);
    let triangles = if vertices == 0 { 0 } else { triangles };
    TriangleMesh {
        origin: [0.0; 3],
        vertices: positions,
        normals,
        triangles: Triangles::U32((0..triangles).map(corners).collect()),
    }
}

/// Compares the files of a mesh written as a whole and in pieces.
fn assert_same_files(names: &[&str], mesh: &TriangleMesh, cuts: &[(usize, usize, bool)]) {
    let folder = folder();
    for name in names {
        let whole = folder.path().join(name);
        write_mesh(&whole, mesh, &MeshWriteOptions::default()).unwrap();
        let pieces = folder.path().join(format!("pieces-{name}"));
        write_pieces(&pieces, mesh, cuts);
        assert!(
            fs::read(&whole).unwrap() == fs::read(&pieces).unwrap(),
            "{name} differs"
        );
    }
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 2 * names.len(), "temporary files are gone");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn any_mesh_cut_anywhere(
        vertices in 0_usize..60,
        triangles in 0_usize..100,
        normals in any::<bool>(),
        cuts in proptest::collection::vec((0.0..=1.0_f64, 0.0..=1.0_f64, any::<bool>()), 0..8),
        seed in any::<u64>(),
    ) {
        // A triangle may refer to a vertex of an earlier piece, of its own, or of a much later one.
        let mesh = random_mesh(vertices, triangles, normals, seed);
        let count = mesh.triangles.len();
        let at = |part: f64, of: usize| (part * of as f64) as usize;
        let mut v: Vec<usize> = cuts.iter().map(|cut| at(cut.0, vertices)).collect();
        let mut t: Vec<usize> = cuts.iter().map(|cut| at(cut.1, count)).collect();
        v.sort();
        t.sort();
        let mut pieces: Vec<_> = v.into_iter().zip(t).zip(&cuts).map(|((v, t), cut)| (v, t, cut.2)).collect();
        pieces.push((vertices, count, true));
        assert_same_files(&NAMES, &mesh, &pieces);
    }
}

/// More elements than one section of the encoder.
#[test]
fn pieces_larger_than_an_encoder_section_are_written() {
    let many = 530_000;
    let vertices = random_mesh(many, 10, true, 7);
    let cuts = [(many - 100, 5, false), (many, 10, true)];
    assert_same_files(&["a.ply"], &vertices, &cuts);
    let triangles = random_mesh(100, many, false, 7);
    let cuts = [(50, many - 100, false), (100, many, true)];
    assert_same_files(&["a.stl"], &triangles, &cuts);
}

#[test]
fn writer_without_pieces_writes_an_empty_mesh() {
    for normals in [false, true] {
        assert_same_files(&NAMES, &random_mesh(0, 0, normals, 0), &[]);
    }
}

#[test]
fn dropped_writer_leaves_all_files_unchanged() {
    let folder = folder();
    for name in NAMES {
        let path = folder.path().join(name);
        fs::write(&path, "old").unwrap();
        let mut writer = MeshWriter::create(&path, &options(false)).unwrap();
        writer
            .append(&[[0.0; 3]; 1000], None, &[[0_u32, 1, 2]])
            .unwrap();
        assert_eq!(
            fs::read(&path).unwrap(),
            b"old",
            "{name} while it is written"
        );
        drop(writer);
        assert_eq!(fs::read(&path).unwrap(), b"old", "{name}");
        fs::remove_file(&path).unwrap();
        drop(MeshWriter::create(&path, &options(false)).unwrap());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn missing_vertex_gives_the_error_of_the_whole_mesh() {
    let folder = folder();
    for name in NAMES {
        let path = folder.path().join(name);
        fs::write(&path, "old").unwrap();
        let mesh = TriangleMesh {
            origin: [0.0; 3],
            vertices: vec![[1.0; 3]; 5],
            normals: None,
            triangles: Triangles::U32(vec![[0, 3, 4], [4, 5, 0], [7, 1, 1]]),
        };
        let whole = write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap_err();
        let mut writer = MeshWriter::create(&path, &options(false)).unwrap();
        writer
            .append(&[[1.0; 3]; 2], None, &[[0_u32, 3, 4]])
            .unwrap();
        writer
            .append(&[[1.0; 3]; 3], None, &[[4_u32, 5, 0], [7, 1, 1]])
            .unwrap();
        let error = writer.finish().unwrap_err();
        assert_eq!(error.to_string(), whole.to_string());
        assert!(
            error.to_string().contains("triangle 1 names vertex 5"),
            "{error}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), NAMES.len());
}

#[test]
fn pieces_with_wrong_normals_are_rejected_without_effect() {
    let folder = folder();
    let path = folder.path().join("a.ply");
    let mut writer = MeshWriter::create(&path, &options(true)).unwrap();
    for normals in [None, Some(&[[0.0; 3]; 2][..])] {
        let error = writer
            .append(&[[0.0; 3]; 3], normals, &[[0_u32, 1, 2]])
            .unwrap_err();
        assert!(
            matches!(
                error.problem,
                FileProblem::Mesh(MeshError::NormalCount { vertices: 3, .. })
            ),
            "{error}"
        );
    }
    writer.append(&[], None, NO_TRIANGLES).unwrap();
    let mesh = random_mesh(3, 4, true, 1);
    let triangles: Vec<_> = mesh.triangles.iter().collect();
    writer
        .append(&mesh.vertices, mesh.normals.as_deref(), &triangles)
        .unwrap();
    writer.finish().unwrap();
    let whole = folder.path().join("whole.ply");
    write_mesh(&whole, &mesh, &MeshWriteOptions::default()).unwrap();
    assert_eq!(fs::read(path).unwrap(), fs::read(whole).unwrap());
}

#[test]
fn format_and_folder_are_checked_at_creation() {
    let folder = folder();
    let message = |path: &Path| match MeshWriter::create(path, &options(false)) {
        Ok(_) => panic!("{} is accepted", path.display()),
        Err(error) => error.to_string(),
    };
    assert!(message(&folder.path().join("a.tiff")).contains("unknown extension \"tiff\""));
    assert!(message(&folder.path().join("none").join("a.ply")).contains("there is no folder"));
    fs::create_dir(folder.path().join("b.ply")).unwrap();
    assert!(message(&folder.path().join("b.ply")).contains("this is a directory"));
    // A format that is given explicitly needs no extension.
    let path = folder.path().join("a.tiff");
    let named = MeshWriteOptions {
        format: Some(MeshFormat::Obj),
        normals: false,
        ..MeshWriteOptions::default()
    };
    let mut writer = MeshWriter::create(&path, &named).unwrap();
    writer.append(&[[1.0; 3]], None, NO_TRIANGLES).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        fs::read(&path).unwrap(),
        b"# written by ferrovox SPACE=RAS\nv 1 1 1\n"
    );
}

/// Name of the environment variable that tells a child process where to write.
const CHILD: &str = "FERROVOX_TEST_PIECES";

/// Runs one of these tests in a child process, through a shell command that ends in `exec "$0"
/// "$@"`.
#[cfg(unix)]
fn child(test: &str, command: &str, folder: &Path) -> String {
    let output = Command::new("sh")
        .args(["-c", command])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    text
}

/// With files limited to 64 KiB, writing fails either in a temporary file or when the output is
/// joined.
#[cfg(unix)]
#[test]
fn full_disk_leaves_the_old_file() {
    if let Some(folder) = std::env::var_os(CHILD) {
        for (name, pieces) in NAMES.iter().flat_map(|name| [(name, 3), (name, 30)]) {
            let path = Path::new(&folder).join(name);
            let mut writer = MeshWriter::create(&path, &options(true)).unwrap();
            let mesh = random_mesh(1000, 1400, true, 5);
            let triangles: Vec<_> = mesh.triangles.iter().collect();
            let mut failed = false;
            for _ in 0..pieces {
                let normals = mesh.normals.as_deref();
                match writer.append(&mesh.vertices, normals, &triangles) {
                    Ok(()) => assert!(!failed, "{name} goes on after a failure"),
                    Err(error) if !failed => {
                        println!("refused: {error}");
                        failed = true;
                    }
                    Err(error) => assert!(error.to_string().contains("cannot continue writing")),
                }
            }
            let error = writer.finish().unwrap_err().to_string();
            if failed {
                assert!(error.contains("cannot continue writing"), "{error}");
            } else {
                println!("refused: {error}");
            }
        }
        return;
    }
    let folder = folder();
    for name in NAMES {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let text = child(
        "mesh_pieces::full_disk_leaves_the_old_file",
        "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\"",
        folder.path(),
    );
    for name in NAMES {
        let path = folder.path().join(name);
        let fact = format!("refused: {}: cannot write: File too large", path.display());
        assert_eq!(text.matches(&fact).count(), 2, "{name}: {text}");
        assert_eq!(fs::read(&path).unwrap(), name.as_bytes());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), NAMES.len());
}

/// The memory of the process does not grow while a mesh of 60 MB is written in pieces of 2 MB.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_by_the_piece() {
    if let Some(folder) = std::env::var_os(CHILD) {
        let path = Path::new(&folder).join("a.vtp");
        let mut writer = MeshWriter::create(&path, &options(true)).unwrap();
        let (vertices, normals) = (vec![[0.5; 3]; 40_000], vec![[0.0; 3]; 40_000]);
        for piece in 0..30_u64 {
            let first = piece * 40_000;
            let triangles: Vec<[u64; 3]> = (first..first + 30_000)
                .map(|i| [i, i + 1, i + 40_000])
                .collect();
            // The last piece has no forward references.
            let kept = if piece == 29 { 0 } else { triangles.len() };
            writer
                .append(&vertices, Some(&normals), &triangles[..kept])
                .unwrap();
        }
        writer.finish().unwrap();
        let status = fs::read_to_string("/proc/self/status").unwrap();
        println!(
            "{}",
            status
                .lines()
                .find(|line| line.starts_with("VmHWM"))
                .unwrap()
        );
        return;
    }
    let folder = folder();
    let text = child(
        "mesh_pieces::memory_is_bounded_by_the_piece",
        "exec \"$0\" \"$@\"",
        folder.path(),
    );
    let peak: usize = text
        .split_once("VmHWM:")
        .and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_else(|| panic!("{text}"));
    let written = fs::metadata(folder.path().join("a.vtp")).unwrap().len();
    assert!(written > 56_000_000, "{written}");
    assert!(peak < 40 << 10, "{peak} KiB");
}

/// Prints the time for writing a mesh of 2.5 million triangles as a whole and in ten pieces:
/// `cargo test --release -p ferrovox --test io time_of_pieces -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, not a check"]
fn time_of_pieces() {
    let folder = folder();
    let mesh = random_mesh(1_300_000, 2_500_000, true, 3);
    let cuts: Vec<_> = (1..=10)
        .map(|piece| (130_000 * piece, 250_000 * piece, false))
        .collect();
    for name in NAMES {
        let path = folder.path().join(name);
        let start = std::time::Instant::now();
        write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
        let whole = start.elapsed();
        let start = std::time::Instant::now();
        write_pieces(&path, &mesh, &cuts);
        println!("{name}: whole {whole:?}, in pieces {:?}", start.elapsed());
    }
}
