//! Which voxels a segment crosses, exactly.
//!
//! Places are whole numbers of parts of a voxel, so where a segment crosses planes between voxels
//! is a fraction, and fractions are compared as they are.

use crate::{memory::ExtendOrUnwind, skeleton::medial::voxels::object::Object};

/// Parts of a voxel.
pub const PARTS: i64 = 4096;

/// A place in a component's frame, in parts of a voxel. The centre of voxel k is at k · [`PARTS`].
pub type Place = [i64; 3];

/// The place of a voxel's centre.
pub fn centre(voxel: [i32; 3]) -> Place {
    voxel.map(|at| i64::from(at) * PARTS)
}

/// The place nearest to some coordinates in voxels.
pub fn nearest(at: [f64; 3]) -> Place {
    at.map(|at| (at * PARTS as f64).round() as i64)
}

/// A place in voxels.
pub fn in_voxels(place: Place) -> [f64; 3] {
    place.map(|at| at as f64 / PARTS as f64)
}

/// The cells along one axis that a coordinate is in: two on the plane between them.
fn cells(at: i64) -> [i64; 2] {
    let at = at + PARTS / 2;
    let cell = at.div_euclid(PARTS);
    if at.rem_euclid(PARTS) == 0 {
        [cell - 1, cell]
    } else {
        [cell, cell]
    }
}

/// The first of the component's voxels whose closed cube has a place.
pub fn voxel_at(object: &Object, place: Place) -> Option<usize> {
    any_of(object, place.map(cells), None)
}

/// A voxel of the component among those with one of two coordinates along each axis: the one from
/// before if it is among them, or the first.
fn any_of(object: &Object, cells: [[i64; 2]; 3], before: Option<usize>) -> Option<usize> {
    if let Some(voxel) = before {
        let at = object.place(voxel).map(i64::from);
        if (0..3).all(|axis| cells[axis].contains(&at[axis])) {
            return Some(voxel);
        }
    }
    let choices = |axis: usize| {
        let [low, high] = cells[axis];
        std::iter::once(low).chain((high != low).then_some(high))
    };
    for z in choices(2) {
        for y in choices(1) {
            for x in choices(0) {
                if let Some(found) = object.find([x as i32, y as i32, z as i32]) {
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
    whole: i64,
}

impl Axis {
    fn new(from: i64, to: i64) -> Self {
        let whole = (to - from).abs();
        let [low, high] = cells(from);
        let (cell, step) = match to - from {
            0 => {
                return Self {
                    cells: [low, high],
                    step: 0,
                    next: 0,
                    whole,
                };
            }
            way if way > 0 => (high, 1),
            _ => (low, -1),
        };
        // the plane that the first cell ends at
        let plane = cell * PARTS + if step > 0 { PARTS / 2 } else { -PARTS / 2 };
        Self {
            cells: [cell, cell],
            step,
            next: (plane - from).abs(),
            whole,
        }
    }

    /// Whether a plane is crossed before the end.
    fn goes_on(&self) -> bool {
        self.step != 0 && self.next < self.whole
    }

    /// Whether its next plane comes before another's, or with it.
    fn is_before(&self, other: &Self) -> bool {
        i128::from(self.next) * i128::from(other.whole)
            <= i128::from(other.next) * i128::from(self.whole)
    }
}

/// Adds the voxels of the component that a segment leads through to `way`; each touches the one
/// before. False if a part of the segment is in no closed cube of the component: then some are
/// missing.
pub fn cross(object: &Object, from: Place, to: Place, way: &mut Vec<u32>) -> bool {
    let mut axes = [0, 1, 2].map(|axis| Axis::new(from[axis], to[axis]));
    loop {
        let cells = [0, 1, 2].map(|axis| axes[axis].cells);
        let last = way.last().map(|&voxel| voxel as usize);
        let Some(voxel) = any_of(object, cells, last) else {
            return false;
        };
        if last != Some(voxel) {
            way.push_or_unwind(voxel as u32);
        }
        // all axes whose next plane is crossed first
        let mut first: Option<usize> = None;
        for axis in 0..3 {
            if axes[axis].goes_on() && first.is_none_or(|other| axes[axis].is_before(&axes[other]))
            {
                first = Some(axis);
            }
        }
        let Some(first) = first else {
            return true;
        };
        let crosses =
            [0, 1, 2].map(|axis| axes[axis].goes_on() && axes[axis].is_before(&axes[first]));
        for (axis, crosses) in axes.iter_mut().zip(crosses) {
            if crosses {
                axis.cells = axis.cells.map(|cell| cell + axis.step);
                axis.next += PARTS;
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
            progress::Steps,
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
        Object::new(&runs, &Frame::plain(&runs), &Steps::none()).unwrap()
    }

    #[test]
    fn closed_cubes_meet_at_corners() {
        let two = object(&[[0, 0, 0], [1, 1, 1]]);
        let (a, b) = (centre([0; 3]), centre([1; 3]));
        let mut way = Vec::new();
        assert!(cross(&two, a, b, &mut way));
        assert_eq!(way, [0, 1]);
        // beside the corner there is nothing
        let beside = [b[0], b[1] + 1, b[2]];
        assert!(!cross(&two, a, beside, &mut Vec::new()));
    }

    #[test]
    fn planes_between_voxels_belong_to_both() {
        let one = object(&[[0, 0, 0]]);
        let half = PARTS / 2;
        // along an edge of the cube, and along an edge a part of a voxel beside it
        assert!(cross(
            &one,
            [half, half, -half],
            [half, half, half],
            &mut Vec::new()
        ));
        assert!(!cross(
            &one,
            [half + 1, 0, 0],
            [half + 1, 0, 1],
            &mut Vec::new()
        ));
        assert!(!cross(&one, [0, 0, 0], [half + 1, 0, 0], &mut Vec::new()));
        assert!(cross(&one, [0, 0, 0], [half, 0, 0], &mut Vec::new()));
        assert_eq!(voxel_at(&one, [half, -half, 0]), Some(0));
        assert_eq!(voxel_at(&one, [half, -half - 1, 0]), None);
        let _ = Metric::of;
    }
}
