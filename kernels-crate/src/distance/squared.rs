//! Storage of squared distances as integers.

use super::separable::{Cost, Layout};
use crate::{rows::Rows, sample::Count};
use cuda_std::{KernelType, View, ViewMut, kernel};

/// Converts squared distances to narrower integers; costs of `no_site` or more are replaced by
/// `background`. If any value does not fit, `overflow_max[0]` is raised to the largest such value;
/// otherwise it is unchanged.
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbouring voxels. **Global
/// memory:** reads one cost and writes one value per voxel; threads with values that do not fit
/// perform one atomic maximum. Shared memory is not used.
///
/// # Safety
/// `rows` are the rows of the costs; `squared` has one element per cost, at the row and plane
/// strides of the layout `to`; `overflow_max` holds one element.
#[kernel(C = [u32, u64], S = [u16, u32])]
pub unsafe fn narrow_squared_distances<C: Cost + Count + KernelType, S: Count>(
    costs: View<C>,
    rows: Rows,
    no_site: C,
    background: u64,
    to: Layout,
    squared: ViewMut<S>,
    overflow_max: ViewMut<u64>,
) {
    let max_value = u64::MAX >> (64 - 8 * size_of::<S>());
    let mut overflow = 0;
    rows.for_each_run(|run| {
        let row = run.z as u64 * rows.ny as u64 + run.y as u64;
        let from = row * rows.nx as u64;
        let to = run.y as u64 * to.along + run.z as u64 * to.batch;
        let mut x = run.start as u64;
        while x < run.end as u64 {
            let cost = costs.read((from + x) as usize);
            let value = if cost < no_site {
                cost.widen()
            } else {
                background
            };
            if value > max_value && value > overflow {
                overflow = value;
            }
            squared.write((to + x) as usize, S::narrow(value));
            x += 1;
        }
    });
    if overflow > 0 {
        overflow_max.atomic_max(0, overflow);
    }
}
