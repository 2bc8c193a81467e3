//! Which voxels of the background hang together, by faces.

use super::{
    neighbours::{AROUND, FACES, OFFSETS, bits},
    object::Object,
    steps::{PORTION, Steps},
};
use crate::{monitor::Cancelled, union_find::UnionFind};

/// The background next to a component, deleted voxels among it, in sets that hang together.
pub struct Sides<'a> {
    object: &'a Object,
    /// Voxels of the background next to the component, by z, y and x.
    outside: Vec<[i32; 3]>,
    /// First the component's voxels, then those outside.
    sets: UnionFind<usize>,
}

impl<'a> Sides<'a> {
    pub fn new(
        object: &'a Object,
        is_deleted: impl Fn(usize) -> bool,
        steps: &Steps<'_>,
    ) -> Result<Self, Cancelled> {
        let check = |at: usize| match at % PORTION {
            0 => steps.check(),
            _ => Ok(()),
        };
        let mut outside = Vec::new();
        for (at, site) in object.rim().into_iter().enumerate() {
            check(at)?;
            let [x, y, z] = site.place;
            for bit in bits(!site.around & AROUND) {
                let [dx, dy, dz] = OFFSETS[bit];
                outside.push([z + dz, y + dy, x + dx]);
            }
        }
        outside.sort_unstable();
        outside.dedup();
        let mut sides = Self {
            object,
            sets: UnionFind::new(object.len() + outside.len()),
            outside,
        };
        for at in 0..sides.outside.len() {
            check(at)?;
            let [z, y, x] = sides.outside[at];
            for ahead in [[z, y, x + 1], [z, y + 1, x], [z + 1, y, x]] {
                if let Ok(other) = sides.outside.binary_search(&ahead) {
                    sides.sets.join(object.len() + at, object.len() + other);
                }
            }
        }
        for voxel in (0..object.len()).filter(|&voxel| is_deleted(voxel)) {
            check(voxel)?;
            for face in bits(FACES) {
                let other = sides.beyond(voxel, face);
                if other >= object.len() || is_deleted(other) {
                    sides.sets.join(voxel, other);
                }
            }
        }
        Ok(sides)
    }

    /// The member beyond a face.
    fn beyond(&self, voxel: usize, face: usize) -> usize {
        if let Some(other) = self.object.beyond(voxel, face) {
            return other;
        }
        let [x, y, z] = self.object.place(voxel);
        let [dx, dy, dz] = OFFSETS[face];
        let found = self.outside.binary_search(&[z + dz, y + dy, x + dx]);
        // all neighbours outside are in the list
        self.object.len() + found.unwrap_or(0)
    }

    /// Joins what is beyond two faces; false if that hangs together.
    pub fn join(&mut self, voxel: usize, one: usize, other: usize) -> bool {
        let (one, other) = (self.beyond(voxel, one), self.beyond(voxel, other));
        if self.sets.join(one, other) {
            self.sets.join(voxel, one);
            return true;
        }
        false
    }
}
