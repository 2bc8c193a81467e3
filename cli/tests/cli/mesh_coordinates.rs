//! Meshes far from the world origin, and the coordinates of mesh files.

use crate::{
    samples::{ball, little_endian},
    support::Folder,
};
use ferrovox::{io::read_mesh, mesh::TriangleMesh};
use serde_json::json;
use std::{collections::HashSet, fs};

/// The ball of radius 5 at an origin, with cubic voxels: the options of the raw file.
fn raw(spacing: f64, origin: [f64; 3]) -> String {
    let [x, y, z] = origin;
    format!(
        "ball.raw --dims 16x16x16 --type f32 --spacing {spacing},{spacing},{spacing} --origin {x},{y},{z} --device cpu"
    )
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("ball.raw", little_endian(&ball()));
    folder
}

/// Returns the world positions of all vertices, in voxels from the origin.
fn in_voxels(mesh: &TriangleMesh, spacing: f64, origin: [f64; 3]) -> Vec<[f64; 3]> {
    (0..mesh.vertices.len())
        .map(|vertex| {
            let world = mesh.world_vertex(vertex).unwrap();
            [0, 1, 2].map(|axis| (world[axis] - origin[axis]) / spacing)
        })
        .collect()
}

/// UTM and geocentric coordinates, with voxels from a micrometre to a decimetre.
const DISTANT: [(f64, [f64; 3]); 4] = [
    (0.1, [5e5, 4.5e6, 100.0]),
    (0.01, [-4.5e6, 4.5e6, 4.5e6]),
    (0.1, [0.0, 0.0, 5e5]),
    (1e-6, [12.0, 0.0, 0.0]),
];

#[test]
fn vertices_far_from_the_world_origin_keep_a_hundredth_of_a_voxel() {
    let folder = folder();
    folder
        .run(&format!("mesh {} --iso 50 -o near.ply", raw(1.0, [0.0; 3])))
        .ok();
    let near = in_voxels(&read_mesh(folder.path("near.ply")).unwrap(), 1.0, [0.0; 3]);
    for (spacing, origin) in DISTANT {
        for name in ["out.ply", "out.obj"] {
            let line = format!("mesh {} --iso 50 -o {name} --check", raw(spacing, origin));
            folder.run(&line).ok();
            let mesh = read_mesh(folder.path(name)).unwrap();
            let found = in_voxels(&mesh, spacing, origin);
            assert_eq!(found.len(), near.len());
            for (found, near) in found.iter().zip(&near) {
                for axis in 0..3 {
                    let error = (found[axis] - near[axis]).abs();
                    assert!(
                        error < 0.01,
                        "{name}, {spacing}, {origin:?}: {error} voxels"
                    );
                }
            }
            let distinct: HashSet<_> = found
                .iter()
                .map(|position| position.map(f64::to_bits))
                .collect();
            assert_eq!(distinct.len(), near.len());
        }
    }
}

#[test]
fn slabs_and_labels_have_the_same_precision() {
    let folder = folder();
    let labels: Vec<u8> = ball().iter().map(|&value| u8::from(value > 50.0)).collect();
    folder.file("labels.raw", labels);
    let (spacing, origin) = DISTANT[0];
    let volume = raw(spacing, origin);
    folder
        .run(&format!("mesh {volume} --iso 50 -o whole.ply"))
        .ok();
    folder
        .run(&format!(
            "mesh {volume} --iso 50 -o slabs.ply --memory 200k"
        ))
        .ok();
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(read("whole.ply") == read("slabs.ply"), "the files differ");
    let text = String::from_utf8_lossy(&read("whole.ply")[..200]).into_owned();
    assert!(text.contains("property double x"), "{text}");

    let labels = volume
        .replace("ball.raw", "labels.raw")
        .replace("f32", "u8");
    folder
        .run(&format!("mesh {labels} --labels all -o walls.ply --check"))
        .ok();
    let walls = in_voxels(
        &read_mesh(folder.path("walls.ply")).unwrap(),
        spacing,
        origin,
    );
    for position in &walls {
        // vertices of surface nets are at means of midpoints of edges, multiples of 1/24
        for x in position {
            let steps = x * 24.0 * 5.0 * 7.0 * 11.0;
            assert!(
                (steps - steps.round()).abs() < 0.01 * 24.0 * 5.0 * 7.0 * 11.0,
                "{x}"
            );
        }
    }
    let distinct: HashSet<_> = walls.iter().map(|it| it.map(f64::to_bits)).collect();
    assert_eq!(distinct.len(), walls.len());
}

#[test]
fn vtk_files_have_double_positions() {
    let folder = folder();
    let (spacing, origin) = DISTANT[0];
    let volume = raw(spacing, origin);
    let head = |name: &str| {
        let run = folder
            .run(&format!("mesh {volume} --iso 50 -o {name} --json"))
            .ok();
        let bytes = fs::read(folder.path(name)).unwrap();
        (
            run.json(),
            String::from_utf8_lossy(&bytes[..1200]).into_owned(),
            bytes,
        )
    };
    let (report, text, bytes) = head("out.vtk");
    let vertices = report["vertices"].as_u64().unwrap();
    let header = format!("POINTS {vertices} double\n");
    let at = text.find(&header).expect("double positions") + header.len();
    let first = f64::from_be_bytes(bytes[at..at + 8].try_into().unwrap());
    assert!((first - origin[0]).abs() < 1.6, "{first}");
    assert!(
        head("out.vtp")
            .1
            .contains("type=\"Float64\" Name=\"points\"")
    );
}

