//! Header of VTI files to be written: raw appended samples, with directions, in RAS.

use crate::io::volume::options::VolumeContent;
use crate::io::{ByteOrder, StoredType};

/// End of the file, after the samples.
pub(in crate::io) const TRAILER: &str = "\n</AppendedData></VTKFile>\n";

/// Returns the header and the length of the samples that follows it.
pub(in crate::io) fn header(content: &VolumeContent) -> Vec<u8> {
    let order = match content.order {
        ByteOrder::Little => "LittleEndian",
        ByteOrder::Big => "BigEndian",
    };
    let [nx, ny, nz] = content.dims.map(|count| count as i128 - 1);
    let extent = format!("0 {nx} 0 {ny} 0 {nz}");
    let spacing = content.geometry.spacing();
    let origin = content.geometry.origin();
    let axes = content.geometry.axes();
    let direction = [0, 1, 2].map(|row| {
        let entry = |axis: usize| (axes[(row, axis)] / spacing[axis]).to_string();
        [0, 1, 2].map(entry).join(" ")
    });
    let direction = direction.join(" ");
    let scalar = type_name(content.stored);
    let text = format!(
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"{order}\" header_type=\"UInt64\">\n\
         <ImageData WholeExtent=\"{extent}\" Origin=\"{} {} {}\" Spacing=\"{} {} {}\" \
         Direction=\"{direction}\">\n\
         <Piece Extent=\"{extent}\"><PointData Scalars=\"samples\">\
         <DataArray type=\"{scalar}\" Name=\"samples\" format=\"appended\" offset=\"0\"/>\
         </PointData></Piece></ImageData>\n\
         <AppendedData encoding=\"raw\">_",
        origin.x, origin.y, origin.z, spacing[0], spacing[1], spacing[2],
    );
    let samples: u64 = content.dims.iter().map(|&count| count as u64).product();
    let length = samples * content.stored.bytes() as u64;
    let mut header = text.into_bytes();
    header.extend(match content.order {
        ByteOrder::Little => length.to_le_bytes(),
        ByteOrder::Big => length.to_be_bytes(),
    });
    header
}

fn type_name(stored: StoredType) -> &'static str {
    match stored {
        StoredType::U8 => "UInt8",
        StoredType::I8 => "Int8",
        StoredType::U16 => "UInt16",
        StoredType::I16 => "Int16",
        StoredType::I32 => "Int32",
        StoredType::U32 => "UInt32",
        StoredType::U64 => "UInt64",
        StoredType::I64 => "Int64",
        StoredType::F32 => "Float32",
        StoredType::F64 => "Float64",
    }
}
