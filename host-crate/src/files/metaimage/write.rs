//! Writing MetaImage: header and samples in one file, raw or zlib, positions turned to LPS.

use std::io::{self, Write};

use flate2::write::ZlibEncoder;
use nalgebra::{Matrix3, Vector3};

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
    let geometry = volume.geometry();
    let flip = Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0));
    let axes = flip * geometry.axes();
    let spacing = geometry.spacing();
    let offset = flip * geometry.origin();
    // One axis after the other. Adding zero turns -0 into 0.
    let directions: Vec<String> = (0..9)
        .map(|k| (axes[(k % 3, k / 3)] / spacing[k / 3] + 0.0).to_string())
        .collect();
    // ITK reads compressed samples only when the header says how many bytes they have.
    let compressed = if compress {
        let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        write_samples(volume, order, &mut encoder)?;
        Some(encoder.finish()?)
    } else {
        None
    };
    writeln!(out, "ObjectType = Image")?;
    writeln!(out, "NDims = 3")?;
    writeln!(out, "BinaryData = True")?;
    let big = order == ByteOrder::Big;
    writeln!(
        out,
        "BinaryDataByteOrderMSB = {}",
        if big { "True" } else { "False" }
    )?;
    match &compressed {
        Some(bytes) => {
            writeln!(
                out,
                "CompressedData = True\nCompressedDataSize = {}",
                bytes.len()
            )?;
        }
        None => writeln!(out, "CompressedData = False")?,
    }
    writeln!(out, "TransformMatrix = {}", directions.join(" "))?;
    writeln!(
        out,
        "Offset = {} {} {}",
        offset.x + 0.0,
        offset.y + 0.0,
        offset.z + 0.0
    )?;
    writeln!(
        out,
        "ElementSpacing = {} {} {}",
        spacing.x, spacing.y, spacing.z
    )?;
    writeln!(out, "DimSize = {nx} {ny} {nz}")?;
    writeln!(out, "ElementType = {}", type_name(stored))?;
    writeln!(out, "ElementDataFile = LOCAL")?;
    match compressed {
        Some(bytes) => out.write_all(&bytes),
        None => write_samples(volume, order, out),
    }
}

fn type_name(stored: StoredType) -> &'static str {
    match stored {
        StoredType::U8 => "MET_UCHAR",
        StoredType::I8 => "MET_CHAR",
        StoredType::U16 => "MET_USHORT",
        StoredType::I16 => "MET_SHORT",
        StoredType::I32 => "MET_INT",
        StoredType::U32 => "MET_UINT",
        StoredType::U64 => "MET_ULONG_LONG",
        StoredType::I64 => "MET_LONG_LONG",
        StoredType::F32 => "MET_FLOAT",
        StoredType::F64 => "MET_DOUBLE",
    }
}
