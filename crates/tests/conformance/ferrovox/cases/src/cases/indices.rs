//! All indices and extents.

use crate::Machine;
use crate::compare::equal;
use conformance_kernels as kernels;
use conformance_kernels::Place;
use simt::{Dim3, LaunchShape};

/// Returns a launch with extents along all three axes.
fn boxes(block: u32) -> LaunchShape {
    let block = match block {
        1 => Dim3::new(1, 1, 1),
        32 => Dim3::new(4, 2, 4),
        48 => Dim3::new(3, 16, 1),
        256 => Dim3::new(8, 8, 4),
        other => Dim3::new(other / 64, 4, 16),
    };
    LaunchShape {
        grid: Dim3::new(3, 2, 4),
        block,
        dynamic_shared_bytes: 0,
    }
}

/// Iterates over all (x, y, z) within `extent`, x fastest.
fn every(extent: Dim3) -> impl Iterator<Item = [u32; 3]> {
    (0..extent.z)
        .flat_map(move |z| (0..extent.y).flat_map(move |y| (0..extent.x).map(move |x| [x, y, z])))
}

pub fn places<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let shape = boxes(block);
    let (b, g) = (shape.block, shape.grid);
    let mut want = Vec::new();
    for block in every(g) {
        for thread in every(b) {
            let at = [
                block[0] * b.x + thread[0],
                block[1] * b.y + thread[1],
                block[2] * b.z + thread[2],
            ];
            want.push(Place {
                thread,
                block,
                block_dim: [b.x, b.y, b.z],
                grid_dim: [g.x, g.y, g.z],
                index_2d: [at[0], at[1]],
                index_3d: at,
                first: u32::from(block == [0; 3] && thread == [0; 3]),
                warp_size: 32,
            });
        }
    }
    let output = machine.upload(&vec![Place::default(); want.len()])?;
    // SAFETY: one element per thread.
    unsafe { machine.launch::<kernels::places>(shape, (output.ptr,))? };
    equal("places", &machine.download(output)?, &want)
}

pub fn ranks<M: Machine>(machine: &mut M, block: u32) -> Result<(), String> {
    let shape = boxes(block);
    let blocks = usize::try_from(shape.grid.count()).expect("few blocks");
    let threads = u32::try_from(shape.block.count()).expect("few threads");
    let output = machine.upload(&vec![0_u32; blocks])?;
    // SAFETY: one element per block.
    unsafe { machine.launch::<kernels::ranks>(shape, (output.ptr,))? };
    let want = vec![threads * (threads - 1) / 2; blocks];
    equal("sums of ranks", &machine.download(output)?, &want)
}
