//! Written mesh files, checked with minimal readers of the formats.

use std::fs;

use ferrovox::io::{MeshFormat, MeshWriteOptions, read_mesh, read_mesh_bytes, write_mesh};
use ferrovox::mesh::{TriangleMesh, Triangles};

use crate::helpers::folder;

/// Returns a tetrahedron with normals and an unused vertex.
fn tetrahedron() -> TriangleMesh {
    TriangleMesh {
        origin: [0.0; 3],
        vertices: vec![
            [0.0, 0.0, 0.0],
            [1.5, 0.0, -0.0],
            [0.0, 1.0e-7, 0.0],
            [0.1, 0.2, 1.0e10],
            [9.0, 9.0, 9.0],
        ],
        normals: Some(vec![
            [0.0, 0.0, -1.0],
            [0.6, -0.8, 0.0],
            [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0],
            [0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0],
        ]),
        triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    }
}

/// Writes a mesh and returns the bytes of the file.
fn written(name: &str, mesh: &TriangleMesh, options: &MeshWriteOptions) -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join(name);
    write_mesh(&path, mesh, options).unwrap();
    fs::read(&path).unwrap()
}

/// Returns the bytes after the first occurrence of `marker`.
fn after<'a>(bytes: &'a [u8], marker: &str) -> &'a [u8] {
    let at = bytes
        .windows(marker.len())
        .position(|window| window == marker.as_bytes());
    &bytes[at.unwrap_or_else(|| panic!("no {marker:?}")) + marker.len()..]
}

fn f32s<const N: usize>(bytes: &[u8], count: usize, decode: fn([u8; 4]) -> f32) -> Vec<[f32; N]> {
    let numbers: Vec<f32> = bytes[..4 * N * count]
        .chunks(4)
        .map(|c| decode(c.try_into().unwrap()))
        .collect();
    numbers.chunks(N).map(|c| c.try_into().unwrap()).collect()
}

#[test]
fn ply_round_trip() {
    let mesh = tetrahedron();
    assert_eq!(
        read_mesh_bytes(
            "a.ply",
            &written("a.ply", &mesh, &MeshWriteOptions::default())
        )
        .unwrap(),
        mesh
    );
    let plain = MeshWriteOptions {
        normals: false,
        ..MeshWriteOptions::default()
    };
    let read = read_mesh_bytes("a.ply", &written("a.ply", &mesh, &plain)).unwrap();
    assert_eq!(
        read,
        TriangleMesh {
            normals: None,
            ..mesh.clone()
        }
    );
    let wide = TriangleMesh {
        triangles: Triangles::U64(mesh.triangles.iter().collect()),
        ..mesh.clone()
    };
    assert_eq!(
        read_mesh_bytes(
            "a.ply",
            &written("a.ply", &wide, &MeshWriteOptions::default())
        )
        .unwrap(),
        mesh
    );
    let empty = TriangleMesh::default();
    assert_eq!(
        read_mesh_bytes(
            "a.ply",
            &written("a.ply", &empty, &MeshWriteOptions::default())
        )
        .unwrap(),
        empty
    );
}

#[test]
fn ply_of_other_writers() {
    let mut file = b"ply\r\nformat binary_big_endian 1.0\r\ncomment by hand\r\nelement vertex 3\r\n\
        property double x\r\nproperty uchar red\r\nproperty float y\r\nproperty short z\r\nelement edge 1\r\n\
        property list uchar int members\r\nelement face 1\r\nproperty uchar flags\r\n\
        property list uint ushort vertex_index\r\nend_header\r\n".to_vec();
    for (x, y, z) in [(1.0_f64, 2.0_f32, 3_i16), (4.0, 5.0, -6), (7.0, 8.0, 9)] {
        file.extend(x.to_be_bytes());
        file.push(77);
        file.extend(y.to_be_bytes());
        file.extend(z.to_be_bytes());
    }
    file.extend([2, 0, 0, 0, 1, 0, 0, 0, 2]); // the edge
    file.extend([5, 0, 0, 0, 3, 0, 2, 0, 1, 0, 0]);
    let mesh = read_mesh_bytes("a.ply", &file).unwrap();
    assert_eq!(
        mesh.vertices,
        [[1.0, 2.0, 3.0], [4.0, 5.0, -6.0], [7.0, 8.0, 9.0]]
    );
    assert_eq!(mesh.triangles, Triangles::U32(vec![[2, 1, 0]]));
}

