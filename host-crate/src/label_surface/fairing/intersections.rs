//! Search for intersecting triangles of walls.

use super::{
    super::{LabelSurfaceError, net::exclusive_scan},
    DeviceWalls,
};
use crate::{
    device::{Buffer, DeviceError, Stream, items_launch},
    grid::Geometry,
    memory,
    mesh::{group_triples, labelled_triangles_intersect},
    parallel,
    scan::Scanner,
};
use cuda_std::Kernel;
use ferrovox_kernels::self_intersection::{
    buckets::{
        BucketGrid, CUBE_CELLS, count_bucket_triangles, gather_triangle_corners,
        list_bucket_triangles, mark_changed_buckets,
    },
    pairs::{list_close_triangles, test_triangle_pairs},
};
use nalgebra::Vector3;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "the fairing of walls";

/// Edge of a cell of the spatial hash, in voxels: more than most triangles, so that these are in
/// few cells.
const CELL_EDGE: f64 = 1.5;

/// Voxels between the first one and the lower corner of the cells: one for the virtual background,
/// and half of one for fairing, rounded up.
const BORDER: f64 = 2.0;

/// Pairs of close triangles per triangle for which memory is allocated at first.
const PAIRS_PER_TRIANGLE: u64 = 2;

/// Pairs of close triangles per open one, which the host tests, for which memory is allocated at
/// first.
const PAIRS_PER_OPEN_PAIR: u64 = 32;

/// Minimum capacity of lists of pairs.
const MIN_CAPACITY: u64 = 1024;

/// Number of pairs that a host thread tests at a time.
const CHUNK_PAIRS: usize = 1 << 10;

/// A search for triangles of one label that intersect.
pub(super) struct IntersectionSearch<'a> {
    stream: &'a Stream,
    walls: &'a DeviceWalls<'a>,
    grid: BucketGrid,
}

impl<'a> IntersectionSearch<'a> {
    /// Prepares searches among walls in a grid of `dims` voxels.
    pub fn new(
        stream: &'a Stream,
        walls: &'a DeviceWalls<'a>,
        geometry: &Geometry,
        dims: [usize; 3],
    ) -> Result<Self, LabelSurfaceError> {
        stream.prepare(&[
            gather_triangle_corners::entry(),
            mark_changed_buckets::entry(),
            count_bucket_triangles::entry(),
            list_bucket_triangles::entry(),
            list_close_triangles::entry(),
            test_triangle_pairs::entry(),
        ])?;
        let axes = geometry.axes();
        let mut origin = geometry.origin().coords;
        for (axis, column) in axes.column_iter().enumerate() {
            let ends = [-BORDER, dims[axis] as f64 + BORDER].map(|index| column * index);
            origin += ends[0].inf(&ends[1]);
        }
        // extents of a voxel along the axes of the world
        let extents: Vector3<f64> = axes.abs().column_sum();
        let triangles = walls.triangle_count();
        let buckets = (triangles * 2).next_power_of_two();
        Ok(Self {
            stream,
            walls,
            grid: BucketGrid {
                origin: origin.into(),
                scale: extents.map(|extent| 1.0 / (CELL_EDGE * extent)).into(),
                buckets: buckets.clamp(u64::from(CUBE_CELLS), 1 << 31) as u32,
            },
        })
    }

