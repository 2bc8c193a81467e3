//! Damage that knows the formats: fields of binary headers, words and lines of text headers, and
//! what gzip puts around them.

use crate::{
    formats::Format,
    mutate::{Random, mutate},
    text,
};
use flate2::{Compression, bufread::GzDecoder, write::GzEncoder};
use std::io::{Read, Write};

/// Whole numbers at the edges of types, and sizes that no file has.
const WHOLE: [i64; 14] = [
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
/// Numbers that are hard to compute with.
const REAL: [f64; 12] = [
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
/// What is unpacked of a damaged file, at most.
const UNPACKED: u64 = 1 << 20;

/// A file of the format, damaged in one to three places.
pub fn damaged(format: &Format, random: &mut Random) -> Vec<u8> {
    let file = &format.files[random.below(format.files.len())];
    let other = &format.files[random.below(format.files.len())];
    if random.below(12) == 0 {
        return file.clone();
    }
    let mut bytes = match unpacked(file) {
        Some(inner) => {
            let inner = inside(format.name, inner, other, random);
            container(pack(&inner), random)
        }
        None => inside(format.name, file.clone(), other, random),
    };
    if random.below(4) == 0 {
        bytes = mutate(&bytes, other, random);
    }
    // packed as a whole: of some formats a file, of others nonsense
    if random.below(10) == 0 {
        bytes = container(pack(&bytes), random);
    }
    bytes
}

fn inside(name: &str, mut bytes: Vec<u8>, other: &[u8], random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(3) {
        let is_text = bytes
            .iter()
            .take(60)
            .all(|&it| it == b'\n' || it == b'\r' || (32..127).contains(&it));
        bytes = match name {
            "nifti" => nifti(bytes, random),
            "npy" => npy(bytes, other, random),
            "stl" if !is_text => field(bytes, 80, Field::I32, random, true),
            "raw" => field(bytes, 3 + random.below(3), Field::U8, random, true),
            // a header of text, and bytes behind it
            "nrrd" => text::before(bytes, b"\n\n", other, random),
            "metaimage" => text::before(bytes, b"LOCAL", other, random),
            "ply" => text::before(bytes, b"end_header", other, random),
            _ => text::damaged(bytes, other, random),
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

/// The fields of a NIfTI-1 header that are read: where, what, and how many.
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
/// The same of a NIfTI-2 header.
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

fn nifti(bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    // the length of the header, 348 or 540, is first
    let (second, little) = match bytes.first_chunk() {
        Some(&[0, 0, high, low]) => ([low, high] == 540u16.to_le_bytes(), false),
        Some(&[low, high, ..]) => ([low, high] == 540u16.to_le_bytes(), true),
        None => return bytes,
    };
    let fields = if second { &NIFTI2[..] } else { &NIFTI1[..] };
    let (at, what, count) = fields[random.below(fields.len())];
    let at = at + random.below(count) * what.bytes();
    field(bytes, at, what, random, little)
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

/// Puts a number into a field, or adds a little to it.
fn field(mut bytes: Vec<u8>, at: usize, what: Field, random: &mut Random, little: bool) -> Vec<u8> {
    let whole = WHOLE[random.below(WHOLE.len())];
    let small = random.below(2000) as i64 - 20;
    let whole = if random.below(2) == 0 { whole } else { small };
    let real = REAL[random.below(REAL.len())];
    let real = if random.below(2) == 0 {
        real
    } else {
        small as f64 / 64.0
    };
    let mut value = match what {
        Field::U8 => vec![whole as u8],
        Field::I16 => (whole as i16).to_le_bytes().to_vec(),
        Field::I32 => (whole as i32).to_le_bytes().to_vec(),
        Field::I64 => whole.to_le_bytes().to_vec(),
        Field::F32 => (real as f32).to_le_bytes().to_vec(),
        Field::F64 => real.to_le_bytes().to_vec(),
    };
    if !little {
        value.reverse();
    }
    for (byte, new) in bytes.iter_mut().skip(at).zip(value) {
        *byte = new;
    }
    bytes
}

/// The dictionary of an npy file, and the number that says how long it is.
fn npy(bytes: Vec<u8>, other: &[u8], random: &mut Random) -> Vec<u8> {
    if bytes.len() < 12 || random.below(5) == 0 {
        let at = 6 + random.below(6);
        return field(bytes, at, Field::U8, random, true);
    }
    let wide = bytes[6] >= 2;
    let start = if wide { 12 } else { 10 };
    let end = bytes
        .iter()
        .position(|&it| it == b'\n')
        .map_or(bytes.len(), |at| at + 1);
    let end = end.max(start).min(bytes.len());
    let mut header = text::damaged(bytes[start.min(end)..end].to_vec(), other, random);
    if random.below(8) > 0 {
        // as a file of that header would be
        header.retain(|&it| it != b'\n');
        while !(start + header.len() + 1).is_multiple_of(64) {
            header.push(b' ');
        }
        header.push(b'\n');
    }
    let mut damaged = bytes[..start].to_vec();
    if random.below(8) > 0 {
        let length = (header.len() as u32).to_le_bytes();
        let width = if wide { 4 } else { 2 };
        damaged[8..8 + width].copy_from_slice(&length[..width]);
    }
    damaged.extend(header);
    damaged.extend(&bytes[end..]);
    damaged
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut inner = Vec::new();
    bytes.starts_with(&GZIP).then(|| {
        // of a file that is damaged already, what there is
        let _ = GzDecoder::new(bytes).take(UNPACKED).read_to_end(&mut inner);
        inner
    })
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // into memory: neither can fail
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Damages what gzip puts around the data: flags, fields, lengths, checks, members.
fn container(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
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
            // a field of any length, and fewer bytes than it says
            bytes[3] |= 4;
            let length = (random.below(65536) as u16).to_le_bytes();
            bytes.splice(10..10, length);
        }
        8 => bytes = [pack(b""), bytes].concat(),
        _ => {}
    }
    bytes
}
