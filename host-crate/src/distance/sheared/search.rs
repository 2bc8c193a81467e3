//! A tree of sites, and the maps that are made of it.

use super::{Given, Held};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream, over},
    distance::{
        DistanceError, DistanceParams,
        cubes::{Sorted, sort},
        scale::tilt_of,
    },
    grid::{DevicePoints, grid_of},
    partition::TooLittleMemory,
};
use cuda_std::View;
use ferrovox_kernels::{
    distance::sheared::{
        BLOCK, BRICK, Blocks, Planes, Tilt, Tree, join_boxes, measure_sheared, nearest_to_centres,
    },
    grid::Grid,
    sample::Count,
};
use std::ops::Range;

/// Sites in a tree, and a nearest site of the centre of each brick: what any planes of a map are
/// made from.
pub(in crate::distance) struct Prepared<'a> {
    given: Given<'a>,
    /// None without sites.
    tree: Option<Searchable>,
    found: Buffer<f32>,
    tilt: Tilt,
    grid: Grid,
}

/// Sorted sites, and the tree of the boxes around them.
struct Searchable {
    sites: Sorted,
    tree: Tree,
}

impl Searchable {
    fn new(stream: &Stream, points: &DevicePoints, numbered: bool) -> Result<Self, DistanceError> {
        let grid = grid_of(points.dims)?;
        let tree = Tree::new([grid.nx, grid.ny, grid.nz]);
        let boxes = stream.alloc::<f32>(6 * tree.boxes() as usize)?;
        let mut sites = sort(stream, points, tree.levels[0], numbered, boxes)?;
        for level in 1..3 {
            let levels = [tree.levels[level - 1], tree.levels[level]];
            let starts = [tree.starts[level - 1], tree.starts[level]];
            let (launch, items) = over(stream, levels[1].count());
            // SAFETY: the items are the boxes of the level, and those below it are filled.
            unsafe {
                let args = (levels, starts, items, sites.boxes.view_mut());
                stream.launch::<join_boxes>(launch, args)?;
            }
        }
        Ok(Self { sites, tree })
    }

    /// A nearest site of the centre of each block, within the root of `most`.
    fn nearest(
        &self,
        stream: &Stream,
        (tilt, blocks): (&Tilt, Blocks),
        outer: Option<(View<'_, f32>, Blocks)>,
    ) -> Result<Buffer<f32>, DeviceError> {
        let radius = blocks
            .sides
            .map(|side| 0.5 * f64::from(side.saturating_sub(1)));
        let [x, y, z] = tilt.reach(radius);
        let radius = (x * x + y * y + z * z).sqrt();
        let most = tilt.scale.bound / tilt.scale.unit + radius;
        let mut found = stream.alloc::<f32>(3 * blocks.all() as usize)?;
        let none = stream.alloc::<f32>(0)?;
        let (outer, of) = outer.unwrap_or((none.view(), blocks));
        let (_, mut items) = over(stream, blocks.all());
        // a block is much for a thread
        items.piece = 64;
        let launch = Launch::pieces(items.pieces()).max_useful_threads(items.piece);
        // SAFETY: there is a site, all are sorted into the tree, and there are three elements for
        // each block.
        unsafe {
            let args = (
                self.sites.sorted.view(),
                self.sites.starts.view(),
                self.sites.boxes.view(),
                self.tree,
                *tilt,
                blocks,
                most * most * (1.0 + 1e-9),
                outer,
                of,
                items,
                found.view_mut(),
            );
            stream.launch::<nearest_to_centres>(launch, args)?;
        }
        Ok(found)
    }
}

impl<'a> Prepared<'a> {
    pub fn new(
        stream: &Stream,
        given: Given<'a>,
        params: &DistanceParams,
    ) -> Result<Self, DistanceError> {
        let grid = grid_of(given.dims())?;
        let dims = [grid.nx, grid.ny, grid.nz];
        let tilt = tilt_of(given.geometry(), params);
        check_memory(&given, dims, params)?;
        let mut prepared = Self {
            tree: None,
            found: stream.alloc(0)?,
            tilt,
            grid,
            given,
        };
        if prepared.given.is_empty() || grid.samples() == 0 {
            return Ok(prepared);
        }
        // to be named, points must be known by their numbers
        let numbered = params.nearest && prepared.given.mask.is_none();
        let tree = match &prepared.given.begin {
            Some(points) => {
                let first = Searchable::new(stream, points, false)?;
                // what is within the bound of a voxel need not be one of these
                let mut unbounded = tilt;
                unbounded.scale.bound = f64::INFINITY;
                prepared.found = centres(stream, &first, &unbounded, dims)?;
                Searchable::new(stream, prepared.given.points.get(), numbered)?
            }
            None => {
                let tree = Searchable::new(stream, prepared.given.points.get(), numbered)?;
                prepared.found = centres(stream, &tree, &tilt, dims)?;
                tree
            }
        };
        prepared.tree = Some(tree);
        Ok(prepared)
    }

