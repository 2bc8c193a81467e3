//! Moments up the levels, and series down.

use super::{levels::Levels, tables::Tables};
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

/// The series of the finest bricks with targets, and a bound of the error for each brick of the
/// grid.
pub(super) struct Series {
    pub series: Buffer<f32>,
    pub bounds: Buffer<f64>,
}

/// No bricks.
const NO_GRID: Grid = Grid {
    nx: 0,
    ny: 0,
    nz: 0,
};

/// Bytes of the moments, series and bounds of all levels: no less than are there at a time.
pub(super) fn bytes(levels: &Levels, terms: u32) -> u64 {
    let of = |level: &super::levels::Level| {
        let nodes = level.sources.count + level.targets.count;
        4 * u64::from(terms) * nodes + 8 * level.grid.samples()
    };
    levels.levels.iter().map(of).sum()
}

fn blocks(nodes: u64, useful: u32) -> Launch {
    Launch::pieces(nodes)
        .max_useful_threads(useful)
        .at_most_threads(MAX_THREADS)
}

/// The moments of all levels, from the finest on.
fn moments(
    stream: &Stream,
    levels: &Levels,
    tables: &Tables,
) -> Result<Vec<Buffer<f32>>, DeviceError> {
    let mut made: Vec<Buffer<f32>> = Vec::new();
    for (number, level) in levels.levels.iter().enumerate() {
        let nodes = level.sources.count;
        let mut moments = stream.alloc::<f32>((nodes * u64::from(tables.terms)) as usize)?;
        let mut sums = MomentParams {
            nodes,
            order: tables.order,
            terms: tables.terms,
            pairs: tables.spread,
            grid: level.grid,
            fine: NO_GRID,
        };
        match made.last() {
            None => {
                // SAFETY: the list is of the sources of these bricks, with a weight each or none,
                // and there are as many moments as terms for each.
                unsafe {
                    let args = (
                        levels.list.view(),
                        levels.weights.view(),
                        levels.starts.view(),
                        tables.triples.view(),
                        tables.powers_of_sources.view(),
                        sums,
                        moments.view_mut(),
                    );
                    stream.launch::<compute_moments>(blocks(nodes, tables.terms), args)?;
                }
            }
            Some(below) => {
                let fine = &levels.levels[number - 1];
                sums.fine = fine.grid;
                // SAFETY: the parts are those of the bricks, with their moments, and there are as
                // many moments as terms for each brick.
                unsafe {
                    let args = (
                        level.sources.bricks.view(),
                        fine.sources.numbers.view(),
                        below.view(),
                        tables.shifts_up.view(),
                        tables.products.view(),
                        sums,
                        moments.view_mut(),
                    );
                    stream.launch::<translate_moments>(blocks(nodes, tables.spread.tasks), args)?;
                }
            }
        }
        made.push_or_unwind(moments);
    }
    Ok(made)
}

/// Makes them.
pub(super) fn series(
    stream: &Stream,
    levels: &Levels,
    tables: &Tables,
    exponent: f64,
) -> Result<Series, DeviceError> {
    let mut moments = moments(stream, levels, tables)?;
    let (no_numbers, no_series, no_bounds) = (stream.alloc(0)?, stream.alloc(0)?, stream.alloc(0)?);
    let mut above: Option<Series> = None;
    for (number, level) in levels.levels.iter().enumerate().rev() {
        let nodes = level.targets.count;
        let coarse = levels.levels.get(number + 1);
        let mut made = Series {
            series: stream.alloc((nodes * u64::from(tables.terms)) as usize)?,
            bounds: stream.zeros(level.grid.samples() as usize)?,
        };
        let side = f64::from(BRICK) * (number as f64).exp2();
        let shape = LevelParams {
            nodes,
            grid: level.grid,
            coarse: coarse.map_or(NO_GRID, |coarse| coarse.grid),
            terms: tables.terms,
            pairs: tables.gathered,
            far: tables.starts,
            scale: side.powf(-exponent),
        };
        let errors = &tables.errors[usize::from(number > 0)];
        let of_level = moments.pop();
        let of_level = of_level.as_ref().unwrap_or(&no_series);
        // SAFETY: bricks, moments and series are those of this level and of the one above, tables
        // those of one order, and there is room for a series and a bound of each brick.
        unsafe {
            let args = (
                level.targets.bricks.view(),
                level.sources.numbers.view(),
                of_level.view(),
                tables.far.view(),
                tables.derivatives.view(),
                errors.view(),
                coarse.map_or(&no_numbers, |it| &it.targets.numbers).view(),
                above.as_ref().map_or(&no_series, |it| &it.series).view(),
                above.as_ref().map_or(&no_bounds, |it| &it.bounds).view(),
                tables.shifts_down.view(),
                tables.products.view(),
                shape,
                made.series.view_mut(),
                made.bounds.view_mut(),
            );
            stream
                .launch::<compute_local_expansions>(blocks(nodes, tables.gathered.tasks), args)?;
        }
        above = Some(made);
    }
    match above {
        Some(finest) => Ok(finest),
        None => unreachable!("there is a finest level"),
    }
}
