//! Code of triangle meshes in pages.
//!
//! Triangles are ordered in fans, vertices by first use. The streams, each as planes of bytes:
//!
//! | stream | values | planes |
//! | --- | --- | --- |
//! | corners 0, 1, 2 | next new vertex − index, per triangle; 0 is a new vertex | 3 each |
//! | x, y, z | zigzag difference of 16-bit positions, per vertex | 2 each |
//! | normal u, v | zigzag difference of octahedral coordinates, per vertex | 2 each |
//!
//! The octahedral coordinates (Cigolle et al. 2014, "A Survey of Efficient Representations for
//! Independent Unit Vectors") have [`NORMAL_BITS`] bits.

use super::{
    bytes::{append_planes, zigzag},
    triangle_order::order_in_fans,
};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind},
    mesh::TriangleMesh,
};

/// Number of bits of an octahedral coordinate of a normal.
pub(super) const NORMAL_BITS: u32 = 10;
/// Largest 16-bit position.
const MAX_POSITION: f64 = 65535.0;
/// Largest number of vertices, limited by the three planes of a corner.
pub(super) const MAX_VERTICES: usize = 1 << 24;

/// Code of a mesh, before compression.
#[derive(Debug, Default)]
pub(super) struct MeshCode {
    pub vertices: usize,
    pub triangles: usize,
    /// World position of the 16-bit position 0.
    pub low: [f64; 3],
    /// World positions of the 16-bit position 65535.
    pub high: [f64; 3],
    pub bytes: Vec<u8>,
}

impl MeshCode {
    /// Encodes a mesh with 32-bit indices. Triangles with a vertex that is not finite are left
    /// out; vertices without triangles too. Vertices without normals get the mean normal of their
    /// triangles, weighted by area.
    pub fn new(mesh: &TriangleMesh, triangles: &[[u32; 3]]) -> Self {
        let is_finite = |corner: &u32| {
            mesh.vertices[*corner as usize]
                .iter()
                .all(|x| x.is_finite())
        };
        let finite: Vec<[u32; 3]> = triangles
            .iter()
            .filter(|corners| corners.iter().all(is_finite))
            .copied()
            .collect_or_unwind();
        let ordered = order_in_fans(&finite, mesh.vertices.len());
        let computed;
        let normals = match &mesh.normals {
            Some(normals) => normals,
            None => {
                computed = area_normals(&mesh.vertices, &ordered);
                &computed
            }
        };
        let mut used = Vec::new();
        let mut corners = [const { Vec::new() }; 3];
        let mut number = filled_or_unwind(u32::MAX, mesh.vertices.len());
        for triangle in &ordered {
            for (corner, codes) in triangle.iter().zip(&mut corners) {
                let known = &mut number[*corner as usize];
                if *known == u32::MAX {
                    *known = used.len() as u32;
                    used.push_or_unwind(*corner);
                    codes.push_or_unwind(0);
                } else {
                    codes.push_or_unwind(used.len() as u32 - *known);
                }
            }
        }
        let mut bytes = Vec::new();
        for codes in &corners {
            append_planes(&mut bytes, codes, 3);
        }
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let positions = || used.iter().map(|&at| mesh.vertices[at as usize][axis]);
            let min = positions().fold(f32::INFINITY, f32::min);
            let max = positions().fold(f32::NEG_INFINITY, f32::max);
            if used.is_empty() {
                continue;
            }
            low[axis] = mesh.origin[axis] + f64::from(min);
            high[axis] = mesh.origin[axis] + f64::from(max);
            let scale = MAX_POSITION / f64::from(max - min).max(f64::MIN_POSITIVE);
            let quantized =
                positions().map(|x| (f64::from(x - min) * scale).round().min(MAX_POSITION) as u16);
            append_differences(&mut bytes, quantized);
        }
        let octahedral: Vec<[u16; 2]> = used
            .iter()
            .map(|&at| encode_normal(normals[at as usize]))
            .collect_or_unwind();
        for axis in 0..2 {
            append_differences(&mut bytes, octahedral.iter().map(|it| it[axis]));
        }
        Self {
            vertices: used.len(),
            triangles: ordered.len(),
            low,
            high,
            bytes,
        }
    }
}

