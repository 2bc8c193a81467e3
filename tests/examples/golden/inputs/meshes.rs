//! Input meshes and points.

use ferrovox::mesh::{TriangleMesh, Triangles};
use ferrovox_tests::noise::Noise;
use std::collections::BTreeMap;

/// Returns a closed mesh: an octahedron subdivided three times, projected onto an ellipsoid.
pub fn octasphere() -> TriangleMesh {
    let mut vertices: Vec<[f32; 3]> = vec![
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ];
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    for _ in 0..3 {
        let mut midpoints = BTreeMap::new();
        let mut midpoint = |a: u32, b: u32| {
            *midpoints.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let sum: [f32; 3] = std::array::from_fn(|axis| {
                    vertices[a as usize][axis] + vertices[b as usize][axis]
                });
                let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
                vertices.push(sum.map(|x| x / length));
                vertices.len() as u32 - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let [ab, bc, ca] = [midpoint(a, b), midpoint(b, c), midpoint(c, a)];
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    for vertex in &mut vertices {
        *vertex = [
            3.0 * vertex[0] + 1.5,
            4.0 * vertex[1] - 2.0,
            2.5 * vertex[2],
        ];
    }
    TriangleMesh {
        origin: [0.0; 3],
        vertices,
        normals: None,
        triangles: Triangles::U32(triangles),
    }
}

/// Returns points inside and around the volume of sites, in its world coordinates.
pub fn points() -> Vec<[f32; 3]> {
    let mut noise = Noise(9);
    let mut coordinate = |min: f32, size: u64| min + noise.below(64 * size) as f32 / 64.0;
    (0..257)
        .map(|_| {
            [
                coordinate(-5.0, 55),
                coordinate(4.0, 45),
                coordinate(-2.0, 100),
            ]
        })
        .collect()
}
