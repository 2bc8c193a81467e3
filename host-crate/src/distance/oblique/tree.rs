//! Tree of sites, and the distance maps computed from it.

use super::{MaybeOwned, ObliqueSites};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream, items_launch},
    distance::{
        DistanceError, DistanceParams,
        cubes::{SortedSites, sort_sites},
        scale::oblique_metric,
    },
    grid::{DevicePoints, kernel_grid},
    partition::TooLittleMemory,
};
use cuda_std::View;
use ferrovox_kernels::{
    distance::oblique::{
        BRICK_SHAPE, BlockGrid, COARSE_BLOCK, ObliqueMetric, PlaneRange, Tree, join_boxes,
        measure_oblique, nearest_to_centres,
    },
    grid::Grid,
    sample::Count,
};
use std::ops::Range;

/// Sites in a tree, and a nearest site of the centre of each brick: everything needed to compute
/// any planes of a map.
pub(in crate::distance) struct SiteTree<'a> {
    sites: ObliqueSites<'a>,
    /// Tree of the sites; `None` without sites.
    bounding_tree: Option<BoundingTree>,
    centre_sites: Buffer<f32>,
    metric: ObliqueMetric,
    grid: Grid,
}

/// Sorted sites, and the tree of their bounding boxes.
struct BoundingTree {
    sorted_sites: SortedSites,
    boxes: Tree,
}

impl BoundingTree {
    fn new(
        stream: &Stream,
        points: &DevicePoints,
        with_numbers: bool,
    ) -> Result<Self, DistanceError> {
        let grid = kernel_grid(points.dims)?;
        let bounding_tree = Tree::new([grid.nx, grid.ny, grid.nz]);
        let box_buffer = stream.alloc::<f32>(6 * bounding_tree.boxes() as usize)?;
        let mut sorted_sites = sort_sites(
            stream,
            points,
            bounding_tree.levels[0],
            with_numbers,
            box_buffer,
        )?;
        for level in 1..3 {
            let levels = [bounding_tree.levels[level - 1], bounding_tree.levels[level]];
            let starts = [bounding_tree.starts[level - 1], bounding_tree.starts[level]];
            let (launch, items) = items_launch(stream, levels[1].count());
            // SAFETY: the items are the boxes of the level, and those of the level below are
            // computed.
            unsafe {
                let args = (levels, starts, items, sorted_sites.boxes.view_mut());
                stream.launch::<join_boxes>(launch, args)?;
            }
        }
        Ok(Self {
            sorted_sites,
            boxes: bounding_tree,
        })
    }

    /// Finds a nearest site of the centre of each block, up to the maximum distance plus the radius
    /// of a block.
    fn nearest_to_centres(
        &self,
        stream: &Stream,
        (metric, blocks): (&ObliqueMetric, BlockGrid),
        coarse: Option<(View<'_, f32>, BlockGrid)>,
    ) -> Result<Buffer<f32>, DeviceError> {
        let radius = blocks
            .sides
            .map(|side| 0.5 * f64::from(side.saturating_sub(1)));
        let [x, y, z] = metric.half_extent(radius);
        let radius = (x * x + y * y + z * z).sqrt();
        let max_distance = metric.scale.max_distance / metric.scale.unit + radius;
        let mut centre_sites = stream.alloc::<f32>(3 * blocks.count() as usize)?;
        let no_sites = stream.alloc::<f32>(0)?;
        let (coarse, coarse_blocks) = coarse.unwrap_or((no_sites.view(), blocks));
        let (_, mut items) = items_launch(stream, blocks.count());
        // A block of voxels is a large work item for a thread.
        items.chunk = 64;
        let launch = Launch::pieces(items.chunks()).max_useful_threads(items.chunk);
        // SAFETY: there is at least one site, all are sorted into the tree, and there are three
        // elements per block.
        unsafe {
            let args = (
                self.sorted_sites.sorted.view(),
                self.sorted_sites.starts.view(),
                self.sorted_sites.boxes.view(),
                self.boxes,
                *metric,
                blocks,
                max_distance * max_distance * (1.0 + 1e-9),
                coarse,
                coarse_blocks,
                items,
                centre_sites.view_mut(),
            );
            stream.launch::<nearest_to_centres>(launch, args)?;
        }
        Ok(centre_sites)
    }
}

impl<'a> SiteTree<'a> {
    pub fn new(
        stream: &Stream,
        sites: ObliqueSites<'a>,
        params: &DistanceParams,
    ) -> Result<Self, DistanceError> {
        let grid = kernel_grid(sites.dims())?;
        let dims = [grid.nx, grid.ny, grid.nz];
        let metric = oblique_metric(sites.geometry(), params);
        check_memory(&sites, dims, params)?;
        let mut site_tree = Self {
            bounding_tree: None,
            centre_sites: stream.alloc(0)?,
            metric,
            grid,
            sites,
        };
        if site_tree.sites.is_empty() || grid.samples() == 0 {
            return Ok(site_tree);
        }
        // Nearest points are identified by their numbers.
        let with_numbers = params.nearest && site_tree.sites.mask.is_none();
        let bounding_tree = match &site_tree.sites.initial_sites {
            Some(points) => {
                let first = BoundingTree::new(stream, points, false)?;
                // Unbounded, because a voxel's nearest site within the maximum distance need not be
                // an initial site.
                let mut unbounded = metric;
                unbounded.scale.max_distance = f64::INFINITY;
                site_tree.centre_sites = brick_centre_sites(stream, &first, &unbounded, dims)?;
                BoundingTree::new(stream, site_tree.sites.points.get(), with_numbers)?
            }
            None => {
                let bounding_tree =
                    BoundingTree::new(stream, site_tree.sites.points.get(), with_numbers)?;
                site_tree.centre_sites = brick_centre_sites(stream, &bounding_tree, &metric, dims)?;
                bounding_tree
            }
        };
        site_tree.bounding_tree = Some(bounding_tree);
        Ok(site_tree)
    }

