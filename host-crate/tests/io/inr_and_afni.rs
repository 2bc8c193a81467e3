//! Inrimage and AFNI files, written line by line.

use ferrovox::io::{ReadOptions, VolumeFile, VolumeFormat, read_volume, read_volume_bytes};
use ferrovox::nalgebra::{Matrix4, Point3};
use std::fs;
use std::path::Path;
use std::process::Command;

use super::dicom::samples;

/// Returns an Inrimage file with these lines in its header.
fn inr(lines: &str, data: &[u8]) -> Vec<u8> {
    let mut file = format!("#INRIMAGE-4#{{\n{lines}\n").into_bytes();
    let end = b"##}\n";
    while !(file.len() + end.len()).is_multiple_of(256) {
        file.push(b'\n');
    }
    file.extend(end);
    file.extend(data);
    file
}

const CUBE: &str = "XDIM=2\nYDIM=2\nZDIM=2\nVDIM=1\nTYPE=unsigned fixed\nPIXSIZE=8 bits\nSCALE=2**0\n\
                    CPU=decm\nVX=0.5\nVY=1\nVZ=2.5\n#GEOMETRY=CARTESIAN";

fn read(bytes: &[u8]) -> Result<VolumeFile, String> {
    let file = read_volume_bytes("a.inr", bytes, &ReadOptions::default());
    file.map_err(|error| error.to_string())
}

#[test]
fn inrimage_is_read_with_its_spacing() {
    let file = read(&inr(CUBE, &[1, 2, 3, 4, 5, 6, 7, 8])).unwrap();
    assert_eq!(file.volume.dims(), [2, 2, 2]);
    assert_eq!(samples(&file.volume), [1., 2., 3., 4., 5., 6., 7., 8.]);
    assert_eq!(file.volume.geometry().spacing().as_slice(), [0.5, 1.0, 2.5]);
    assert!(file.header.has_spacing && !file.header.has_origin);
    assert!(file.header.notes.is_empty(), "{:?}", file.header.notes);
    // of several blocks, big-endian, signed, placed
    let lines = CUBE
        .replace("unsigned fixed", "signed fixed")
        .replace("8 bits", "16 bits")
        .replace("CPU=decm", "CPU=sun")
        + &format!("\nTX=3\nTZ=-4\n# {}", "x".repeat(300));
    let data = [0, 1, 0, 2, 0, 3, 0, 4, 255, 251, 0, 6, 0, 7, 0, 8];
    let file = read(&inr(&lines, &data)).unwrap();
    assert_eq!(samples(&file.volume), [1., 2., 3., 4., -5., 6., 7., 8.]);
    assert_eq!(file.volume.geometry().origin(), Point3::new(3.0, 0.0, -4.0));
    // a header without padding, as of some files of CGAL
    let bytes = [
        format!("#INRIMAGE-4#{{\n{CUBE}\n##}}\n").as_bytes(),
        &[9; 8],
    ]
    .concat();
    assert_eq!(samples(&read(&bytes).unwrap().volume), [9.0; 8]);
    // the contents identify the format
    let by_content = read_volume_bytes("a", &inr(CUBE, &[0; 8]), &ReadOptions::default());
    assert_eq!(by_content.unwrap().header.format, VolumeFormat::Inr);
    // interleaved components
    let colours = inr(&CUBE.replace("VDIM=1", "VDIM=3"), &[7; 24]);
    let options = ReadOptions {
        component: Some(2),
        ..ReadOptions::default()
    };
    let file = read_volume_bytes("a.inr", &colours, &options).unwrap();
    assert_eq!((file.header.components, file.volume.len()), (3, 8));
}

