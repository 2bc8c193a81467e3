//! Betti numbers of each component, by counting: components by floods, cavities by floods of the
//! background, tunnels by the Euler number.

use super::object::{Object, steps};
use crate::known::Betti;
use std::collections::BTreeSet;

/// The outside of the object: the first of the background's pieces.
const OUTSIDE: u32 = 1;

/// The Betti numbers of each component taken alone, as closed cubes.
///
/// The background hangs together at faces. A component has as many cavities as there are pieces of
/// the background at its faces, but one: the one around it. (Other components may be in its
/// cavities.) Tunnels are what the Euler number leaves.
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

/// Those of the whole object.
pub fn total(parts: &[Betti]) -> Betti {
    parts.iter().fold(Betti::default(), |sum, one| {
        Betti::new(
            sum.pieces + one.pieces,
            sum.tunnels + one.tunnels,
            sum.cavities + one.cavities,
        )
    })
}

/// Vertices − edges + faces − cubes of each component.
///
/// A cell is counted by the first of the object's voxels that it is a side of. They are all of one
/// component.
pub fn euler_numbers(object: &Object) -> Vec<i64> {
    let neighbours: Vec<([i64; 3], isize)> =
        steps().map(|step| (step, object.offset(step))).collect();
    // for each cell of a voxel its sign, and the neighbours before the voxel that it is a side of
    // too
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
                        let other = object.owner[(voxel as usize).wrapping_add_signed(*offset)];
                        around |= u32::from(other != 0) << bit;
                    }
                    let own = cells.iter().filter(|(_, earlier)| around & earlier == 0);
                    own.map(|(sign, _)| sign).sum::<i64>()
                })
                .sum()
        })
        .collect()
}

/// How many cavities each component has.
fn cavities(object: &Object) -> Vec<u64> {
    let faces = [1, 2, 4].map(|bits: i64| object.offset([bits & 1, bits >> 1 & 1, bits >> 2]));
    let faces: Vec<isize> = faces.into_iter().flat_map(|step| [-step, step]).collect();
    let count = object.owner.len();
    let mut piece = vec![0u32; count];
    let mut last = OUTSIDE - 1;
    let mut open = Vec::new();
    for start in 0..count {
        if object.owner[start] != 0 || piece[start] != 0 {
            continue;
        }
        last += 1;
        piece[start] = last;
        open.push(start);
        while let Some(at) = open.pop() {
            for &step in &faces {
                // the box ends in background: beyond its ends the index wraps to background too, or
                // is out of range
                let Some(other) = at.checked_add_signed(step).filter(|&other| other < count) else {
                    continue;
                };
                if object.owner[other] == 0 && piece[other] == 0 {
                    piece[other] = last;
                    open.push(other);
                }
            }
        }
    }
    (0..object.count())
        .map(|number| {
            let voxels = object.component(number).iter();
            let around = voxels.flat_map(|&voxel| {
                let others = faces
                    .iter()
                    .map(move |&step| (voxel as usize).wrapping_add_signed(step));
                others.map(|other| piece[other]).filter(|&piece| piece != 0)
            });
            around.collect::<BTreeSet<u32>>().len() as u64 - 1
        })
        .collect()
}
