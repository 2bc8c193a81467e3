//! Files of meshes.

use super::File;
use crate::zip::zip;
use ferrovox::io::{MeshWriteOptions, write_mesh};
use ferrovox::mesh::{TriangleMesh, Triangles};
use std::fs;

pub fn meshes() -> Vec<File> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let mesh = TriangleMesh {
        origin: [0.0; 3],
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: Some(vec![[0.0, 0.0, 1.0]; 3]),
        triangles: Triangles::U32(vec![[0, 1, 2]]),
    };
    write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
    let normals = fs::read(&path).unwrap();
    write_mesh(
        &path,
        &mesh,
        &MeshWriteOptions {
            normals: false,
            ..MeshWriteOptions::default()
        },
    )
    .unwrap();
    let plain = fs::read(&path).unwrap();
    let big = b"ply\nformat binary_big_endian 1.0\ncomment c\nelement vertex 1\nproperty double x\nproperty uchar red\nproperty double y\n\
                property double z\nelement edge 1\nproperty list uchar int a\nelement face 0\nproperty list uchar int vertex_index\nend_header\n\
                \0\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x05"
        .to_vec();
    let lying = b"ply\nformat binary_little_endian 1.0\nelement vertex 18446744073709551615\nproperty float x\nproperty float y\nproperty float z\nend_header\n".to_vec();
    let cut = normals[..normals.len() - 2].to_vec();
    let text = b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement edge 1\n\
                 property list uchar int a\nelement face 1\nproperty list uchar int vertex_index\nend_header\n\
                 0 0 0\n1 0 0\n1 1e0 0\n0 1 -0\n2 0 1\n4 0 1 2 3\n"
        .to_vec();
    [
        ("normals", normals),
        ("plain", plain),
        ("big-endian", big),
        ("lying", lying),
        ("cut", cut),
        ("text", text),
    ]
    .map(|(name, bytes)| ("ply", format!("{name}.ply"), bytes))
    .into()
}

/// Returns OBJ files: quads, references of all kinds, and damage.
pub fn text_meshes() -> Vec<File> {
    [
        (
            "plain",
            "# c\nmtllib a.mtl\no thing\nv 0 0 0\nv 1 0 0 1.0\nv 0 1 0 .5 .5 .5\nf 1 2 3\n",
        ),
        (
            "references",
            "v 0 0 0\r\nv 1 0 0\r\nvt 0 0\r\nvn 0 0 1\r\nv 1 1 0\r\nv 0 1e0 -0\r\ng a b\r\ns off\r\nf 1/1/1 2//1 3/1 -1\r\n",
        ),
        ("before-it", "v 0 0 0\nf 1 2 3\n"),
        ("two-corners", "v 0 0 0\nf 1 1\n"),
        ("no-number", "v 0 zero 0\n"),
        ("zero", "v 0 0 0\nf 0 0 0\n"),
        ("far", "v 0 0 0\nf -9223372036854775808 9223372036854775807 1\n"),
    ]
    .map(|(name, text)| ("obj", format!("{name}.obj"), text.as_bytes().to_vec()))
    .into()
}

/// Returns STL files: both forms, and damage.
pub fn facets() -> Vec<File> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.stl");
    let mesh = TriangleMesh {
        origin: [0.0; 3],
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        normals: None,
        triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    };
    write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
    let binary = fs::read(&path).unwrap();
    let mut like_text = binary.clone();
    like_text[..6].copy_from_slice(b"solid ");
    let mut lying = binary.clone();
    lying[80..84].fill(0xff);
    let text = "solid a b\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1e0 -0\n  endloop\n endfacet\nendsolid a b\n";
    [
        ("binary", binary.clone()),
        ("cut", binary[..binary.len() - 1].to_vec()),
        ("lying", lying),
        ("like-text", like_text),
        ("text", text.as_bytes().to_vec()),
        ("text-cut", text.as_bytes()[..80].to_vec()),
        (
            "many-corners",
            text.replace("endloop", "vertex 1 2 3").into_bytes(),
        ),
        ("two-corners", text.replace("vertex 0 0 0", "").into_bytes()),
    ]
    .map(|(name, bytes)| ("stl", format!("{name}.stl"), bytes))
    .into()
}

