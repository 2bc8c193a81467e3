//! Zarr arrays with handwritten metadata: transpositions, axes, units, sizes that do not match, and
//! archives that expand.

use std::fs;
use std::path::Path;

use ferrovox::io::{FileError, ReadOptions, VolumeFile, read_volume, read_volume_bytes};
use serde_json::{Value, json};

use crate::dicom::samples;
use crate::helpers::folder;
use crate::zip::zip;

fn array(shape: &[u64], chunk: &[u64], codecs: Value) -> Value {
    json!({
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 7, "codecs": codecs,
    })
}

fn read(path: &Path) -> Result<VolumeFile, FileError> {
    read_volume(path, &ReadOptions::default())
}

/// Writes an array with one chunk to a folder.
fn write(folder: &Path, array: &Value, chunk: &[u8]) {
    fs::write(folder.join("zarr.json"), array.to_string()).unwrap();
    let axes = array["shape"].as_array().unwrap().len();
    let path = folder.join("c").join(vec!["0"; axes].join("/"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, chunk).unwrap();
}

#[test]
fn transpositions_are_applied_one_after_another() {
    let folder = folder();
    let transpose =
        |order: [u64; 3]| json!({"name": "transpose", "configuration": {"order": order}});
    let codecs = json!([transpose([1, 2, 0]), transpose([0, 2, 1]), {"name": "bytes"}]);
    // z, y, x of sizes 2, 3 and 4 become y, x, z, and then y, z, x.
    let array = array(&[2, 3, 4], &[2, 3, 4], codecs);
    let mut chunk = Vec::new();
    for y in 0..3_u8 {
        for z in 0..2 {
            chunk.extend((0..4).map(|x| 100 * z + 10 * y + x));
        }
    }
    write(folder.path(), &array, &chunk);
    let file = read(folder.path()).unwrap();
    let mut expected = Vec::new();
    for z in 0..2 {
        for y in 0..3 {
            expected.extend((0..4).map(|x| f64::from(100 * z + 10 * y + x)));
        }
    }
    assert_eq!(samples(&file.volume), expected);
}

/// Returns the metadata of an image in the array "0".
fn image(axes: Value, scale: &[f64]) -> Value {
    let transform = json!([{"type": "scale", "scale": scale}]);
    json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5",
        "multiscales": [{"axes": axes, "datasets": [
            {"path": "0", "coordinateTransformations": transform}]}]}}})
}

#[test]
fn units_and_axes_of_images_are_respected() {
    let folder = folder();
    let level = folder.path().join("0");
    fs::create_dir(&level).unwrap();
    let axis = |name: &str, unit: &str| json!({"name": name, "type": "space", "unit": unit});
    let write_image = |axes: Value, scale: &[f64]| {
        fs::write(
            folder.path().join("zarr.json"),
            image(axes, scale).to_string(),
        )
        .unwrap();
    };
    write(
        &level,
        &array(&[2, 3, 4], &[2, 3, 4], json!([{"name": "bytes"}])),
        &[5; 24],
    );
    let axes = [
        axis("z", "millimeter"),
        axis("y", "nanometer"),
        axis("x", "micrometer"),
    ];
    write_image(json!(axes), &[0.002, 500.0, 0.5]);
    let file = read(folder.path()).unwrap();
    for (found, expected) in file.volume.geometry().spacing().iter().zip([0.5, 0.5, 2.0]) {
        assert!((found - expected).abs() < 1e-12, "{found}");
    }
    write_image(
        json!([
            axis("z", "smoot"),
            axis("y", "micrometer"),
            axis("x", "micrometer")
        ]),
        &[1.0; 3],
    );
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(error.contains("smoot"), "{error}");
    let time = json!({"name": "t", "type": "time", "unit": "second"});
    write_image(
        json!([time, axis("y", "micrometer"), axis("x", "micrometer")]),
        &[1.0; 3],
    );
    let file = read(folder.path()).unwrap();
    let notes = file.header.notes.join("; ");
    assert!(notes.contains("no axis z"), "{notes}");
    // distances are positive
    write_image(json!(["z", "y", "x"]), &[1.0, 0.0, 1.0]);
    assert!(read(folder.path()).is_err());
}

#[test]
fn sizes_that_do_not_match_are_refused_before_memory_is_allocated() {
    let folder = folder();
    let bytes = || json!([{"name": "bytes"}]);
    for (shape, chunk, part) in [
        // one file per sample of a large plane
        ([1, 40_000, 40_000], [1, 1, 1], "chunks"),
        // a chunk of a gigabyte for a few samples
        ([1, 2, 3], [1024, 1024, 1023], "chunks"),
        ([1 << 40, 1 << 40, 1 << 40], [64; 3], "chunks"),
        ([1 << 60, 1 << 10, 1 << 10], [1 << 10; 3], "64 bits"),
    ] {
        write(folder.path(), &array(&shape, &chunk, bytes()), &[]);
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(part), "{shape:?}: {error}");
        assert!(!error.contains("unexpectedly"), "{error}");
    }
}

/// Metadata and chunks of an archive have bounded sizes.
#[test]
fn archives_do_not_expand_without_limit() {
    let zeros = vec![b' '; 600 << 20];
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &zeros).unwrap();
    let packed = encoder.finish().unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(&zeros);
    let deflated = |name: &str, others: &[(&str, Vec<u8>)]| {
        let mut entries = others.to_vec();
        entries.insert(0, (name, packed.clone()));
        let mut file = zip(&entries);
        // the first entry is a deflated one
        for signature in [&b"PK\x03\x04"[..], b"PK\x01\x02\x14\0"] {
            let start = file.windows(signature.len()).position(|it| it == signature);
            let start = start.unwrap() + signature.len();
            file[start + 4] = 8;
            file[start + 10..start + 14].copy_from_slice(&crc.sum().to_le_bytes());
            file[start + 18..start + 22].copy_from_slice(&(zeros.len() as u32).to_le_bytes());
        }
        file
    };
    let read = |bytes: &[u8]| {
        let file = read_volume_bytes("a.zarr.zip", bytes, &ReadOptions::default());
        file.unwrap_err().to_string()
    };
    let error = read(&deflated("zarr.json", &[]));
    assert!(error.contains("629145600 bytes"), "{error}");
    let array = array(&[2, 3, 4], &[2, 3, 4], json!([{"name": "bytes"}]));
    let metadata = [("zarr.json", array.to_string().into_bytes())];
    let error = read(&deflated("c/0/0/0", &metadata));
    assert!(error.contains("629145600 bytes"), "{error}");
}
