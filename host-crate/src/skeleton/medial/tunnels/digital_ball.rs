//! Digital balls, as structuring elements and as lists of offsets by distance.

use crate::memory::ExtendOrUnwind;

/// Row of a structuring element along x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementRow {
    /// Offset of the row along y.
    pub dy: i32,
    /// Offset of the row along z.
    pub dz: i32,
    /// First offset along x.
    pub start: i32,
    /// Number of voxels.
    pub count: u32,
}

/// Structuring element: the voxels whose centres lie within half the diameter of the centre of a
/// ball, which is a voxel centre for odd diameters and a voxel corner for even ones.
#[derive(Clone, Debug)]
pub struct DigitalBall {
    diameter: u32,
    rows: Vec<ElementRow>,
}

impl DigitalBall {
    /// Creates a ball of `diameter` voxels; its offsets are not negative.
    pub fn new(diameter: u32) -> Self {
        let last = diameter as i32 - 1;
        // twice the distance from the centre
        let square = |at: i32| (2 * at - last).pow(2);
        let mut rows = Vec::new();
        for dz in 0..=last {
            for dy in 0..=last {
                let is_inside =
                    |&dx: &i32| square(dx) + square(dy) + square(dz) <= (last + 1).pow(2);
                if let Some(start) = (0..=last).find(is_inside) {
                    rows.push_or_unwind(ElementRow {
                        dy,
                        dz,
                        start,
                        count: (last + 1 - 2 * start) as u32,
                    });
                }
            }
        }
        Self { diameter, rows }
    }

    /// Returns the voxels nearest to the centre: one for odd diameters, eight for even ones. The
    /// whole ball passes wherever its core passes.
    pub fn core(&self) -> Self {
        let first = (self.diameter as i32 - 1) / 2;
        let size = 2 - self.diameter as i32 % 2;
        let row = |at: i32| ElementRow {
            dy: first + at % size,
            dz: first + at / size,
            start: first,
            count: size as u32,
        };
        Self {
            diameter: size as u32,
            rows: (0..size * size).map(row).collect(),
        }
    }

    /// Creates the 27 voxels around the origin.
    pub fn cube() -> Self {
        let row = |at: i32| ElementRow {
            dy: at % 3 - 1,
            dz: at / 3 - 1,
            start: -1,
            count: 3,
        };
        Self {
            diameter: 3,
            rows: (0..9).map(row).collect(),
        }
    }

    /// Returns the ball with negated offsets.
    pub fn reflected(&self) -> Self {
        let reflect = |row: &ElementRow| ElementRow {
            dy: -row.dy,
            dz: -row.dz,
            start: -(row.start + row.count as i32 - 1),
            count: row.count,
        };
        Self {
            diameter: self.diameter,
            rows: self.rows.iter().map(reflect).collect(),
        }
    }

    /// Returns the diameter, in voxels.
    pub fn diameter(&self) -> u32 {
        self.diameter
    }

    /// Returns the rows along x.
    pub fn rows(&self) -> &[ElementRow] {
        &self.rows
    }

    /// Returns the offsets from a voxel at which the core of this ball does not fit to all voxels
    /// that can be the nearest one of the object, each with its squared length, shortest first.
    pub fn offsets_by_length(&self) -> Vec<(u32, [i32; 3])> {
        let radius = self.diameter as i32 / 2 + 1;
        let mut offsets = Vec::new();
        for dz in -radius..=radius {
            for dy in -radius..=radius {
                for dx in -radius..=radius {
                    let square = dx * dx + dy * dy + dz * dz;
                    offsets.push_or_unwind((square as u32, [dx, dy, dz]));
                }
            }
        }
        offsets.sort_unstable();
        offsets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_have_the_voxels_within_their_radius() {
        let count = |diameter| {
            let rows = DigitalBall::new(diameter).rows;
            rows.iter().map(|row| row.count).sum::<u32>()
        };
        assert_eq!([1, 2, 3, 4].map(count), [1, 8, 19, 32]);
        let ball = DigitalBall::new(3);
        let reflected = ball.reflected();
        assert_eq!(
            reflected.rows[0],
            ElementRow {
                dy: 0,
                dz: 0,
                start: -1,
                count: 1
            }
        );
        assert_eq!(
            ball.rows[0],
            ElementRow {
                dy: 0,
                dz: 0,
                start: 1,
                count: 1
            }
        );
    }
}
