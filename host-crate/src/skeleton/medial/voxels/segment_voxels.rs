//! Exact traversal of the voxels that a line segment intersects.
//!
//! Positions are fixed-point numbers, so the intersections with voxel faces are fractions, which
//! are compared exactly.

use crate::{memory::ExtendOrUnwind, skeleton::medial::voxels::object::Object};

/// Fixed-point units per voxel.
pub const UNITS_PER_VOXEL: i64 = 4096;

/// Position in a component's frame, in units of 1 / [`UNITS_PER_VOXEL`] voxel. The centre of voxel
/// k is at k · [`UNITS_PER_VOXEL`].
pub type FixedPoint = [i64; 3];

/// Returns the centre of a voxel.
pub fn voxel_centre(voxel: [i32; 3]) -> FixedPoint {
    voxel.map(|at| i64::from(at) * UNITS_PER_VOXEL)
}

/// Rounds a position in voxels to fixed point.
pub fn to_fixed(at: [f64; 3]) -> FixedPoint {
    at.map(|at| (at * UNITS_PER_VOXEL as f64).round() as i64)
}

/// Converts a fixed-point position to voxels.
pub fn to_voxels(position: FixedPoint) -> [f64; 3] {
    position.map(|at| at as f64 / UNITS_PER_VOXEL as f64)
}

/// Returns the cells along one axis that contain a coordinate: two different ones if it lies on the
/// plane between them.
fn cells(at: i64) -> [i64; 2] {
    let at = at + UNITS_PER_VOXEL / 2;
    let cell = at.div_euclid(UNITS_PER_VOXEL);
    if at.rem_euclid(UNITS_PER_VOXEL) == 0 {
        [cell - 1, cell]
    } else {
        [cell, cell]
    }
}

/// Returns the first voxel of the component whose closed cube contains a position.
pub fn voxel_at(object: &Object, position: FixedPoint) -> Option<usize> {
    find_voxel(object, position.map(cells), None)
}

/// Returns a voxel of the component among those at the given pairs of coordinates: the previous
/// voxel if it is among them, otherwise the first.
fn find_voxel(object: &Object, cells: [[i64; 2]; 3], before: Option<usize>) -> Option<usize> {
    if let Some(voxel) = before {
        let at = object.position(voxel).map(i64::from);
        if (0..3).all(|axis| cells[axis].contains(&at[axis])) {
            return Some(voxel);
        }
    }
    let candidates = |axis: usize| {
        let [low, high] = cells[axis];
        std::iter::once(low).chain((high != low).then_some(high))
    };
    for z in candidates(2) {
        for y in candidates(1) {
            for x in candidates(0) {
                if let Some(found) = object.voxel_at([x as i32, y as i32, z as i32]) {
                    return Some(found);
                }
            }
        }
    }
    None
}

/// Traversal state along one axis of a segment.
struct Axis {
    cells: [i64; 2],
    step: i64,
    /// Distance from the start of the segment to the next plane, out of `extent`.
    next: i64,
    extent: i64,
}

impl Axis {
    fn new(from: i64, to: i64) -> Self {
        let extent = (to - from).abs();
        let [low, high] = cells(from);
        let (cell, step) = match to - from {
            0 => {
                return Self {
                    cells: [low, high],
                    step: 0,
                    next: 0,
                    extent,
                };
            }
            difference if difference > 0 => (high, 1),
            _ => (low, -1),
        };
        // plane at the end of the first cell
        let plane = cell * UNITS_PER_VOXEL
            + if step > 0 {
                UNITS_PER_VOXEL / 2
            } else {
                -UNITS_PER_VOXEL / 2
            };
        Self {
            cells: [cell, cell],
            step,
            next: (plane - from).abs(),
            extent,
        }
    }

    /// Returns `true` if another plane is crossed before the end of the segment.
    fn continues(&self) -> bool {
        self.step != 0 && self.next < self.extent
    }

