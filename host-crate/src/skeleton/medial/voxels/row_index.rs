//! Index of the rows of a sorted list of voxels or words by y and z.

use crate::memory::ExtendOrUnwind;
/// Positions and ranges of the rows of a sorted list.
pub struct RowIndex {
    /// Index of the first row of each plane, followed by the number of rows.
    planes: Vec<u32>,
    /// The y and z of each row.
    positions: Vec<[i32; 2]>,
    /// Index of the first member of each row, followed by the number of members.
    starts: Vec<u32>,
}

impl RowIndex {
    /// Builds the index from the y and z of all members, sorted by z and then by y.
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

    /// Starts the planes up to z with the next row.
    fn begin_planes(&mut self, z: i32) {
        while self.planes.len() <= z as usize {
            self.planes.push_or_unwind(self.positions.len() as u32);
        }
    }

    /// Returns the rows of a plane.
    pub fn plane_rows(&self, z: i32) -> std::ops::Range<usize> {
        match usize::try_from(z) {
            Ok(z) if z + 1 < self.planes.len() => {
                self.planes[z] as usize..self.planes[z + 1] as usize
            }
            _ => 0..0,
        }
    }

    /// Returns the rows of a plane whose y is from `low` to `high`.
    pub fn between(&self, z: i32, low: i32, high: i32) -> std::ops::Range<usize> {
        let plane = self.plane_rows(z);
        let positions = &self.positions[plane.clone()];
        let position = |y: i32| match positions.first() {
            // most planes have no missing rows
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

    /// Returns the members of a row.
    #[inline(always)]
    pub fn members(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns the y and z of a row.
    #[inline(always)]
    pub fn position(&self, row: usize) -> [i32; 2] {
        self.positions[row]
    }

    /// Returns the number of planes.
    pub fn plane_count(&self) -> i32 {
        self.planes.len() as i32 - 1
    }
}

/// Returns the number of voxels of a row whose x is below `x`.
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

/// Rounds a coordinate down.
#[inline(always)]
pub fn floor(at: f64) -> i32 {
    let truncated = at as i32;
    truncated.saturating_sub(i32::from(f64::from(truncated) > at))
}

/// Rounds a coordinate up.
#[inline(always)]
pub fn ceil(at: f64) -> i32 {
    let truncated = at as i32;
    truncated.saturating_add(i32::from(f64::from(truncated) < at))
}
