//! STL. Written as binary little-endian: one record of 50 bytes per triangle with its facet normal.

mod reader;

use nalgebra::Vector3;

use crate::io::mesh::encoder::{
    CountLimit, DataBlock, Element, MeshEncoder, MeshFormatInfo, MeshLayout, MeshReader, append_le,
};

/// Encoder of binary STL.
pub(in crate::io::mesh) struct StlEncoder;

static INFO: MeshFormatInfo = MeshFormatInfo {
    description: "STL, binary",
    signatures: &[b"solid ", b"solid\n", b"solid\r", b"solid\t"],
    has_free_header: true,
    reader: Some(MeshReader {
        encodings: "binary and text",
        read: reader::read,
    }),
    limit: Some(CountLimit {
        element: Element::Triangles,
        bits: 32,
        max: u32::MAX as u64,
    }),
    normals: "per facet",
    indices: "none; at most 2^32 − 1 triangles",
    stores_facets: true,
    ..MeshFormatInfo::new("STL", "stl")
};

impl MeshEncoder for StlEncoder {
    fn info(&self) -> &'static MeshFormatInfo {
        &INFO
    }

    fn blocks(&self, layout: &MeshLayout) -> Vec<DataBlock> {
        // The header must not start with "solid": readers would take the file for the text form.
        let mut header = vec![b' '; 80];
        let text = format!("binary STL, made by ferrovox{}", layout.space_tag(" "));
        header[..text.len()].copy_from_slice(text.as_bytes());
        // The number of triangles fits: it is within the format's limit.
        header.extend_from_slice(&(layout.counts.triangles as u32).to_le_bytes());
        vec![DataBlock::Bytes(header), DataBlock::Facets]
    }

    fn encode_facets(&self, facets: &[[[f32; 3]; 3]], bytes: &mut Vec<u8>) {
        for corners in facets {
            append_le(bytes, facet_normal(*corners));
            for corner in corners {
                append_le(bytes, *corner);
            }
            bytes.extend_from_slice(&[0; 2]);
        }
    }
}

/// Returns the unit normal by the right-hand rule; zero if the triangle has no area or a corner is
/// not finite.
fn facet_normal(corners: [[f32; 3]; 3]) -> [f32; 3] {
    let [a, b, c] = corners.map(|corner| Vector3::from(corner).cast::<f64>());
    let cross = (b - a).cross(&(c - a));
    cross
        .try_normalize(0.0)
        .filter(|normal| normal.iter().all(|x| x.is_finite()))
        .map_or([0.0; 3], |normal| normal.cast::<f32>().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facet_normals_follow_the_winding() {
        let [o, x, y] = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]];
        assert_eq!(facet_normal([o, x, y]), [0.0, 0.0, 1.0]);
        assert_eq!(facet_normal([o, y, x]), [0.0, 0.0, -1.0]);
        assert_eq!(facet_normal([o, x, x]), [0.0; 3]);
        assert_eq!(
            facet_normal([o, x, [f32::NAN; 3]]).map(f32::is_nan),
            [false; 3]
        );
    }
}
