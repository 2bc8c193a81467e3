//! Meshes whose triangles lie between two labels.

use super::{MeshReport, TriangleMesh, Triangles, VertexIndex, try_check};
use crate::memory::{self, OutOfMemory};
use crate::parallel;
use rayon::slice::ParallelSliceMut;

/// What memory is for that holds parts of a mesh.
const WHAT: &str = "the surface of a label";

/// A mesh each of whose triangles is a piece of wall between two labels, or between a label and the
/// background.
///
/// Vertices and triangles stand once, also those of walls that two labels share.
///
/// ```
/// use ferrovox::mesh::{LabelledMesh, TriangleMesh, Triangles};
///
/// // Two tetrahedra, of the labels 3 and 7, on both sides of the triangle (0, 1, 2).
/// let walls = LabelledMesh {
///     mesh: TriangleMesh {
///         vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]],
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
///     let part = walls.part(label)?;
///     assert_eq!(part.mesh.triangles.len(), 4);
///     assert_eq!(part.unbalanced_edges()?, 0);
///     assert!((part.check()?.volume - 1.0 / 6.0).abs() < 1e-12);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelledMesh {
    /// The mesh. Triangles are counter-clockwise as seen from their outside.
    pub mesh: TriangleMesh,
    /// The labels, in ascending order; 0 is the background and none of them.
    pub labels: Vec<i64>,
    /// For each triangle the label inside and that outside, as places among `labels` counted from
    /// 1; 0 for the background.
    pub sides: Vec<[u32; 2]>,
}

/// The surface of one label, for itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelPart {
    /// Its triangles, in the order of the whole mesh and counter-clockwise as seen from outside of
    /// the label, and the vertices that they have, in that order too, without normals.
    pub mesh: TriangleMesh,
}

impl LabelledMesh {
    /// The label of a place among [`sides`](Self::sides): 0 for the background, and for a place
    /// that is none.
    pub fn label_at(&self, place: u32) -> i64 {
        let index = (place as usize).checked_sub(1);
        index
            .and_then(|index| self.labels.get(index).copied())
            .unwrap_or(0)
    }

    /// The label inside and the one outside of a triangle; `None` past the end.
    pub fn side_labels(&self, triangle: usize) -> Option<[i64; 2]> {
        let sides = self.sides.get(triangle)?;
        Some(sides.map(|place| self.label_at(place)))
    }

    /// The triangles of each label, by the label's place: how many there are.
    pub fn triangle_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.labels.len()];
        for place in self.sides.iter().flatten() {
            if let Some(count) = (*place as usize)
                .checked_sub(1)
                .and_then(|at| counts.get_mut(at))
            {
                *count += 1;
            }
        }
        counts
    }

    /// The surface of a label; empty for what is no label of the mesh. Looks at all triangles;
    /// memory is that of the part.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn part(&self, label: i64) -> Result<LabelPart, OutOfMemory> {
        let Ok(index) = self.labels.binary_search(&label) else {
            return Ok(LabelPart::default());
        };
        let place = index as u32 + 1;
        let is_around = |(_, sides): &(usize, &[u32; 2])| sides.contains(&place);
        let around = || self.sides.iter().enumerate().filter(is_around);
        let mut triangles = Vec::new();
        memory::try_reserve(WHAT, &mut triangles, around().count())?;
        triangles.extend(around().map(|(triangle, _)| triangle));
        self.part_with(place, &triangles)
    }

    /// Calls `visit` with the surface of each label, in their order, and its place among
    /// [`labels`](Self::labels) from 0. Looks at all triangles twice, however many labels there
    /// are; memory is 16 bytes for a triangle, and a part.
    ///
    /// # Errors
    /// [`OutOfMemory`], and what `visit` returns.
    pub fn for_each_part<E: From<OutOfMemory>>(
        &self,
        mut visit: impl FnMut(usize, LabelPart) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut ends = self.triangle_counts();
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        // filled from behind, so that ends become starts
        let mut triangles = memory::try_zeroed::<usize>(WHAT, sum as usize)?;
        for (triangle, sides) in self.sides.iter().enumerate().rev() {
            for place in sides {
                let index = (*place as usize).checked_sub(1);
                if let Some(at) = index.and_then(|index| ends.get_mut(index)) {
                    *at -= 1;
                    triangles[*at as usize] = triangle;
                }
            }
        }
        for index in 0..ends.len() {
            let end = ends.get(index + 1).map_or(sum, |next| *next);
            let own = &triangles[ends[index] as usize..end as usize];
            visit(index, self.part_with(index as u32 + 1, own)?)?;
        }
        Ok(())
    }

    fn part_with(&self, place: u32, own: &[usize]) -> Result<LabelPart, OutOfMemory> {
        match &self.mesh.triangles {
            Triangles::U32(triangles) => self.part_of(place, own, triangles, Triangles::U32),
            Triangles::U64(triangles) => self.part_of(place, own, triangles, Triangles::U64),
        }
    }

    fn part_of<I: VertexIndex>(
        &self,
        place: u32,
        around: &[usize],
        triangles: &[[I; 3]],
        wrap: impl Fn(Vec<[I; 3]>) -> Triangles,
    ) -> Result<LabelPart, OutOfMemory> {
        let mut own = Vec::new();
        memory::try_reserve(WHAT, &mut own, around.len())?;
        for &triangle in around {
            let both = triangles.get(triangle).zip(self.sides.get(triangle));
            let Some((&[a, b, c], sides)) = both else {
                continue;
            };
            own.push(if sides[0] == place {
                [a, b, c]
            } else {
                [a, c, b]
            });
        }
        let mut used = memory::try_copy(WHAT, own.as_flattened())?;
        used.par_sort_unstable();
        used.dedup();
        let mut vertices = Vec::new();
        memory::try_reserve(WHAT, &mut vertices, used.len())?;
        let position = |index: &I| self.mesh.vertices.get(index.position());
        vertices.extend(
            used.iter()
                .map(|it| position(it).copied().unwrap_or([f32::NAN; 3])),
        );
        parallel::for_each_chunk_mut(own.as_flattened_mut(), parallel::CHUNK_LEN, |_, indices| {
            for index in indices {
                let place = used.partition_point(|other| other < index);
                // not larger than the index was
                *index = I::from_position(place).unwrap_or(*index);
            }
        });
        Ok(LabelPart {
            mesh: TriangleMesh {
                vertices,
                normals: None,
                triangles: wrap(own),
            },
        })
    }
}

impl LabelPart {
    /// How many edges are not gone along as often in one direction as in the other: 0 for a surface
    /// that is closed and oriented, also where it touches itself in an edge or a vertex, as that of
    /// a label whose voxels touch in an edge or a corner only.
    ///
    /// # Errors
    /// [`OutOfMemory`]; 16 or 24 bytes for each corner of a triangle.
    pub fn unbalanced_edges(&self) -> Result<u64, OutOfMemory> {
        match &self.mesh.triangles {
            Triangles::U32(triangles) => unbalanced(triangles),
            Triangles::U64(triangles) => unbalanced(triangles),
        }
    }

    /// Topology and measures. [`MeshReport::is_closed`] is about manifold surfaces: it is false
    /// where the surface touches itself in an edge, though it may be closed
    /// ([`unbalanced_edges`](Self::unbalanced_edges)).
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn check(&self) -> Result<MeshReport, OutOfMemory> {
        try_check(&self.mesh)
    }
}

fn unbalanced<I: VertexIndex>(triangles: &[[I; 3]]) -> Result<u64, OutOfMemory> {
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
