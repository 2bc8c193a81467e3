//! Small volumes and their files, built byte by byte.

use flate2::{Compression, write::GzEncoder};
use std::io::Write;

/// Returns a ball of radius 5 in a volume of 16³ samples: 100 minus 10 per voxel of distance from
/// the centre, so 50 at the surface.
pub fn ball() -> Vec<f32> {
    let mut samples = Vec::new();
    for z in 0..16 {
        for y in 0..16 {
            for x in 0..16 {
                let square: f32 = [x, y, z].iter().map(|&k| (k as f32 - 7.5).powi(2)).sum();
                samples.push(100.0 - 10.0 * square.sqrt());
            }
        }
    }
    samples
}

pub fn little_endian(samples: &[f32]) -> Vec<u8> {
    samples
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// Returns a NIfTI-1 file of f32 samples.
pub fn nifti(samples: &[f32], dims: [u16; 3]) -> Vec<u8> {
    nifti_of_type(&little_endian(samples), dims, 16, 32)
}

/// Returns a NIfTI-1 file with any datatype code and number of bits per sample.
pub fn nifti_of_type(data: &[u8], dims: [u16; 3], datatype: u16, bits: u16) -> Vec<u8> {
    let mut header = vec![0; 352];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &348u32.to_le_bytes());
    for (k, size) in [3, dims[0], dims[1], dims[2], 1, 1, 1, 1]
        .into_iter()
        .enumerate()
    {
        put(40 + 2 * k, &size.to_le_bytes());
    }
    put(70, &datatype.to_le_bytes());
    put(72, &bits.to_le_bytes());
    for k in 0..4 {
        put(76 + 4 * k, &1f32.to_le_bytes());
    }
    // An sform with world = index.
    put(254, &1u16.to_le_bytes());
    for at in [280, 296 + 4, 312 + 8] {
        put(at, &1f32.to_le_bytes());
    }
    put(108, &352f32.to_le_bytes());
    put(344, b"n+1\0");
    header.extend_from_slice(data);
    header
}

/// Returns an NRRD file with the given fields and data.
pub fn nrrd(fields: &str, data: &[u8]) -> Vec<u8> {
    let mut file = format!("NRRD0004\ndimension: 3\nendian: little\n{fields}\n\n").into_bytes();
    file.extend_from_slice(data);
    file
}

/// Returns an npy file with the given type and C-order shape.
pub fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(header.len() as u16).to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(data);
    file
}
