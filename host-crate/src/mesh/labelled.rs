//! Meshes whose triangles separate two labels.

use super::{MeshReport, TriangleMesh, Triangles, VertexIndex, try_check};
use crate::memory::{self, OutOfMemory};
use crate::parallel;
use rayon::slice::ParallelSliceMut;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "the surface of a label";

/// Number of a vertex that is not part of a surface.
const UNUSED: usize = usize::MAX;

/// A mesh in which each triangle is part of a wall between two labels, or between a label and the
/// background.
///
/// Vertices and triangles are stored once, including those of walls shared by two labels.
///
/// ```
/// use ferrovox::mesh::{LabelledMesh, TriangleMesh, Triangles};
///
/// // Two tetrahedra with the labels 3 and 7, on both sides of the triangle (0, 1, 2).
/// let walls = LabelledMesh {
///     mesh: TriangleMesh {
///         origin: [0.0; 3],
///         vertices: vec![
///             [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0],
///         ],
///         normals: None,
///         triangles: Triangles::U32(vec![
///             [0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [1, 0, 4], [2, 1, 4], [0, 2, 4],
///         ]),
///     },
///     labels: vec![3, 7],
///     sides: vec![[1, 2], [1, 0], [1, 0], [1, 0], [2, 0], [2, 0], [2, 0]],
/// };
/// assert_eq!(walls.side_labels(0), Some([3, 7]));
/// for label in [3, 7] {
///     let part = walls.label_mesh(label)?;
///     assert_eq!(part.mesh.triangles.len(), 4);
///     assert_eq!(part.unbalanced_edges()?, 0);
///     assert!((part.check()?.volume - 1.0 / 6.0).abs() < 1e-12);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelledMesh {
    /// The mesh. Triangles are counter-clockwise as seen from the side of their outside label.
    pub mesh: TriangleMesh,
    /// The labels in ascending order, excluding the background 0.
    pub labels: Vec<i64>,
    /// The inside and the outside label of each triangle, as indices into `labels` plus 1; 0 for
    /// the background.
    pub sides: Vec<[u32; 2]>,
}

/// The surface of a single label.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelMesh {
    /// Triangles, counter-clockwise as seen from outside of the label, and their vertices, both in
    /// the order of the whole mesh; no normals.
    pub mesh: TriangleMesh,
}

impl LabelledMesh {
    /// Returns the label for an element of [`sides`](Self::sides): 0 for the background, and for
    /// out-of-range elements.
    pub fn label_at(&self, side: u32) -> i64 {
        let index = (side as usize).checked_sub(1);
        index
            .and_then(|index| self.labels.get(index).copied())
            .unwrap_or(0)
    }

    /// Returns the inside and the outside label of a triangle, or `None` if it is out of range.
    pub fn side_labels(&self, triangle: usize) -> Option<[i64; 2]> {
        let sides = self.sides.get(triangle)?;
        Some(sides.map(|side| self.label_at(side)))
    }

