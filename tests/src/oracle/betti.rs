//! Betti numbers of each component by counting: components and cavities by flood fill, tunnels from
//! the Euler characteristic.

use super::object::{Object, steps};
use crate::reference_objects::Betti;
use std::collections::BTreeSet;

/// Label of the outside, the first component of the background.
const OUTSIDE: u32 = 1;

/// Computes the Betti numbers of each component as a complex of closed cubes.
///
/// The background is 6-connected. The number of cavities of a component is the number of background
/// components at its faces minus one, the one around it; the cavities may contain other components.
/// The number of tunnels follows from the Euler characteristic.
pub fn betti_numbers(object: &Object) -> Vec<Betti> {
    let cavities = cavities(object);
    let eulers = euler_numbers(object);
    let both = eulers.iter().zip(cavities);
    both.map(|(&euler, cavities)| {
        let tunnels = 1 + cavities as i64 - euler;
        Betti::new(1, tunnels.max(0) as u64, cavities)
    })
    .collect()
}

/// Adds the Betti numbers of all components.
pub fn total(parts: &[Betti]) -> Betti {
    parts.iter().fold(Betti::default(), |sum, part| {
        Betti::new(
            sum.components + part.components,
            sum.tunnels + part.tunnels,
            sum.cavities + part.cavities,
        )
    })
}

/// Computes the Euler characteristic of each component: vertices − edges + faces − cubes.
///
/// A cell is counted by the first of the object's voxels that it belongs to; all of them are in one
/// component.
pub fn euler_numbers(object: &Object) -> Vec<i64> {
    let neighbours: Vec<([i64; 3], isize)> =
        steps().map(|step| (step, object.offset(step))).collect();
    // for each cell of a voxel: its sign, and the preceding neighbours that share it
    let cells: Vec<(i64, u32)> = (0..27)
        .map(|n| [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1])
        .map(|side: [i64; 3]| {
            let dimension = side.iter().filter(|&&s| s == 0).count();
            let sign = if dimension % 2 == 0 { 1 } else { -1 };
            let mut earlier = 0;
            for (bit, (step, offset)) in neighbours.iter().enumerate() {
                let shares = (0..3).all(|k| step[k] == 0 || step[k] == side[k]);
                if shares && *offset < 0 {
                    earlier |= 1 << bit;
                }
            }
            (sign, earlier)
        })
        .collect();
    (0..object.count())
        .map(|number| {
            let voxels = object.component(number).iter();
            voxels
                .map(|&voxel| {
                    let mut around = 0u32;
                    for (bit, (_, offset)) in neighbours.iter().enumerate() {
                        let neighbour = object.owner[(voxel as usize).wrapping_add_signed(*offset)];
                        around |= u32::from(neighbour != 0) << bit;
                    }
                    let cells_of_voxel = cells.iter().filter(|(_, earlier)| around & earlier == 0);
                    cells_of_voxel.map(|(sign, _)| sign).sum::<i64>()
                })
                .sum()
        })
        .collect()
}

/// Counts the cavities of each component.
fn cavities(object: &Object) -> Vec<u64> {
    let faces = [1, 2, 4].map(|bits: i64| object.offset([bits & 1, bits >> 1 & 1, bits >> 2]));
    let faces: Vec<isize> = faces.into_iter().flat_map(|step| [-step, step]).collect();
    let count = object.owner.len();
    let mut background_label = vec![0u32; count];
    let mut last = OUTSIDE - 1;
    let mut open = Vec::new();
    for start in 0..count {
        if object.owner[start] != 0 || background_label[start] != 0 {
            continue;
        }
        last += 1;
        background_label[start] = last;
        open.push(start);
        while let Some(at) = open.pop() {
            for &step in &faces {
                // the box has a background border: beyond its ends the index wraps to background or
                // is out of range
                let Some(neighbour) = at
                    .checked_add_signed(step)
                    .filter(|&neighbour| neighbour < count)
                else {
                    continue;
                };
                if object.owner[neighbour] == 0 && background_label[neighbour] == 0 {
                    background_label[neighbour] = last;
                    open.push(neighbour);
                }
            }
        }
    }
    (0..object.count())
        .map(|number| {
            let voxels = object.component(number).iter();
            let around = voxels.flat_map(|&voxel| {
                let neighbours = faces
                    .iter()
                    .map(move |&step| (voxel as usize).wrapping_add_signed(step));
                neighbours
                    .map(|neighbour| background_label[neighbour])
                    .filter(|&background_label| background_label != 0)
            });
            around.collect::<BTreeSet<u32>>().len() as u64 - 1
        })
        .collect()
}