#[test]
fn damaged_ply_is_reported_with_the_problem() {
    let good = written("a.ply", &tetrahedron(), &MeshWriteOptions::default());
    for length in 0..good.len() {
        let error = read_mesh_bytes("a.ply", &good[..length])
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("a.ply: damaged PLY file: "), "{error}");
    }
    let vertices = "ply\nformat binary_little_endian 1.0\nelement vertex";
    for (header, data, fact) in [
        ("PLY\n".to_owned(), vec![], "does not start with \"ply\""),
        (
            "ply\nformat ascii 1.0\n".to_owned(),
            vec![],
            "it ends before end_header",
        ),
        (
            "ply\nelement vertex 0\nend_header\n".to_owned(),
            vec![],
            "has no \"format\" line",
        ),
        (
            "ply\nwhat\n".to_owned(),
            vec![],
            "its header line \"what\" is not valid PLY",
        ),
        (
            format!("{vertices} many\n"),
            vec![],
            "the count of element \"vertex\" is \"many\"",
        ),
        (
            format!("{vertices} 1\nproperty float x\nend_header\n"),
            vec![0; 4],
            "no x, y and z",
        ),
        (
            format!(
                "{vertices} 9000000000000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
            ),
            vec![0; 40],
            "but only 40 are left; the file is truncated",
        ),
        (
            format!(
                "{vertices} 0\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int i\nend_header\n"
            ),
            vec![4; 17],
            "triangle 0 names vertex 67372036, but the mesh has 0 vertices",
        ),
        (
            format!(
                "{vertices} 0\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int i\nend_header\n"
            ),
            [vec![3], vec![255; 12]].concat(),
            "face 0 refers to vertex -1",
        ),
        (
            format!(
                "{vertices} 0\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int i\nend_header\n"
            ),
            [vec![3], vec![0; 12]].concat(),
            "triangle 0 names vertex 0, but the mesh has 0 vertices",
        ),
    ] {
        let bytes = [header.clone().into_bytes(), data].concat();
        let error = read_mesh_bytes("a.ply", &bytes).unwrap_err().to_string();
        assert!(error.contains(fact), "{header}: {error}");
    }
    let error = read_mesh("surface.vtk").unwrap_err().to_string();
    assert_eq!(
        error,
        "surface.vtk: unknown extension \"vtk\"; meshes are read from .ply, .obj, .stl, .vtp, .off, .glb and .3mf"
    );
}

#[test]
fn obj_numbers_read_back_exactly() {
    let mesh = tetrahedron();
    let text = String::from_utf8(written("a.obj", &mesh, &MeshWriteOptions::default())).unwrap();
    let numbers = |line: &str| -> [f32; 3] {
        let words: Vec<f32> = line
            .split(' ')
            .skip(1)
            .map(|word| word.parse().unwrap())
            .collect();
        words.try_into().unwrap()
    };
    let lines = |start: &str| {
        text.lines()
            .filter(|line| line.starts_with(start))
            .collect::<Vec<_>>()
    };
    let vertices: Vec<_> = lines("v ").into_iter().map(numbers).collect();
    assert_eq!(vertices, mesh.vertices);
    let normals: Vec<_> = lines("vn ").into_iter().map(numbers).collect();
    assert_eq!(Some(normals), mesh.normals);
    assert_eq!(lines("f ")[0], "f 1//1 3//3 2//2");
    assert_eq!(lines("f ").len(), 4);
    let plain = MeshWriteOptions {
        normals: false,
        ..MeshWriteOptions::default()
    };
    let text = String::from_utf8(written("a.obj", &mesh, &plain)).unwrap();
    assert!(
        text.contains("\nf 2 3 4\n") && !text.contains("vn"),
        "{text}"
    );
}