    /// Computes the distances of a range of planes that starts at a multiple of the brick height,
    /// and the nearest sites unless `nearest` is empty.
    pub fn write_distances<I: Count + Element>(
        &self,
        stream: &Stream,
        planes: Range<usize>,
        distances: &mut Buffer<f32>,
        nearest: &mut Buffer<I>,
    ) -> Result<(), DistanceError> {
        debug_assert!(planes.start.is_multiple_of(BRICK_SHAPE[2] as usize));
        let Some(BoundingTree {
            sorted_sites,
            boxes,
        }) = &self.bounding_tree
        else {
            let background = self.metric.scale.length(f64::INFINITY);
            stream.write(distances, &vec![background; distances.len()])?;
            stream.write(nearest, &vec![I::narrow(u64::MAX); nearest.len()])?;
            return Ok(());
        };
        let planes = PlaneRange {
            grid: self.grid,
            first: planes.start as u32,
            count: planes.len() as u32,
        };
        let no_bits = stream.alloc::<u32>(0)?;
        let no_labels = stream.alloc::<f32>(0)?;
        let bits = self
            .sites
            .mask
            .as_ref()
            .map_or(&no_bits, |mask| &mask.get().bits);
        let labels = self.sites.labels.as_ref().unwrap_or(&no_labels);
        let rows = BRICK_SHAPE[1] * BRICK_SHAPE[2];
        let launch = Launch::pieces(planes.bricks().count()).max_useful_threads(rows);
        // SAFETY: there is at least one site, all are sorted into the tree, the centres have been
        // searched, bits and labels are those of the grid or empty, and there is one element per
        // voxel of the planes.
        unsafe {
            let args = (
                sorted_sites.sorted.view(),
                sorted_sites.site_numbers.view(),
                sorted_sites.starts.view(),
                sorted_sites.boxes.view(),
                *boxes,
                self.metric,
                self.centre_sites.view(),
                bits.view(),
                labels.view(),
                self.sites.margin,
                self.sites.neighbours.view(),
                planes,
                distances.view_mut(),
                nearest.view_mut(),
            );
            Ok(stream.launch::<measure_oblique<I>>(launch, args)?)
        }
    }
}

/// Finds a nearest site of the centre of each brick.
fn brick_centre_sites(
    stream: &Stream,
    bounding_tree: &BoundingTree,
    metric: &ObliqueMetric,
    dims: [u32; 3],
) -> Result<Buffer<f32>, DeviceError> {
    let (coarse, bricks) = (
        BlockGrid::new(dims, [COARSE_BLOCK; 3]),
        BlockGrid::new(dims, BRICK_SHAPE),
    );
    let centre_sites = bounding_tree.nearest_to_centres(stream, (metric, coarse), None)?;
    bounding_tree.nearest_to_centres(
        stream,
        (metric, bricks),
        Some((centre_sites.view(), coarse)),
    )
}

/// Returns the device memory in bytes of the tree of a grid with the given dimensions, including
/// the coordinates of `points` points (original and sorted) and the numbers of `with_numbers`
/// sites.
pub(in crate::distance) fn tree_bytes(dims: [u32; 3], points: u64, with_numbers: u64) -> u64 {
    let bounding_tree = Tree::new(dims);
    // Counts and offsets during sorting, boxes, and the centres of bricks and blocks.
    let index = 24 * bounding_tree.boxes()
        + 16 * bounding_tree.levels[0].count()
        + 12 * (BlockGrid::new(dims, BRICK_SHAPE).count()
            + BlockGrid::new(dims, [COARSE_BLOCK; 3]).count());
    12 * points + 8 * with_numbers + index + (1 << 16)
}

/// Checks that the memory limit suffices in addition to the input and the map.
fn check_memory(
    sites: &ObliqueSites<'_>,
    dims: [u32; 3],
    params: &DistanceParams,
) -> Result<(), DistanceError> {
    let Some(budget) = params.memory else {
        return Ok(());
    };
    let count = sites.count() as u64;
    let initial = sites
        .initial_sites
        .as_ref()
        .map_or(0, |points| points.len() as u64);
    let owned_points = match &sites.points {
        MaybeOwned::Borrowed(_) => 0,
        MaybeOwned::Owned(_) => count,
    };
    let labels = sites
        .labels
        .as_ref()
        .map_or(0, |labels| labels.bytes() as u64);
    let with_numbers = if params.nearest { count } else { 0 };
    let needed = labels + tree_bytes(dims, count + owned_points + 2 * initial, with_numbers);
    if budget < needed {
        return Err(TooLittleMemory { needed, budget }.into());
    }
    Ok(())
}