/// Returns OFF, VTP, glTF and 3MF files, written by the library and by hand.
pub fn exchange_meshes() -> Vec<File> {
    let folder = tempfile::tempdir().unwrap();
    let mesh = TriangleMesh {
        origin: [0.0; 3],
        vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        normals: Some(vec![[0.0, 0.0, 1.0]; 4]),
        triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    };
    let mut files = Vec::new();
    for (target, extension) in [
        ("off", "off"),
        ("vtp", "vtp"),
        ("gltf", "glb"),
        ("threemf", "3mf"),
    ] {
        let path = folder.path().join(format!("a.{extension}"));
        for normals in [true, false] {
            let options = MeshWriteOptions {
                normals,
                ..MeshWriteOptions::default()
            };
            write_mesh(&path, &mesh, &options).unwrap();
            let bytes = fs::read(&path).unwrap();
            let name = if normals { "normals" } else { "plain" };
            let cut = bytes[..bytes.len() * 3 / 4].to_vec();
            files.push((target, format!("{name}.{extension}"), bytes));
            files.push((target, format!("{name}-cut.{extension}"), cut));
        }
    }
    for (name, text) in [
        (
            "colours",
            "COFF 3 1 0 # c\n\n0 0 0 255 0 0 255\n1 0 0 0 0 0 0\n0 1 0 0 0 0 0\n3 0 1 2 0.5 0.5 0.5\n",
        ),
        ("lying", "OFF\n4294967295 18446744073709551615 0\n0 0 0\n"),
        (
            "quads",
            "OFF\r\n5 1 0\r\n0 0 0\r\n1 0 0\r\n1 1 0\r\n0 1 0\r\nnan 1e999 -0\r\n4 0 1 2 3\r\n",
        ),
    ] {
        files.push(("off", format!("{name}.off"), text.as_bytes().to_vec()));
    }
    let vtp = |format: &str, points: &str, strips: &str| {
        format!(
            "<?xml version=\"1.0\"?><VTKFile type=\"PolyData\" byte_order=\"BigEndian\"><PolyData>\
             <Piece NumberOfPoints=\"4\" NumberOfStrips=\"1\" NumberOfPolys=\"0\"><Points>\
             <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"{format}\">{points}\
             <InformationKey name=\"a\"/></DataArray></Points><Strips>\
             <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\
             <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">{strips}</DataArray></Strips>\
             </Piece></PolyData></VTKFile>"
        )
    };
    let points = "0 0 0 1 0 0 0 1 0 1 1 0.1";
    for (name, text) in [
        ("strips", vtp("ascii", points, "4")),
        ("offsets", vtp("ascii", points, "18446744073709551615")),
        ("base64", vtp("binary", "AAAAYAAAAAAAAAAA", "4")),
    ] {
        files.push(("vtp", format!("{name}.vtp"), text.into_bytes()));
    }
    let relationships = b"<Relationships><Relationship Target=\"/m\" \
        Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/></Relationships>";
    let model = |components: &str| {
        format!(
            "<model unit=\"inch\"><resources><object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/>\
             <vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/></vertices><triangles>\
             <triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh></object><object id=\"2\"><components>\
             {components}</components></object></resources><build><item objectid=\"2\" \
             transform=\"1 0 0 0 -1 0 0 0 1 3 0 0\"/></build></model>"
        )
    };
    for (name, components) in [
        (
            "components",
            "<component objectid=\"1\"/><component p:path=\"/m\" objectid=\"1\"/>",
        ),
        (
            "circle",
            "<component objectid=\"2\"/><component objectid=\"2\"/>",
        ),
        (
            "outside",
            "<component p:path=\"/../../etc/passwd\" objectid=\"1\"/>",
        ),
    ] {
        let model = model(components);
        let entries: [(&str, &[u8]); 2] = [("_rels/.rels", relationships), ("m", model.as_bytes())];
        files.push(("threemf", format!("{name}.3mf"), zip(&entries)));
    }
    files
}