#[test]
fn stl_is_a_list_of_facets() {
    let mesh = tetrahedron();
    let bytes = written("a.stl", &mesh, &MeshWriteOptions::default());
    assert_eq!(bytes.len(), 84 + 50 * 4);
    assert!(!bytes.starts_with(b"solid"));
    assert_eq!(bytes[80..84], 4_u32.to_le_bytes());
    for (record, [a, b, c]) in bytes[84..].chunks(50).zip(mesh.triangles.iter()) {
        let vectors = f32s::<3>(record, 4, f32::from_le_bytes);
        let corner = |index: u64| mesh.vertices[index as usize];
        assert_eq!(vectors[1..], [corner(a), corner(b), corner(c)]);
        let length: f32 = vectors[0].iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-6, "a unit normal");
        assert_eq!(record[48..], [0, 0]);
    }
    let first = f32s::<3>(&bytes[84..], 1, f32::from_le_bytes)[0];
    assert_eq!(first, [0.0, 0.0, -1.0], "the bottom faces down");
}

#[test]
fn vtk_legacy_is_big_endian_polydata() {
    let mesh = tetrahedron();
    let bytes = written("a.vtk", &mesh, &MeshWriteOptions::default());
    assert!(bytes.starts_with(b"# vtk DataFile Version 3.0\n"));
    let points = after(&bytes, "\nBINARY\nDATASET POLYDATA\nPOINTS 5 float\n");
    assert_eq!(f32s::<3>(points, 5, f32::from_be_bytes), mesh.vertices);
    let polygons = after(&bytes, "\nPOLYGONS 4 16\n");
    let integers: Vec<i32> = polygons[..64]
        .chunks(4)
        .map(|c| i32::from_be_bytes(c.try_into().unwrap()))
        .collect();
    for (cell, triangle) in integers.chunks(4).zip(mesh.triangles.iter()) {
        assert_eq!(cell[0], 3);
        assert_eq!(
            [cell[1], cell[2], cell[3]].map(|index| index as u64),
            triangle
        );
    }
    let normals = after(&bytes, "\nPOINT_DATA 5\nNORMALS normals float\n");
    assert_eq!(
        Some(f32s::<3>(normals, 5, f32::from_be_bytes)),
        mesh.normals
    );
}

