//! The cells that a straight segment goes through, exactly, and the way along edges that it can be
//! pushed to.

use super::cells::Cell;
use nalgebra::Point3;

/// Where places are taken to: multiples of a power of two of a voxel, so that all comparisons are
/// those of integers.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// The number of steps to a voxel is 2 to this power.
    bits: u32,
    /// Crossings of planes that are no farther apart than this, in voxels, count as one.
    tolerance: f64,
    /// Subtracted from positions, in voxels.
    first: [i64; 3],
}

/// A part of a segment that lies in one cell, its ends apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The cell.
    pub cell: Cell,
    /// The cell that the part begins in: a side of `cell`, or `cell` itself.
    pub from: Cell,
    /// The cell that it ends in.
    pub to: Cell,
    /// Where in the segment it begins, from 0 to 1.
    pub begins: f64,
    /// And ends.
    pub ends: f64,
}

/// A plane that a segment crosses, as a fraction of the segment.
#[derive(Clone, Copy)]
struct Crossing {
    axis: usize,
    plane: i64,
    over: u128,
    under: u128,
}

impl Crossing {
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        (self.over * other.under).cmp(&(other.over * self.under))
    }

    fn part(&self) -> f64 {
        self.over as f64 / self.under as f64
    }
}

impl Steps {
    /// With the finest steps that fit. With a tolerance of 0 only the last bits of a position are
    /// lost, below 2^-48 of a voxel.
    ///
    /// `first` is where the box of the object begins, and `dims` its voxels.
    pub fn new(first: [i64; 3], dims: [usize; 3], tolerance: f64) -> Self {
        let most = dims.iter().max().copied().unwrap_or(1).max(1);
        let finest = 60 + most.leading_zeros() - usize::BITS;
        let bits = if tolerance > 0.0 {
            finest.min(tolerance.log2().abs() as u32)
        } else {
            finest
        };
        Self {
            bits: bits.min(50),
            tolerance,
            first,
        }
    }

    fn unit(&self) -> i64 {
        1 << self.bits
    }

    /// A position in voxels of the volume, in steps from the corner of the box' first voxel. Far
    /// away it is at the end of what can be told.
    fn place(&self, point: Point3<f64>) -> [i64; 3] {
        let unit = self.unit() as f64;
        [0, 1, 2].map(|k| {
            let from = (point[k] - self.first[k] as f64) * unit;
            let most = (1i64 << 61) as f64;
            from.round().clamp(-most, most) as i64 + self.unit() / 2
        })
    }

    /// The smallest cell that a position is in.
    pub fn carrier(&self, point: Point3<f64>) -> Cell {
        self.cell_of(self.place(point))
    }

    fn cell_of(&self, place: [i64; 3]) -> Cell {
        let corner = place.map(|c| c.div_euclid(self.unit()));
        let axes = (0..3).filter(|&k| place[k].rem_euclid(self.unit()) != 0);
        Cell {
            axes: axes.fold(0, |axes, k| axes | 1 << k),
            corner,
        }
    }

    /// The parts of a segment, in order.
    pub fn parts(&self, from: Point3<f64>, to: Point3<f64>) -> Vec<Part> {
        let [a, b] = [from, to].map(|point| self.place(point));
        let ends = [a, b].map(|place| self.cell_of(place));
        if a == b {
            return vec![Part {
                cell: ends[0],
                from: ends[0],
                to: ends[0],
                begins: 0.0,
                ends: 1.0,
            }];
        }
        let unit = self.unit();
        let mut crossings = Vec::new();
        let mut cell = ends[0];
        for axis in 0..3 {
            let (low, high) = (a[axis].min(b[axis]), a[axis].max(b[axis]));
            if low == high {
                continue;
            }
            cell.axes |= 1 << axis;
            // it leaves a plane to the lower side
            if a[axis] > b[axis] && a[axis].rem_euclid(unit) == 0 {
                cell.corner[axis] -= 1;
            }
            let first = low.div_euclid(unit) + 1;
            let last = (high - 1).div_euclid(unit);
            crossings.extend((first..=last).map(|plane| Crossing {
                axis,
                plane,
                over: u128::from((plane * unit).abs_diff(a[axis])),
                under: u128::from(high.abs_diff(low)),
            }));
        }
        crossings.sort_by(Crossing::compare);
        let length = (to - from).norm();
        let mut parts = Vec::new();
        let (mut before, mut begins) = (ends[0], 0.0);
        let mut left = &crossings[..];
        while let Some(crossing) = left.first() {
            let same = |next: &Crossing| {
                crossing.compare(next).is_eq()
                    || (next.part() - crossing.part()) * length <= self.tolerance
            };
            let count = left.iter().take_while(|next| same(next)).count();
            let (now, later) = left.split_at(count);
            left = later;
            let mut between = cell;
            let mut after = cell;
            for crossing in now {
                let axis = crossing.axis;
                between.axes &= !(1 << axis);
                between.corner[axis] = crossing.plane;
                let is_up = b[axis] > a[axis];
                after.corner[axis] = crossing.plane - i64::from(!is_up);
            }
            let ends = crossing.part();
            parts.push(Part {
                cell,
                from: before,
                to: between,
                begins,
                ends,
            });
            (before, begins, cell) = (between, ends, after);
        }
        parts.push(Part {
            cell,
            from: before,
            to: ends[1],
            begins,
            ends: 1.0,
        });
        parts
    }
}

impl Part {
    /// The edges of the cell from the first corner of `from` to that of `to`.
    pub fn pushed(&self) -> impl Iterator<Item = Cell> {
        let (mut at, to) = (self.from.corner, self.to.corner);
        (0..3).filter_map(move |axis| {
            let corner = at;
            at[axis] = to[axis];
            let mut edge = Cell {
                axes: 1 << axis,
                corner,
            };
            edge.corner[axis] = corner[axis].min(to[axis]);
            (corner[axis] != to[axis]).then_some(edge)
        })
    }
}
