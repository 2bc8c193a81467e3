//! Number of self-intersections of a mesh.

use super::{
    LabelledMesh, TriangleMesh, Triangles, VertexIndex,
    triangle_intersection::{Position, triangles_intersect},
};
use crate::{
    memory::{self, ExtendOrUnwind, OutOfMemory, ReserveOrUnwind, catch_out_of_memory},
    parallel,
};
use rayon::slice::ParallelSliceMut;
use std::{
    collections::{HashMap, HashSet},
    ops::{Add, Range},
};

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "a check for self-intersections";

/// Maximum mean number of buckets per triangle.
const MAX_BUCKETS: u64 = 16;

/// Number of bits of a bucket's coordinate in its key.
const BUCKET_BITS: u32 = 21;

/// The key of a bucket of the spatial hash, and a triangle in it.
type Entry = (u64, u32);

/// Returns the key of a bucket.
fn bucket_key([x, y, z]: [u32; 3]) -> u64 {
    let [x, y, z] = [x, y, z].map(u64::from);
    (z << BUCKET_BITS | y) << BUCKET_BITS | x
}

/// Returns the number of pairs of triangles of a mesh with a common point other than the vertices
/// and edges that they share, where vertices at equal positions count as one.
///
/// Triangles with an invalid index or a non-finite vertex are ignored. The test is exact: it uses
/// the positions as they are, and adaptive predicates (Shewchuk 1997). Time is linear in the
/// triangles if their sizes are similar; memory is 16 bytes per triangle and bucket of the spatial
/// hash, of which a triangle has some 3, and at most 16 on average.
///
/// ```
/// use ferrovox::mesh::{TriangleMesh, Triangles, count_self_intersections};
///
/// let mut mesh = TriangleMesh {
///     vertices: vec![
///         [0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0],
///         [1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [5.0, 5.0, 0.0],
///     ],
///     triangles: Triangles::U32(vec![[0, 1, 2], [3, 4, 5]]),
///     ..TriangleMesh::default()
/// };
/// assert_eq!(count_self_intersections(&mesh)?, 1);
/// mesh.vertices[3] = [9.0, 9.0, -1.0];
/// mesh.vertices[4] = [9.0, 9.0, 1.0];
/// assert_eq!(count_self_intersections(&mesh)?, 0);
/// # Ok::<(), ferrovox::memory::OutOfMemory>(())
/// ```
///
/// # Errors
/// [`OutOfMemory`].
pub fn count_self_intersections(mesh: &TriangleMesh) -> Result<u64, OutOfMemory> {
    match &mesh.triangles {
        Triangles::U32(triangles) => count(&mesh.vertices, triangles),
        Triangles::U64(triangles) => count(&mesh.vertices, triangles),
    }
}

fn count<I: VertexIndex>(vertices: &[[f32; 3]], triangles: &[[I; 3]]) -> Result<u64, OutOfMemory> {
    let mut corners: Vec<[Position; 3]> = Vec::new();
    memory::try_reserve(PURPOSE, &mut corners, triangles.len())?;
    corners.extend(triangles.iter().filter_map(|triangle| {
        let mut positions = [[0.0; 3]; 3];
        for (position, index) in positions.iter_mut().zip(triangle) {
            *position = vertices.get(index.position())?.map(f64::from);
        }
        let is_finite = positions.as_flattened().iter().all(|x| x.is_finite());
        is_finite.then_some(positions)
    }));
    let add = |found: &mut u64, _| *found += 1;
    reduce_intersections(&corners, None, |_| true, add, u64::add)
}

/// Visits each pair of intersecting triangles that `is_relevant` accepts with `add`, which
/// accumulates per range of buckets, and merges the results in the order of the ranges. With
/// `changed`, at least one triangle of a pair is changed.
fn reduce_intersections<R: Default + Send>(
    corners: &[[Position; 3]],
    changed: Option<&[bool]>,
    is_relevant: impl Fn([u32; 2]) -> bool + Sync,
    add: impl Fn(&mut R, [u32; 2]) + Sync,
    merge: impl Fn(R, R) -> R + Sync,
) -> Result<R, OutOfMemory> {
    if corners.is_empty() {
        return Ok(R::default());
    }
    let buckets = Buckets::new(corners);
    let entries = buckets.entries(corners, changed)?;
    let is_changed = |triangle: u32| changed.is_none_or(|it| it[triangle as usize]);
    let starts_bucket = |at: usize| at == 0 || entries[at - 1].0 != entries[at].0;
    let visit_range = |range: Range<usize>| {
        let mut found = R::default();
        for start in range.filter(|&at| starts_bucket(at)) {
            let bucket = entries[start].0;
            let len = entries[start..]
                .iter()
                .take_while(|it| it.0 == bucket)
                .count();
            let members = &entries[start..start + len];
            for (index, &(_, one)) in members.iter().enumerate() {
                for &(_, other) in &members[..index] {
                    let pair = [corners[one as usize], corners[other as usize]];
                    if (is_changed(one) || is_changed(other))
                        && is_relevant([one, other])
                        && buckets.intersect_in(bucket, pair)
                    {
                        add(&mut found, [one, other]);
                    }
                }
            }
        }
        found
    };
    let found = parallel::reduce(entries.len(), parallel::CHUNK_LEN, visit_range, merge);
    Ok(found.unwrap_or_default())
}

