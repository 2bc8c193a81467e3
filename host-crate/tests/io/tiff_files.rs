//! TIFF files with metadata of ImageJ and OME that contradict their pages, units of lengths,
//! orientation, and integers of 64 bits.

use std::fs;
use std::time::Instant;

use ferrovox::grid::{AnyVolume, Geometry, Volume};
use ferrovox::io::{ReadOptions, VolumeWriteOptions, read_volume, write_volume};

use crate::helpers::{folder, message, read_bytes};

/// Returns a little-endian file of pages of 2 x 1 bytes, with a description in the first one and
/// further entries in all.
fn tiff(pages: usize, description: &str, entries: &[(u16, u16, u32)]) -> Vec<u8> {
    let mut file = b"II*\0\x08\0\0\0".to_vec();
    let mut description = description.as_bytes().to_vec();
    description.push(0);
    for page in 0..pages {
        let mut all = vec![
            (256, 4, 2),
            (257, 4, 1),
            (258, 3, 8),
            (259, 3, 1),
            (262, 3, 1),
        ];
        let start = file.len();
        let has_text = page == 0 && description.len() > 4;
        let count = all.len() + 3 + usize::from(has_text) + entries.len();
        let samples = start + 2 + 12 * count + 4;
        all.extend([(273, 4, samples as u32), (277, 3, 1), (279, 4, 2)]);
        all.extend(entries);
        let mut bytes = (count as u16).to_le_bytes().to_vec();
        let mut append = |tag: u16, kind: u16, number: u32, value: u32| {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(kind.to_le_bytes());
            bytes.extend(number.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        };
        if has_text {
            append(270, 2, description.len() as u32, samples as u32 + 2);
        }
        for (tag, kind, value) in all {
            append(tag, kind, 1, value);
        }
        let text: &[u8] = if has_text { &description } else { &[] };
        let next = samples + 2 + text.len();
        let next = if page + 1 < pages { next as u32 } else { 0 };
        bytes.extend(next.to_le_bytes());
        bytes.extend([page as u8, 100 + page as u8]);
        bytes.extend(text);
        file.extend(bytes);
    }
    file
}

fn ome(pixels: &str, data: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><OME xmlns=\"x\"><Image ID=\"Image:0\"><Pixels \
         DimensionOrder=\"XYZCT\" SizeX=\"2\" SizeY=\"1\" SizeC=\"1\" SizeT=\"1\" {pixels}>{data}\
         </Pixels></Image></OME>"
    )
}

#[test]
fn metadata_of_more_planes_than_pages_are_refused_at_once() {
    let start = Instant::now();
    let data = "<TiffData PlaneCount=\"4000000\"/>".repeat(30_000);
    let text = ome("SizeZ=\"4000000\"", &data);
    let error = message("a.tif", &tiff(3, &text, &[]));
    assert!(error.contains("4000000 planes"), "{error}");
    let text = ome(
        "SizeZ=\"3\"",
        "<TiffData/><TiffData IFD=\"1\" FirstZ=\"1\"/>",
    );
    let error = message("a.tif", &tiff(3, &text, &[]));
    assert!(error.contains("plane 1 twice"), "{error}");
    let text = ome("SizeZ=\"3\"", "<TiffData/>");
    let file = read_bytes("a.tif", &tiff(3, &text, &[])).unwrap();
    assert_eq!(file.volume.bytes(), [0, 100, 1, 101, 2, 102]);
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn lengths_in_several_units_are_converted_to_that_of_x() {
    let spacing = |text: &str| {
        let file = read_bytes("a.tif", &tiff(3, text, &[(282, 5, 8), (283, 5, 8)]));
        file.map(|file| (file.volume.geometry().spacing(), file.header.notes))
    };
    let sizes = "SizeZ=\"3\" PhysicalSizeX=\"0.5\" PhysicalSizeY=\"500\" PhysicalSizeZ=\"0.002\"";
    let text = ome(
        &format!("{sizes} PhysicalSizeYUnit=\"nm\" PhysicalSizeZUnit=\"mm\""),
        "",
    );
    let (found, notes) = spacing(&text).unwrap();
    for (found, expected) in found.iter().zip([0.5, 0.5, 2.0]) {
        assert!((found - expected).abs() < 1e-12, "{found}");
    }
    assert!(notes.join(" ").contains("µm"), "{notes:?}");
    let text = ome(
        &format!("{sizes} PhysicalSizeZUnit=\"reference frame\""),
        "",
    );
    let error = spacing(&text).unwrap_err().to_string();
    assert!(error.contains("reference frame"), "{error}");
    let text = "ImageJ=1.53\nimages=3\nslices=3\nunit=mm\nzunit=micron\nspacing=1500\n";
    let (found, _) = spacing(text).unwrap();
    assert!((found[2] - 1.5).abs() < 1e-12, "{found}");
}

#[test]
fn another_orientation_of_pages_is_noted() {
    let file = read_bytes("a.tif", &tiff(2, "", &[(274, 3, 3)])).unwrap();
    let notes = file.header.notes.join("; ");
    assert!(notes.contains("orientation 3"), "{notes}");
    let file = read_bytes("a.tif", &tiff(2, "", &[(274, 3, 1)])).unwrap();
    assert!(!file.header.notes.join("; ").contains("orientation"));
}

/// OME-XML has no integers of 64 bits, and must not call them others.
#[test]
fn integers_of_64_bits_have_a_spacing_but_no_wrong_type() {
    let folder = folder();
    let path = folder.path().join("a.tif");
    let geometry = Geometry::from_spacing([0.7, 0.35, 2.25], [0.0; 3]).unwrap();
    let volume = Volume::from_fn([3, 2, 2], geometry, |x, y, z| {
        i64::MAX - (x + 3 * y + 6 * z) as i64
    });
    let volume = AnyVolume::from(volume.unwrap());
    write_volume(&path, &volume, &VolumeWriteOptions::default()).unwrap();
    let bytes = fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("int32") && !text.contains("<OME"));
    let file = read_volume(&path, &ReadOptions::default()).unwrap();
    assert_eq!(file.volume.bytes(), volume.bytes());
    let spacing = file.volume.geometry().spacing();
    assert!((spacing - geometry.spacing()).norm() < 1e-9, "{spacing}");
}
