//! Which bricks are near to one another.

use crate::memory::{Listed, Put};
/// An offset between bricks.
pub(super) type Offset = [i32; 3];

/// What is added to each coordinate of a stored offset.
const ZERO: i32 = 16;

/// Offsets of bricks that are near: in a ball of this squared radius, in bricks; and those that are far, though the bricks of which they are parts are near.
pub(super) struct Offsets {
    /// The near ones, as kernels take them.
    pub near: Vec<u32>,
    /// The far ones for each octant of a brick's place in the one above, one octant after the other: each with its number among `tables`.
    pub far: Vec<u32>,
    /// Where those of an octant begin, and where the last ones end.
    pub starts: [u32; 9],
    /// All that are far for some octant, each once.
    pub tables: Vec<Offset>,
}

fn squared(of: Offset) -> u32 {
    of.iter().map(|a| a.unsigned_abs().pow(2)).sum()
}

/// All within so many bricks along each axis: x fastest.
fn cube(reach: i32) -> impl Iterator<Item = Offset> {
    let along = move || -reach..=reach;
    along().flat_map(move |z| along().flat_map(move |y| along().map(move |x| [x, y, z])))
}

fn pack(offset: Offset, number: usize) -> u32 {
    let [x, y, z] = offset.map(|a| (a + ZERO) as u32);
    x | y << 5 | z << 10 | (number as u32) << 15
}

impl Offsets {
    /// Those of a squared radius, of at most [`MAX_NEAR`](crate::skeleton::tree_params::MAX_NEAR).
    pub fn of(near: u32) -> Self {
        let reach = near.isqrt() as i32;
        // of two bricks whose wholes are `d` apart the offset is at most 2 d + 1
        let around = 2 * reach + 1;
        let is_far = |octant: i32, offset: Offset| {
            let whole = [0, 1, 2].map(|axis| ((octant >> axis & 1) + offset[axis]).div_euclid(2));
            squared(offset) > near && squared(whole) <= near
        };
        let in_any = |&offset: &Offset| (0..8).any(|octant| is_far(octant, offset));
        let tables: Vec<Offset> = cube(around).filter(in_any).listed();
        let mut far = Vec::new();
        let mut starts = [0; 9];
        for octant in 0..8 {
            let numbered = tables.iter().enumerate();
            let mine = numbered.filter(|(_, offset)| is_far(octant, **offset));
            far.put_all(mine.map(|(number, &offset)| pack(offset, number)));
            starts[octant as usize + 1] = far.len() as u32;
        }
        let ball = cube(reach).filter(|&offset| squared(offset) <= near);
        Self {
            near: ball.map(|offset| pack(offset, 0)).listed(),
            far,
            starts,
            tables,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::tree_params::MAX_NEAR;
    use ferrovox_kernels::skeleton::field::tree::{BRICK, MAX_SQUARED};

    /// The largest squared distance of two voxels in bricks at an offset.
    fn largest_squared(offset: Offset) -> usize {
        let along = |a: i32| (a.unsigned_abs() * BRICK + BRICK - 1) as usize;
        offset.iter().map(|&a| along(a).pow(2)).sum()
    }

    /// Whether all distances between voxels of near bricks have a weight.
    fn has_weights(near: u32) -> bool {
        let reach = near.isqrt() as i32;
        let in_ball = cube(reach).filter(|&offset| squared(offset) <= near);
        in_ball.map(largest_squared).max().unwrap_or(0) <= MAX_SQUARED
    }

    /// Two bricks are near, or far on exactly one level.
    #[test]
    fn every_pair_is_taken_once() {
        for near in [3, 8, 15, 24] {
            let offsets = Offsets::of(near);
            let far_of = |octant: usize| {
                let range = offsets.starts[octant] as usize..offsets.starts[octant + 1] as usize;
                offsets.far[range]
                    .iter()
                    .map(|packed| [0, 5, 10].map(|shift| (packed >> shift & 31) as i32 - ZERO))
            };
            let lists: Vec<std::collections::HashSet<Offset>> =
                (0..8).map(|octant| far_of(octant).collect()).collect();
            for target in [[0, 0, 0], [5, 2, 7], [12, 9, 3]] {
                for source in cube(8).map(|at| at.map(|a| a + 8)) {
                    let (mut to, mut from, mut times) = (target, source, 0);
                    let apart =
                        |to: Offset, from: Offset| [0, 1, 2].map(|axis| from[axis] - to[axis]);
                    if squared(apart(to, from)) <= near {
                        times += 1;
                    }
                    for _ in 0..6 {
                        let octant = to[0] & 1 | (to[1] & 1) << 1 | (to[2] & 1) << 2;
                        // the offset is from a brick to what acts on it
                        times += i32::from(lists[octant as usize].contains(&apart(to, from)));
                        (to, from) = (to.map(|a| a / 2), from.map(|a| a / 2));
                    }
                    assert_eq!(times, 1, "{near}: {target:?} {source:?}");
                }
            }
        }
    }

    #[test]
    fn there_are_weights_for_all_near_voxels() {
        assert!(has_weights(MAX_NEAR));
        assert!(!has_weights(MAX_NEAR + 1), "more could be offered");
    }
}
