//! Files of volumes.

use super::{File, bzip2, gzip};
use crate::zip::zip;
use ferrovox::grid::{AnyVolume, Geometry, Volume};
use ferrovox::io::{ByteOrder, VolumeWriteOptions, write_volume};
use std::fs;

/// Returns files written by the library, complete and truncated.
pub fn written_volumes() -> Vec<File> {
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
pub fn text_headers() -> Vec<File> {
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
pub fn nifti_headers() -> Vec<File> {
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

pub fn npy_headers() -> Vec<File> {
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

/// Returns archives of arrays: one and several, of 16-bit floats, and damage.
pub fn npz_archives() -> Vec<File> {
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
        ("empty", zip::<&[u8]>(&[])),
    ]
    .map(|(name, bytes)| ("npz", format!("{name}.npz"), bytes))
    .into()
}

pub fn raw_files() -> Vec<File> {
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
