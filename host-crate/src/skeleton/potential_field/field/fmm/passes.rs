//! Upward and downward passes: moments and local expansions of all levels.

use super::{device_tables::DeviceTables, octree::Octree};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream},
    memory::ExtendOrUnwind,
};
use ferrovox_kernels::{
    grid::Grid,
    skeleton::field::fmm::{
        BRICK, LevelParams, MAX_THREADS, MomentParams, compute_local_expansions, compute_moments,
        translate_moments,
    },
};

/// Local expansions of the finest bricks with targets, and the error bound of each brick of the
/// grid.
pub(super) struct LocalExpansions {
    pub coefficients: Buffer<f32>,
    pub bounds: Buffer<f64>,
}

/// Grid without bricks.
const EMPTY_GRID: Grid = Grid {
    nx: 0,
    ny: 0,
    nz: 0,
};

/// Returns an upper bound on the memory of the moments, expansions and bounds of all levels, in
/// bytes.
pub(super) fn expansion_bytes(octree: &Octree, terms: u32) -> u64 {
    let level_bytes = |level: &super::octree::Level| {
        let bricks = level.sources.count + level.targets.count;
        4 * u64::from(terms) * bricks + 8 * level.grid.samples()
    };
    octree.levels.iter().map(level_bytes).sum()
}

fn blocks(bricks: u64, useful: u32) -> Launch {
    Launch::pieces(bricks)
        .max_useful_threads(useful)
        .max_threads_per_block(MAX_THREADS)
}

/// Computes the moments of all levels, finest first (upward pass).
fn upward_pass(
    stream: &Stream,
    octree: &Octree,
    tables: &DeviceTables,
) -> Result<Vec<Buffer<f32>>, DeviceError> {
    let mut all_moments: Vec<Buffer<f32>> = Vec::new();
    for (level_index, level) in octree.levels.iter().enumerate() {
        let bricks = level.sources.count;
        let mut moments = stream.alloc::<f32>((bricks * u64::from(tables.terms)) as usize)?;
        let mut params = MomentParams {
            bricks,
            order: tables.order,
            terms: tables.terms,
            pairs: tables.moment_products,
            grid: level.grid,
            fine: EMPTY_GRID,
        };
        match all_moments.last() {
            None => {
                // SAFETY: the list holds the sources of these bricks, with one weight each or none
                // at all, and there are `terms` moments per brick.
                unsafe {
                    let args = (
                        octree.source_list.view(),
                        octree.weights.view(),
                        octree.starts.view(),
                        tables.multi_indices.view(),
                        tables.source_powers.view(),
                        params,
                        moments.view_mut(),
                    );
                    stream.launch::<compute_moments>(blocks(bricks, tables.terms), args)?;
                }
            }
            Some(child_moments) => {
                let fine = &octree.levels[level_index - 1];
                params.fine = fine.grid;
                // SAFETY: the children are those of the bricks, with their moments, and there are
                // `terms` moments per brick.
                unsafe {
                    let args = (
                        level.sources.bricks.view(),
                        fine.sources.indices.view(),
                        child_moments.view(),
                        tables.upward_shifts.view(),
                        tables.products.view(),
                        params,
                        moments.view_mut(),
                    );
                    stream.launch::<translate_moments>(
                        blocks(bricks, tables.moment_products.tasks),
                        args,
                    )?;
                }
            }
        }
        all_moments.push_or_unwind(moments);
    }
    Ok(all_moments)
}

/// Computes the local expansions and error bounds of the finest level (upward and downward passes).
pub(super) fn compute_expansions(
    stream: &Stream,
    octree: &Octree,
    tables: &DeviceTables,
    exponent: f64,
) -> Result<LocalExpansions, DeviceError> {
    let mut moments = upward_pass(stream, octree, tables)?;
    let (no_indices, no_coefficients, no_bounds) =
        (stream.alloc(0)?, stream.alloc(0)?, stream.alloc(0)?);
    let mut parent: Option<LocalExpansions> = None;
    for (level_index, level) in octree.levels.iter().enumerate().rev() {
        let bricks = level.targets.count;
        let coarse = octree.levels.get(level_index + 1);
        let mut expansions = LocalExpansions {
            coefficients: stream.alloc((bricks * u64::from(tables.terms)) as usize)?,
            bounds: stream.zeros(level.grid.samples() as usize)?,
        };
        let edge = f64::from(BRICK) * (level_index as f64).exp2();
        let params = LevelParams {
            bricks,
            grid: level.grid,
            coarse: coarse.map_or(EMPTY_GRID, |coarse| coarse.grid),
            terms: tables.terms,
            pairs: tables.local_products,
            far: tables.starts,
            scale: edge.powf(-exponent),
        };
        let errors = &tables.errors[usize::from(level_index > 0)];
        let level_moments = moments.pop();
        let level_moments = level_moments.as_ref().unwrap_or(&no_coefficients);
        // SAFETY: bricks, moments and expansions are those of this level and of its parent level,
        // the tables are those of one order, and there is one expansion and one bound per brick.
        unsafe {
            let args = (
                level.targets.bricks.view(),
                level.sources.indices.view(),
                level_moments.view(),
                tables.far.view(),
                tables.derivatives.view(),
                errors.view(),
                coarse
                    .map_or(&no_indices, |level| &level.targets.indices)
                    .view(),
                parent
                    .as_ref()
                    .map_or(&no_coefficients, |level| &level.coefficients)
                    .view(),
                parent
                    .as_ref()
                    .map_or(&no_bounds, |level| &level.bounds)
                    .view(),
                tables.downward_shifts.view(),
                tables.products.view(),
                params,
                expansions.coefficients.view_mut(),
                expansions.bounds.view_mut(),
            );
            stream.launch::<compute_local_expansions>(
                blocks(bricks, tables.local_products.tasks),
                args,
            )?;
        }
        parent = Some(expansions);
    }
    match parent {
        Some(finest) => Ok(finest),
        None => unreachable!("there is a finest level"),
    }
}
