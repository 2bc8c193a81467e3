//! Writing NRRD: attached header, raw or gzip, in RAS with every digit.

use std::io::{self, Write};

use crate::files::{ByteOrder, write_samples};
use crate::volume::{AnyVolume, SampleType};

pub(crate) fn write(
    volume: &AnyVolume,
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
    writeln!(out, "type: {}", type_name(volume.sample_type()))?;
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

fn type_name(sample_type: SampleType) -> &'static str {
    match sample_type {
        SampleType::U8 => "uint8",
        SampleType::I8 => "int8",
        SampleType::U16 => "uint16",
        SampleType::I16 => "int16",
        SampleType::I32 => "int32",
        SampleType::F32 => "float",
        SampleType::F64 => "double",
    }
}
