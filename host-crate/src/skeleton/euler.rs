//! Euler characteristic of a solid.

use super::SkeletonError;
use crate::{
    device::{Launch, Stream},
    grid::DeviceMask,
};
use ferrovox_kernels::{
    rows::Items,
    skeleton::euler::{add_euler_number, lattice_line_words},
};

/// Computes the Euler characteristic of the voxels of a mask as closed unit cubes, which makes them
/// 26-connected: components − tunnels + cavities. It is 1 for a ball, 0 for a torus and 2 for a
/// shell.
///
/// Makes one pass over the words of the mask. Synchronises the stream.
///
/// # Errors
/// Errors of the device.
pub fn euler_number(stream: &Stream, solid: &DeviceMask) -> Result<i64, SkeletonError> {
    let bits = solid.layout();
    let mut sum = stream.zeros::<u64>(1)?;
    let count = match bits.words() {
        0 => 0,
        _ => lattice_line_words(bits),
    };
    // blocks add to one sum, so a few per multiprocessor are sufficient
    let blocks = 4 * u64::from(stream.device().limits().multiprocessors);
    let chunk = count.div_ceil(blocks).max(1 << 12);
    let items = Items {
        count,
        chunk: u32::try_from(chunk).unwrap_or(u32::MAX),
    };
    // SAFETY: the solid has the words of its grid, the items count the words of lattice lines, and
    // there is one sum.
    unsafe {
        let args = (solid.bits.view(), bits, items, sum.view_mut());
        stream.launch::<add_euler_number>(Launch::pieces(items.chunks()), args)?;
    }
    Ok(stream.download(&sum)?[0] as i64)
}