impl LabelledMesh {
    /// Returns the triangles, in ascending order, that violate the surface of a label: they
    /// intersect another triangle of the label, or one of their vertices has the position of
    /// another vertex of the label. The mesh must be [valid](TriangleMesh::validate). With
    /// `changed`, one flag per triangle, only intersections of changed triangles are listed.
    pub(crate) fn intersecting_triangles(
        &self,
        changed: Option<&[bool]>,
    ) -> Result<Vec<usize>, OutOfMemory> {
        catch_out_of_memory(PURPOSE, || self.find_intersecting(changed))
    }

    fn find_intersecting(&self, changed: Option<&[bool]>) -> Result<Vec<usize>, OutOfMemory> {
        let vertices = &self.mesh.vertices;
        let mut corners: Vec<[Position; 3]> = Vec::new();
        memory::try_reserve(PURPOSE, &mut corners, self.mesh.triangles.len())?;
        let triangles = self.mesh.triangles.iter();
        corners
            .extend(triangles.map(|it| it.map(|vertex| vertices[vertex as usize].map(f64::from))));
        let share_label = |[one, other]: [u32; 2]| {
            let [one, other] = [one, other].map(|it| self.sides[it as usize]);
            one.iter().any(|side| *side != 0 && other.contains(side))
        };
        let add = |found: &mut Vec<usize>, pair: [u32; 2]| {
            found.extend_or_unwind(pair.map(|it| it as usize));
        };
        let merge = |mut one: Vec<usize>, mut other: Vec<usize>| {
            one.append(&mut other);
            one
        };
        let mut found = reduce_intersections(&corners, changed, share_label, add, merge)?;
        self.add_coincident(&mut found)?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Adds the triangles with a vertex at the position of another vertex of the same label.
    fn add_coincident(&self, found: &mut Vec<usize>) -> Result<(), OutOfMemory> {
        let position = |vertex: usize| self.mesh.vertices[vertex].map(f32::to_bits);
        let mut order = memory::try_collect(PURPOSE, 0..self.mesh.vertices.len())?;
        order.par_sort_unstable_by_key(|&vertex| (position(vertex), vertex));
        // first vertex at the position of each vertex that is not alone there
        let mut groups: HashMap<u64, u64> = HashMap::new();
        for group in order.chunk_by(|&one, &other| position(one) == position(other)) {
            if group.len() > 1 {
                groups.extend_or_unwind(group.iter().map(|&it| (it as u64, group[0] as u64)));
            }
        }
        if groups.is_empty() {
            return Ok(());
        }
        // the vertex of each label at a position, and whether it is the only one
        let mut owners: HashMap<(u64, u32), (u64, bool)> = HashMap::new();
        let corners = || {
            let triangles = self.mesh.triangles.iter().zip(&self.sides).enumerate();
            triangles.flat_map(|(triangle, (vertices, sides))| {
                let pairs = vertices.map(|vertex| sides.map(|side| (triangle, vertex, side)));
                pairs.into_iter().flatten()
            })
        };
        for (_, vertex, side) in corners() {
            if let Some(&group) = groups.get(&vertex)
                && side != 0
            {
                owners.reserve_or_unwind(1);
                let owner = owners.entry((group, side)).or_insert((vertex, true));
                owner.1 &= owner.0 == vertex;
            }
        }
        for (triangle, vertex, side) in corners() {
            let owner = groups
                .get(&vertex)
                .and_then(|&group| owners.get(&(group, side)));
            if owner.is_some_and(|owner| !owner.1) {
                found.push_or_unwind(triangle);
            }
        }
        Ok(())
    }
}

/// The buckets of a spatial hash: boxes of a regular grid.
struct Buckets {
    origin: Position,
    size: Position,
}

impl Buckets {
    /// Chooses boxes of about the size of a triangle's bounding box, larger if the triangles differ
    /// in size, such that a triangle has at most [`MAX_BUCKETS`] on average.
    fn new(corners: &[[Position; 3]]) -> Self {
        let origin = corners.iter().fold([f64::INFINITY; 3], |least, corners| {
            let [low, _] = bounds(corners);
            std::array::from_fn(|axis| low[axis].min(least[axis]))
        });
        let sum = corners.iter().fold([0.0; 3], |sum, corners| {
            let [low, high] = bounds(corners);
            std::array::from_fn(|axis| sum[axis] + (high[axis] - low[axis]))
        });
        let mut buckets = Self {
            origin,
            size: sum.map(|sum: f64| (1.5 * sum / corners.len() as f64).max(f64::MIN_POSITIVE)),
        };
        while corners.iter().map(|it| buckets.count(it)).sum::<f64>()
            > (MAX_BUCKETS * corners.len() as u64) as f64
        {
            buckets.size = buckets.size.map(|size| 2.0 * size);
        }
        buckets
    }

