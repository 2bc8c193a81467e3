//! The kernels on the CPU, in fast and in checked mode.

mod checked_mode;
mod control_flow;
mod half_floats;
mod launches;
mod machine;
mod matrices;
mod memory;
mod named_barriers;
mod printing;
mod vectors;

use simt::{LaunchShape, Mode};

const MODES: [Mode; 2] = [Mode::Fast, Mode::Checked { seed: 7 }];

fn shape(grid: u32, block: u32) -> LaunchShape {
    LaunchShape {
        grid: grid.into(),
        block: block.into(),
        dynamic_shared_bytes: 0,
    }
}
