//! Format-aware damage: fields of binary headers, words and lines of text headers, and gzip
//! containers.

use crate::{
    formats::Format,
    mutate::{Random, mutate},
    text,
};
use flate2::{Compression, bufread::GzDecoder, write::GzEncoder};
use std::io::{Read, Write};

/// Integers at the limits of types, and sizes that no file has.
const INTEGERS: [i64; 14] = [
    0,
    1,
    -1,
    2,
    3,
    7,
    8,
    127,
    255,
    32767,
    -32768,
    65536,
    2_147_483_647,
    i64::MAX,
];
/// Floats that are hard to compute with.
const FLOATS: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-30,
    1e30,
    1e300,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e-310,
];
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Maximum number of bytes to decompress from a damaged file.
const MAX_UNPACKED: u64 = 1 << 20;

/// Returns a file of the format with one to three kinds of damage.
pub fn damage(format: &Format, random: &mut Random) -> Vec<u8> {
    let file = &format.files[random.below(format.files.len())];
    let donor = &format.files[random.below(format.files.len())];
    if random.below(12) == 0 {
        return file.clone();
    }
    let mut bytes = match unpacked(file) {
        Some(inner) => {
            let inner = damage_contents(format.name, inner, donor, random);
            damage_gzip(pack(&inner), random)
        }
        None => damage_contents(format.name, file.clone(), donor, random),
    };
    if random.below(4) == 0 {
        bytes = mutate(&bytes, donor, random);
    }
    // compressed as a whole: a valid file for some formats, invalid for others
    if random.below(10) == 0 {
        bytes = damage_gzip(pack(&bytes), random);
    }
    bytes
}

fn damage_contents(name: &str, mut bytes: Vec<u8>, donor: &[u8], random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(3) {
        let is_text = bytes
            .iter()
            .take(60)
            .all(|&it| it == b'\n' || it == b'\r' || (32..127).contains(&it));
        bytes = match name {
            "nifti" => damage_nifti(bytes, random),
            "npy" => damage_npy(bytes, donor, random),
            "stl" if !is_text => damage_field(bytes, 80, Field::I32, random, true),
            "raw" => damage_field(bytes, 3 + random.below(3), Field::U8, random, true),
            // a text header followed by binary data
            "nrrd" => text::damage_before(bytes, b"\n\n", donor, random),
            "metaimage" => text::damage_before(bytes, b"LOCAL", donor, random),
            "ply" => text::damage_before(bytes, b"end_header", donor, random),
            _ => text::damage(bytes, donor, random),
        };
    }
    bytes
}

#[derive(Clone, Copy)]
enum Field {
    U8,
    I16,
    I32,
    I64,
    F32,
    F64,
}

/// Fields of a NIfTI-1 header that are read: offset, type and count.
const NIFTI1: [(usize, Field, usize); 17] = [
    (0, Field::I32, 1),
    (39, Field::U8, 1),
    (40, Field::I16, 8),
    (70, Field::I16, 2),
    (76, Field::F32, 8),
    (108, Field::F32, 1),
    (112, Field::F32, 2),
    (120, Field::I16, 1),
    (123, Field::U8, 1),
    (252, Field::I16, 2),
    (256, Field::F32, 3),
    (268, Field::F32, 3),
    (280, Field::F32, 12),
    (344, Field::U8, 4),
    (348, Field::U8, 4),
    (68, Field::I16, 1),
    (136, Field::F32, 1),
];
/// Fields of a NIfTI-2 header that are read: offset, type and count.
const NIFTI2: [(usize, Field, usize); 10] = [
    (0, Field::I32, 1),
    (4, Field::U8, 8),
    (12, Field::I16, 2),
    (16, Field::I64, 8),
    (104, Field::F64, 8),
    (168, Field::I64, 1),
    (176, Field::F64, 2),
    (344, Field::I32, 2),
    (352, Field::F64, 6),
    (400, Field::F64, 12),
];

fn damage_nifti(bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    // the length of the header, 348 or 540, comes first
    let (second, is_small_change) = match bytes.first_chunk() {
        Some(&[0, 0, high, low]) => ([low, high] == 540u16.to_le_bytes(), false),
        Some(&[low, high, ..]) => ([low, high] == 540u16.to_le_bytes(), true),
        None => return bytes,
    };
    let fields = if second { &NIFTI2[..] } else { &NIFTI1[..] };
    let (at, field_type, count) = fields[random.below(fields.len())];
    let at = at + random.below(count) * field_type.bytes();
    damage_field(bytes, at, field_type, random, is_small_change)
}

