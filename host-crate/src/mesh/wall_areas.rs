//! Areas of the walls between labels, and measures of the labels' surfaces.

use super::LabelledMesh;
use crate::{
    memory::{self, OutOfMemory},
    mesh::to_world,
};
use nalgebra::Point3;
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

/// Measures of the surface of a label.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LabelSurfaceMeasure {
    /// The label.
    pub label: i64,
    /// Number of triangles.
    pub triangles: u64,
    /// Area, in squared world units.
    pub area: f64,
    /// Enclosed volume, in cubed world units.
    pub volume: f64,
}

impl LabelledMesh {
    /// Returns the number of triangles, the area and the enclosed volume of the surface of each of
    /// the [`labels`](Self::labels). Time is linear in the triangles.
    ///
    /// ```
    /// use ferrovox::mesh::{LabelledMesh, TriangleMesh, Triangles};
    ///
    /// let walls = LabelledMesh {
    ///     mesh: TriangleMesh {
    ///         vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ///         triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
    ///         ..TriangleMesh::default()
    ///     },
    ///     labels: vec![3],
    ///     sides: vec![[1, 0]; 4],
    /// };
    /// let measures = walls.label_measures()?;
    /// assert_eq!((measures[0].label, measures[0].triangles), (3, 4));
    /// assert!((measures[0].volume - 1.0 / 6.0).abs() < 1e-12);
    /// # Ok::<(), ferrovox::memory::OutOfMemory>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn label_measures(&self) -> Result<Vec<LabelSurfaceMeasure>, OutOfMemory> {
        let new = |&label: &i64| LabelSurfaceMeasure {
            label,
            ..LabelSurfaceMeasure::default()
        };
        let labels = self.labels.iter().map(new);
        let mut measures = memory::try_collect("measures of labels", labels)?;
        for (triangle, sides) in self.mesh.triangles.iter().zip(&self.sides) {
            let [a, b, c] = self.corners(triangle);
            let doubled = (b - a).cross(&(c - a));
            let (area, volume) = (doubled.norm() / 2.0, a.coords.dot(&doubled) / 6.0);
            for (side, sign) in sides.iter().zip([1.0, -1.0]) {
                let index = (*side as usize).checked_sub(1);
                if let Some(measure) = index.and_then(|index| measures.get_mut(index)) {
                    measure.triangles += 1;
                    measure.area += area;
                    measure.volume += sign * volume;
                }
            }
        }
        Ok(measures)
    }

    /// Returns the vertices of a triangle relative to the origin of the mesh; zeros for invalid
    /// indices.
    fn corners(&self, triangle: [u64; 3]) -> [Point3<f64>; 3] {
        triangle.map(|index| {
            let position = self.mesh.vertices.get(index as usize).copied();
            to_world([0.0; 3], position.unwrap_or_default()).into()
        })
    }

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
        for (triangle, sides) in self.mesh.triangles.iter().zip(&self.sides) {
            let [a, b, c] = self.corners(triangle);
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