#[test]
fn vtp_arrays_are_at_their_offsets() {
    let mesh = tetrahedron();
    let bytes = written("a.vtp", &mesh, &MeshWriteOptions::default());
    let data = after(&bytes, "<AppendedData encoding=\"raw\">_");
    let xml = String::from_utf8_lossy(&bytes[..bytes.len() - data.len()]).into_owned();
    let array = |name: &str| {
        let tag = xml
            .split('<')
            .find(|tag| tag.contains(&format!("Name=\"{name}\"")))
            .unwrap();
        let offset: usize = tag
            .split("offset=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let length = u64::from_le_bytes(data[offset..offset + 8].try_into().unwrap()) as usize;
        &data[offset + 8..offset + 8 + length]
    };
    let integers = |bytes: &[u8]| -> Vec<u64> {
        bytes
            .chunks(8)
            .map(|c| u64::from_le_bytes(c.try_into().unwrap()))
            .collect()
    };
    assert_eq!(
        f32s::<3>(array("points"), 5, f32::from_le_bytes),
        mesh.vertices
    );
    assert_eq!(
        Some(f32s::<3>(array("normals"), 5, f32::from_le_bytes)),
        mesh.normals
    );
    assert_eq!(
        integers(array("connectivity")),
        mesh.triangles.iter().flatten().collect::<Vec<_>>()
    );
    assert_eq!(integers(array("offsets")), [3, 6, 9, 12]);
    assert!(
        xml.contains("NumberOfPoints=\"5\"") && xml.contains("NumberOfPolys=\"4\""),
        "{xml}"
    );
}

#[test]
fn large_meshes_are_encoded_in_order() {
    // More tasks than the encoder keeps in memory.
    let count = 700_001_u32;
    let mesh = TriangleMesh {
        origin: [0.0; 3],
        vertices: (0..count).map(|i| [i as f32, -(i as f32), 0.5]).collect(),
        normals: Some((0..count).map(|i| [0.0, i as f32, 1.0]).collect()),
        triangles: Triangles::U32(
            (0..count)
                .map(|i| [i, (i + 1) % count, (i + 2) % count])
                .collect(),
        ),
    };
    assert_eq!(
        read_mesh_bytes(
            "a.ply",
            &written("a.ply", &mesh, &MeshWriteOptions::default())
        )
        .unwrap(),
        mesh
    );
}

#[test]
fn invalid_meshes_and_unknown_extensions_leave_no_file() {
    let folder = folder();
    let options = MeshWriteOptions::default();
    let mut mesh = tetrahedron();
    // far behind the first triangles, which have been written when it is encoded
    let mut triangles = vec![[0, 1, 2]; 300_000];
    triangles[271_828] = [0, 1, 1 << 40];
    mesh.triangles = Triangles::U64(triangles);
    for format in MeshFormat::ALL {
        let named = MeshWriteOptions {
            format: Some(*format),
            ..options
        };
        let error = write_mesh(folder.path().join("a"), &mesh, &named).unwrap_err();
        assert!(
            error.to_string().ends_with("a: the mesh cannot be written: triangle 271828 names vertex 1099511627776, but the mesh has 5 vertices"),
            "{format:?}: {error}"
        );
    }
    let error = write_mesh(folder.path().join("a.fbx"), &tetrahedron(), &options)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with(
            "a.fbx: unknown extension \"fbx\"; meshes are written as .ply, .obj, .stl, .vtk, .vtp, .off, .glb or .3mf"
        ),
        "{error}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // A format that is given explicitly needs no extension.
    let named = MeshWriteOptions {
        format: Some(MeshFormat::Stl),
        ..options
    };
    write_mesh(folder.path().join("surface"), &tetrahedron(), &named).unwrap();
}

/// Prints the time for writing a mesh of 2.5 million triangles:
/// `cargo test --release -p ferrovox --test io time_of_writing -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, not a check"]
fn time_of_writing() {
    let folder = folder();
    let vertices = 1_300_000_u32;
    let mesh = TriangleMesh {
        origin: [0.0; 3],
        vertices: (0..vertices)
            .map(|i| [(i as f32).sin(), (i as f32).cos(), i as f32 * 1e-3])
            .collect(),
        normals: Some(vec![[0.0, 0.6, 0.8]; vertices as usize]),
        triangles: Triangles::U32(
            (0..2_500_000)
                .map(|i| [i % vertices, (i + 1) % vertices, (i + 2) % vertices])
                .collect(),
        ),
    };
    for extension in ["ply", "obj", "stl", "vtk", "vtp"] {
        let path = folder.path().join(format!("a.{extension}"));
        let start = std::time::Instant::now();
        write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
        println!(
            "{extension}: {:?}, {} bytes",
            start.elapsed(),
            fs::metadata(&path).unwrap().len()
        );
    }
    let start = std::time::Instant::now();
    read_mesh(folder.path().join("a.ply")).unwrap();
    println!("reading ply: {:?}", start.elapsed());
    let start = std::time::Instant::now();
    ferrovox::io::read_volume(crate::helpers::mni152(), &Default::default()).unwrap();
    println!("reading mni152: {:?}", start.elapsed());
}

#[test]
fn readme_lists_the_registered_mesh_formats() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let table = MeshFormat::markdown_table();
    assert!(
        readme.contains(&table),
        "replace the table of mesh formats in README.md by\n{table}"
    );
}

/// The tables of volume formats in the README and in the documentation of the module are those of
/// the registry.
#[test]
fn documents_list_the_registered_volume_formats() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let table = ferrovox::io::VolumeFormat::markdown_table();
    let documented: String = table.lines().map(|line| format!("//! {line}\n")).collect();
    for (name, table) in [
        ("README.md", &table),
        ("host-crate/src/io/mod.rs", &documented),
    ] {
        let text = fs::read_to_string(format!("{root}/{name}")).unwrap();
        assert!(
            text.contains(table),
            "replace the table of volume formats in {name} by\n{table}"
        );
    }
}