impl Field {
    fn bytes(self) -> usize {
        match self {
            Field::U8 => 1,
            Field::I16 => 2,
            Field::I32 | Field::F32 => 4,
            Field::I64 | Field::F64 => 8,
        }
    }
}

/// Writes a number to a field, or changes the field slightly.
fn damage_field(
    mut bytes: Vec<u8>,
    at: usize,
    field_type: Field,
    random: &mut Random,
    is_small_change: bool,
) -> Vec<u8> {
    let integer = INTEGERS[random.below(INTEGERS.len())];
    let small = random.below(2000) as i64 - 20;
    let integer = if random.below(2) == 0 { integer } else { small };
    let real = FLOATS[random.below(FLOATS.len())];
    let real = if random.below(2) == 0 {
        real
    } else {
        small as f64 / 64.0
    };
    let mut value = match field_type {
        Field::U8 => vec![integer as u8],
        Field::I16 => (integer as i16).to_le_bytes().to_vec(),
        Field::I32 => (integer as i32).to_le_bytes().to_vec(),
        Field::I64 => integer.to_le_bytes().to_vec(),
        Field::F32 => (real as f32).to_le_bytes().to_vec(),
        Field::F64 => real.to_le_bytes().to_vec(),
    };
    if !is_small_change {
        value.reverse();
    }
    for (byte, new) in bytes.iter_mut().skip(at).zip(value) {
        *byte = new;
    }
    bytes
}

/// Damages the dictionary of an npy file, or the number that gives its length.
fn damage_npy(bytes: Vec<u8>, donor: &[u8], random: &mut Random) -> Vec<u8> {
    if bytes.len() < 12 || random.below(5) == 0 {
        let at = 6 + random.below(6);
        return damage_field(bytes, at, Field::U8, random, true);
    }
    let wide = bytes[6] >= 2;
    let start = if wide { 12 } else { 10 };
    let end = bytes
        .iter()
        .position(|&it| it == b'\n')
        .map_or(bytes.len(), |at| at + 1);
    let end = end.max(start).min(bytes.len());
    let mut header = text::damage(bytes[start.min(end)..end].to_vec(), donor, random);
    if random.below(8) > 0 {
        // with the length that a file with this header would have
        header.retain(|&it| it != b'\n');
        while !(start + header.len() + 1).is_multiple_of(64) {
            header.push(b' ');
        }
        header.push(b'\n');
    }
    let mut damage = bytes[..start].to_vec();
    if random.below(8) > 0 {
        let length = (header.len() as u32).to_le_bytes();
        let width = if wide { 4 } else { 2 };
        damage[8..8 + width].copy_from_slice(&length[..width]);
    }
    damage.extend(header);
    damage.extend(&bytes[end..]);
    damage
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut inner = Vec::new();
    bytes.starts_with(&GZIP).then(|| {
        // if the file was damaged before, keep the part that can be decompressed
        let _ = GzDecoder::new(bytes)
            .take(MAX_UNPACKED)
            .read_to_end(&mut inner);
        inner
    })
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // writing to memory cannot fail
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Damages a gzip container: flags, fields, lengths, checksums, members.
fn damage_gzip(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let len = bytes.len();
    match random.below(12) {
        0 => bytes[3] |= 1 << random.below(8),
        1 => bytes[2] = random.below(256) as u8,
        2 => bytes.truncate(random.below(len + 1)),
        3 => bytes[len - 1 - random.below(8)] ^= 1 << random.below(8),
        4 => bytes.extend([0; 512]),
        5 => bytes.extend(pack(b"more")),
        6 => bytes.extend(bytes.clone()),
        7 => {
            // an extra field of any length, with fewer bytes than announced
            bytes[3] |= 4;
            let length = (random.below(65536) as u16).to_le_bytes();
            bytes.splice(10..10, length);
        }
        8 => bytes = [pack(b""), bytes].concat(),
        _ => {}
    }
    bytes
}
