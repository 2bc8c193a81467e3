//! Launch helpers.

use simt::{Dim3, LaunchShape, Mode};

/// Fast mode, and checked mode with two seeds.
pub const MODES: [Mode; 3] = [
    Mode::Fast,
    Mode::Checked { seed: 1 },
    Mode::Checked { seed: 99 },
];

/// Returns the configuration of `grid` blocks of `block` threads, without dynamic shared memory.
pub fn shape(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> LaunchShape {
    LaunchShape {
        grid: grid.into(),
        block: block.into(),
        dynamic_shared_bytes: 0,
    }
}

/// Returns a configuration with enough blocks of `block` threads for `items` items.
pub fn shape_for(items: usize, block: u32) -> LaunchShape {
    let blocks = u32::try_from(items).unwrap().div_ceil(block).max(1);
    shape(blocks, block)
}