#[test]
fn damaged_inrimage_is_an_error() {
    let whole = inr(CUBE, &[0; 8]);
    for (bytes, expected) in [
        (
            whole[..200].to_vec(),
            "ends after 200 bytes instead of at least 256",
        ),
        (
            whole[..260].to_vec(),
            "need 8 bytes, but the file has only 4",
        ),
        (b"#INRIMAGE-5".repeat(40), "expected #INRIMAGE-4#{"),
        (whole[..255].repeat(300), "does not end within 65536 bytes"),
        (inr("XDIM=2\nYDIM=2", &[]), "lacks ZDIM"),
        (
            inr(&CUBE.replace("XDIM=2", "XDIM=-2"), &[]),
            "XDIM is \"-2\"",
        ),
        (
            inr(&format!("{CUBE}\nXDIM=3"), &[]),
            "XDIM is given as \"2\" and as \"3\"",
        ),
        (
            inr(&CUBE.replace("8 bits", "12 bits"), &[]),
            "of \"12\" bits",
        ),
        (
            inr(&CUBE.replace("VX=0.5", "VX=0"), &[0; 8]),
            "the spacing along x is 0",
        ),
        (
            inr(&CUBE.replace("XDIM=2", "XDIM=18446744073709551615"), &[]),
            "64 bits can count",
        ),
        (
            inr(&CUBE.replace("XDIM=2", "XDIM=4000000000"), &[0; 8]),
            "but the file has only 8",
        ),
    ] {
        let error = read(&bytes).map(|file| file.header).unwrap_err();
        assert!(
            error.starts_with("a.inr: ") && error.contains(expected),
            "{error}"
        );
    }
    let scaled = read(&inr(&CUBE.replace("2**0", "2**-8"), &[0; 8])).unwrap();
    assert!(scaled.header.notes[0].contains("SCALE is 2**-8"));
}

/// Returns an AFNI header with these attributes: kind, name, count and values.
fn head(attributes: &[(&str, &str, usize, &str)]) -> String {
    let line = |(kind, name, count, values): &(&str, &str, usize, &str)| {
        format!("\ntype = {kind}-attribute\nname = {name}\ncount = {count}\n{values}\n")
    };
    attributes.iter().map(line).collect()
}

const IMAGE: [(&str, &str, usize, &str); 8] = [
    ("string", "HISTORY_NOTE", 16, "'type = it's me~~"),
    ("string", "BYTEORDER_STRING", 10, "'MSB_FIRST~"),
    ("integer", "DATASET_RANK", 8, " 3 2 0 0 0\n 0 0 0"),
    ("integer", "DATASET_DIMENSIONS", 5, " 3 2 1 0 0"),
    ("integer", "BRICK_TYPES", 2, " 1 1"),
    ("float", "BRICK_FLOAT_FACS", 2, " 0 0.5"),
    (
        "float",
        "IJK_TO_DICOM_REAL",
        12,
        " -2 0 0 10 0 3 0 20\n 0 0 4 30",
    ),
    ("float", "UNUSED", 1, " nan"),
];

fn brik() -> Vec<u8> {
    (0..12_i16)
        .flat_map(|value| (10 * value - 3).to_be_bytes())
        .collect()
}

#[test]
fn afni_is_read_with_its_factors_and_affine() {
    let folder = tempfile::tempdir().unwrap();
    let [header, samples_file] = ["a+orig.HEAD", "a+orig.BRIK"].map(|it| folder.path().join(it));
    fs::write(&header, head(&IMAGE)).unwrap();
    fs::write(&samples_file, brik()).unwrap();
    for path in [&header, &samples_file] {
        for (volume, factor) in [(0, 1.0), (1, 0.5)] {
            let options = ReadOptions {
                volume: Some(volume),
                ..ReadOptions::default()
            };
            let file = read_volume(path, &options).unwrap();
            assert_eq!(file.volume.dims(), [3, 2, 1]);
            let expected = (0..6).map(|index| (10 * (6 * volume + index)) as f64 - 3.0);
            let expected: Vec<f64> = expected.map(|sample| factor * sample).collect();
            assert_eq!(samples(&file.volume), expected, "{}", path.display());
            // x and y of DICOM point the other way
            let affine = Matrix4::new(
                2., 0., 0., -10., 0., -3., 0., -20., 0., 0., 4., 30., 0., 0., 0., 1.,
            );
            assert_eq!(file.volume.geometry().affine(), affine);
            assert_eq!(file.header.data_files, std::slice::from_ref(&samples_file));
        }
    }
    // several volumes need a choice
    let error = read_volume(&header, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("2 volumes"), "{error}");
    fs::remove_file(&header).unwrap();
    let error = read_volume(&samples_file, &ReadOptions::default()).unwrap_err();
    assert!(
        error.to_string().contains("without the header .HEAD"),
        "{error}"
    );
}

#[test]
fn directions_of_afni_give_the_affine() {
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("b+orig.HEAD");
    let mut attributes = IMAGE;
    attributes[2] = ("integer", "DATASET_RANK", 3, " 3 1 0");
    attributes[6] = ("integer", "ORIENT_SPECIFIC", 3, " 4 1 2");
    attributes[7] = ("float", "ORIGIN", 3, " -54 66 87");
    let delta = [("float", "DELTA", 3, " 3 -2 1")];
    fs::write(&header, head(&[&attributes[..], &delta].concat())).unwrap();
    fs::write(folder.path().join("b+orig.BRIK"), &brik()[..12]).unwrap();
    let file = read_volume(&header, &ReadOptions::default()).unwrap();
    let geometry = file.volume.geometry();
    // grid axes along z, x (from the left) and y of the world
    assert_eq!(geometry.origin(), Point3::new(-66.0, -87.0, -54.0));
    let world = geometry.index_to_world(Point3::new(1.0, 1.0, 1.0));
    assert_eq!(world, Point3::new(-64.0, -88.0, -51.0));
}

