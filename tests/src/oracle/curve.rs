//! Cells that a straight segment passes through, computed exactly, and the edges that it can be
//! pushed to.

use super::cells::Cell;
use nalgebra::Point3;

/// Grid to which positions are rounded: multiples of a power of two of a voxel, so that all
/// comparisons are exact integer comparisons.
#[derive(Clone, Copy, Debug)]
pub struct PositionGrid {
    /// Base-2 logarithm of the number of grid steps per voxel.
    bits: u32,
    /// Distance, in voxels, up to which crossings of planes count as one.
    tolerance: f64,
    /// Offset subtracted from positions, in voxels.
    first: [i64; 3],
}

/// Part of a segment that lies in one cell, except for its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentPart {
    /// Cell that contains the part.
    pub cell: Cell,
    /// Cell of the first point: a face of `cell`, or `cell` itself.
    pub from: Cell,
    /// Cell of the last point.
    pub to: Cell,
    /// Start of the part as a fraction of the segment.
    pub begins: f64,
    /// End of the part as a fraction of the segment.
    pub ends: f64,
}

/// Crossing of a plane, as a fraction `over / under` of the segment.
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

impl PositionGrid {
    /// Creates the finest grid that fits. With a tolerance of 0, positions are rounded by less than
    /// 2^-48 of a voxel.
    ///
    /// `first` is the first voxel of the object's bounding box, `dims` its dimensions.
    pub fn new(first: [i64; 3], dims: [usize; 3], tolerance: f64) -> Self {
        let max = dims.iter().max().copied().unwrap_or(1).max(1);
        let finest = 60 + max.leading_zeros() - usize::BITS;
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

    /// Rounds a position in voxel coordinates of the volume to grid steps from the corner of the
    /// box's first voxel, clamped to the representable range.
    fn quantize(&self, point: Point3<f64>) -> [i64; 3] {
        let unit = self.unit() as f64;
        [0, 1, 2].map(|k| {
            let from = (point[k] - self.first[k] as f64) * unit;
            let max = (1i64 << 61) as f64;
            from.round().clamp(-max, max) as i64 + self.unit() / 2
        })
    }

    /// Returns the smallest cell that contains a position.
    pub fn carrier(&self, point: Point3<f64>) -> Cell {
        self.containing_cell(self.quantize(point))
    }

    fn containing_cell(&self, position: [i64; 3]) -> Cell {
        let corner = position.map(|c| c.div_euclid(self.unit()));
        let axes = (0..3).filter(|&k| position[k].rem_euclid(self.unit()) != 0);
        Cell {
            axes: axes.fold(0, |axes, k| axes | 1 << k),
            corner,
        }
    }

    /// Returns the parts of a segment in order.
    pub fn parts(&self, from: Point3<f64>, to: Point3<f64>) -> Vec<SegmentPart> {
        let [a, b] = [from, to].map(|point| self.quantize(point));
        let ends = [a, b].map(|position| self.containing_cell(position));
        if a == b {
            return vec![SegmentPart {
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
            // the segment leaves the plane towards its lower side
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
        let mut remaining = &crossings[..];
        while let Some(crossing) = remaining.first() {
            let same = |next: &Crossing| {
                crossing.compare(next).is_eq()
                    || (next.part() - crossing.part()) * length <= self.tolerance
            };
            let count = remaining.iter().take_while(|next| same(next)).count();
            let (coincident, rest) = remaining.split_at(count);
            remaining = rest;
            let mut between = cell;
            let mut after = cell;
            for crossing in coincident {
                let axis = crossing.axis;
                between.axes &= !(1 << axis);
                between.corner[axis] = crossing.plane;
                let is_up = b[axis] > a[axis];
                after.corner[axis] = crossing.plane - i64::from(!is_up);
            }
            let ends = crossing.part();
            parts.push(SegmentPart {
                cell,
                from: before,
                to: between,
                begins,
                ends,
            });
            (before, begins, cell) = (between, ends, after);
        }
        parts.push(SegmentPart {
            cell,
            from: before,
            to: ends[1],
            begins,
            ends: 1.0,
        });
        parts
    }
}

impl SegmentPart {
    /// Returns the edges of the cell from the first corner of `from` to that of `to`.
    pub fn pushed_edges(&self) -> impl Iterator<Item = Cell> {
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
