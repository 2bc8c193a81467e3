//! Writing STL: binary, little-endian, one record of 50 bytes per triangle with its facet normal.

use nalgebra::Vector3;

use super::encode::put_le;
use super::parts::{MeshCounts, Part};

pub(super) fn parts(counts: MeshCounts) -> Vec<Part> {
    // Readers take a file that starts with "solid" for the text form.
    let mut header = vec![b' '; 80];
    header[..28].copy_from_slice(b"binary STL, made by ferrovox");
    // The number of triangles has been checked: it fits.
    header.extend_from_slice(&(counts.triangles as u32).to_le_bytes());
    vec![Part::Bytes(header), Part::Facets]
}

/// A triangle by the positions of its corners.
pub(super) fn put_facet(bytes: &mut Vec<u8>, corners: [[f32; 3]; 3]) {
    put_le(bytes, facet_normal(corners));
    for corner in corners {
        put_le(bytes, corner);
    }
    bytes.extend_from_slice(&[0; 2]);
}

/// The unit normal by the right-hand rule; zero for a triangle without area or with a corner that
/// is not finite.
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