    /// Makes some planes of the map, from a first one that is a multiple of the height of a brick;
    /// and the nearest sites, if there is room for them.
    pub fn measure<I: Count + Element>(
        &self,
        stream: &Stream,
        planes: Range<usize>,
        distances: &mut Buffer<f32>,
        nearest: &mut Buffer<I>,
    ) -> Result<(), DistanceError> {
        debug_assert!(planes.start.is_multiple_of(BRICK[2] as usize));
        let Some(Searchable { sites, tree }) = &self.tree else {
            let far = self.tilt.scale.length(f64::INFINITY);
            stream.write(distances, &vec![far; distances.len()])?;
            stream.write(nearest, &vec![I::narrow(u64::MAX); nearest.len()])?;
            return Ok(());
        };
        let planes = Planes {
            grid: self.grid,
            first: planes.start as u32,
            count: planes.len() as u32,
        };
        let no_bits = stream.alloc::<u32>(0)?;
        let no_labels = stream.alloc::<f32>(0)?;
        let bits = self
            .given
            .mask
            .as_ref()
            .map_or(&no_bits, |mask| &mask.get().bits);
        let labels = self.given.labels.as_ref().unwrap_or(&no_labels);
        let rows = BRICK[1] * BRICK[2];
        let launch = Launch::pieces(planes.bricks().all()).max_useful_threads(rows);
        // SAFETY: there is a site, all are sorted into the tree, centres were searched, bits and
        // labels are those of the grid or there are none, and there is an element for each voxel of
        // the planes.
        unsafe {
            let args = (
                sites.sorted.view(),
                sites.numbers.view(),
                sites.starts.view(),
                sites.boxes.view(),
                *tree,
                self.tilt,
                self.found.view(),
                bits.view(),
                labels.view(),
                self.given.more,
                self.given.around.view(),
                planes,
                distances.view_mut(),
                nearest.view_mut(),
            );
            Ok(stream.launch::<measure_sheared<I>>(launch, args)?)
        }
    }
}

/// A nearest site of the centre of each brick.
fn centres(
    stream: &Stream,
    tree: &Searchable,
    tilt: &Tilt,
    dims: [u32; 3],
) -> Result<Buffer<f32>, DeviceError> {
    let (outer, bricks) = (Blocks::new(dims, [BLOCK; 3]), Blocks::new(dims, BRICK));
    let found = tree.nearest(stream, (tilt, outer), None)?;
    tree.nearest(stream, (tilt, bricks), Some((found.view(), outer)))
}

/// Bytes of device memory for the tree of a grid of so many voxels, with what `points` hold, as
/// they were given and sorted, and the numbers of some.
pub(in crate::distance) fn bytes(dims: [u32; 3], points: u64, numbered: u64) -> u64 {
    let tree = Tree::new(dims);
    // sums and places while sites are sorted, boxes, the centres of bricks and of blocks
    let index = 24 * tree.boxes()
        + 16 * tree.levels[0].count()
        + 12 * (Blocks::new(dims, BRICK).all() + Blocks::new(dims, [BLOCK; 3]).all());
    12 * points + 8 * numbered + index + (1 << 16)
}

/// Refuses a limit of device memory besides what is given and the map that is too small.
fn check_memory(
    given: &Given<'_>,
    dims: [u32; 3],
    params: &DistanceParams,
) -> Result<(), DistanceError> {
    let Some(budget) = params.memory else {
        return Ok(());
    };
    let count = given.count() as u64;
    let begin = given.begin.as_ref().map_or(0, |points| points.len() as u64);
    let made = match &given.points {
        Held::Given(_) => 0,
        Held::Made(_) => count,
    };
    let labels = given
        .labels
        .as_ref()
        .map_or(0, |labels| labels.bytes() as u64);
    let numbered = if params.nearest { count } else { 0 };
    let needed = labels + bytes(dims, count + made + 2 * begin, numbered);
    if budget < needed {
        return Err(TooLittleMemory { needed, budget }.into());
    }
    Ok(())
}
