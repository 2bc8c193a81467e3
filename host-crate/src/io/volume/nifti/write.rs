//! Header of NIfTI files to be written: version 1, or version 2 if a size exceeds 16 bits or the
//! 32-bit affine of version 1 would displace voxels. The affine is stored as sform.

use super::TYPES;
use super::header::{SIZE_1, SIZE_2};
use crate::grid::Geometry;
use crate::io::volume::options::VolumeContent;
use crate::io::{ByteOrder, StoredType};

/// `NIFTI_XFORM_SCANNER_ANAT`.
const SCANNER: i32 = 1;
/// `NIFTI_UNITS_MM`.
const MILLIMETRES: i32 = 2;

/// Largest displacement of a voxel by the rounding of the affine, in voxels.
const MAX_DISPLACEMENT: f64 = 1e-3;

/// Returns the header.
pub(crate) fn header(content: &VolumeContent) -> Vec<u8> {
    let fits_16_bits = content.dims.iter().all(|&dim| i16::try_from(dim).is_ok());
    let mut header = if fits_16_bits && fits_f32(content) {
        header_1(content)
    } else {
        header_2(content)
    };
    header.extend([0; 4]); // no extensions
    header
}

/// Returns `true` if rounding the affine to `f32` displaces no voxel noticeably.
fn fits_f32(content: &VolumeContent) -> bool {
    let rounded = content.geometry.affine().map(|it| f64::from(it as f32));
    Geometry::from_affine(&rounded).is_ok_and(|rounded| {
        let displacement = content.geometry.misalignment(&rounded, content.dims);
        displacement.voxels <= MAX_DISPLACEMENT
    })
}

/// Header under construction.
struct Fields {
    bytes: Vec<u8>,
    order: ByteOrder,
}

impl Fields {
    /// Stores a number, given in little-endian bytes, at an offset.
    fn store<const N: usize>(&mut self, offset: usize, mut little: [u8; N]) {
        if self.order == ByteOrder::Big {
            little.reverse();
        }
        self.bytes[offset..offset + N].copy_from_slice(&little);
    }

    fn i16(&mut self, offset: usize, value: i16) {
        self.store(offset, value.to_le_bytes());
    }

    fn i32(&mut self, offset: usize, value: i32) {
        self.store(offset, value.to_le_bytes());
    }

    fn i64(&mut self, offset: usize, value: i64) {
        self.store(offset, value.to_le_bytes());
    }

    fn f32(&mut self, offset: usize, value: f32) {
        self.store(offset, value.to_le_bytes());
    }

    fn f64(&mut self, offset: usize, value: f64) {
        self.store(offset, value.to_le_bytes());
    }
}

fn datatype(stored: StoredType) -> i16 {
    TYPES
        .iter()
        .find(|(_, known, components)| *known == stored && *components == 1)
        .map_or(0, |(code, ..)| *code)
}

fn header_1(content: &VolumeContent) -> Vec<u8> {
    let mut fields = Fields {
        bytes: vec![0; SIZE_1],
        order: content.order,
    };
    fields.i32(0, SIZE_1 as i32);
    fields.i16(40, 3);
    for axis in 0..3 {
        fields.i16(42 + 2 * axis, content.dims[axis] as i16);
        fields.f32(80 + 4 * axis, content.geometry.spacing()[axis] as f32);
    }
    for axis in 3..7 {
        fields.i16(42 + 2 * axis, 1);
        fields.f32(80 + 4 * axis, 1.0);
    }
    fields.f32(76, 1.0); // qfac
    fields.i16(70, datatype(content.stored));
    fields.i16(72, (8 * content.stored.bytes()) as i16);
    fields.f32(108, (SIZE_1 + 4) as f32);
    fields.f32(112, 1.0); // scl_slope
    fields.bytes[123] = MILLIMETRES as u8;
    fields.i16(254, SCANNER as i16);
    let affine = content.geometry.affine();
    for row in 0..3 {
        for column in 0..4 {
            fields.f32(280 + 16 * row + 4 * column, affine[(row, column)] as f32);
        }
    }
    fields.bytes[344..].copy_from_slice(b"n+1\0");
    fields.bytes
}

fn header_2(content: &VolumeContent) -> Vec<u8> {
    let mut fields = Fields {
        bytes: vec![0; SIZE_2],
        order: content.order,
    };
    fields.i32(0, SIZE_2 as i32);
    fields.bytes[4..12].copy_from_slice(b"n+2\0\r\n\x1a\n");
    fields.i16(12, datatype(content.stored));

    fields.i16(14, (8 * content.stored.bytes()) as i16);
    fields.i64(16, 3);
    for axis in 0..3 {
        fields.i64(24 + 8 * axis, content.dims[axis] as i64);
        fields.f64(112 + 8 * axis, content.geometry.spacing()[axis]);
    }
    for axis in 3..7 {
        fields.i64(24 + 8 * axis, 1);
        fields.f64(112 + 8 * axis, 1.0);
    }
    fields.f64(104, 1.0); // qfac
    fields.i64(168, (SIZE_2 + 4) as i64);
    fields.f64(176, 1.0); // scl_slope
    fields.i32(348, SCANNER);
    let affine = content.geometry.affine();
    for row in 0..3 {
        for column in 0..4 {
            fields.f64(400 + 32 * row + 8 * column, affine[(row, column)]);
        }
    }
    fields.i32(500, MILLIMETRES);
    fields.bytes
}
