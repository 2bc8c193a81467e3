//! Rows of a list in the order of voxels, found by their y and z.

use crate::memory::ExtendOrUnwind;
/// Where the rows of a list begin.
pub struct RowIndex {
    /// For each plane the first of its rows, and one more.
    planes: Vec<u32>,
    /// For each row its y and z.
    positions: Vec<[i32; 2]>,
    /// For each row the first of its members in the list, and one more.
    starts: Vec<u32>,
}

impl RowIndex {
    /// Those of a list whose members are at some y and z, which ascend by z and then by y.
    pub fn from_positions(members: impl Iterator<Item = [i32; 2]>) -> Self {
        let mut rows = Self {
            planes: Vec::new(),
            positions: Vec::new(),
            starts: Vec::new(),
        };
        let mut count = 0;
        for position in members {
            if rows.positions.last() != Some(&position) {
                rows.begin_planes(position[1]);
                rows.positions.push_or_unwind(position);
                rows.starts.push_or_unwind(count);
            }
            count += 1;
        }
        rows.planes.push_or_unwind(rows.positions.len() as u32);
        rows.starts.push_or_unwind(count);
        rows
    }

    /// Begins the planes up to z with the next row.
    fn begin_planes(&mut self, z: i32) {
        while self.planes.len() <= z as usize {
            self.planes.push_or_unwind(self.positions.len() as u32);
        }
    }

    /// The rows of a plane.
    pub fn plane_rows(&self, z: i32) -> std::ops::Range<usize> {
        match usize::try_from(z) {
            Ok(z) if z + 1 < self.planes.len() => {
                self.planes[z] as usize..self.planes[z + 1] as usize
            }
            _ => 0..0,
        }
    }

    /// The rows of a plane from one y to another.
    pub fn between(&self, z: i32, low: i32, high: i32) -> std::ops::Range<usize> {
        let plane = self.plane_rows(z);
        let positions = &self.positions[plane.clone()];
        let position = |y: i32| match positions.first() {
            // most planes have all rows
            Some(&[first, _]) if y <= first => 0,
            Some(&[first, _])
                if positions[positions.len() - 1][0] - first == positions.len() as i32 - 1 =>
            {
                positions.len().min((y - first) as usize)
            }
            _ => positions.partition_point(|&[other, _]| other < y),
        };
        let (low, high) = (position(low), position(high.saturating_add(1)));
        plane.start + low..plane.start + high.max(low)
    }

    /// The members of a row.
    #[inline(always)]
    pub fn members(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// The y and z of a row.
    #[inline(always)]
    pub fn position(&self, row: usize) -> [i32; 2] {
        self.positions[row]
    }

    /// Planes.
    pub fn plane_count(&self) -> i32 {
        self.planes.len() as i32 - 1
    }
}

/// How many voxels of a row are before x.
pub fn count_below(row: &[[i32; 3]], x: i32) -> usize {
    match (row.first(), row.last()) {
        (Some(first), Some(last)) => {
            if x <= first[0] {
                0
            } else if x > last[0] {
                row.len()
            } else if last[0] - first[0] == row.len() as i32 - 1 {
                (x - first[0]) as usize
            } else {
                row.partition_point(|voxel| voxel[0] < x)
            }
        }
        _ => 0,
    }
}

/// The greatest whole number that is not above a coordinate.
#[inline(always)]
pub fn floor(at: f64) -> i32 {
    let whole = at as i32;
    whole.saturating_sub(i32::from(f64::from(whole) > at))
}

/// The least whole number that is not below a coordinate.
#[inline(always)]
pub fn ceil(at: f64) -> i32 {
    let whole = at as i32;
    whole.saturating_add(i32::from(f64::from(whole) < at))
}
