//! Directions of the world axes in mesh files, read back as 3D Slicer documents it: the words
//! `SPACE=RAS` or `SPACE=LPS` in the header, or the field `SPACE` of VTP. glTF and 3MF, which it
//! does not read, state the space in the extras of the node and in the description.

use std::fs;

use ferrovox::io::{MeshSpace, MeshWriteOptions, MeshWriter, read_mesh, write_mesh};
use ferrovox::mesh::{TriangleMesh, Triangles};

use super::helpers::folder;

const NAMES: [&str; 8] = [
    "a.ply", "a.obj", "a.stl", "a.vtk", "a.vtp", "a.off", "a.glb", "a.3mf",
];

fn tetrahedron(origin: [f64; 3]) -> TriangleMesh {
    TriangleMesh {
        origin,
        vertices: vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 4.0]],
        normals: Some(vec![[0.6, 0.8, 0.0]; 4]),
        triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
    }
}

/// Returns the space that 3D Slicer finds in a file.
fn find_space(name: &str, bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    if name.ends_with("vtp") {
        let (_, field) = text.split_once("Name=\"SPACE\"")?;
        let codes = field.split_once('>')?.1.split_once('<')?.0;
        let codes: Vec<u8> = codes.split(' ').map(|code| code.parse().unwrap()).collect();
        assert_eq!(codes.last(), Some(&0));
        return Some(String::from_utf8(codes[..codes.len() - 1].to_vec()).unwrap());
    }
    if name.ends_with("glb") {
        let (_, space) = text.split_once("{\"SPACE\":\"")?;
        return Some(space[..3].to_owned());
    }
    if name.ends_with("3mf") {
        let mut model = Vec::new();
        // The model is the last entry; its header has 30 bytes and the name.
        let at = bytes.windows(4).rposition(|it| it == b"PK\x03\x04")?;
        let start = at + 30 + "3D/3dmodel.model".len();
        let mut decoder = flate2::read::DeflateDecoder::new(&bytes[start..]);
        std::io::Read::read_to_end(&mut decoder, &mut model).unwrap();
        let model = String::from_utf8(model).unwrap();
        let (_, space) = model.split_once("name=\"Description\">SPACE=")?;
        return Some(space[..3].to_owned());
    }
    let header = if name.ends_with("stl") {
        &bytes[..80]
    } else {
        &bytes[..bytes.len().min(200)]
    };
    let header = String::from_utf8_lossy(header).into_owned();
    let (_, space) = header.split_once("SPACE=")?;
    Some(space[..3].to_owned())
}

#[test]
fn files_state_their_space() {
    let folder = folder();
    for space in [Some(MeshSpace::Ras), Some(MeshSpace::Lps), None] {
        let options = MeshWriteOptions {
            space,
            ..MeshWriteOptions::default()
        };
        for name in NAMES {
            let path = folder.path().join(name);
            write_mesh(&path, &tetrahedron([0.0; 3]), &options).unwrap();
            let bytes = fs::read(&path).unwrap();
            let found = find_space(name, &bytes);
            assert_eq!(found.as_deref(), space.map(MeshSpace::name), "{name}");
            // Writing in pieces gives the same file.
            let mesh = tetrahedron([0.0; 3]);
            let mut writer = MeshWriter::create(&path, &options).unwrap();
            let Triangles::U32(triangles) = &mesh.triangles else {
                panic!("32-bit indices")
            };
            let normals = mesh.normals.as_deref();
            writer.append(&mesh.vertices, normals, triangles).unwrap();
            writer.finish().unwrap();
            assert!(fs::read(&path).unwrap() == bytes, "{name}");
        }
    }
    let default = MeshWriteOptions::default();
    assert_eq!(default.space, Some(MeshSpace::Ras));
}

#[test]
fn lps_negates_x_and_y_of_positions_normals_and_origin() {
    let folder = folder();
    let options = MeshWriteOptions {
        space: Some(MeshSpace::Lps),
        ..MeshWriteOptions::default()
    };
    for (name, origin) in [
        ("a.ply", [0.0; 3]),
        ("b.ply", [1e6, -2e6, 3e6]),
        ("a.stl", [0.0; 3]),
        ("a.obj", [0.0; 3]),
        ("b.obj", [1e6, -2e6, 3e6]),
        ("a.vtp", [0.0; 3]),
        ("b.off", [1e6, -2e6, 3e6]),
        ("b.glb", [1e6, -2e6, 3e6]),
        ("a.3mf", [0.0; 3]),
    ] {
        let path = folder.path().join(name);
        let mesh = tetrahedron(origin);
        write_mesh(&path, &mesh, &options).unwrap();
        let read = read_mesh(&path).unwrap();
        let position = |mesh: &TriangleMesh, vertex: usize| -> [f64; 3] {
            mesh.world_vertex(vertex).expect("a vertex").into()
        };
        let mut expected: Vec<[f64; 3]> = (0..4)
            .map(|vertex| position(&mesh, vertex))
            .map(|[x, y, z]| [-x, -y, z])
            .collect();
        let mut found: Vec<[f64; 3]> = (0..read.vertices.len())
            .map(|vertex| position(&read, vertex))
            .collect();
        for list in [&mut expected, &mut found] {
            list.sort_by(|a, b| a.partial_cmp(b).unwrap());
            list.dedup();
        }
        assert_eq!(found, expected, "{name}");
        if let Some(normals) = read.normals {
            assert_eq!(normals[0], [-0.6, -0.8, 0.0], "{name}");
        }
        // Triangles face outwards: the volume is positive.
        let corner = |vertex: u64| read.vertices[vertex as usize].map(f64::from);
        let volume: f64 = (0..read.triangles.len())
            .map(|triangle| {
                let [a, b, c] = read.triangles.get(triangle).unwrap().map(corner);
                let cross = [
                    b[1] * c[2] - b[2] * c[1],
                    b[2] * c[0] - b[0] * c[2],
                    b[0] * c[1] - b[1] * c[0],
                ];
                (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0
            })
            .sum();
        assert!((volume - 4.0).abs() < 1e-6, "{name}: {volume}");
    }
}
