//! The voxels of a component as a list, with their neighbours.

use super::{
    frame::Frame,
    neighbours::{BELOW, CENTRE, bit_of, bits},
    rows::{Rows, lower},
    scan::Run,
    steps::{Stage, Steps},
};
use crate::monitor::Cancelled;

/// The voxels of a component in the order of its frame: x fastest, then y, then z.
pub struct Object {
    pub voxels: Vec<[i32; 3]>,
    /// For each voxel the 27 around it that are of the component, itself among them.
    pub around: Vec<u32>,
    /// For each voxel and each row of the 27 the first of its voxels in the list.
    firsts: Vec<[u32; 9]>,
    rows: Rows,
}

impl Object {
    /// Those of some runs, which are one component.
    pub fn new(runs: &[Run], frame: &Frame, steps: &Steps<'_>) -> Result<Self, Cancelled> {
        let voxels = sorted(runs, frame);
        let rows = Rows::of(&voxels);
        let mut object = Self {
            around: vec![CENTRE; voxels.len()],
            firsts: vec![[0; 9]; voxels.len()],
            voxels,
            rows,
        };
        object.find_neighbours(steps)?;
        Ok(object)
    }

    pub fn len(&self) -> usize {
        self.voxels.len()
    }

    fn find_neighbours(&mut self, steps: &Steps<'_>) -> Result<(), Cancelled> {
        for z in 0..self.rows.planes() {
            steps.at(Stage::Voxels, z as usize, self.rows.planes() as usize)?;
            for row in self.rows.plane(z) {
                let y = self.rows.y(row);
                let here = self.rows.voxels(row);
                for way in 0..9 {
                    let other_z = z + way / 3 - 1;
                    let other_y = y + way % 3 - 1;
                    let Some(other) = self.rows.between(other_z, other_y, other_y).next() else {
                        continue;
                    };
                    let there = self.rows.voxels(other);
                    let mut next = there.start;
                    for at in here.clone() {
                        let x = self.voxels[at][0];
                        while next < there.end && self.voxels[next][0] < x - 1 {
                            next += 1;
                        }
                        self.firsts[at][way as usize] = next as u32;
                        for voxel in next..there.end.min(next + 3) {
                            let step = self.voxels[voxel][0] - x;
                            if step <= 1 {
                                self.around[at] |= 1 << (3 * way + step + 1);
                            }
                        }
                    }
                }
            }
        }
        steps.done(Stage::Voxels)
    }

    /// The neighbour of a voxel at a bit that is set in `around`.
    #[inline(always)]
    pub fn neighbour(&self, voxel: usize, bit: usize) -> usize {
        let before = (self.around[voxel] & BELOW[bit]).count_ones();
        (self.firsts[voxel][bit / 3] + before) as usize
    }

    /// Neighbours of a voxel, of those that there are.
    #[inline(always)]
    pub fn neighbours(&self, voxel: usize, mask: u32) -> impl Iterator<Item = (usize, usize)> {
        bits(mask).map(move |bit| (bit, self.neighbour(voxel, bit)))
    }

    /// The voxel at a place, if it is of the component.
    pub fn find(&self, [x, y, z]: [i32; 3]) -> Option<usize> {
        let row = self.rows.between(z, y, y).next()?;
        let range = self.rows.voxels(row);
        let at = lower(&self.voxels[range.clone()], x);
        let found = range.start + at;
        (found < range.end && self.voxels[found][0] == x).then_some(found)
    }

    /// The bit of the way from a voxel to another that touches it.
    pub fn bit_between(&self, from: usize, to: usize) -> usize {
        let [a, b] = [self.voxels[from], self.voxels[to]];
        bit_of([0, 1, 2].map(|axis| b[axis] - a[axis]))
    }

    /// How many rows of voxels there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Calls `visit` with the number, the y and the voxels of each row of a plane, from one y to another.
    pub fn rows_between(
        &self,
        z: i32,
        [low, high]: [i32; 2],
        mut visit: impl FnMut(usize, i32, std::ops::Range<usize>),
    ) {
        for row in self.rows.between(z, low, high) {
            visit(row, self.rows.y(row), self.rows.voxels(row));
        }
    }

    /// Voxels of a part of a row whose x is from one to another.
    pub fn part(&self, row: std::ops::Range<usize>, low: i32, high: i32) -> std::ops::Range<usize> {
        let voxels = &self.voxels[row.clone()];
        let start = lower(voxels, low);
        let end = lower(voxels, high.saturating_add(1)).max(start);
        row.start + start..row.start + end
    }

    /// Voxels along each axis of the box around them.
    pub fn dims(&self) -> [i32; 3] {
        let mut most = [0; 3];
        for voxel in &self.voxels {
            most = [0, 1, 2].map(|axis| most[axis].max(voxel[axis]));
        }
        most.map(|most| most + 1)
    }

    /// The bits of the box with a margin of one voxel, as those of a mask.
    pub fn padded_words(&self) -> Vec<u32> {
        let [nx, ny, nz] = self.dims().map(|along| along as usize + 2);
        let per_row = nx.div_ceil(32);
        let mut words = vec![0u32; per_row * ny * nz];
        for &[x, y, z] in &self.voxels {
            let [x, y, z] = [x, y, z].map(|along| along as usize + 1);
            words[(z * ny + y) * per_row + x / 32] |= 1 << (x % 32);
        }
        words
    }

    /// Planes.
    pub fn planes(&self) -> i32 {
        self.rows.planes()
    }
}

/// The voxels in the order of the frame.
fn sorted(runs: &[Run], frame: &Frame) -> Vec<[i32; 3]> {
    let count: u64 = runs.iter().map(Run::voxels).sum();
    let mut voxels = Vec::with_capacity(count as usize);
    for run in runs {
        for x in run.start..run.end {
            voxels.push(frame.inside([x.into(), run.y.into(), run.z.into()]));
        }
    }
    let [_, ny, nz] = frame.dims();
    let rows = (ny * nz) as u64;
    if rows > 8 * count + 1024 {
        voxels.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
        return voxels;
    }
    // voxels of one row come in ascending or in descending order of x
    let mut places = vec![0u32; rows as usize + 1];
    let row = |&[_, y, z]: &[i32; 3]| (i64::from(z) * ny + i64::from(y)) as usize;
    for voxel in &voxels {
        places[row(voxel) + 1] += 1;
    }
    for at in 1..places.len() {
        places[at] += places[at - 1];
    }
    let ends = places[1..].to_vec();
    let mut ordered = vec![[0; 3]; voxels.len()];
    for voxel in &voxels {
        let place = &mut places[row(voxel)];
        ordered[*place as usize] = *voxel;
        *place += 1;
    }
    let mut start = 0;
    for end in ends {
        let row = &mut ordered[start..end as usize];
        if row.len() > 1 && row[0][0] > row[1][0] {
            row.reverse();
        }
        start = end as usize;
    }
    ordered
}
