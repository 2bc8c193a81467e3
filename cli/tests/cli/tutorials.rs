//! The commands of `docs/tutorials.md`, on small files of the same kinds.

use crate::{
    samples::{ball, gzip, nifti, nifti_of_type, nrrd},
    support::Folder,
};
use std::{fs, path::Path};

/// Side of the volumes.
const SIDE: u16 = 32;

/// Returns the distance of each voxel of a volume to its centre, x fastest.
fn radii() -> impl Iterator<Item = f64> {
    let centre = f64::from(SIDE - 1) / 2.0;
    let side = || 0..SIDE;
    side()
        .flat_map(move |z| side().flat_map(move |y| side().map(move |x| (x, y, z))))
        .map(move |(x, y, z)| {
            let offsets = [x, y, z].map(|k| f64::from(k) - centre);
            offsets.iter().map(|k| k * k).sum::<f64>().sqrt()
        })
}

/// Returns a CT of a shell of bone, in Hounsfield units.
fn ct() -> Vec<i16> {
    let value = |radius: f64| match radius {
        8.0..11.0 => 1000,
        0.0..8.0 => 40,
        _ => -1000,
    };
    radii().map(value).collect()
}

/// Appends an element of DICOM in explicit little-endian encoding.
fn element(file: &mut Vec<u8>, group: u16, number: u16, kind: &[u8; 2], value: &[u8]) {
    file.extend(group.to_le_bytes());
    file.extend(number.to_le_bytes());
    file.extend(kind);
    if kind == b"OW" {
        file.extend([0, 0]);
        file.extend((value.len() as u32).to_le_bytes());
    } else {
        file.extend((value.len() as u16).to_le_bytes());
    }
    file.extend(value);
}

/// Pads a text to an even length.
fn text(value: &str) -> Vec<u8> {
    let mut bytes = value.as_bytes().to_vec();
    if bytes.len() % 2 == 1 {
        bytes.push(if value.starts_with("1.2.") { 0 } else { b' ' });
    }
    bytes
}

/// Returns a slice of a CT series.
fn dicom_slice(z: u16, samples: &[i16]) -> Vec<u8> {
    let mut meta = Vec::new();
    let class = "1.2.840.10008.5.1.4.1.1.2";
    let instance = format!("1.2.826.0.1.9.{}", z + 1);
    element(&mut meta, 2, 2, b"UI", &text(class));
    element(&mut meta, 2, 3, b"UI", &text(&instance));
    element(&mut meta, 2, 0x10, b"UI", &text("1.2.840.10008.1.2.1"));
    let mut file = vec![0; 128];
    file.extend(b"DICM");
    element(&mut file, 2, 0, b"UL", &(meta.len() as u32).to_le_bytes());
    file.extend(meta);
    let number = |value: u16| value.to_le_bytes();
    let pixels: Vec<u8> = samples.iter().flat_map(|it| it.to_le_bytes()).collect();
    element(&mut file, 0x08, 0x16, b"UI", &text(class));
    element(&mut file, 0x08, 0x18, b"UI", &text(&instance));
    element(&mut file, 0x08, 0x60, b"CS", b"CT");
    element(&mut file, 0x20, 0x0e, b"UI", &text("1.2.826.0.1.9"));
    element(&mut file, 0x20, 0x13, b"IS", &text(&(100 - z).to_string()));
    element(&mut file, 0x20, 0x32, b"DS", &text(&format!("0\\0\\{z}")));
    element(&mut file, 0x20, 0x37, b"DS", &text("1\\0\\0\\0\\1\\0"));
    element(&mut file, 0x28, 0x02, b"US", &number(1));
    element(&mut file, 0x28, 0x04, b"CS", &text("MONOCHROME2"));
    element(&mut file, 0x28, 0x10, b"US", &number(SIDE));
    element(&mut file, 0x28, 0x11, b"US", &number(SIDE));
    element(&mut file, 0x28, 0x30, b"DS", &text("1\\1"));
    element(&mut file, 0x28, 0x100, b"US", &number(16));
    element(&mut file, 0x28, 0x101, b"US", &number(16));
    element(&mut file, 0x28, 0x102, b"US", &number(15));
    element(&mut file, 0x28, 0x103, b"US", &number(1));
    element(&mut file, 0x28, 0x1052, b"DS", b"0 ");
    element(&mut file, 0x28, 0x1053, b"DS", b"1 ");
    element(&mut file, 0x7fe0, 0x10, b"OW", &pixels);
    file
}

