//! Octree of bricks: the occupied bricks of every level.

use super::{interactions::NearFieldCriterion, lattice::BrickLattice};
use crate::{
    device::{Buffer, DeviceError, Stream, items_launch},
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

/// Bricks of a level that contain voxels of a mask.
pub(super) struct OccupiedBricks {
    /// Number of occupied bricks.
    pub count: u64,
    /// Index of each brick of the grid among the occupied ones; `NO_BRICK` if it is empty.
    pub indices: Buffer<u32>,
    /// Occupied bricks in index order.
    pub bricks: Buffer<u32>,
}

/// Level of the octree.
pub(super) struct Level {
    /// Grid of bricks.
    pub grid: Grid,
    /// Bricks with sources.
    pub sources: OccupiedBricks,
    /// Bricks with targets.
    pub targets: OccupiedBricks,
}

/// Octree of bricks. Has the finest level, and all levels on which some bricks are far from each
/// other.
pub(super) struct Octree {
    /// Levels, finest first.
    pub levels: Vec<Level>,
    /// Start of each brick's sources in the list, and a final end index.
    pub starts: Buffer<u64>,
    /// Sources, sorted by brick.
    pub source_list: Buffer<u32>,
    /// Weights of the sources in list order, or empty if all are equal.
    pub weights: Buffer<f32>,
}

/// Returns the grid of bricks that covers a grid of cubic voxels.
pub(in crate::skeleton) fn brick_grid(voxels: Grid) -> Grid {
    let bricks = |voxels: u32| voxels.div_ceil(BRICK);
    Grid {
        nx: bricks(voxels.nx),
        ny: bricks(voxels.ny),
        nz: bricks(voxels.nz),
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

/// Returns the grids of the finest level and of all levels on which some bricks are far from each
/// other, finest first.
fn level_grids(finest: Grid, near_field: &NearFieldCriterion) -> Vec<Grid> {
    let grids = std::iter::successors(Some(finest), |&grid| Some(coarser(grid)));
    let has_far = |grid: &Grid| {
        let [x, y, z] = [grid.nx, grid.ny, grid.nz].map(|bricks| bricks.saturating_sub(1) as i32);
        // the farthest pairs are at opposite corners
        let corners = [[x, y, z], [x, -y, z], [x, y, -z], [x, -y, -z]];
        !corners.iter().all(|&offset| near_field.is_near(offset))
    };
    let mut grids: Vec<Grid> = grids.take_while(has_far).collect_or_unwind();
    if grids.is_empty() {
        grids.push_or_unwind(finest);
    }
    grids
}

/// Weights of the sources in mask order, and the number of sources before each word of the mask;
/// both empty if all weights are equal.
#[derive(Clone, Copy)]
pub(super) struct SourceWeights<'a> {
    pub weights: &'a Buffer<f32>,
    pub before: Option<&'a Buffer<u64>>,
}

impl Octree {
    /// Builds the octree of the sources and targets in a grid. Synchronises the stream.
    pub fn new(
        stream: &Stream,
        (sources, source_weights): (&DeviceMask, SourceWeights<'_>),
        targets: &DeviceMask,
        lattice: &BrickLattice,
        near_field: &NearFieldCriterion,
    ) -> Result<Self, DeviceError> {
        let finest = lattice.bricks(sources.grid);
        let grids = level_grids(finest, near_field);
        let (counts, mut source_flags) = count_voxels(stream, sources, lattice, finest)?;
        let (_, mut target_flags) = count_voxels(stream, targets, lattice, finest)?;
        let mut before = stream.alloc::<u64>(counts.len())?;
        let total = Scanner::new(stream)?
            .exclusive(Sum, &counts, &mut before)
            .map_err(device_error)?
            .download()?;
        // frees one element per brick of the grid
        drop(counts);
        let mut levels = with_capacity_or_unwind(grids.len());
        for (level, &grid) in grids.iter().enumerate() {
            if let Some(fine) = level.checked_sub(1) {
                source_flags = coarsen_flags(stream, &source_flags, grids[fine], grid)?;
                target_flags = coarsen_flags(stream, &target_flags, grids[fine], grid)?;
            }
            levels.push_or_unwind(Level {
                grid,
                sources: occupied_bricks(stream, &source_flags)?,
                targets: occupied_bricks(stream, &target_flags)?,
            });
        }
        let source_bricks = &levels[0].sources;
        let mut starts = stream.zeros::<u64>(source_bricks.count as usize + 1)?;
        let mut source_list = stream.alloc::<u32>(total as usize)?;
        let mut weights = stream.alloc::<f32>(source_weights.weights.len())?;
        let (launch, items) = items_launch(stream, source_bricks.count);
        let source_lattice = lattice.with_bits(sources.layout());
        // SAFETY: the words are those of the mask; there is one start per brick and one more, one
        // element per source, and one weight per weighted source.
        unsafe {
            let args = (
                sources.bits.view(),
                source_lattice,
                finest,
                source_bricks.bricks.view(),
                before.view(),
                items,
                starts.view_mut(),
                source_list.view_mut(),
            );
            stream.launch::<list_sources_by_brick>(launch, args)?;
            if let Some(mask_before) = source_weights.before {
                let args = (
                    sources.bits.view(),
                    source_lattice,
                    finest,
                    source_bricks.bricks.view(),
                    starts.view(),
                    mask_before.view(),
                    source_weights.weights.view(),
                    items,
                    weights.view_mut(),
                );
                stream.launch::<list_weights_by_brick>(launch, args)?;
            }
        }
        Ok(Self {
            levels,
            starts,
            source_list,
            weights,
        })
    }
}

/// Counts the voxels of a mask in each brick, and flags the occupied bricks.
fn count_voxels(
    stream: &Stream,
    mask: &DeviceMask,
    lattice: &BrickLattice,
    grid: Grid,
) -> Result<(Buffer<u32>, Buffer<u32>), DeviceError> {
    let bricks = grid.samples();
    let mut counts = stream.alloc::<u32>(bricks as usize)?;
    let mut flags = stream.alloc::<u32>(bricks as usize)?;
    let (launch, items) = items_launch(stream, bricks);
    // SAFETY: the words are those of the mask, and there are a count and a flag per brick.
    unsafe {
        let args = (
            mask.bits.view(),
            lattice.with_bits(mask.layout()),
            grid,
            items,
            counts.view_mut(),
            flags.view_mut(),
        );
        stream.launch::<count_brick_voxels>(launch, args)?;
    }
    Ok((counts, flags))
}

fn coarsen_flags(
    stream: &Stream,
    child_flags: &Buffer<u32>,
    fine: Grid,
    coarse: Grid,
) -> Result<Buffer<u32>, DeviceError> {
    let mut flags = stream.alloc::<u32>(coarse.samples() as usize)?;
    let (launch, items) = items_launch(stream, coarse.samples());
    // SAFETY: there is one flag per brick of each grid.
    unsafe {
        let args = (child_flags.view(), fine, coarse, items, flags.view_mut());
        stream.launch::<coarsen_bricks>(launch, args)?;
    }
    Ok(flags)
}

fn occupied_bricks(stream: &Stream, flags: &Buffer<u32>) -> Result<OccupiedBricks, DeviceError> {
    let mut before = stream.alloc::<u64>(flags.len())?;
    let count = Scanner::new(stream)?
        .exclusive(Sum, flags, &mut before)
        .map_err(device_error)?
        .download()?;
    let mut indices = stream.alloc::<u32>(flags.len())?;
    let mut bricks = stream.alloc::<u32>(count as usize)?;
    let (launch, items) = items_launch(stream, flags.len() as u64);
    // SAFETY: there are three elements per brick, and one per flagged brick.
    unsafe {
        let args = (
            flags.view(),
            before.view(),
            items,
            indices.view_mut(),
            bricks.view_mut(),
        );
        stream.launch::<compact_bricks>(launch, args)?;
    }
    Ok(OccupiedBricks {
        count,
        indices,
        bricks,
    })
}

/// Extracts the device error; a scan into a buffer of the same length has no other error.
fn device_error(error: ScanError) -> DeviceError {
    match error {
        ScanError::Device(error) => error,
        other => unreachable!("{other}"),
    }
}
