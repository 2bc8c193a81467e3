//! Which voxels a segment crosses, exactly.
//!
//! Places are whole numbers of parts of a voxel, so where a segment crosses planes between voxels
//! is a fraction, and fractions are compared as they are.

use crate::{memory::ExtendOrUnwind, skeleton::medial::voxels::object::Object};

/// Parts of a voxel.
pub const UNITS_PER_VOXEL: i64 = 4096;

/// A place in a component's frame, in parts of a voxel. The centre of voxel k is at k · [`PARTS`].
pub type FixedPoint = [i64; 3];

/// The place of a voxel's centre.
pub fn voxel_centre(voxel: [i32; 3]) -> FixedPoint {
    voxel.map(|at| i64::from(at) * UNITS_PER_VOXEL)
}

/// The place nearest to some coordinates in voxels.
pub fn to_fixed(at: [f64; 3]) -> FixedPoint {
    at.map(|at| (at * UNITS_PER_VOXEL as f64).round() as i64)
}

/// A place in voxels.
pub fn to_voxels(position: FixedPoint) -> [f64; 3] {
    position.map(|at| at as f64 / UNITS_PER_VOXEL as f64)
}

/// The cells along one axis that a coordinate is in: two on the plane between them.
fn cells(at: i64) -> [i64; 2] {
    let at = at + UNITS_PER_VOXEL / 2;
    let cell = at.div_euclid(UNITS_PER_VOXEL);
    if at.rem_euclid(UNITS_PER_VOXEL) == 0 {
        [cell - 1, cell]
    } else {
        [cell, cell]
    }
}

/// The first of the component's voxels whose closed cube has a place.
pub fn voxel_at(object: &Object, position: FixedPoint) -> Option<usize> {
    find_voxel(object, position.map(cells), None)
}

/// A voxel of the component among those with one of two coordinates along each axis: the one from
/// before if it is among them, or the first.
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

/// One axis of a segment.
struct Axis {
    cells: [i64; 2],
    step: i64,
    /// The next plane that is crossed: how far it is from the beginning, of the whole.
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
        // the plane that the first cell ends at
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

    /// Whether a plane is crossed before the end.
    fn continues(&self) -> bool {
        self.step != 0 && self.next < self.extent
    }

    /// Whether its next plane comes before another's, or with it.
    fn is_before(&self, other: &Self) -> bool {
        i128::from(self.next) * i128::from(other.extent)
            <= i128::from(other.next) * i128::from(self.extent)
    }
}

/// Adds the voxels of the component that a segment leads through to `way`; each touches the one
/// before. False if a part of the segment is in no closed cube of the component: then some are
/// missing.
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
        // all axes whose next plane is crossed first
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
    fn closed_cubes_meet_at_corners() {
        let two = object(&[[0, 0, 0], [1, 1, 1]]);
        let (a, b) = (voxel_centre([0; 3]), voxel_centre([1; 3]));
        let mut path = Vec::new();
        assert!(traverse_segment(&two, a, b, &mut path));
        assert_eq!(path, [0, 1]);
        // beside the corner there is nothing
        let beside = [b[0], b[1] + 1, b[2]];
        assert!(!traverse_segment(&two, a, beside, &mut Vec::new()));
    }

    #[test]
    fn planes_between_voxels_belong_to_both() {
        let one = object(&[[0, 0, 0]]);
        let half = UNITS_PER_VOXEL / 2;
        // along an edge of the cube, and along an edge a part of a voxel beside it
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
        let _ = Metric::of;
    }
}