/// Returns a TIFF file of one page per plane, with samples of 8 bits.
pub fn tiff(samples: &[u8], side: u16) -> Vec<u8> {
    let plane = usize::from(side) * usize::from(side);
    let mut file = b"II\x2a\0\x08\0\0\0".to_vec();
    for page in samples.chunks(plane) {
        let entries: [(u16, u32); 9] = [
            (256, side.into()),
            (257, side.into()),
            (258, 8),
            (259, 1),
            (262, 1),
            (273, file.len() as u32 + 2 + 9 * 12 + 4),
            (277, 1),
            (278, side.into()),
            (279, plane as u32),
        ];
        file.extend(9_u16.to_le_bytes());
        for (tag, value) in entries {
            file.extend(tag.to_le_bytes());
            file.extend(4_u16.to_le_bytes());
            file.extend(1_u32.to_le_bytes());
            file.extend(value.to_le_bytes());
        }
        let next = file.len() + 4 + plane;
        file.extend((next as u32).to_le_bytes());
        file.extend(page);
    }
    // the last directory has no successor
    let last = file.len() - plane - 4;
    file[last..last + 4].fill(0);
    file
}

/// Returns a closed bar of 6 × 1 × 1 as a text STL.
pub fn bar() -> String {
    let corner = |k: usize| [6.0 * (k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64];
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let mut stl = "solid bar\n".to_owned();
    for [a, b, c, d] in sides {
        for triangle in [[a, b, c], [a, c, d]] {
            stl += "facet normal 0 0 0\nouter loop\n";
            for [x, y, z] in triangle.map(corner) {
                stl += &format!("vertex {x} {y} {z}\n");
            }
            stl += "endloop\nendfacet\n";
        }
    }
    stl + "endsolid bar\n"
}

/// Creates the inputs of all tutorials.
pub fn inputs() -> Folder {
    let folder = Folder::new();
    let bytes =
        |samples: &[i16]| -> Vec<u8> { samples.iter().flat_map(|it| it.to_le_bytes()).collect() };
    fs::create_dir(folder.path("ct")).unwrap();
    let plane = usize::from(SIDE) * usize::from(SIDE);
    for (z, samples) in (0..SIDE).zip(ct().chunks(plane)) {
        folder.file(&format!("ct/{}.dcm", z * 7 % SIDE), dicom_slice(z, samples));
    }
    folder.file("ct.raw", bytes(&ct()));

    let dims = [SIDE; 3];
    let labels = |radius: f64| match radius {
        0.0..5.0 => 1,
        5.0..10.0 => 2,
        _ => 0,
    };
    let atlas: Vec<u8> = radii().map(labels).collect();
    folder.file("atlas.nii.gz", gzip(&nifti_of_type(&atlas, dims, 2, 8)));
    let mut tumour = nifti_of_type(&atlas, dims, 2, 8);
    for (k, value) in [(0, 0.5_f32), (5, 0.5), (10, 2.0)] {
        tumour[280 + 4 * k..][..4].copy_from_slice(&value.to_le_bytes());
    }
    folder.file("tumour.nii.gz", gzip(&tumour));

    // a trunk along x, and a branch along y
    let voxel = |index: usize| [index % 32, index / 32 % 32, index / 1024].map(|k| k as f64);
    let vessels: Vec<u8> = (0..32 * plane)
        .map(|index| {
            let [x, y, z] = voxel(index);
            let is_trunk = (y - 8.0).hypot(z - 16.0) < 3.5 && (2.0..30.0).contains(&x);
            let is_branch = (x - 16.0).hypot(z - 16.0) < 2.5 && (8.0..30.0).contains(&y);
            u8::from(is_trunk || is_branch)
        })
        .collect();
    let fields = "type: uint8\nsizes: 32 32 32\nencoding: raw";
    folder.file("vessels.nrrd", nrrd(fields, &vessels));

    folder.file("scan.nii.gz", gzip(&nifti(&ball(), [16; 3])));
    folder.file("electrodes.xyz", "7.5 7.5 14\n2 7.5 7.5\n");
    let cells: Vec<u8> = radii()
        .map(|radius| (200.0 - 10.0 * radius).max(5.0) as u8)
        .collect();
    folder.file("stack.tif", tiff(&cells, SIDE));
    let mut fmri = nifti(&[ball(), ball()].concat(), [16; 3]);
    fmri[40..42].copy_from_slice(&4_u16.to_le_bytes());
    fmri[48..50].copy_from_slice(&2_u16.to_le_bytes());
    folder.file("fmri.nii", fmri);

    fs::create_dir_all(folder.path("image.zarr/0")).unwrap();
    folder.file("image.zarr/.zgroup", r#"{"zarr_format": 2}"#);
    folder.file(
        "image.zarr/.zattrs",
        r#"{"multiscales": [{"version": "0.4", "axes": [
            {"name": "z", "type": "space", "unit": "micrometer"},
            {"name": "y", "type": "space", "unit": "micrometer"},
            {"name": "x", "type": "space", "unit": "micrometer"}],
            "datasets": [{"path": "0", "coordinateTransformations":
                [{"type": "scale", "scale": [1.0, 0.5, 0.5]}]}]}]}"#,
    );
    folder.file(
        "image.zarr/0/.zarray",
        r#"{"zarr_format": 2, "shape": [32, 32, 32], "chunks": [32, 32, 32], "dtype": "|u1",
            "compressor": null, "fill_value": 0, "order": "C", "filters": null}"#,
    );
    folder.file("image.zarr/0/0.0.0", &cells);
    folder.file("part.stl", bar());
    folder
}