fn append_differences(bytes: &mut Vec<u8>, values: impl Iterator<Item = u16>) {
    let mut before = 0_u16;
    let codes: Vec<u32> = values
        .map(|value| {
            let difference = value.wrapping_sub(before) as i16;
            before = value;
            zigzag(difference).into()
        })
        .collect_or_unwind();
    append_planes(bytes, &codes, 2);
}

/// Projects a vector to the octahedron, and its lower half to the outside of the upper one.
fn encode_normal([x, y, z]: [f32; 3]) -> [u16; 2] {
    let length = x.abs() + y.abs() + z.abs();
    let [u, v] = if length > 0.0 && length.is_finite() {
        [x / length, y / length]
    } else {
        [0.0; 2]
    };
    let sign = |value: f32| if value < 0.0 { -1.0 } else { 1.0 };
    let folded = if z < 0.0 {
        [(1.0 - v.abs()) * sign(u), (1.0 - u.abs()) * sign(v)]
    } else {
        [u, v]
    };
    let max = ((1 << NORMAL_BITS) - 1) as f32;
    folded.map(|value| ((value * 0.5 + 0.5) * max).round() as u16)
}

/// Computes the sum of the area vectors of the triangles at each vertex.
fn area_normals(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    use nalgebra::Vector3;
    let mut sums = filled_or_unwind(Vector3::<f64>::zeros(), vertices.len());
    let position = |at: u32| Vector3::from(vertices[at as usize]).cast::<f64>();
    for &[a, b, c] in triangles {
        let area = (position(b) - position(a)).cross(&(position(c) - position(a)));
        for corner in [a, b, c] {
            sums[corner as usize] += area;
        }
    }
    sums.iter()
        .map(|sum| {
            sum.try_normalize(0.0)
                .unwrap_or_default()
                .cast::<f32>()
                .into()
        })
        .collect_or_unwind()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::mesh::Triangles;

    type Vectors = Vec<[f64; 3]>;

    /// Decodes triangles, positions and normals in the way of `decode.js`.
    pub fn decode(code: &MeshCode) -> (Vec<[u32; 3]>, Vectors, Vectors) {
        let (vertices, triangles) = (code.vertices, code.triangles);
        let mut rest = &code.bytes[..];
        let mut stream = |count: usize, bytes: usize| -> Vec<u32> {
            let (planes, after) = rest.split_at(count * bytes);
            rest = after;
            let byte = |at: usize, plane: usize| u32::from(planes[plane * count + at]);
            let value = |at| (0..bytes).map(|plane| byte(at, plane) << (8 * plane)).sum();
            (0..count).map(value).collect()
        };
        let corners = [(); 3].map(|()| stream(triangles, 3));
        let mut next = 0;
        let list = (0..triangles).map(|triangle| {
            [0, 1, 2].map(|corner| {
                let code = corners[corner][triangle];
                next += u32::from(code == 0);
                if code == 0 { next - 1 } else { next - code }
            })
        });
        let list = list.collect();
        let mut sums = |count: usize| -> Vec<u16> {
            let mut sum = 0_u16;
            let differences = stream(count, 2).into_iter();
            differences
                .map(|code| {
                    let half = (code >> 1) as u16;
                    sum = sum.wrapping_add(if code & 1 == 0 { half } else { !half });
                    sum
                })
                .collect()
        };
        let axes = [(); 3].map(|()| sums(vertices));
        let position = |at: usize| {
            [0, 1, 2].map(|axis| {
                let size = code.high[axis] - code.low[axis];
                code.low[axis] + size * f64::from(axes[axis][at]) / MAX_POSITION
            })
        };
        let positions = (0..vertices).map(position).collect();
        let halves = [(); 2].map(|()| sums(vertices));
        let normal = |at: usize| {
            let max = f64::from((1 << NORMAL_BITS) - 1);
            let [u, v] = [0, 1].map(|axis| f64::from(halves[axis][at]) / max * 2.0 - 1.0);
            let z = 1.0 - u.abs() - v.abs();
            let fold = f64::max(-z, 0.0);
            let [x, y] = [u, v].map(|value| value - value.signum() * fold);
            let length = (x * x + y * y + z * z).sqrt();
            [x / length, y / length, z / length]
        };
        (list, positions, (0..vertices).map(normal).collect())
    }

    /// Returns a wavy grid of triangles.
    fn sheet(size: u32) -> TriangleMesh {
        let wave = |x: f32, y: f32| (x * 0.3).sin() * (y * 0.2).cos() * 4.0;
        let point = |at: u32| {
            let (x, y) = ((at % size) as f32, (at / size) as f32);
            [x, y, wave(x, y)]
        };
        let cell = |at: u32| {
            let corner = at / (size - 1) * size + at % (size - 1);
            [
                [corner, corner + 1, corner + size],
                [corner + size, corner + 1, corner + size + 1],
            ]
        };
        TriangleMesh {
            origin: [1000.0, -2000.0, 5.0],
            vertices: (0..size * size).map(point).collect(),
            normals: None,
            triangles: Triangles::U32((0..(size - 1) * (size - 1)).flat_map(cell).collect()),
        }
    }

    #[test]
    fn mesh_survives_the_code() {
        let mut mesh = sheet(40);
        let Triangles::U32(triangles) = mesh.triangles.clone() else {
            unreachable!()
        };
        let normals = area_normals(&mesh.vertices, &triangles);
        mesh.normals = Some(normals.clone());
        let code = MeshCode::new(&mesh, &triangles);
        let (decoded, positions, decoded_normals) = decode(&code);
        assert_eq!((code.vertices, decoded.len()), (1600, triangles.len()));
        // every decoded triangle is one of the mesh, with the same orientation
        let step = [39.0, 39.0, 8.0].map(|size| size / 65535.0);
        let nearest = |position: [f64; 3]| {
            let [x, y] = [position[0] - 1000.0, position[1] + 2000.0];
            let at = x.round() as u32 + 40 * y.round() as u32;
            let original = mesh.vertices[at as usize];
            for axis in 0..3 {
                let world = mesh.origin[axis] + f64::from(original[axis]);
                assert!((world - position[axis]).abs() <= step[axis], "{position:?}");
            }
            at
        };
        let least_first = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]].into_iter().min();
        let original = |corner: u32| nearest(positions[corner as usize]);
        let mut found: Vec<_> = decoded
            .iter()
            .filter_map(|corners| least_first(corners.map(original)))
            .collect();
        let mut expected: Vec<_> = triangles.iter().filter_map(|it| least_first(*it)).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
        for (at, normal) in decoded_normals.iter().enumerate() {
            let exact = normals[nearest(positions[at]) as usize].map(f64::from);
            let cosine: f64 = exact.iter().zip(normal).map(|(a, b)| a * b).sum();
            assert!(cosine > 0.99999, "{exact:?} {normal:?}");
        }
    }

    #[test]
    fn octahedral_code_has_all_directions() {
        for direction in [
            [1.0, 0.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, -1.0],
            [-0.6, 0.48, -0.64],
            [0.36, -0.48, 0.8],
        ] {
            let mesh = TriangleMesh {
                vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                normals: Some(vec![direction; 3]),
                triangles: Triangles::U32(vec![[0, 1, 2]]),
                ..TriangleMesh::default()
            };
            let (_, _, normals) = decode(&MeshCode::new(&mesh, &[[0, 1, 2]]));
            for (found, exact) in normals[0].iter().zip(direction) {
                assert!((found - f64::from(exact)).abs() < 0.004, "{direction:?}");
            }
        }
    }

    #[test]
    fn flat_empty_and_infinite_meshes_are_encoded() {
        let empty = MeshCode::new(&TriangleMesh::default(), &[]);
        assert_eq!((empty.vertices, empty.bytes.len()), (0, 0));
        let mesh = TriangleMesh {
            vertices: vec![[7.0; 3], [7.0; 3], [7.0; 3], [f32::NAN; 3]],
            ..TriangleMesh::default()
        };
        let code = MeshCode::new(&mesh, &[[0, 1, 2], [0, 1, 3]]);
        let (triangles, positions, _) = decode(&code);
        assert_eq!(triangles, [[0, 1, 2]]);
        assert_eq!(positions, [[7.0; 3]; 3]);
    }
}
