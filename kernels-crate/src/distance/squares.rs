//! Squared distances as they are stored.

use super::separable::{Cost, Layout};
use crate::{rows::Rows, sample::Count};
use cuda_std::{KernelType, View, ViewMut, kernel};

/// Stores squared distances in fewer bits: costs as they are, and `far` where a cost is `none`.
/// What does not fit is told by `largest[0]`, which becomes the largest of them, and is not changed
/// if all fit.
///
/// A thread takes single voxels, neighbouring threads neighbouring ones: it reads a cost and writes
/// a square. Threads whose squares do not fit add to one element; nothing is shared in the block.
///
/// # Safety
/// `rows` are those of the costs, `squares` have an element for each where the layout says, from a
/// row to the next and from a plane to the next; `largest` has one.
#[kernel(C = [u32, u64], S = [u16, u32])]
pub unsafe fn narrow_squares<C: Cost + Count + KernelType, S: Count>(
    costs: View<C>,
    rows: Rows,
    none: C,
    far: u64,
    to: Layout,
    squares: ViewMut<S>,
    largest: ViewMut<u64>,
) {
    let most = u64::MAX >> (64 - 8 * size_of::<S>());
    let mut beyond = 0;
    rows.for_each_run(|run| {
        let row = run.z as u64 * rows.ny as u64 + run.y as u64;
        let from = row * rows.nx as u64;
        let to = run.y as u64 * to.along + run.z as u64 * to.batch;
        let mut x = run.start as u64;
        while x < run.end as u64 {
            let cost = costs.read((from + x) as usize);
            let square = if cost < none { cost.widen() } else { far };
            if square > most && square > beyond {
                beyond = square;
            }
            squares.write((to + x) as usize, S::narrow(square));
            x += 1;
        }
    });
    if beyond > 0 {
        largest.atomic_max(0, beyond);
    }
}
