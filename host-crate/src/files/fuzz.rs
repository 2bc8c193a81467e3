//! Entry points for fuzzers: one function per reader, any bytes in, nothing but a defect comes out.
//!
//! Each reads the bytes as a file of its format, and checks what a reader promises of a volume it returns. The
//! targets under `fuzz/` and the replay of the kept corpus call these.

use std::path::Path;

use super::read::read_with_data;
use super::{ByteOrder, RawLayout, ReadOptions, StoredType, VolumeFile, read_mesh_bytes};
use crate::volume::{Geometry, sample_count};

/// Reads the bytes as NIfTI.
pub fn nifti(bytes: &[u8]) {
    read("fuzz.nii", bytes, None);
}

/// Reads the bytes as NRRD; where they name a data file, they are that file, too.
pub fn nrrd(bytes: &[u8]) {
    read("fuzz.nrrd", bytes, Some(bytes));
}

/// Reads the bytes as MetaImage; where they name a data file, they are that file, too.
pub fn metaimage(bytes: &[u8]) {
    read("fuzz.mha", bytes, Some(bytes));
}

/// Reads the bytes as npy.
pub fn npy(bytes: &[u8]) {
    read("fuzz.npy", bytes, None);
}

/// Reads the bytes as a mesh.
pub fn ply(bytes: &[u8]) {
    if let Ok(mesh) = read_mesh_bytes("fuzz.ply", bytes) {
        assert_eq!(mesh.validate(), Ok(()), "a mesh that is read is valid");
    }
}

/// Takes a layout from the first six bytes (three dims, type, byte order, offset) and reads the others as samples.
pub fn raw(bytes: &[u8]) {
    let Some((layout, samples)) = bytes.split_first_chunk::<6>() else {
        return;
    };
    let [nx, ny, nz, stored, order, offset] = *layout;
    let raw = RawLayout {
        dims: [nx, ny, nz].map(usize::from),
        stored_type: StoredType::ALL[usize::from(stored) % StoredType::ALL.len()],
        byte_order: if order % 2 == 0 {
            ByteOrder::Little
        } else {
            ByteOrder::Big
        },
        offset: u64::from(offset),
        geometry: Geometry::default(),
    };
    let options = ReadOptions {
        raw: Some(raw),
        ..ReadOptions::default()
    };
    // Read as a plain and as a compressed file.
    for name in ["fuzz.raw", "fuzz.raw.gz"] {
        if let Ok(file) = read_with_data(Path::new(name), samples, None, &options) {
            check(&file);
        }
    }
}

fn read(name: &str, bytes: &[u8], data: Option<&[u8]>) {
    let choices = [
        ReadOptions::default(),
        ReadOptions {
            volume: Some(1),
            allow_trailing_bytes: true,
            ..ReadOptions::default()
        },
    ];
    for options in choices {
        match read_with_data(Path::new(name), bytes, data, &options) {
            Ok(file) => check(&file),
            Err(error) => assert!(error.to_string().starts_with(name), "{error}"),
        }
    }
}

/// What holds for every volume that is read.
fn check(file: &VolumeFile) {
    let dims = file.volume.dims();
    assert_eq!(sample_count(dims), Ok(file.volume.len()), "dims {dims:?}");
    let geometry = file.volume.geometry();
    assert!(
        geometry.affine().iter().all(|number| number.is_finite()),
        "{geometry:?}"
    );
    assert!(geometry.determinant() != 0.0, "{geometry:?}");
    assert!(
        file.header.volume < file.header.volumes,
        "{:?}",
        file.header
    );
}
