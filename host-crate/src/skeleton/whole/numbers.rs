//! The numbers of a component's topology, of the union of its closed cubes.

use super::{
    neighbours::{FACES, bit_of, bits, euler_part, offset},
    object::Object,
};
use crate::union_find::UnionFind;

/// What is known of a component before anything is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub tunnels: u64,
    pub cavities: u64,
}

impl Numbers {
    pub fn of(object: &Object) -> Self {
        // 1 - tunnels + cavities
        let euler: i64 = (0..object.len())
            .map(|voxel| euler_part(object.around(voxel)))
            .sum();
        // a connected object has one surface to the outside, and one to each cavity
        let cavities = surfaces(object) - 1;
        Self {
            tunnels: (1 + cavities as i64 - euler) as u64,
            cavities,
        }
    }
}

/// For each face of a voxel, four ways along it.
const ALONG: [[usize; 4]; 27] = {
    let mut along = [[13; 4]; 27];
    let mut face = 0;
    while face < 27 {
        if FACES >> face & 1 == 1 {
            let mut count = 0;
            let mut other = 0;
            while other < 27 {
                if FACES >> other & 1 == 1 && other != face && other != 26 - face {
                    along[face][count] = other;
                    count += 1;
                }
                other += 1;
            }
        }
        face += 1;
    }
    along
};

/// The voxel that is one way and then another.
const BOTH: [[usize; 27]; 27] = {
    let mut both = [[13; 27]; 27];
    let mut a = 0;
    while a < 27 {
        let mut b = 0;
        while b < 27 {
            let (p, q) = (offset(a), offset(b));
            let sum = [p[0] + q[0], p[1] + q[1], p[2] + q[2]];
            let mut axis = 0;
            let mut is_near = true;
            while axis < 3 {
                is_near = is_near && sum[axis] >= -1 && sum[axis] <= 1;
                axis += 1;
            }
            if is_near {
                both[a][b] = bit_of(sum);
            }
            b += 1;
        }
        a += 1;
    }
    both
};

/// For each corner of a voxel the other six voxels that have it, and a face of the voxel and one of that across the corner, whose free voxels touch.
const ACROSS: [(usize, u32, [usize; 2]); 8] = {
    let mut across = [(13, 0, [13; 2]); 8];
    let mut count = 0;
    while count < 8 {
        let x = 2 * (count & 1) as i32 - 1;
        let y = 2 * (count >> 1 & 1) as i32 - 1;
        let z = 2 * (count >> 2 & 1) as i32 - 1;
        let around = 1 << bit_of([x, 0, 0])
            | 1 << bit_of([0, y, 0])
            | 1 << bit_of([0, 0, z])
            | 1 << bit_of([x, y, 0])
            | 1 << bit_of([x, 0, z])
            | 1 << bit_of([0, y, z]);
        let faces = [bit_of([x, 0, 0]), bit_of([0, 0, -z])];
        across[count] = (bit_of([x, y, z]), around, faces);
        count += 1;
    }
    across
};

/// How many surfaces a component has: its faces to the background, which hang together across edges so that voxels of the background do by faces only; and where
/// voxels touch at a corner and nothing else is there.
fn surfaces(object: &Object) -> u64 {
    let mut firsts = Vec::with_capacity(object.len());
    let mut count = 0u64;
    for around in (0..object.len()).map(|voxel| object.around(voxel)) {
        firsts.push(count);
        count += u64::from((!around & FACES).count_ones());
    }
    let number = |voxel: usize, face: usize| {
        let before = !object.around(voxel) & FACES & ((1 << face) - 1);
        firsts[voxel] + u64::from(before.count_ones())
    };
    let mut sets = UnionFind::<u64>::new(count as usize);
    let mut left = count;
    for voxel in 0..object.len() {
        let around = object.around(voxel);
        for face in bits(!around & FACES) {
            let here = number(voxel, face);
            for along in ALONG[face] {
                let beyond = BOTH[face][along];
                let there = if around >> beyond & 1 == 1 {
                    // round the voxel of the background
                    number(object.neighbour(voxel, beyond), 26 - along)
                } else if around >> along & 1 == 1 {
                    number(object.neighbour(voxel, along), face)
                } else {
                    number(voxel, along)
                };
                left -= u64::from(sets.join(here, there));
            }
        }
        for (corner, others, [mine, theirs]) in ACROSS {
            if around >> corner & 1 == 1 && around & others == 0 {
                let other = object.neighbour(voxel, corner);
                let joined = sets.join(number(voxel, mine), number(other, theirs));
                left -= u64::from(joined);
            }
        }
    }
    left
}
