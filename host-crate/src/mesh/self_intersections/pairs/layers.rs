//! Layers of buckets, and the triangles in them.

use super::{PURPOSE, PairSearch, TriangleCorners, bounds};
use crate::memory::{self, ExtendOrUnwind, OutOfMemory, ReserveOrUnwind};

/// Maximum number of buckets of a layer per entry that are sorted by counting.
const MAX_EMPTY: u64 = 16;

/// The triangles of each layer of buckets.
pub struct Layers {
    starts: Vec<usize>,
    triangles: Vec<u32>,
}

impl Layers {
    pub fn new(search: &PairSearch<'_>) -> Result<Self, OutOfMemory> {
        let axis = search.axes[0];
        let layers = |corners: &TriangleCorners| {
            let [low, high] = bounds(corners).map(|corner| search.bucket(corner)[axis] as usize);
            low..=high
        };
        let mut starts = memory::try_zeroed::<usize>(PURPOSE, search.layers + 1)?;
        for corners in search.corners {
            layers(corners).for_each(|layer| starts[layer + 1] += 1);
        }
        for layer in 0..search.layers {
            starts[layer + 1] += starts[layer];
        }
        let mut ends = memory::try_copy(PURPOSE, &starts)?;
        let mut triangles = memory::try_zeroed::<u32>(PURPOSE, starts[search.layers])?;
        for (triangle, corners) in (0..).zip(search.corners) {
            for layer in layers(corners) {
                triangles[ends[layer]] = triangle;
                ends[layer] += 1;
            }
        }
        Ok(Self { starts, triangles })
    }

    /// Returns the triangles of a layer.
    pub fn triangles(&self, layer: usize) -> &[u32] {
        &self.triangles[self.starts[layer]..self.starts[layer + 1]]
    }
}

/// The triangles in each bucket of a layer, as pairs of a bucket's row and column, and a triangle.
#[derive(Default)]
pub struct LayerEntries {
    pub sorted: Vec<(u64, u32)>,
    unsorted: Vec<(u64, u32)>,
    /// Number of entries before each bucket.
    starts: Vec<u32>,
}

impl LayerEntries {
    /// Lists the triangles of a layer in the order of their buckets.
    pub fn list(&mut self, search: &PairSearch<'_>, triangles: &[u32]) {
        let [_, row_axis, column_axis] = search.axes;
        self.unsorted.clear();
        let (mut first, mut last) = ([u32::MAX; 2], [0; 2]);
        for &triangle in triangles {
            let corners = &search.corners[triangle as usize];
            let [low, high] = bounds(corners).map(|corner| search.bucket(corner));
            let [low, high] = [low, high].map(|it| [it[row_axis], it[column_axis]]);
            first = [first[0].min(low[0]), first[1].min(low[1])];
            last = [last[0].max(high[0]), last[1].max(high[1])];
            for row in low[0]..=high[0] {
                for column in low[1]..=high[1] {
                    let bucket = u64::from(row) << 32 | u64::from(column);
                    self.unsorted.push_or_unwind((bucket, triangle));
                }
            }
        }
        if self.unsorted.is_empty() {
            self.sorted.clear();
            return;
        }
        let width = u64::from(last[1] - first[1]) + 1;
        let buckets = width * (u64::from(last[0] - first[0]) + 1);
        if buckets > MAX_EMPTY * self.unsorted.len() as u64 {
            std::mem::swap(&mut self.sorted, &mut self.unsorted);
            self.sorted.sort_unstable();
            return;
        }
        let index = |bucket: u64| {
            let (row, column) = ((bucket >> 32) as u32, bucket as u32);
            (u64::from(row - first[0]) * width + u64::from(column - first[1])) as usize
        };
        self.starts.clear();
        self.starts.reserve_or_unwind(buckets as usize + 1);
        self.starts.resize(buckets as usize + 1, 0);
        for (bucket, _) in &self.unsorted {
            self.starts[index(*bucket) + 1] += 1;
        }
        for bucket in 0..buckets as usize {
            self.starts[bucket + 1] += self.starts[bucket];
        }
        self.sorted.clear();
        self.sorted.reserve_or_unwind(self.unsorted.len());
        self.sorted.resize(self.unsorted.len(), (0, 0));
        for entry in &self.unsorted {
            let at = &mut self.starts[index(entry.0)];
            self.sorted[*at as usize] = *entry;
            *at += 1;
        }
    }
}
