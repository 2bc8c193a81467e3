//! Files of the corpus: small valid files of every kind, and files with damage that readers must
//! withstand.

use std::fs;
use std::io::Write;

use ferrovox::grid::{AnyVolume, Geometry, Volume};
use ferrovox::io::{ByteOrder, MeshWriteOptions, VolumeWriteOptions, write_mesh, write_volume};
use ferrovox::mesh::{TriangleMesh, Triangles};

/// Target, file name, bytes.
type File = (&'static str, String, Vec<u8>);

pub fn corpus_files() -> Vec<File> {
    let mut files = written_volumes();
    files.extend(text_headers());
    files.extend(nifti_headers());
    files.extend(npy_headers());
    files.extend(npz_archives());
    files.extend(raw_files());
    files.extend(meshes());
    files.extend(text_meshes());
    files.extend(facets());
    files.extend(exchange_meshes());
    files.extend(points());
    files.extend(skeletons());
    files
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns files written by the library, complete and truncated.
fn written_volumes() -> Vec<File> {
    let folder = tempfile::tempdir().unwrap();
    let geometry = Geometry::from_spacing([0.5, 1.0, 2.0], [-1.0, 2.0, 3.0]).unwrap();
    let volumes: [(&str, AnyVolume); 3] = [
        (
            "u8",
            Volume::from_fn([3, 2, 2], geometry, |x, y, z| (x + 3 * y + 6 * z) as u8)
                .unwrap()
                .into(),
        ),
        (
            "i16",
            Volume::from_fn([2, 3, 1], geometry, |x, y, _| x as i16 - 300 * y as i16)
                .unwrap()
                .into(),
        ),
        (
            "f64",
            Volume::from_fn([2, 1, 2], geometry, |x, _, z| x as f64 / 3.0 - z as f64)
                .unwrap()
                .into(),
        ),
    ];
    let kinds = [
        ("nifti", "nii", false),
        ("nifti", "nii.gz", false),
        ("nrrd", "nrrd", false),
        ("nrrd", "nrrd", true),
        ("metaimage", "mha", false),
        ("metaimage", "mha", true),
        ("npy", "npy", false),
    ];
    let mut files = Vec::new();
    for (target, extension, compress) in kinds {
        for (name, volume) in &volumes {
            let byte_order = if *name == "i16" {
                ByteOrder::Big
            } else {
                ByteOrder::Little
            };
            let path = folder.path().join(format!("a.{extension}"));
            write_volume(
                &path,
                volume,
                &VolumeWriteOptions {
                    byte_order,
                    compress,
                    ..VolumeWriteOptions::default()
                },
            )
            .unwrap();
            let bytes = fs::read(&path).unwrap();
            let packed = if compress { "-packed" } else { "" };
            if *name == "u8" {
                let cut = bytes[..bytes.len() - 3].to_vec();
                files.push((target, format!("cut{packed}.{extension}"), cut));
            }
            files.push((target, format!("{name}{packed}.{extension}"), bytes));
        }
    }
    let long = Volume::from_fn([32768, 1, 1], geometry, |_, _, _| 7_u8).unwrap();
    let path = folder.path().join("a.nii.gz");
    write_volume(&path, &long.into(), &VolumeWriteOptions::default()).unwrap();
    files.push((
        "nifti",
        "nifti2.nii.gz".to_owned(),
        fs::read(&path).unwrap(),
    ));
    files
}

/// Returns headers with uncommon fields, and invalid ones.
fn text_headers() -> Vec<File> {
    let small = "NRRD0005\ntype: uint8\ndimension: 3\nsizes: 2 1 3\n";
    let nrrd = [
        ("ascii", format!("{small}encoding: ascii\nspacings: 1 nan 2\n\n1 2 3 4 5 6\n")),
        ("hex", "NRRD0004\ntype: ushort\ndimension: 1\nsizes: 2\nendian: big\nencoding: hex\n\n0102 fffe".to_owned()),
        ("detached", format!("{small}encoding: raw\nline skip: 2\nbyte skip: -1\ndata file: x.raw\n")),
        ("time", "NRRD0004\n# c\ntype: int64\ndimension: 4\nsizes: 1 2 1 2\nkinds: space space space time\nendian: little\nencoding: text\nkey:=value\n\n1 2 3 4".to_owned()),
        ("vector", "NRRD0004\ntype: float\ndimension: 4\nspace: LPS\nsizes: 3 1 1 1\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\nspace origin: (1,2,3)\nendian: little\nencoding: raw\n\n".to_owned()),
        ("plane", "NRRD0004\ntype: uchar\ndimension: 2\nspace: RAS\nsizes: 2 2\nspace directions: (0,0,2) (0,3,0)\nencoding: raw\n\nabcd".to_owned()),
        ("colours", "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 3 2 1 1\nkinds: RGB-color space space space\nencoding: raw\n\nabcdef".to_owned()),
        ("sample-by-sample", "NRRD0004\ntype: uchar\ndimension: 4\nsizes: 3 2 1 1\nkinds: list space space space\nencoding: ascii\n\n1 2 3 4 5 6".to_owned()),
        ("list", format!("{small}encoding: raw\nbyte skip: -1\ndata file: LIST 2\na\nb\nc\n")),
        ("pattern", format!("{small}encoding: hex\nline skip: 8\ndata file: a%03d 3 1 -1 2\n\n01 02")),
        ("huge", "NRRD0004\ntype: double\ndimension: 3\nsizes: 18446744073709551615 3 5\nendian: little\nencoding: raw\n\n1234".to_owned()),
        ("large", "NRRD0004\ntype: double\ndimension: 3\nsizes: 100000 100000 1000\nencoding: ascii\n\n1 2 3".to_owned()),
    ];
    let head = "ObjectType = Image\nNDims = 3\nDimSize = 2 1 3\nElementType = MET_UCHAR\n";
    let metaimage = [
        ("text", format!("{head}BinaryData = False\nElementDataFile = LOCAL\n1 2 3 4 5 6\n")),
        ("detached", format!("{head}HeaderSize = -1\nElementDataFile = x.raw\n")),
        ("matrix", format!("{head}TransformMatrix = 0 1 0 0 0 1 1 0 0\nOffset = 1 2 3\nElementSpacing = 1 2 3\nElementDataFile = LOCAL\nabcdef")),
        ("msb", "NDims = 2\nDimSize = 2 1\nElementType = MET_ULONG_LONG\nElementByteOrderMSB = True\nElementDataFile = LOCAL\n\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x02".to_owned()),
        ("channels", format!("{head}ElementNumberOfChannels = 2\nElementDataFile = LOCAL\nabcdefghijkl")),
        ("channels-text", format!("{head}BinaryData = False\nElementNumberOfChannels = 2\nElementDataFile = LOCAL\n1 2 3 4 5 6 7 8 9 10 11 12")),
        ("pattern", format!("{head}HeaderSize = -1\nElementDataFile = a%d 1 3\n")),
        ("list", format!("{head}HeaderSize = -1\nElementDataFile = LIST 2D\na\nb\nc\n")),
        ("huge", "NDims = 3\nDimSize = 18446744073709551615 3 5\nElementType = MET_DOUBLE\nElementDataFile = LOCAL\n1234".to_owned()),
        ("flat", format!("{head}TransformMatrix = 1 0 0 1 0 0 0 0 1\nElementDataFile = LOCAL\nabcdef")),
    ];
    let mut files = Vec::new();
    for (name, text) in nrrd {
        files.push(("nrrd", format!("{name}.nrrd"), text.into_bytes()));
    }
    let packed = [
        format!("{small}encoding: bzip2\n\n").as_bytes(),
        &bzip2(&[1, 2, 3, 4, 5, 6]),
    ]
    .concat();
    files.push(("nrrd", "bzip2.nrrd".to_owned(), packed));
    for (name, text) in metaimage {
        files.push(("metaimage", format!("{name}.mha"), text.into_bytes()));
    }
    files
}

/// Returns NIfTI-1 files with fields that the library does not write.
fn nifti_headers() -> Vec<File> {
    let header = |dims: &[i16], datatype: i16, bits: i16| {
        let mut bytes = vec![0; 352];
        bytes[..4].copy_from_slice(&348_i32.to_le_bytes());
        bytes[40..42].copy_from_slice(&(dims.len() as i16).to_le_bytes());
        for (axis, dim) in dims.iter().enumerate() {
            bytes[42 + 2 * axis..44 + 2 * axis].copy_from_slice(&dim.to_le_bytes());
            bytes[80 + 4 * axis..84 + 4 * axis].copy_from_slice(&1.5_f32.to_le_bytes());
        }
        bytes[70..72].copy_from_slice(&datatype.to_le_bytes());
        bytes[72..74].copy_from_slice(&bits.to_le_bytes());
        bytes[108..112].copy_from_slice(&352_f32.to_le_bytes());
        bytes[344..348].copy_from_slice(b"n+1\0");
        bytes
    };
    let mut qform = header(&[2, 2, 1, 2], 4, 16);
    qform[112..116].copy_from_slice(&0.5_f32.to_le_bytes());
    qform[76..80].copy_from_slice(&(-1_f32).to_le_bytes());
    qform[252] = 1;
    qform[256..260].copy_from_slice(&0.5_f32.to_le_bytes());
    qform.extend([1; 16]);
    let mut wide = header(&[2], 1280, 64);
    wide.extend([255; 16]);
    let lying = header(&[32767, 32767, 32767], 64, 64);
    let mut complex = header(&[1], 32, 64);
    complex.extend([0; 8]);
    let mut colours = header(&[2, 1, 1], 128, 24);
    colours.extend([1, 2, 3, 4, 5, 6]);
    let mut vectors = header(&[2, 1, 1, 1, 3], 2, 8);
    vectors[68..70].copy_from_slice(&1007_i16.to_le_bytes());
    vectors.extend([1, 2, 3, 4, 5, 6]);
    let mut odd = header(&[2, 1, 1, 0], 2, 16);
    for (offset, number) in [
        (76, 0.5),
        (80, -2.0),
        (84, f32::NAN),
        (108, 352.5),
        (112, f32::INFINITY),
        (256, 2.0),
    ] {
        odd[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
    }
    odd[123] = 1;
    odd[252] = 1;
    odd[254] = 77;
    odd.extend([1, 2]);
    // The samples of a pair are the bytes of the header here.
    let mut pair = header(&[4, 9, 9], 2, 8);
    pair[108..112].copy_from_slice(&28_f32.to_le_bytes());
    let mut analyze = pair.clone();
    analyze[344..348].fill(0);
    analyze[253..255].copy_from_slice(&2_i16.to_le_bytes());
    pair[344..348].copy_from_slice(b"ni1\0");
    [
        ("colours", colours),
        ("vectors", vectors),
        ("odd", odd),
        ("pair", pair),
        ("analyze", analyze),
        ("qform", qform),
        ("wide", wide),
        ("lying", lying.clone()),
        ("lying-packed", gzip(&lying)),
        ("complex", complex),
    ]
    .map(|(name, bytes)| ("nifti", format!("{name}.nii"), bytes))
    .into()
}

fn npy_headers() -> Vec<File> {
    let file = |text: &str, data: &[u8]| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(data);
        bytes
    };
    [
        (
            "fortran",
            file(
                "{'descr': '>i8', 'fortran_order': True, 'shape': (1, 2)}\n",
                &[0; 16],
            ),
        ),
        (
            "record",
            file(
                "{'descr': [('a', '<f4'), ('b', '<i2')], 'fortran_order': False, 'shape': (1,)}",
                &[0; 6],
            ),
        ),
        (
            "overflow",
            file(
                "{'descr': '<f8', 'fortran_order': False, 'shape': (6148914691236517205, 3, 5)}",
                &[0; 6],
            ),
        ),
        (
            "nested",
            file("((((((((((((((((((((((((((((((((((((((((", &[]),
        ),
        (
            "complex",
            file(
                "{'descr': '<c8', 'fortran_order': False, 'shape': (1, 2)}",
                &[63; 16],
            ),
        ),
        (
            "vectors",
            file(
                "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 1, 2, 3)}",
                &[1, 2, 3, 4, 5, 6],
            ),
        ),
        ("long", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec()),
    ]
    .map(|(name, bytes)| ("npy", format!("{name}.npy"), bytes))
    .into()
}

/// Returns a zip archive of stored entries.
fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in entries {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let offset = file.len() as u32;
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        common.extend(crc.sum().to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((content.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        file.extend(b"PK\x03\x04");
        file.extend(&common);
        file.extend(name.as_bytes());
        file.extend(*content);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let start = file.len() as u32;
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        file.extend((entries.len() as u16).to_le_bytes());
    }
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0, 0]);
    file
}

/// Returns archives of arrays: one and several, of 16-bit floats, and damage.
fn npz_archives() -> Vec<File> {
    let array = |kind: &str, shape: &str, data: &[u8]| {
        let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(data);
        bytes
    };
    let small = array("<i2", "(1, 2, 2)", &[1, 2, 3, 4, 5, 6, 7, 8]);
    let half = array(">f2", "(1, 2, 2)", &[60, 0, 0xC0, 0, 0x7C, 1, 0, 1]);
    let lying = array("<f2", "(6148914691236517205, 3)", &[0; 8]);
    let one = zip(&[("half.npy", &half)]);
    [
        ("two", zip(&[("b.npy", &small), ("a.npy", &half)])),
        ("cut", one[..one.len() - 1].to_vec()),
        ("one", one),
        ("lying", zip(&[("a.npy", &lying)])),
        ("none", zip(&[("../a.txt", b"text")])),
        ("empty", zip(&[])),
    ]
    .map(|(name, bytes)| ("npz", format!("{name}.npz"), bytes))
    .into()
}

/// Returns OFF, VTP, glTF and 3MF files, written by the library and by hand.
fn exchange_meshes() -> Vec<File> {
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

fn raw_files() -> Vec<File> {
    [
        ("u8", vec![2, 2, 1, 0, 0, 0, 1, 2, 3, 4]),
        (
            "i16-big-offset",
            vec![2, 1, 1, 3, 1, 3, 9, 9, 9, 0, 1, 0, 2],
        ),
        ("short", vec![4, 4, 4, 9, 0, 0, 1, 2, 3]),
        ("empty", vec![0, 4, 4, 5, 0, 0]),
        (
            "packed",
            [vec![2, 2, 1, 0, 0, 0], gzip(&[1, 2, 3, 4])].concat(),
        ),
    ]
    .map(|(name, bytes)| ("raw", format!("{name}.bin"), bytes))
    .into()
}

fn points() -> Vec<File> {
    let array = |shape: &str, data: &[u8]| {
        let text = format!("{{'descr': '<f4', 'fortran_order': True, 'shape': {shape}}}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend(data);
        bytes
    };
    let text = b"# x y z\n1 2 3\r\n\n-1.5,\t2e1 ,+3 0.5 normal\n7,8,9".to_vec();
    let large = b"1e308 -1e308 1e-308\n1e999 0 nan\n".to_vec();
    [
        (
            "table.csv",
            b"name;X (mm);Y (mm);Z (mm)\n\"a\";1;2;3\n".to_vec(),
        ),
        ("packed.xyz", gzip(&text)),
        ("text.xyz", text),
        ("large.xyz", large),
        ("binary.xyz", b"1 2\xff 3\n\0\0\0".to_vec()),
        ("rows.npy", array("(2, 3)", &[63; 24])),
        ("none.npy", array("(0, 3)", &[])),
        ("many.npy", array("(6148914691236517205, 3)", &[0; 24])),
        ("flat.npy", array("(6,)", &[0; 24])),
    ]
    .map(|(name, bytes)| ("points", name.to_owned(), bytes))
    .into()
}

/// Returns SWC files: two trees, parents after their children, and damage.
fn skeletons() -> Vec<File> {
    let tree = "# a tree\n1 1 0 0 0 2.5 -1\n2 3 0.5 -1e2 3 1 1\n3 3 0 4 3 1 2 # a fork\n4 3 0 -4 3 1 2\n5 6 0 5 3 1 3\n";
    let two =
        "9 0 1 1 1 0 7\r\n\t7 5 1 1 2 -1 30\r\n\r\n0 6 2 2 2 1 -1 more words\r\n30 0 4 4 4 1 -1";
    let circle = "1 0 0 0 0 1 -1\n2 0 1 0 0 1 4\n3 0 2 0 0 1 2\n4 0 3 0 0 1 3\n5 0 3 0 0 1 4\n";
    [
        ("tree.swc", tree),
        ("two.swc", two),
        ("circle.swc", circle),
        ("itself.swc", "1 0 0 0 0 1 1\n"),
        ("twice.swc", "1 0 0 0 0 1 -1\n1 0 1 0 0 1 -1\n"),
        ("orphan.swc", "1 0 0 0 0 1 -1\n2 0 1 0 0 1 3\n"),
        ("far.swc", "9223372036854775807 0 1e308 -1e308 1e-310 1e308 -1\n2 0 -1e308 0 0 1 9223372036854775807\n"),
        ("no-number.swc", "1 0 nan inf 1e400 1 -1\n"),
        ("short.swc", "1 0 0 0 0 1\n"),
        ("none.swc", "# nothing\n"),
    ]
    .map(|(name, text)| ("swc", name.to_owned(), text.as_bytes().to_vec()))
    .into()
}

/// Returns OBJ files: quads, references of all kinds, and damage.
fn text_meshes() -> Vec<File> {
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
fn facets() -> Vec<File> {
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

fn meshes() -> Vec<File> {
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
