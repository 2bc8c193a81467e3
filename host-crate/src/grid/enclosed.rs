//! Regions enclosed by voxels.

use super::{DeviceMask, GridError};
use crate::device::{Buffer, Launch, Stream, items_launch};
use cuda_std::Kernel;
use ferrovox_kernels::{
    distance::enclosed::{keep_enclosed, seed_outside, spread_outside},
    grid::{X, Y, Z},
    rows::Items,
};

/// Number of passes before the first convergence test. The interval doubles after each test.
const FIRST_PASSES: usize = 4;
/// Maximum number of passes between two convergence tests.
pub(super) const MAX_PASSES: usize = 64;

impl DeviceMask {
    /// Returns the enclosed voxels: those from which every path of face neighbours to the border of
    /// the grid contains a voxel of the mask. Voxels of the mask are not enclosed.
    ///
    /// The border consists of the first and last planes across each axis with more than one voxel,
    /// so that a curve encloses its interior in a volume of one plane.
    ///
    /// Each pass is linear in the number of words; the number of passes is the maximum number of
    /// turns of a shortest path from the border to an outside voxel. Memory: 0.25 bytes per voxel,
    /// half of which remain in the result. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn enclosed_by(stream: &Stream, sites: &DeviceMask) -> Result<Self, GridError> {
        stream.prepare(&[
            seed_outside::entry(),
            spread_outside::entry(),
            keep_enclosed::entry(),
        ])?;
        let bits = sites.layout();
        let mut free = stream.alloc::<u32>(sites.bits.len())?;
        let mut outside = stream.alloc::<u32>(sites.bits.len())?;
        let (launch, items) = items_launch(stream, bits.words());
        // SAFETY: all three have the words of the grid, which the items count.
        unsafe {
            let (free, outside) = (free.view_mut(), outside.view_mut());
            let args = (sites.bits.view(), bits, items, free, outside);
            stream.launch::<seed_outside>(launch, args)?;
        }
        let mut passes = FIRST_PASSES;
        while spread(stream, sites, &free, &mut outside, passes)? {
            passes = (2 * passes).min(MAX_PASSES);
        }
        // SAFETY: as above.
        unsafe {
            stream.launch::<keep_enclosed>(launch, (free.view(), items, outside.view_mut()))?;
        }
        Ok(Self {
            bits: outside,
            grid: sites.grid,
            geometry: sites.geometry,
        })
    }
}

/// Propagates the outside region in `passes` passes; returns `true` if the last pass changed it.
fn spread(
    stream: &Stream,
    sites: &DeviceMask,
    free: &Buffer<u32>,
    outside: &mut Buffer<u32>,
    passes: usize,
) -> Result<bool, GridError> {
    let bits = sites.layout();
    let mut changed = stream.zeros::<u32>(passes)?;
    for pass in 0..passes as u32 {
        let axes = [
            (X, u64::from(bits.grid.ny) * u64::from(bits.grid.nz)),
            (Y, u64::from(bits.per_row) * u64::from(bits.grid.nz)),
            (Z, bits.per_plane()),
        ];
        for (axis, lines) in axes {
            let (launch, items) = over_lines(lines);
            let (changed, outside) = (changed.view_mut(), outside.view_mut());
            // SAFETY: both have the words of the grid, the items count the lines, and there is an
            // element for each pass.
            unsafe {
                let args = (free.view(), bits, axis, items, pass, changed, outside);
                stream.launch::<spread_outside>(launch, args)?;
            }
        }
    }
    Ok(stream.download(&changed)?.last() == Some(&1))
}

/// Returns a launch over scanlines, each of which occupies one thread for long. Small blocks keep
/// all multiprocessors busy.
fn over_lines(lines: u64) -> (Launch, Items) {
    let items = Items {
        count: lines,
        chunk: 64,
    };
    let launch = Launch::pieces(items.chunks()).block_divides(64);
    (launch, items)
}
