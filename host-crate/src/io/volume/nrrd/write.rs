//! Header of NRRD files to be written: attached, in RAS, with all digits.

use crate::io::volume::options::VolumeContent;
use crate::io::{ByteOrder, StoredType};

/// Returns the header.
pub(crate) fn header(content: &VolumeContent, compress: bool) -> Vec<u8> {
    let [nx, ny, nz] = content.dims;
    let axes = content.geometry.axes();
    let origin = content.geometry.origin();
    let axis = |k: usize| format!("({},{},{})", axes[(0, k)], axes[(1, k)], axes[(2, k)]);
    let endian = match content.order {
        ByteOrder::Little => "little",
        ByteOrder::Big => "big",
    };
    let lines = [
        "NRRD0004".to_owned(),
        format!("type: {}", type_name(content.stored)),
        "dimension: 3".to_owned(),
        "space: right-anterior-superior".to_owned(),
        format!("sizes: {nx} {ny} {nz}"),
        format!("space directions: {} {} {}", axis(0), axis(1), axis(2)),
        "kinds: domain domain domain".to_owned(),
        format!("endian: {endian}"),
        format!("encoding: {}", if compress { "gzip" } else { "raw" }),
        format!("space origin: ({},{},{})", origin.x, origin.y, origin.z),
        String::new(),
    ];
    lines.map(|line| line + "\n").concat().into_bytes()
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
