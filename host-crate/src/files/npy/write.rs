//! Writing npy, version 1.0.

use std::io::{self, Write};

use crate::files::{ByteOrder, StoredType, write_samples};
use crate::volume::AnyVolume;

/// Writes an array of shape (z, y, x) in C order.
pub(crate) fn write(
    volume: &AnyVolume,
    stored: StoredType,
    order: ByteOrder,
    out: &mut dyn Write,
) -> io::Result<()> {
    let [nx, ny, nz] = volume.dims();
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
    let mut text = format!(
        "{{'descr': '{mark}{code}', 'fortran_order': False, 'shape': ({nz}, {ny}, {nx}), }}"
    );
    // Magic, version, length and text together are a multiple of 64, so that the samples are aligned.
    let padding = 63 - (10 + text.len()) % 64;
    text.extend(std::iter::repeat_n(' ', padding));
    text.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(text.len() as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())?;
    write_samples(volume, order, out)
}