    /// Returns, for each triangle, a number that is not 0 if it violates the surface of a label: if
    /// it intersects another triangle of the label, or one of its vertices has the position of
    /// another vertex of the label. With `changed`, one flag per triangle, only pairs with a
    /// changed triangle are tested.
    pub fn run(
        &self,
        vertices: &Buffer<f32>,
        changed: Option<&Buffer<u8>>,
    ) -> Result<Buffer<u32>, LabelSurfaceError> {
        let (stream, walls, grid) = (self.stream, self.walls, self.grid);
        let triangles = walls.triangle_count();
        let (launch, items) = items_launch(stream, triangles);
        let all = u32::from(changed.is_none());
        let unchanged = stream.zeros::<u8>(1)?;
        let changed = changed.unwrap_or(&unchanged);
        let mut positions = stream.alloc::<f32>(triangles as usize * 9)?;
        let mut marks = stream.zeros::<u32>(grid.buckets as usize / 32)?;
        let mut counts = stream.zeros::<u32>(grid.buckets as usize)?;
        // SAFETY: nine coordinates and, unless all are searched, a flag per triangle; a bit and a
        // count per bucket.
        unsafe {
            let args = (
                items,
                walls.triangles.view(),
                vertices.view(),
                positions.view_mut(),
            );
            stream.launch::<gather_triangle_corners>(launch, args)?;
            if all == 0 {
                let args = (
                    items,
                    grid,
                    changed.view(),
                    positions.view(),
                    marks.view_mut(),
                );
                stream.launch::<mark_changed_buckets>(launch, args)?;
            }
            let args = (
                items,
                grid,
                positions.view(),
                marks.view(),
                all,
                counts.view_mut(),
            );
            stream.launch::<count_bucket_triangles>(launch, args)?;
        }
        let (starts, entries) = exclusive_scan(&mut Scanner::new(stream)?, stream, &counts)?;
        let mut lists = stream.alloc::<u32>(entries as usize)?;
        let mut buckets = stream.alloc::<u32>(entries as usize)?;
        stream.fill_with_zero(&mut counts)?;
        // SAFETY: the starts are the scanned counts, and the lists have as many elements.
        unsafe {
            let args = (
                items,
                grid,
                positions.view(),
                marks.view(),
                all,
                starts.view(),
                counts.view_mut(),
                lists.view_mut(),
                buckets.view_mut(),
            );
            stream.launch::<list_bucket_triangles>(launch, args)?;
        }
        let (entry_launch, entry_items) = items_launch(stream, entries);
        let (pairs, found) =
            self.collect_pairs(triangles * PAIRS_PER_TRIANGLE, |found, pairs| {
                // SAFETY: the lists are those of the buckets; vertices, labels, coordinates and,
                // unless all are searched, a flag per triangle.
                unsafe {
                    let args = (
                        entry_items,
                        grid,
                        starts.view(),
                        lists.view(),
                        buckets.view(),
                        positions.view(),
                        walls.triangles.view(),
                        walls.sides.view(),
                        changed.view(),
                        all,
                        pairs.len() as u64 / 2,
                        found.view_mut(),
                        pairs.view_mut(),
                    );
                    stream.launch::<list_close_triangles>(entry_launch, args)
                }
            })?;
        drop((lists, buckets, starts, counts, marks));
        let mut crossings = stream.zeros::<u32>(triangles as usize)?;
        let (launch, items) = items_launch(stream, found);
        let (open, open_count) =
            self.collect_pairs(found / PAIRS_PER_OPEN_PAIR, |count, open| {
                // SAFETY: two triangles per pair; vertices, coordinates and crossings per triangle.
                unsafe {
                    let args = (
                        items,
                        pairs.view(),
                        positions.view(),
                        walls.triangles.view(),
                        crossings.view_mut(),
                        open.len() as u64 / 2,
                        count.view_mut(),
                        open.view_mut(),
                    );
                    stream.launch::<test_triangle_pairs>(launch, args)
                }
            })?;
        drop((pairs, positions));
        self.decide(vertices, &open, open_count as usize, crossings)
    }

    /// Returns the pairs that `launch` appends to a list, and their number. The list has `capacity`
    /// pairs at first; if that does not suffice, `launch` is repeated.
    fn collect_pairs(
        &self,
        capacity: u64,
        mut launch: impl FnMut(&mut Buffer<u64>, &mut Buffer<u32>) -> Result<(), DeviceError>,
    ) -> Result<(Buffer<u32>, u64), DeviceError> {
        let stream = self.stream;
        let mut capacity = capacity.max(MIN_CAPACITY);
        loop {
            let mut count = stream.zeros::<u64>(1)?;
            let mut pairs = stream.alloc::<u32>(capacity as usize * 2)?;
            launch(&mut count, &mut pairs)?;
            let found = stream.download(&count)?.first().copied().unwrap_or(0);
            if found <= capacity {
                return Ok((pairs, found));
            }
            capacity = found;
        }
    }

    /// Tests the open pairs exactly, on the host, and adds to the crossings of those that
    /// intersect.
    fn decide(
        &self,
        vertices: &Buffer<f32>,
        open: &Buffer<u32>,
        count: usize,
        crossings: Buffer<u32>,
    ) -> Result<Buffer<u32>, LabelSurfaceError> {
        if count == 0 {
            return Ok(crossings);
        }
        let stream = self.stream;
        let mut pairs = memory::try_zeroed::<u32>(PURPOSE, count * 2)?;
        stream.read_first(open, &mut pairs)?;
        let vertices = group_triples(stream.download(vertices)?);
        let corners = group_triples(stream.download(self.walls.triangles)?);
        let mut intersect = memory::try_zeroed::<u8>(PURPOSE, count)?;
        parallel::for_each_chunk_mut(&mut intersect, CHUNK_PAIRS, |first, chunk| {
            for (index, intersects) in (first..).zip(chunk) {
                let pair = [pairs[index * 2], pairs[index * 2 + 1]];
                let pair = pair.map(|triangle| corners[triangle as usize]);
                *intersects = u8::from(labelled_triangles_intersect(&vertices, pair));
            }
        });
        if intersect.iter().all(|&it| it == 0) {
            return Ok(crossings);
        }
        let mut crossings = stream.download(&crossings)?;
        for (pair, _) in pairs
            .chunks_exact(2)
            .zip(&intersect)
            .filter(|it| *it.1 != 0)
        {
            for &triangle in pair {
                crossings[triangle as usize] += 1;
            }
        }
        Ok(stream.upload_vec(crossings)?)
    }
}
