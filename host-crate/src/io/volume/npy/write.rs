//! Header of npy files to be written, version 1.0.

use crate::io::volume::options::VolumeContent;
use crate::io::{ByteOrder, StoredType};

/// Returns the header of an array of shape (z, y, x) in C order.
pub(crate) fn header(content: &VolumeContent) -> Vec<u8> {
    let [nx, ny, nz] = content.dims;
    array_header(content.stored, content.order, &[nz, ny, nx])
}

/// Returns the header of an array in C order. `shape` lists the slowest axis first.
pub(crate) fn array_header(stored: StoredType, order: ByteOrder, shape: &[usize]) -> Vec<u8> {
    let code = match stored {
        StoredType::U8 => "u1",
        StoredType::I8 => "i1",
        StoredType::U16 => "u2",
        StoredType::I16 => "i2",
        StoredType::I32 => "i4",
        StoredType::U32 => "u4",
        StoredType::U64 => "u8",
        StoredType::I64 => "i8",
        StoredType::F32 => "f4",
        StoredType::F64 => "f8",
    };
    let mark = match order {
        _ if stored.bytes() == 1 => '|',
        ByteOrder::Little => '<',
        ByteOrder::Big => '>',
    };
    let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
    let shape = shape.join(", ");
    let mut text =
        format!("{{'descr': '{mark}{code}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Magic, version, length and text together are a multiple of 64 bytes, so that the samples are
    // aligned.
    let padding = 63 - (10 + text.len()) % 64;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}
