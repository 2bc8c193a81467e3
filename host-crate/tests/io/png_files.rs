//! Folders of PNG slices, and damaged files.

use std::fs;

use ferrovox::io::{ReadOptions, VolumeFormat, VolumeReader, read_volume};
use png::{BitDepth, ColorType, Encoder};

use crate::dicom::samples;
use crate::helpers::{folder, message, read_bytes};

/// Returns an image with these stored bytes, row by row.
fn png(size: [u32; 2], colours: ColorType, bits: BitDepth, content: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, size[0], size[1]);
    encoder.set_color(colours);
    encoder.set_depth(bits);
    if colours == ColorType::Indexed {
        encoder.set_palette([9; 12].to_vec());
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(content).unwrap();
    writer.finish().unwrap();
    file
}

#[test]
fn slices_are_planes_in_natural_order() {
    let folder = folder();
    for z in 0..12_u16 {
        let content: Vec<u8> = (0..35)
            .flat_map(|it| (300 * z + it).to_be_bytes())
            .collect();
        let bytes = png([7, 5], ColorType::Grayscale, BitDepth::Sixteen, &content);
        fs::write(folder.path().join(format!("s_{}.png", z + 1)), bytes).unwrap();
    }
    fs::write(folder.path().join("notes.txt"), "no slice").unwrap();
    let file = read_volume(folder.path(), &ReadOptions::default()).unwrap();
    assert_eq!(file.header.format, VolumeFormat::Png);
    assert_eq!(file.volume.dims(), [7, 5, 12]);
    let expected = (0..12).flat_map(|z| (0..35).map(move |it| f64::from(300 * z + it)));
    assert_eq!(samples(&file.volume), expected.collect::<Vec<f64>>());
    assert!(file.header.notes[0].contains("no spacing"));
    let mut reader = VolumeReader::open(folder.path(), &ReadOptions::default()).unwrap();
    let plane: Vec<u16> = (0..35).map(|it| 2700 + it).collect();
    assert_eq!(reader.read_planes::<u16>(9..10).unwrap(), plane);
    let other = png([7, 4], ColorType::Grayscale, BitDepth::Sixteen, &[0; 56]);
    fs::write(folder.path().join("s_3.png"), other).unwrap();
    let error = read_volume(folder.path(), &ReadOptions::default());
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("s_3.png") && error.contains("7 x 4"),
        "{error}"
    );
}

#[test]
fn samples_of_any_depth_and_colours_are_read() {
    let single = |colours, bits, content: &[u8]| {
        let file = read_bytes("a.png", &png([3, 2], colours, bits, content)).unwrap();
        (samples(&file.volume), file.header.notes.join("; "))
    };
    for (bits, content, expected) in [
        (BitDepth::One, &[0xA0, 0x40][..], [1, 0, 1, 0, 1, 0]),
        (BitDepth::Two, &[0x6C, 0xE4], [1, 2, 3, 3, 2, 1]),
        (
            BitDepth::Four,
            &[0x1F, 0x20, 0x34, 0x50],
            [1, 15, 2, 3, 4, 5],
        ),
        (BitDepth::Eight, &[1, 2, 3, 4, 5, 255], [1, 2, 3, 4, 5, 255]),
    ] {
        let (found, _) = single(ColorType::Grayscale, bits, content);
        assert_eq!(found, expected.map(f64::from), "{bits:?}");
    }
    let (found, notes) = single(ColorType::Indexed, BitDepth::Two, &[0x6C, 0xE4]);
    assert_eq!(found, [1.0, 2.0, 3.0, 3.0, 2.0, 1.0]);
    assert!(notes.contains("palette"), "{notes}");
    let content: Vec<u8> = (0..18).collect();
    let colours = png([3, 2], ColorType::Rgb, BitDepth::Eight, &content);
    assert!(message("a.png", &colours).contains("3 components"));
    let options = ReadOptions {
        component: Some(1),
        ..ReadOptions::default()
    };
    let file = ferrovox::io::read_volume_bytes("a.png", &colours, &options).unwrap();
    assert_eq!(samples(&file.volume), [1.0, 4.0, 7.0, 10.0, 13.0, 16.0]);
}

#[test]
fn damaged_images_are_errors() {
    let valid = png([3, 2], ColorType::Grayscale, BitDepth::Eight, &[7; 6]);
    // the last chunk has no content
    for length in 0..valid.len() - 12 {
        assert!(read_bytes("a.png", &valid[..length]).is_err(), "{length}");
    }
    let mut large = valid.clone();
    large[16..24].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF]);
    assert!(message("a.png", &large).contains("2147483647 x 2147483647 pixels"));
    for (at, value) in [(24, 3), (25, 5), (19, 0), (45, 0x55), (12, b'X')] {
        let mut changed = valid.clone();
        changed[at] = value;
        assert!(read_bytes("a.png", &changed).is_err(), "{at}");
    }
}