/// The count of a text is one of bytes, also where they are not UTF-8.
#[test]
fn notes_of_afni_may_have_any_characters() {
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("a+orig.HEAD");
    fs::write(folder.path().join("a+orig.BRIK"), brik()).unwrap();
    for bytes in [&b"\xE9\xE8"[..], "é".as_bytes()] {
        let mut content = head(&IMAGE).into_bytes();
        let at = content.windows(4).position(|it| it == b"'typ").unwrap();
        content[at + 2..at + 4].copy_from_slice(bytes);
        fs::write(&header, content).unwrap();
        let options = ReadOptions {
            volume: Some(0),
            ..ReadOptions::default()
        };
        read_volume(&header, &options).unwrap();
    }
}

#[test]
fn damaged_afni_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("c+orig.HEAD");
    let text = head(&IMAGE);
    let read = |text: &str| {
        fs::write(&header, text).unwrap();
        let options = ReadOptions {
            volume: Some(0),
            ..ReadOptions::default()
        };
        read_volume(&header, &options).map_err(|error| error.to_string())
    };
    let error = read(&text).unwrap_err();
    assert!(
        error.contains("c+orig.BRIK") && error.contains("no such file"),
        "{error}"
    );
    fs::write(folder.path().join("c+orig.BRIK"), &brik()[..20]).unwrap();
    for (from, to, expected) in [
        ("", "", "need 24 bytes, but the file has only 20"),
        (
            "count = 16",
            "count = 9999",
            "the text of HISTORY_NOTE ends early",
        ),
        (
            "count = 12",
            "count = 13",
            "has \"type\", which is not a number",
        ),
        (" 3 2 1 0 0", " 3 -2 1 0 0", "a size is -2"),
        (
            " 3 2 1 0 0",
            " 3 2.5 1 0 0",
            "has 2.5, which is not an integer",
        ),
        (" 1 1", " 1 3", "volumes of the types 1 and 3"),
        (" 1 1", " 9 9", "with the type 9"),
        (
            "MSB_FIRST",
            "XSB_FIRST",
            "BYTEORDER_STRING is \"XSB_FIRST\"",
        ),
        (
            "name = UNUSED",
            "name = DATASET_RANK",
            "DATASET_RANK is given twice",
        ),
        (
            "DATASET_DIMENSIONS",
            "DATASET_DIMENSION",
            "DATASET_DIMENSIONS has 0 numbers",
        ),
        ("name = UNUSED", "nome = UNUSED", "instead of \"name = …\""),
    ] {
        let damaged = text.replace(from, to);
        let error = read(if from.is_empty() { &text } else { &damaged }).map(|it| it.header);
        let error = error.unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

/// Images of CGAL, in the data of Debian's package libcgal-demo.
#[test]
fn images_of_cgal_are_read() {
    let archive = Path::new("/usr/share/doc/libcgal-dev/data.tar.gz");
    if !archive.exists() {
        test_cases::report_skip(format_args!("{} is missing", archive.display()));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let names = ["small-scalar.inr", "skull_2.9.inr", "liver.inr.gz"];
    let paths = names.map(|name| format!("data/images/{name}"));
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(archive).arg("-C").arg(folder.path());
    assert!(tar.args(&paths).status().unwrap().success());
    let read = |index: usize| {
        let path = folder.path().join(&paths[index]);
        let file = read_volume(&path, &ReadOptions::default()).unwrap();
        (fs::read(path).unwrap(), file.volume)
    };
    for (index, dims, spacing) in [
        (0, [2; 3], [100.0; 3]),
        (1, [64; 3], [3.94305, 3.94305, 3.65079]),
        (2, [438, 353, 165], [0.617188, 0.617188, 1.33333]),
    ] {
        let (bytes, volume) = read(index);
        assert_eq!(volume.dims(), dims);
        assert_eq!(volume.geometry().spacing().data.0[0], spacing);
        if index < 2 {
            // uncompressed floats end the file
            assert!(bytes.ends_with(volume.bytes()));
        }
    }
}
