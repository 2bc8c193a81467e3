//! Areas of the walls between labels.

use super::LabelledMesh;
use crate::mesh::to_world;
use std::collections::BTreeMap;

/// The wall between two labels, or between a label and the background.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallArea {
    /// The two labels in ascending order, except for the background 0, which comes last.
    pub labels: [i64; 2],
    /// Number of triangles.
    pub triangles: u64,
    /// Area, in squared world units.
    pub area: f64,
}

impl LabelledMesh {
    /// Returns the walls between each pair of neighbouring labels, and between labels and the
    /// background: the graph of the labels that touch, in ascending order of the pairs.
    ///
    /// Time is O(n log m) for n triangles and m walls.
    ///
    /// ```
    /// use ferrovox::mesh::{LabelledMesh, TriangleMesh, Triangles};
    ///
    /// let walls = LabelledMesh {
    ///     mesh: TriangleMesh {
    ///         vertices: vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]],
    ///         triangles: Triangles::U32(vec![[0, 1, 2]]),
    ///         ..TriangleMesh::default()
    ///     },
    ///     labels: vec![3, 7],
    ///     sides: vec![[1, 2]],
    /// };
    /// let areas = walls.wall_areas();
    /// assert_eq!((areas[0].labels, areas[0].triangles, areas[0].area), ([3, 7], 1, 3.0));
    /// ```
    pub fn wall_areas(&self) -> Vec<WallArea> {
        let mut walls: BTreeMap<[u32; 2], (u64, f64)> = BTreeMap::new();
        let vertices = &self.mesh.vertices;
        for (triangle, sides) in self.mesh.triangles.iter().zip(&self.sides) {
            let position = |index: u64| {
                let position = vertices.get(index as usize).copied();
                to_world([0.0; 3], position.unwrap_or_default())
            };
            let [a, b, c] = triangle.map(position).map(nalgebra::Point3::from);
            let wall = walls.entry(*sides).or_default();
            wall.0 += 1;
            wall.1 += (b - a).cross(&(c - a)).norm() / 2.0;
        }
        let walls = walls.into_iter();
        walls
            .map(|(sides, (triangles, area))| WallArea {
                labels: sides.map(|side| self.label_at(side)),
                triangles,
                area,
            })
            .collect()
    }
}
