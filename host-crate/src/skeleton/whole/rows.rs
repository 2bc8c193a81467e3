//! Rows of a list of voxels, found by their y and z.

/// Where rows of voxels begin.
pub struct Rows {
    /// For each plane the first of its rows, and one more.
    planes: Vec<u32>,
    /// For each row its y.
    ys: Vec<i32>,
    /// For each row its first voxel, and one more.
    starts: Vec<u32>,
}

impl Rows {
    pub fn of(voxels: &[[i32; 3]]) -> Self {
        let mut rows = Self {
            planes: Vec::new(),
            ys: Vec::new(),
            starts: Vec::new(),
        };
        let mut last = None;
        for (at, &[_, y, z]) in voxels.iter().enumerate() {
            if last != Some((y, z)) {
                while rows.planes.len() <= z as usize {
                    rows.planes.push(rows.ys.len() as u32);
                }
                rows.ys.push(y);
                rows.starts.push(at as u32);
                last = Some((y, z));
            }
        }
        rows.planes.push(rows.ys.len() as u32);
        rows.starts.push(voxels.len() as u32);
        rows
    }

    /// The rows of a plane.
    pub fn plane(&self, z: i32) -> std::ops::Range<usize> {
        match usize::try_from(z) {
            Ok(z) if z + 1 < self.planes.len() => {
                self.planes[z] as usize..self.planes[z + 1] as usize
            }
            _ => 0..0,
        }
    }

    /// The rows of a plane from one y to another.
    pub fn between(&self, z: i32, low: i32, high: i32) -> std::ops::Range<usize> {
        let plane = self.plane(z);
        let ys = &self.ys[plane.clone()];
        let place = |y: i32| match ys.first() {
            // most planes have all rows
            Some(&first) if y <= first => 0,
            Some(&first) if ys[ys.len() - 1] - first == ys.len() as i32 - 1 => {
                ys.len().min((y - first) as usize)
            }
            _ => ys.partition_point(|&other| other < y),
        };
        let (low, high) = (place(low), place(high.saturating_add(1)));
        plane.start + low..plane.start + high.max(low)
    }

    pub fn voxels(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ys.len()
    }

    /// The y of a row.
    pub fn y(&self, row: usize) -> i32 {
        self.ys[row]
    }

    /// Planes.
    pub fn planes(&self) -> i32 {
        self.planes.len() as i32 - 1
    }
}

/// How many voxels of a row are before x.
pub fn lower(row: &[[i32; 3]], x: i32) -> usize {
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
