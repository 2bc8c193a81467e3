//! The bricks of all levels.

use super::{lattice::BrickLattice, offsets::Nearness};
use crate::{
    device::{Buffer, DeviceError, Stream, over},
    grid::DeviceMask,
    memory::{CollectOrUnwind, ExtendOrUnwind, with_capacity_or_unwind},
    scan::{ScanError, Scanner},
};
use ferrovox_kernels::{
    grid::Grid,
    operator::Sum,
    skeleton::field::fmm::{
        BRICK, coarsen_bricks, compact_bricks, count_brick_voxels, list_sources_by_brick,
        list_weights_by_brick,
    },
};

/// Bricks of a level that have voxels of a mask.
pub(super) struct Nodes {
    /// How many there are.
    pub count: u64,
    /// The number of each brick of the grid, or none.
    pub numbers: Buffer<u32>,
    /// The brick of each number.
    pub bricks: Buffer<u32>,
}

/// A level, from the finest on.
pub(super) struct Level {
    /// The bricks.
    pub grid: Grid,
    /// Those with sources.
    pub sources: Nodes,
    /// Those with targets.
    pub targets: Nodes,
}

/// All levels on which some bricks are far from each other, and the finest one.
pub(super) struct Levels {
    /// From the finest on.
    pub levels: Vec<Level>,
    /// Where the sources of each brick begin in the list, and where the last ones end.
    pub starts: Buffer<u64>,
    /// The sources, brick after brick.
    pub list: Buffer<u32>,
    /// What each weighs; of sources that are all alike nothing.
    pub weights: Buffer<f32>,
}

/// The bricks of a grid of cubes.
pub(in crate::skeleton) fn brick_grid(voxels: Grid) -> Grid {
    let along = |voxels: u32| voxels.div_ceil(BRICK);
    Grid {
        nx: along(voxels.nx),
        ny: along(voxels.ny),
        nz: along(voxels.nz),
    }
}

fn coarser(grid: Grid) -> Grid {
    let half = |bricks: u32| bricks.div_ceil(2);
    Grid {
        nx: half(grid.nx),
        ny: half(grid.ny),
        nz: half(grid.nz),
    }
}

/// The grids of the levels on which some bricks are not near to each other, and the finest.
fn grids_of(finest: Grid, nearness: &Nearness) -> Vec<Grid> {
    let all = std::iter::successors(Some(finest), |&grid| Some(coarser(grid)));
    let has_far = |grid: &Grid| {
        let [x, y, z] = [grid.nx, grid.ny, grid.nz].map(|bricks| bricks.saturating_sub(1) as i32);
        // the farthest are at two corners
        let corners = [[x, y, z], [x, -y, z], [x, y, -z], [x, -y, -z]];
        !corners.iter().all(|&offset| nearness.is_near(offset))
    };
    let mut grids: Vec<Grid> = all.take_while(has_far).collect_or_unwind();
    if grids.is_empty() {
        grids.push_or_unwind(finest);
    }
    grids
}

/// What sources weigh, in the order of their mask, and how many come before each of its words; of
/// sources that are all alike nothing.
#[derive(Clone, Copy)]
pub(super) struct OwnWeights<'a> {
    pub weights: &'a Buffer<f32>,
    pub before: Option<&'a Buffer<u64>>,
}