#[test]
fn stl_is_refused_where_it_is_too_coarse() {
    let folder = folder();
    let (spacing, origin) = DISTANT[0];
    let volume = raw(spacing, origin);
    let facts = ["STL", "voxels", ".ply", ".vtp", "--coordinates"];
    folder.refuses(&format!("mesh {volume} --iso 50 -o out.stl"), &facts);
    folder.refuses(
        &format!("mesh {volume} --iso 50 -o out.stl --memory 200k"),
        &facts,
    );
    assert!(!folder.path("out.stl").exists());
    for coordinates in ["local", "voxel"] {
        let line = format!("mesh {volume} --iso 50 -o out.stl --coordinates {coordinates} --check");
        folder.run(&line).ok();
        let mesh = read_mesh(folder.path("out.stl")).unwrap();
        let (low, high) = mesh.bounds().unwrap();
        let side = if coordinates == "local" { 1.0 } else { 10.0 };
        assert!((high.x - low.x - side).abs() < 0.02 * side, "{low} {high}");
    }
    // 20,000 voxels from the origin f32 is off by 1/1024 voxel
    folder
        .run(&format!(
            "mesh {} --iso 50 -o far.stl",
            raw(1.0, [20_000.0, 0.0, 0.0])
        ))
        .ok();
}

#[test]
fn local_coordinates_are_relative_to_the_reported_origin() {
    let folder = folder();
    let (spacing, origin) = DISTANT[0];
    let volume = raw(spacing, origin);
    let line = format!("mesh {volume} --iso 50 -o local.ply --coordinates local --json");
    let report = folder.run(&line).ok().json();
    assert_eq!(report["coordinates"], "local");
    let stated = [0, 1, 2].map(|axis| report["mesh_origin"][axis].as_f64().unwrap());
    let mut local = read_mesh(folder.path("local.ply")).unwrap();
    assert_eq!(local.origin, [0.0; 3]);
    assert!(report["bounds"][1][0].as_f64().unwrap() < 1.6);
    local.origin = stated;
    folder
        .run(&format!("mesh {volume} --iso 50 -o world.ply"))
        .ok();
    let world = read_mesh(folder.path("world.ply")).unwrap();
    for vertex in 0..local.vertices.len() {
        let difference = local.world_vertex(vertex).unwrap() - world.world_vertex(vertex).unwrap();
        assert!(difference.norm() < 1e-6 * spacing.max(1.0), "{difference}");
    }
}

#[test]
fn voxel_coordinates_ignore_spacing_and_origin() {
    let folder = folder();
    let near = raw(1.0, [0.0; 3]);
    folder
        .run(&format!("mesh {near} --iso 50 -o near.ply --normals"))
        .ok();
    // voxel coordinates have no directions in space
    let tag = b"comment SPACE=RAS\n";
    let mut near_bytes = fs::read(folder.path("near.ply")).unwrap();
    let start = near_bytes
        .windows(tag.len())
        .position(|window| window == tag)
        .unwrap();
    near_bytes.drain(start..start + tag.len());
    let (spacing, origin) = DISTANT[0];
    let distant = raw(spacing, origin);
    for memory in ["", " --memory 200k"] {
        let line = format!(
            "mesh {distant} --iso 50 -o voxel.ply --normals --coordinates voxel --json{memory}"
        );
        let report = folder.run(&line).ok().json();
        assert_eq!(report["coordinates"], "voxel");
        assert_eq!(report["mesh_origin"], json!([0.0, 0.0, 0.0]));
        assert_eq!(report["origin"], json!(origin), "the grid of the file");
        let voxel_bytes = fs::read(folder.path("voxel.ply")).unwrap();
        assert!(near_bytes == voxel_bytes, "the files differ");
    }
    folder
        .run(&format!(
            "mesh {distant} --iso 50 -o largest.ply --largest --coordinates voxel"
        ))
        .ok();
}

#[test]
fn near_meshes_are_single_precision() {
    let folder = folder();
    let volume = raw(0.5, [-120.0, 30.0, 1000.0]);
    let report = folder
        .run(&format!("mesh {volume} --iso 50 -o out.ply --json"))
        .ok()
        .json();
    assert_eq!(report["mesh_origin"], json!([0.0, 0.0, 0.0]));
    let text = fs::read(folder.path("out.ply")).unwrap();
    assert!(String::from_utf8_lossy(&text[..200]).contains("property float x"));
}

#[test]
fn a_distant_mesh_is_voxelized_like_a_near_one() {
    let folder = folder();
    let near = raw(0.1, [0.0; 3]);
    let (spacing, origin) = DISTANT[0];
    let distant = raw(spacing, origin);
    let voxels = |volume: &str, name: &str| {
        folder
            .run(&format!("mesh {volume} --iso 50 -o {name}"))
            .ok();
        let line = format!("voxelize {name} -o solid.nrrd --spacing 0.05 --device cpu --json");
        let report = folder.run(&line).ok().json();
        report["voxels"].as_u64().unwrap() as f64
    };
    for name in ["a.ply", "a.obj"] {
        let (near, distant) = (voxels(&near, name), voxels(&distant, name));
        assert!(
            (near - distant).abs() < 0.01 * near,
            "{near} and {distant} voxels"
        );
    }
}

#[test]
fn voxel_coordinates_have_no_space() {
    let folder = folder();
    let line = format!("mesh {} --iso 50 -o out.ply", raw(1.0, [0.0; 3]));
    let run = folder.run(&format!("{line} --coordinates voxel --space lps"));
    assert_eq!(run.status, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("--space lps") && run.stderr.contains("--coordinates voxel"),
        "{}",
        run.stderr
    );
    folder
        .run(&format!("{line} --coordinates local --space lps"))
        .ok();
}