#[test]
fn commands_of_the_tutorials_run() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/tutorials.md");
    let Ok(page) = fs::read_to_string(page) else {
        test_cases::report_skip(format_args!("the sources are not here"));
        return;
    };
    let folder = inputs();
    let tasks: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert_eq!(tasks.len(), 10);
    for task in tasks {
        let title = task.lines().next().unwrap_or_default();
        let (_, rest) = task.split_once("```sh\n").expect("a block of commands");
        let (commands, rest) = rest.split_once("```").expect("the end of the block");
        // the raw file is 2 MiB here
        let commands = commands
            .replace("1024x1024x1024", "32x32x32")
            .replace("--memory 1G", "--memory 90K");
        let script = format!("set -e\nferrovox() {{ \"$FERROVOX\" \"$@\"; }}\n{commands}");
        let Some(run) = folder.shell(&script) else {
            return;
        };
        assert_eq!(run.status, Some(0), "{title}: {}", run.stderr);
        let (_, results) = rest.split_once("Result:").expect("a list of results");
        let names: Vec<&str> = results.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{title}");
        for name in names {
            let length = fs::metadata(folder.path(name)).map(|it| it.len());
            assert!(length.is_ok_and(|length| length > 50), "{title}: {name}");
        }
    }
    // the results are those of the objects in the files
    let volume = |line: &str| {
        let report = folder.run(&format!("{line} --json")).ok().json();
        report["volume"].as_f64().unwrap()
    };
    let shell = ct().iter().filter(|&&sample| sample == 1000).count() as f64;
    let bone = volume("mesh ct --iso 300");
    assert!((bone / shell - 1.0).abs() < 0.35, "{bone} {shell}");
    assert!((volume("voxelize part.stl --resolution 60") - 6.0).abs() < 0.3);
    let swc = fs::read_to_string(folder.path("vessels.swc")).unwrap();
    assert!(
        swc.lines().filter(|line| !line.starts_with('#')).count() > 10,
        "{swc}"
    );
}