    /// Returns the number of triangles of each label.
    pub fn triangle_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.labels.len()];
        for side in self.sides.iter().flatten() {
            if let Some(count) = (*side as usize)
                .checked_sub(1)
                .and_then(|at| counts.get_mut(at))
            {
                *count += 1;
            }
        }
        counts
    }

    /// Returns the surface of a label, empty if the mesh has no such label. Time is linear in the
    /// size of the whole mesh; memory is 8 bytes per vertex of it plus the surface.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn label_mesh(&self, label: i64) -> Result<LabelMesh, OutOfMemory> {
        let Ok(index) = self.labels.binary_search(&label) else {
            return Ok(LabelMesh::default());
        };
        let side = index as u32 + 1;
        let is_incident = |(_, sides): &(usize, &[u32; 2])| sides.contains(&side);
        let incident = || self.sides.iter().enumerate().filter(is_incident);
        let mut triangles = Vec::new();
        memory::try_reserve(PURPOSE, &mut triangles, incident().count())?;
        triangles.extend(incident().map(|(triangle, _)| triangle));
        self.extract(side, &triangles, &mut self.unused_vertices()?)
    }

    /// Calls `visit` with the index of each label in [`labels`](Self::labels) and its surface, in
    /// order. Visits all triangles twice, regardless of the number of labels; memory is 16 bytes
    /// per triangle and 8 per vertex, plus one surface.
    ///
    /// # Errors
    /// [`OutOfMemory`], and errors returned by `visit`.
    pub fn for_each_label_mesh<E: From<OutOfMemory>>(
        &self,
        mut visit: impl FnMut(usize, LabelMesh) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut ends = self.triangle_counts();
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        // filled in reverse, which turns ends into starts
        let mut triangles = memory::try_zeroed::<usize>(PURPOSE, sum as usize)?;
        for (triangle, sides) in self.sides.iter().enumerate().rev() {
            for side in sides {
                let index = (*side as usize).checked_sub(1);
                if let Some(at) = index.and_then(|index| ends.get_mut(index)) {
                    *at -= 1;
                    triangles[*at as usize] = triangle;
                }
            }
        }
        let mut numbers = self.unused_vertices()?;
        for index in 0..ends.len() {
            let end = ends.get(index + 1).map_or(sum, |next| *next);
            let own = &triangles[ends[index] as usize..end as usize];
            visit(index, self.extract(index as u32 + 1, own, &mut numbers)?)?;
        }
        Ok(())
    }

    /// Returns a list of the number of each vertex in a surface: none has one yet.
    fn unused_vertices(&self) -> Result<Vec<usize>, OutOfMemory> {
        memory::try_filled(PURPOSE, self.mesh.vertices.len(), UNUSED)
    }

    /// Returns the surface of a side that consists of the triangles `own`. `numbers` is as returned
    /// by [`unused_vertices`](Self::unused_vertices), before and after.
    fn extract(
        &self,
        side: u32,
        own: &[usize],
        numbers: &mut [usize],
    ) -> Result<LabelMesh, OutOfMemory> {
        match &self.mesh.triangles {
            Triangles::U32(triangles) => {
                self.extract_indexed(side, own, numbers, triangles, Triangles::U32)
            }
            Triangles::U64(triangles) => {
                self.extract_indexed(side, own, numbers, triangles, Triangles::U64)
            }
        }
    }

    fn extract_indexed<I: VertexIndex>(
        &self,
        side: u32,
        incident: &[usize],
        numbers: &mut [usize],
        triangles: &[[I; 3]],
        wrap: impl Fn(Vec<[I; 3]>) -> Triangles,
    ) -> Result<LabelMesh, OutOfMemory> {
        let mut own = Vec::new();
        memory::try_reserve(PURPOSE, &mut own, incident.len())?;
        for &triangle in incident {
            let both = triangles.get(triangle).zip(self.sides.get(triangle));
            let Some((&[a, b, c], sides)) = both else {
                continue;
            };
            own.push(if sides[0] == side {
                [a, b, c]
            } else {
                [a, c, b]
            });
        }
        let mut used: Vec<I> = Vec::new();
        memory::try_reserve(PURPOSE, &mut used, own.len() * 3)?;
        for index in own.as_flattened() {
            match numbers.get_mut(index.position()) {
                Some(number) if *number != UNUSED => {}
                Some(number) => {
                    *number = 0;
                    used.push(*index);
                }
                // beyond the vertices of the mesh
                None => used.push(*index),
            }
        }
        used.par_sort_unstable();
        used.dedup();
        for (number, index) in used.iter().enumerate() {
            if let Some(entry) = numbers.get_mut(index.position()) {
                *entry = number;
            }
        }
        let mut vertices = Vec::new();
        memory::try_reserve(PURPOSE, &mut vertices, used.len())?;
        let position = |index: &I| self.mesh.vertices.get(index.position());
        vertices.extend(
            used.iter()
                .map(|it| position(it).copied().unwrap_or([f32::NAN; 3])),
        );
        let known = &*numbers;
        parallel::for_each_chunk_mut(own.as_flattened_mut(), parallel::CHUNK_LEN, |_, indices| {
            for index in indices {
                let number = known.get(index.position()).copied();
                let number = number.unwrap_or_else(|| used.partition_point(|other| other < index));
                // not larger than the original index
                *index = I::from_position(number).unwrap_or(*index);
            }
        });
        for index in used {
            if let Some(entry) = numbers.get_mut(index.position()) {
                *entry = UNUSED;
            }
        }
        Ok(LabelMesh {
            mesh: TriangleMesh {
                origin: self.mesh.origin,
                vertices,
                normals: None,
                triangles: wrap(own),
            },
        })
    }
}

impl LabelMesh {
    /// Returns the number of edges that are not used equally often in both directions. It is 0 for
    /// a closed and oriented surface, even if the surface touches itself in an edge or a vertex.
    ///
    /// # Errors
    /// [`OutOfMemory`]; needs 16 or 24 bytes per corner of a triangle.
    pub fn unbalanced_edges(&self) -> Result<u64, OutOfMemory> {
        match &self.mesh.triangles {
            Triangles::U32(triangles) => count_unbalanced(triangles),
            Triangles::U64(triangles) => count_unbalanced(triangles),
        }
    }

    /// Returns topology and measures. [`MeshReport::is_closed`] refers to manifold surfaces: it is
    /// false if the surface touches itself in an edge, even if it is closed according to
    /// [`unbalanced_edges`](Self::unbalanced_edges).
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn check(&self) -> Result<MeshReport, OutOfMemory> {
        try_check(&self.mesh)
    }
}

fn count_unbalanced<I: VertexIndex>(triangles: &[[I; 3]]) -> Result<u64, OutOfMemory> {
    let mut edges: Vec<(I, I, bool)> = Vec::new();
    memory::try_reserve("a check of the mesh", &mut edges, triangles.len() * 3)?;
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            edges.push((from.min(to), from.max(to), from < to));
        }
    }
    edges.par_sort_unstable();
    let same = edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
    let is_unbalanced =
        |uses: &&[(I, I, bool)]| 2 * uses.iter().filter(|it| it.2).count() != uses.len();
    Ok(same.filter(is_unbalanced).count() as u64)
}
