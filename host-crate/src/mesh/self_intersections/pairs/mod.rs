//! Search for pairs of intersecting triangles: a spatial hash in layers.

mod layers;
mod member;

use super::triangle_intersection::Position;
use crate::{
    memory::{OutOfMemory, ReserveOrUnwind},
    parallel,
};
use layers::{LayerEntries, Layers};
use member::Member;
use std::ops::{Add, Range};

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "a check for self-intersections";

/// Maximum mean number of buckets per triangle.
const MAX_BUCKETS: u64 = 16;

/// Maximum number of buckets along an axis.
const MAX_AXIS_BUCKETS: u32 = 1 << 20;

/// The vertices of a triangle.
pub(super) type TriangleCorners = [[f32; 3]; 3];

/// A search for pairs of intersecting triangles.
pub(super) struct PairSearch<'a> {
    /// Vertices of each triangle, all finite.
    corners: &'a [TriangleCorners],
    /// Buckets of the spatial hash: boxes of a regular grid.
    origin: [f32; 3],
    size: Position,
    /// Axis along which buckets form layers, and the axes of rows and columns of a layer.
    axes: [usize; 3],
    /// Number of layers.
    layers: usize,
}

impl<'a> PairSearch<'a> {
    /// Chooses buckets of about the size of a triangle's bounding box, larger if the triangles
    /// differ in size, such that a triangle is in at most [`MAX_BUCKETS`] on average.
    pub fn new(corners: &'a [TriangleCorners]) -> Self {
        type Extents = ([f32; 3], [f32; 3], Position);
        let measure = |range: Range<usize>| {
            let start = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3], [0.0; 3]);
            corners[range]
                .iter()
                .fold(start, |(least, greatest, sum): Extents, corners| {
                    let [low, high] = bounds(corners);
                    (
                        combine(least, low, f32::min),
                        combine(greatest, high, f32::max),
                        std::array::from_fn(|k| sum[k] + (f64::from(high[k]) - f64::from(low[k]))),
                    )
                })
        };
        let merge = |one: Extents, other: Extents| {
            (
                combine(one.0, other.0, f32::min),
                combine(one.1, other.1, f32::max),
                std::array::from_fn(|k| one.2[k] + other.2[k]),
            )
        };
        let extents = parallel::reduce(corners.len(), parallel::CHUNK_LEN, measure, merge);
        let (origin, high, sum) = extents.unwrap_or_default();
        let least_size = |k: usize| {
            let extent = f64::from(high[k]) - f64::from(origin[k]);
            (extent / f64::from(MAX_AXIS_BUCKETS - 1)).max(f64::MIN_POSITIVE)
        };
        let mean = |k: usize| 1.5 * sum[k] / corners.len().max(1) as f64;
        let mut search = Self {
            corners,
            origin,
            size: std::array::from_fn(|k| mean(k).max(least_size(k))),
            axes: [2, 1, 0],
            layers: 0,
        };
        while search.count_entries() > MAX_BUCKETS as f64 * corners.len() as f64 {
            search.size = search.size.map(|size| 2.0 * size);
        }
        let buckets = search.bucket(high);
        let axis = (0..3).max_by_key(|&k| buckets[k]).unwrap_or(0);
        search.axes = [axis, (axis + 1) % 3, (axis + 2) % 3];
        search.layers = buckets[axis] as usize + 1;
        search
    }

    /// Returns the number of triangles of all buckets.
    fn count_entries(&self) -> f64 {
        let count = |range: Range<usize>| {
            let buckets = |corners: &TriangleCorners| {
                let [low, high] = bounds(corners).map(|corner| self.bucket(corner));
                let along = |k: usize| f64::from(high[k] - low[k]) + 1.0;
                along(0) * along(1) * along(2)
            };
            self.corners[range].iter().map(buckets).sum::<f64>()
        };
        parallel::reduce(self.corners.len(), parallel::CHUNK_LEN, count, f64::add).unwrap_or(0.0)
    }

    /// Returns the bucket of a position.
    fn bucket(&self, position: [f32; 3]) -> [u32; 3] {
        std::array::from_fn(|k| {
            let offset = f64::from(position[k]) - f64::from(self.origin[k]);
            ((offset / self.size[k]) as u32).min(MAX_AXIS_BUCKETS - 1)
        })
    }

    /// Visits each pair of intersecting triangles with `add`, which accumulates per range of
    /// layers, and merges the results in the order of the ranges.
    ///
    /// Pairs that `is_relevant` rejects are not tested. `is_same` receives two triangles and a
    /// corner of each, which have equal positions, and returns `true` if they share the vertex;
    /// triangles with different vertices at one position intersect.
    pub fn reduce<R: Default + Send>(
        &self,
        is_relevant: impl Fn([u32; 2]) -> bool + Sync,
        is_same: impl Fn([u32; 2], [usize; 2]) -> bool + Sync,
        add: impl Fn(&mut R, [u32; 2]) + Sync,
        merge: impl Fn(R, R) -> R + Sync,
    ) -> Result<R, OutOfMemory> {
        let lists = Layers::new(self)?;
        let visit_layers = |range: Range<usize>| {
            let mut found = R::default();
            let (mut entries, mut members) = (LayerEntries::default(), Vec::new());
            for layer in range {
                entries.list(self, lists.triangles(layer));
                for group in entries.sorted.chunk_by(|one, other| one.0 == other.0) {
                    if group.len() == 1 {
                        continue;
                    }
                    let (row, column) = ((group[0].0 >> 32) as u32, group[0].0 as u32);
                    let mut bucket = [0; 3];
                    for (axis, index) in self.axes.into_iter().zip([layer as u32, row, column]) {
                        bucket[axis] = index;
                    }
                    members.clear();
                    members.reserve_or_unwind(group.len());
                    members.extend(
                        group
                            .iter()
                            .map(|&(_, triangle)| Member::new(self, triangle)),
                    );
                    for (index, one) in members.iter().enumerate() {
                        for other in &members[..index] {
                            let pair = [one.triangle, other.triangle];
                            if one.first_meets(other, bucket)
                                && is_relevant(pair)
                                && one.intersects(other, |corners| is_same(pair, corners))
                            {
                                add(&mut found, pair);
                            }
                        }
                    }
                }
            }
            found
        };
        Ok(parallel::reduce(self.layers, 1, visit_layers, merge).unwrap_or_default())
    }
}

/// Returns the minimum and the maximum of a triangle's coordinates.
fn bounds([a, b, c]: &TriangleCorners) -> [[f32; 3]; 2] {
    [f32::min, f32::max].map(|select| combine(combine(*a, *b, select), *c, select))
}

fn combine(one: [f32; 3], other: [f32; 3], select: fn(f32, f32) -> f32) -> [f32; 3] {
    std::array::from_fn(|k| select(one[k], other[k]))
}