    /// Returns the bucket of a position.
    fn bucket(&self, position: Position) -> [u32; 3] {
        // positions beyond the range of buckets share the last one
        std::array::from_fn(|axis| {
            let bucket = ((position[axis] - self.origin[axis]) / self.size[axis]) as u32;
            bucket.min((1 << BUCKET_BITS) - 1)
        })
    }

    fn count(&self, corners: &[Position; 3]) -> f64 {
        let [low, high] = bounds(corners).map(|corner| self.bucket(corner));
        (0..3)
            .map(|axis| f64::from(high[axis] - low[axis]) + 1.0)
            .product()
    }

    /// Returns the triangles in each bucket, sorted by bucket; with `changed`, in the buckets of
    /// changed triangles.
    fn entries(
        &self,
        corners: &[[Position; 3]],
        changed: Option<&[bool]>,
    ) -> Result<Vec<Entry>, OutOfMemory> {
        let visit = |corners: &[Position; 3], visit: &mut dyn FnMut(u64)| {
            let [low, high] = bounds(corners).map(|corner| self.bucket(corner));
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    (low[0]..=high[0]).for_each(|x| visit(bucket_key([x, y, z])));
                }
            }
        };
        let mut entries: Vec<Entry> = Vec::new();
        if let Some(changed) = changed {
            let mut wanted = HashSet::new();
            for (corners, _) in corners.iter().zip(changed).filter(|it| *it.1) {
                visit(corners, &mut |bucket| wanted.push_or_unwind(bucket));
            }
            for (triangle, corners) in corners.iter().enumerate() {
                visit(corners, &mut |bucket| {
                    if wanted.contains(&bucket) {
                        entries.push_or_unwind((bucket, triangle as u32));
                    }
                });
            }
        } else {
            let len: f64 = corners.iter().map(|it| self.count(it)).sum();
            memory::try_reserve(PURPOSE, &mut entries, len as usize)?;
            for (triangle, corners) in corners.iter().enumerate() {
                visit(corners, &mut |bucket| {
                    entries.push((bucket, triangle as u32))
                });
            }
        }
        entries.par_sort_unstable();
        Ok(entries)
    }

    /// Returns `true` if two triangles intersect and `bucket` is the first that both are in, so
    /// that each pair counts once.
    fn intersect_in(&self, bucket: u64, [one, other]: [[Position; 3]; 2]) -> bool {
        let ([low, high], [other_low, other_high]) = (bounds(&one), bounds(&other));
        let is_apart = |axis: usize| low[axis] > other_high[axis] || other_low[axis] > high[axis];
        let first = std::array::from_fn(|axis| low[axis].max(other_low[axis]));
        !(0..3).any(is_apart)
            && bucket_key(self.bucket(first)) == bucket
            && triangles_intersect(one, other)
    }
}

/// Returns the minimum and the maximum of a triangle's coordinates.
fn bounds([a, b, c]: &[Position; 3]) -> [Position; 2] {
    [
        std::array::from_fn(|axis| a[axis].min(b[axis]).min(c[axis])),
        std::array::from_fn(|axis| a[axis].max(b[axis]).max(c[axis])),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random triangles of various sizes, compared with tests of all pairs.
    #[test]
    fn every_intersecting_pair_counts_once() {
        let mut state = 3_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for round in 0..40 {
            // few distinct coordinates, so that vertices and sides are shared and planes coincide
            let range = 3 + round % 7;
            let vertices: Vec<[f32; 3]> = (0..60)
                .map(|_| [0; 3].map(|_| random(range) as f32))
                .collect();
            let triangles: Vec<[u32; 3]> =
                (0..40).map(|_| [0; 3].map(|_| random(60) as u32)).collect();
            let corners = |triangle: usize| {
                triangles[triangle].map(|it| vertices[it as usize].map(f64::from))
            };
            let pairs = (0..40).flat_map(|one| (0..one).map(move |other| (one, other)));
            let expected = pairs
                .filter(|&(one, other)| triangles_intersect(corners(one), corners(other)))
                .count();
            let mesh = TriangleMesh {
                vertices,
                triangles: Triangles::U32(triangles),
                ..TriangleMesh::default()
            };
            assert_eq!(count_self_intersections(&mesh), Ok(expected as u64));
            assert!(expected > 0);
        }
    }

    #[test]
    fn invalid_triangles_are_ignored() {
        let mesh = TriangleMesh {
            vertices: vec![[0.0; 3], [f32::NAN; 3], [1.0; 3]],
            triangles: Triangles::U32(vec![[0, 1, 2], [0, 2, 9]]),
            ..TriangleMesh::default()
        };
        assert_eq!(count_self_intersections(&mesh), Ok(0));
        assert_eq!(count_self_intersections(&TriangleMesh::default()), Ok(0));
    }
}
