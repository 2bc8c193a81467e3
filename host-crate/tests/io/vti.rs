//! VTI files: samples as text, and damaged base64.

use ferrovox::grid::AnyVolume;
use ferrovox::io::{ReadOptions, VolumeFile, VolumeReader, read_volume};
use std::fs;

/// Returns a file of 2 x 2 x 2 samples of type `UInt8` in this format.
fn file(format: &str, content: &str) -> String {
    format!(
        "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\" header_type=\"UInt32\">\n\
         <ImageData WholeExtent=\"0 1 0 1 0 1\" Origin=\"0 0 0\" Spacing=\"1 1 1\">\n\
         <Piece Extent=\"0 1 0 1 0 1\"><PointData Scalars=\"é\">\n\
         <DataArray type=\"UInt8\" Name=\"é\" format=\"{format}\">\n{content}\n</DataArray>\n\
         </PointData></Piece></ImageData></VTKFile>\n"
    )
}

fn read(content: &str) -> Result<VolumeFile, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vti");
    fs::write(&path, content).unwrap();
    read_volume(&path, &ReadOptions::default()).map_err(|error| error.to_string())
}

#[test]
fn samples_as_text_are_checked_against_their_type() {
    let text_file = |content| file("ascii", content);
    let AnyVolume::U8(volume) = read(&text_file("0 1 2 3\n4 5 6 255")).unwrap().volume else {
        panic!("not u8");
    };
    assert_eq!(volume.samples(), [0, 1, 2, 3, 4, 5, 6, 255]);
    for (content, expected) in [
        ("0 1 2 3 4 5 6 300", "300"),
        ("0 1 2 3 4 5 6 -1", "-1"),
        ("0 1 2 3 4 5 6", "8 bytes"),
        ("0 1 2 3 4 5 6 7 8", "8"),
    ] {
        let error = read(&text_file(content)).unwrap_err();
        assert!(error.contains(expected), "{content}: {error}");
    }
}

#[test]
fn planes_of_text_are_read_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vti");
    fs::write(&path, file("ascii", "0 1 2 3 4 5 6 7")).unwrap();
    let mut reader = VolumeReader::open(&path, &ReadOptions::default()).unwrap();
    assert_eq!(reader.read_planes::<u8>(1..2).unwrap(), [4, 5, 6, 7]);
    assert_eq!(reader.read_planes::<u8>(0..1).unwrap(), [0, 1, 2, 3]);
}

#[test]
fn damaged_base64_is_an_error() {
    // The number of bytes, 8, as four bytes, and the samples.
    let AnyVolume::U8(volume) = read(&file("binary", "CAAA AAABAgMEBQYH")).unwrap().volume else {
        panic!("not u8");
    };
    assert_eq!(volume.samples(), [0, 1, 2, 3, 4, 5, 6, 7]);
    for (content, expected) in [
        ("CAAAAAABAgMEBQY=", "ends early"),
        ("CAAAAAABAg==BQYH", "ends early"),
        ("CAAAAAABAgME", "ends early"),
        ("CAAAAAAB!gMEBQYH", "invalid symbol"),
        ("CQAAAAABAgMEBQYH", "9 bytes instead of 8"),
    ] {
        let error = read(&file("binary", content)).unwrap_err();
        assert!(error.contains(expected), "{content}: {error}");
    }
}

#[test]
fn invalid_geometry_is_an_error() {
    let valid = file("ascii", "0 1 2 3 4 5 6 7");
    for (from, to) in [
        ("Origin=\"0 0 0\"", "Origin=\"0 0\""),
        ("Spacing=\"1 1 1\"", "Spacing=\"1 1 1 1\""),
        ("Spacing=\"1 1 1\"", "Spacing=\"1 0 1\""),
        ("Spacing=\"1 1 1\"", "Spacing=\"1 nan 1\""),
        (
            "Spacing=\"1 1 1\"",
            "Spacing=\"1 1 1\" Direction=\"1 0 0 0\"",
        ),
        (
            "WholeExtent=\"0 1 0 1 0 1\"",
            "WholeExtent=\"0 0.5 0 1 0 1\"",
        ),
        ("WholeExtent=\"0 1 0 1 0 1\"", "WholeExtent=\"0 1 0 1\""),
    ] {
        let changed = valid.replacen(from, to, 1);
        assert_ne!(changed, valid);
        assert!(read(&changed).is_err(), "{to}");
    }
    // arrays after an empty list of point arrays are not samples
    let empty = valid
        .replace("<PointData Scalars=\"é\">", "<CellData/><FieldData>")
        .replace("</PointData>", "</FieldData>");
    assert!(read(&empty).is_err());
}
