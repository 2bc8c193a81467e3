//! Writing NRRD: attached header, raw or gzip, in RAS with every digit.

use std::io::{self, Write};

use crate::files::{ByteOrder, StoredType, write_samples};
use crate::volume::AnyVolume;

pub(crate) fn write(
    volume: &AnyVolume,
    stored: StoredType,
    order: ByteOrder,
    compress: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let [nx, ny, nz] = volume.dims();
    let axes = volume.geometry().axes();
    let origin = volume.geometry().origin();
    let axis = |k: usize| format!("({},{},{})", axes[(0, k)], axes[(1, k)], axes[(2, k)]);
    let endian = match order {
        ByteOrder::Little => "little",
        ByteOrder::Big => "big",
    };
    writeln!(out, "NRRD0004")?;
    writeln!(out, "type: {}", type_name(stored))?;
    writeln!(out, "dimension: 3")?;
    writeln!(out, "space: right-anterior-superior")?;
    writeln!(out, "sizes: {nx} {ny} {nz}")?;
    writeln!(out, "space directions: {} {} {}", axis(0), axis(1), axis(2))?;
    writeln!(out, "kinds: domain domain domain")?;
    writeln!(out, "endian: {endian}")?;
    writeln!(out, "encoding: {}", if compress { "gzip" } else { "raw" })?;
    writeln!(
        out,
        "space origin: ({},{},{})",
        origin.x, origin.y, origin.z
    )?;
    writeln!(out)?;
    if compress {
        let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
        write_samples(volume, order, &mut encoder)?;
        encoder.finish()?;
        Ok(())
    } else {
        write_samples(volume, order, out)
    }
}

fn type_name(stored: StoredType) -> &'static str {
    match stored {
        StoredType::U8 => "uint8",
        StoredType::I8 => "int8",
        StoredType::U16 => "uint16",
        StoredType::I16 => "int16",
        StoredType::I32 => "int32",
        StoredType::U32 => "uint32",
        StoredType::U64 => "uint64",
        StoredType::I64 => "int64",
        StoredType::F32 => "float",
        StoredType::F64 => "double",
    }
}
