//! The scaffold of a component: what is left of it when simple voxels are deleted.
//!
//! Thinning by simple voxels (Lee et al. 1994; Bertrand and Malandain 1994) keeps components, tunnels and cavities exactly. Voxels are deleted in the order of their
//! distance to the surface. Among those of one distance, every eighth, by the parity of its three coordinates, is looked at together: no two of these touch, so
//! their order does not matter. A voxel is looked at again when a neighbour of it has been deleted.

use super::{
    neighbours::{is_simple, wall_between},
    object::Object,
    steps::{PORTION, Stage, Steps},
    walls::Sides,
};
use crate::monitor::Cancelled;

/// Steps of distance in the smallest spacing.
const STEPS: f64 = 4.0;

/// What thinning has made of a component.
pub struct Scaffold {
    /// For each voxel its neighbours that are left, without itself: of one that is left now, of a deleted one when it was deleted.
    pub around: Vec<u32>,
    /// The voxels that were deleted, in their order.
    pub deleted: Vec<u32>,
    /// The voxels that are left, in ascending order.
    pub left: Vec<u32>,
}

impl Scaffold {
    /// That of an object; squared distances are in squares of the smallest spacing. Walls around cavities are opened.
    pub fn of(
        object: &Object,
        squares: &[f64],
        cavities: u64,
        steps: &Steps<'_>,
    ) -> Result<Self, Cancelled> {
        let mut thinning = Thinning::new(object, squares, steps);
        thinning.thin()?;
        let mut closed = cavities;
        while closed > 0 {
            let opened = thinning.open_walls(squares)?;
            if opened == 0 {
                break;
            }
            closed = closed.saturating_sub(opened);
        }
        let left = (0..object.len() as u32)
            .filter(|&voxel| thinning.state[voxel as usize] & DELETED == 0)
            .collect();
        Ok(Self {
            around: thinning.around,
            deleted: thinning.deleted,
            left,
        })
    }
}

const DELETED: u8 = 1;
const WAITS: u8 = 2;

struct Thinning<'a> {
    object: &'a Object,
    steps: &'a Steps<'a>,
    around: Vec<u32>,
    /// In quarters of the smallest spacing.
    levels: Vec<u32>,
    state: Vec<u8>,
    deleted: Vec<u32>,
    /// By the parity of coordinates.
    waiting: [Vec<u32>; 8],
}

impl<'a> Thinning<'a> {
    fn new(object: &'a Object, squares: &[f64], steps: &'a Steps<'a>) -> Self {
        let level = |square: &f64| (square.sqrt() * STEPS) as u32;
        Self {
            object,
            steps,
            around: object.all_around(),
            levels: squares.iter().map(level).collect(),
            state: vec![0; object.len()],
            deleted: Vec::with_capacity(object.len()),
            waiting: Default::default(),
        }
    }

    /// Deletes simple voxels, level after level.
    fn thin(&mut self) -> Result<(), Cancelled> {
        let most = self.levels.iter().max().map_or(0, |&most| most as usize);
        let mut starts = vec![0u32; most + 2];
        for &level in &self.levels {
            starts[level as usize + 1] += 1;
        }
        for level in 0..=most {
            starts[level + 1] += starts[level];
        }
        let mut places = starts.clone();
        let mut order = vec![0u32; self.levels.len()];
        for (voxel, &level) in (0u32..).zip(&self.levels) {
            let place = &mut places[level as usize];
            order[*place as usize] = voxel;
            *place += 1;
        }
        for level in 0..=most {
            for &voxel in &order[starts[level] as usize..starts[level + 1] as usize] {
                self.wait(voxel as usize);
            }
            self.delete_waiting(level as u32)?;
        }
        Ok(())
    }

    /// Has a voxel looked at.
    fn wait(&mut self, voxel: usize) {
        if self.state[voxel] == 0 {
            self.state[voxel] = WAITS;
            let [x, y, z] = self.object.place(voxel);
            let field = (x & 1) + 2 * (y & 1) + 4 * (z & 1);
            self.waiting[field as usize].push(voxel as u32);
        }
    }

    /// Deletes what is simple among those that wait, and what becomes so up to a level.
    fn delete_waiting(&mut self, level: u32) -> Result<(), Cancelled> {
        while self.waiting.iter().any(|field| !field.is_empty()) {
            for field in 0..8 {
                let mut list = std::mem::take(&mut self.waiting[field]);
                for (at, &voxel) in list.iter().enumerate() {
                    let voxel = voxel as usize;
                    if at % PORTION == 0 {
                        let done = self.deleted.len();
                        self.steps.at(Stage::Classes, done, 2 * self.object.len())?;
                    }
                    self.state[voxel] &= !WAITS;
                    if is_simple(self.around[voxel]) {
                        self.delete(voxel, level);
                    }
                }
                // none of the field has been added meanwhile: they do not touch
                list.clear();
                self.waiting[field] = list;
            }
        }
        Ok(())
    }

    /// Deletes a voxel, and has its neighbours up to a level looked at.
    fn delete(&mut self, voxel: usize, level: u32) {
        self.state[voxel] |= DELETED;
        self.deleted.push(voxel as u32);
        let object = self.object;
        for (bit, other) in object.neighbours(voxel, self.around[voxel]) {
            self.around[other] &= !(1 << (26 - bit));
            if self.levels[other] <= level {
                self.wait(other);
            }
        }
    }

    /// Deletes voxels of walls between two sides that are different cavities, or the outside: those of the least distance first, and as many as there are sides to
    /// join. Thins on. How many there were.
    fn open_walls(&mut self, squares: &[f64]) -> Result<u64, Cancelled> {
        let mut walls: Vec<u32> = (0..self.object.len() as u32)
            .filter(|&voxel| {
                self.state[voxel as usize] & DELETED == 0
                    && wall_between(self.around[voxel as usize]).is_some()
            })
            .collect();
        walls.sort_by(|&a, &b| {
            squares[a as usize]
                .total_cmp(&squares[b as usize])
                .then(a.cmp(&b))
        });
        let state = &self.state;
        let mut sides = Sides::new(self.object, |voxel| state[voxel] & DELETED != 0, self.steps)?;
        let mut opened = 0;
        for wall in walls {
            self.steps.check()?;
            let voxel = wall as usize;
            // the voxels around may have gone
            let Some([one, other]) = wall_between(self.around[voxel]) else {
                continue;
            };
            if sides.join(voxel, one, other) {
                self.delete(voxel, u32::MAX);
                opened += 1;
            }
        }
        self.delete_waiting(u32::MAX)?;
        Ok(opened)
    }
}