impl Levels {
    /// The levels of sources and targets in one grid. Synchronises the stream.
    pub fn new(
        stream: &Stream,
        (sources, own): (&DeviceMask, OwnWeights<'_>),
        targets: &DeviceMask,
        lattice: &BrickLattice,
        nearness: &Nearness,
    ) -> Result<Self, DeviceError> {
        let finest = lattice.bricks(sources.grid);
        let grids = grids_of(finest, nearness);
        let (counts, mut source_marks) = count(stream, sources, lattice, finest)?;
        let (_, mut target_marks) = count(stream, targets, lattice, finest)?;
        let mut before = stream.alloc::<u64>(counts.len())?;
        let total = Scanner::new(stream)?
            .exclusive(Sum, &counts, &mut before)
            .map_err(of_scan)?
            .download()?;
        // no longer needed, and as large as the grid
        drop(counts);
        let mut levels = with_capacity_or_unwind(grids.len());
        for (number, &grid) in grids.iter().enumerate() {
            if let Some(fine) = number.checked_sub(1) {
                source_marks = coarsen(stream, &source_marks, grids[fine], grid)?;
                target_marks = coarsen(stream, &target_marks, grids[fine], grid)?;
            }
            levels.push_or_unwind(Level {
                grid,
                sources: nodes(stream, &source_marks)?,
                targets: nodes(stream, &target_marks)?,
            });
        }
        let nodes = &levels[0].sources;
        let mut starts = stream.zeros::<u64>(nodes.count as usize + 1)?;
        let mut list = stream.alloc::<u32>(total as usize)?;
        let mut weights = stream.alloc::<f32>(own.weights.len())?;
        let (launch, items) = over(stream, nodes.count);
        let of_sources = lattice.with_bits(sources.layout());
        // SAFETY: the words are those of the mask, and there is room for each brick's start, one
        // more, and each source, and for the weight of each that has one.
        unsafe {
            let args = (
                sources.bits.view(),
                of_sources,
                finest,
                nodes.bricks.view(),
                before.view(),
                items,
                starts.view_mut(),
                list.view_mut(),
            );
            stream.launch::<list_sources_by_brick>(launch, args)?;
            if let Some(known) = own.before {
                let args = (
                    sources.bits.view(),
                    of_sources,
                    finest,
                    nodes.bricks.view(),
                    starts.view(),
                    known.view(),
                    own.weights.view(),
                    items,
                    weights.view_mut(),
                );
                stream.launch::<list_weights_by_brick>(launch, args)?;
            }
        }
        Ok(Self {
            levels,
            starts,
            list,
            weights,
        })
    }
}

/// How many voxels of a mask each brick has, and whether it has any.
fn count(
    stream: &Stream,
    mask: &DeviceMask,
    lattice: &BrickLattice,
    grid: Grid,
) -> Result<(Buffer<u32>, Buffer<u32>), DeviceError> {
    let bricks = grid.samples();
    let mut counts = stream.alloc::<u32>(bricks as usize)?;
    let mut marks = stream.alloc::<u32>(bricks as usize)?;
    let (launch, items) = over(stream, bricks);
    // SAFETY: the words are those of the mask, and there are two numbers for each brick.
    unsafe {
        let args = (
            mask.bits.view(),
            lattice.with_bits(mask.layout()),
            grid,
            items,
            counts.view_mut(),
            marks.view_mut(),
        );
        stream.launch::<count_brick_voxels>(launch, args)?;
    }
    Ok((counts, marks))
}

fn coarsen(
    stream: &Stream,
    parts: &Buffer<u32>,
    fine: Grid,
    coarse: Grid,
) -> Result<Buffer<u32>, DeviceError> {
    let mut marks = stream.alloc::<u32>(coarse.samples() as usize)?;
    let (launch, items) = over(stream, coarse.samples());
    // SAFETY: there is a mark for each brick of both grids.
    unsafe {
        let args = (parts.view(), fine, coarse, items, marks.view_mut());
        stream.launch::<coarsen_bricks>(launch, args)?;
    }
    Ok(marks)
}

fn nodes(stream: &Stream, marks: &Buffer<u32>) -> Result<Nodes, DeviceError> {
    let mut before = stream.alloc::<u64>(marks.len())?;
    let count = Scanner::new(stream)?
        .exclusive(Sum, marks, &mut before)
        .map_err(of_scan)?
        .download()?;
    let mut numbers = stream.alloc::<u32>(marks.len())?;
    let mut bricks = stream.alloc::<u32>(count as usize)?;
    let (launch, items) = over(stream, marks.len() as u64);
    // SAFETY: there are three numbers for each brick, and room for each that is marked.
    unsafe {
        let args = (
            marks.view(),
            before.view(),
            items,
            numbers.view_mut(),
            bricks.view_mut(),
        );
        stream.launch::<compact_bricks>(launch, args)?;
    }
    Ok(Nodes {
        count,
        numbers,
        bricks,
    })
}

/// A scan into a buffer of the same length fails only where the device does.
fn of_scan(error: ScanError) -> DeviceError {
    match error {
        ScanError::Device(error) => error,
        other => unreachable!("{other}"),
    }
}