    /// Returns `true` if the next plane of this axis is crossed no later than that of another.
    fn is_before(&self, other: &Self) -> bool {
        i128::from(self.next) * i128::from(other.extent)
            <= i128::from(other.next) * i128::from(self.extent)
    }
}

/// Appends the voxels of the component along a segment to `path`; consecutive voxels touch. Returns
/// `false` if a part of the segment lies outside all closed cubes of the component, in which case
/// voxels are missing.
pub fn traverse_segment(
    object: &Object,
    from: FixedPoint,
    to: FixedPoint,
    path: &mut Vec<u32>,
) -> bool {
    let mut axes = [0, 1, 2].map(|axis| Axis::new(from[axis], to[axis]));
    loop {
        let cells = [0, 1, 2].map(|axis| axes[axis].cells);
        let last = path.last().map(|&voxel| voxel as usize);
        let Some(voxel) = find_voxel(object, cells, last) else {
            return false;
        };
        if last != Some(voxel) {
            path.push_or_unwind(voxel as u32);
        }
        // finds all axes whose next plane is crossed first
        let mut first: Option<usize> = None;
        for axis in 0..3 {
            if axes[axis].continues()
                && first.is_none_or(|other| axes[axis].is_before(&axes[other]))
            {
                first = Some(axis);
            }
        }
        let Some(first) = first else {
            return true;
        };
        let crosses =
            [0, 1, 2].map(|axis| axes[axis].continues() && axes[axis].is_before(&axes[first]));
        for (axis, crosses) in axes.iter_mut().zip(crosses) {
            if crosses {
                axis.cells = axis.cells.map(|cell| cell + axis.step);
                axis.next += UNITS_PER_VOXEL;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Metric,
        skeleton::medial::{
            progress::ComponentProgress,
            voxels::{frame::Frame, runs::Run},
        },
    };

    fn object(voxels: &[[u32; 3]]) -> Object {
        let run = |&[x, y, z]: &[u32; 3]| Run {
            start: x,
            end: x + 1,
            y,
            z,
            label: 1,
        };
        let runs: Vec<Run> = voxels.iter().map(run).collect();
        Object::new(
            &runs,
            &Frame::unpermuted(&runs),
            &ComponentProgress::disabled(),
        )
        .unwrap()
    }

    #[test]
    fn segments_pass_through_shared_corners() {
        let two = object(&[[0, 0, 0], [1, 1, 1]]);
        let (a, b) = (voxel_centre([0; 3]), voxel_centre([1; 3]));
        let mut path = Vec::new();
        assert!(traverse_segment(&two, a, b, &mut path));
        assert_eq!(path, [0, 1]);
        // no voxel next to the corner
        let near_corner = [b[0], b[1] + 1, b[2]];
        assert!(!traverse_segment(&two, a, near_corner, &mut Vec::new()));
    }

    #[test]
    fn faces_belong_to_both_adjacent_voxels() {
        let one = object(&[[0, 0, 0]]);
        let half = UNITS_PER_VOXEL / 2;
        // along an edge of the cube, and outside it by one unit
        assert!(traverse_segment(
            &one,
            [half, half, -half],
            [half, half, half],
            &mut Vec::new()
        ));
        assert!(!traverse_segment(
            &one,
            [half + 1, 0, 0],
            [half + 1, 0, 1],
            &mut Vec::new()
        ));
        assert!(!traverse_segment(
            &one,
            [0, 0, 0],
            [half + 1, 0, 0],
            &mut Vec::new()
        ));
        assert!(traverse_segment(
            &one,
            [0, 0, 0],
            [half, 0, 0],
            &mut Vec::new()
        ));
        assert_eq!(voxel_at(&one, [half, -half, 0]), Some(0));
        assert_eq!(voxel_at(&one, [half, -half - 1, 0]), None);
        let _ = Metric::rounded;
    }
}
