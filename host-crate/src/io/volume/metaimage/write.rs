//! Header of MetaImage files to be written: one file, positions in LPS.

use nalgebra::{Matrix3, Vector3};

use crate::io::volume::options::VolumeContent;
use crate::io::{ByteOrder, StoredType};

/// Returns the header. ITK reads compressed samples only if it states their length in bytes.
pub(crate) fn header(content: &VolumeContent, compressed_bytes: Option<u64>) -> Vec<u8> {
    let [nx, ny, nz] = content.dims;
    let geometry = content.geometry;
    let flip = Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0));
    let axes = flip * geometry.axes();
    let spacing = geometry.spacing();
    let offset = flip * geometry.origin();
    // One axis after another. Adding zero turns -0 into 0.
    let directions: Vec<String> = (0..9)
        .map(|k| (axes[(k % 3, k / 3)] / spacing[k / 3] + 0.0).to_string())
        .collect();
    let big = content.order == ByteOrder::Big;
    let compressed = match compressed_bytes {
        Some(bytes) => format!("CompressedData = True\nCompressedDataSize = {bytes}"),
        None => "CompressedData = False".to_owned(),
    };
    let lines = [
        "ObjectType = Image".to_owned(),
        "NDims = 3".to_owned(),
        "BinaryData = True".to_owned(),
        format!(
            "BinaryDataByteOrderMSB = {}",
            if big { "True" } else { "False" }
        ),
        compressed,
        format!("TransformMatrix = {}", directions.join(" ")),
        format!(
            "Offset = {} {} {}",
            offset.x + 0.0,
            offset.y + 0.0,
            offset.z + 0.0
        ),
        format!("ElementSpacing = {} {} {}", spacing.x, spacing.y, spacing.z),
        format!("DimSize = {nx} {ny} {nz}"),
        format!("ElementType = {}", type_name(content.stored)),
        "ElementDataFile = LOCAL".to_owned(),
    ];
    lines.map(|line| line + "\n").concat().into_bytes()
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
