//! The Euler number of a solid.

use super::SkeletonError;
use crate::{
    device::{Launch, Stream},
    grid::DeviceMask,
};
use ferrovox_kernels::{
    rows::Items,
    skeleton::euler::{add_euler_number, lattice_line_words},
};

/// The Euler number of the voxels of a mask, taken as closed unit cubes: pieces that touch at a
/// corner are connected. It is the number of pieces, less that of tunnels, and that of cavities: 1
/// for a ball, 0 for a torus, 2 for a shell.
///
/// One pass over the words of the mask. Synchronises the stream.
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
    // blocks add to one sum: a few for each multiprocessor are enough
    let blocks = 4 * u64::from(stream.device().limits().multiprocessors);
    let piece = count.div_ceil(blocks).max(1 << 12);
    let items = Items {
        count,
        chunk: u32::try_from(piece).unwrap_or(u32::MAX),
    };
    // SAFETY: the solid has the words of its grid, the items count the words of lines, and there is
    // one sum.
    unsafe {
        let args = (solid.bits.view(), bits, items, sum.view_mut());
        stream.launch::<add_euler_number>(Launch::pieces(items.chunks()), args)?;
    }
    Ok(stream.download(&sum)?[0] as i64)
}
