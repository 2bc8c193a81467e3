//! The background of a component: which of it hangs together by faces.

use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, unwrap_or_unwind, with_capacity_or_unwind},
    skeleton::medial::voxels::{
        neighbour_bits::{OFFSETS, bits},
        object::Object,
    },
    union_find::UnionFind,
};
use std::{collections::HashMap, ops::Range};

/// The background in sets that hang together, as runs along x.
///
/// Of a row that has no voxel, and of what is before and behind the voxels of a row, all is
/// outside. So only gaps between voxels are looked at, and time is linear in the runs.
pub struct Background<'a> {
    object: &'a Object,
    /// For each row its first gap, and one more.
    starts: Vec<usize>,
    /// The first x of each gap and that behind its last.
    gaps: Vec<[i32; 2]>,
    /// For each row the x of its first voxel and that behind its last; nothing is between them
    /// where it has none.
    ends: Vec<[i32; 2]>,
    /// The sets of gaps. The one after all gaps is outside.
    sets: UnionFind<usize>,
    enclosed: u64,
    /// Voxels that have become background, with a gap that they hang together with.
    opened: HashMap<[i32; 3], usize>,
}

/// The four ways to rows across a face.
const ACROSS: [usize; 4] = [1, 3, 5, 7];

impl<'a> Background<'a> {
    /// That of the voxels of an object that `bits` says of its words.
    pub fn new(object: &'a Object, bits: impl Fn(usize) -> u64) -> Self {
        let mut starts = vec![0];
        let mut gaps = Vec::new();
        let mut ends = with_capacity_or_unwind(object.row_count());
        for row in 0..object.row_count() {
            let mut row_ends = [i32::MAX, i32::MIN];
            for [start, end] in object.row_runs(row, &bits) {
                match row_ends[0] {
                    i32::MAX => row_ends[0] = start,
                    _ => gaps.push_or_unwind([row_ends[1], start]),
                }
                row_ends[1] = end;
            }
            ends.push_or_unwind(row_ends);
            starts.push_or_unwind(gaps.len());
        }
        let mut all = Self {
            object,
            starts,
            sets: unwrap_or_unwind(UnionFind::try_new(gaps.len() + 1)),
            enclosed: gaps.len() as u64,
            gaps,
            ends,
            opened: HashMap::new(),
        };
        for row in 0..object.row_count() {
            all.join_row(row);
        }
        all
    }

    /// How many of the sets are enclosed.
    pub fn cavities(&self) -> u64 {
        self.enclosed
    }

    fn outside(&self) -> usize {
        self.gaps.len()
    }

    /// The gaps of a row.
    fn row_gaps(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Joins the gaps of a row with those across its faces.
    fn join_row(&mut self, row: usize) {
        for direction in ACROSS {
            let here = self.row_gaps(row);
            if here.is_empty() {
                return;
            }
            let other = self.object.adjacent_row(row, direction);
            // no other, and one without voxels, is outside
            let (mut there, [low, high]) = match other {
                Some(other) => (self.row_gaps(other), self.ends[other]),
                None => (0..0, [i32::MAX, i32::MIN]),
            };
            for gap in here {
                let [start, end] = self.gaps[gap];
                if start < low || end > high {
                    self.join_sets(gap, self.outside());
                }
                while there.start < there.end && self.gaps[there.start][1] <= start {
                    there.start += 1;
                }
                for other in there.clone() {
                    if self.gaps[other][0] >= end {
                        break;
                    }
                    self.join_sets(gap, other);
                }
            }
        }
    }

    fn join_sets(&mut self, one: usize, other: usize) -> bool {
        let is_new = self.sets.join(one, other);
        self.enclosed -= u64::from(is_new);
        is_new
    }

    /// The gap that a place of the background is in, or outside.
    fn gap_at(&self, at: [i32; 3]) -> usize {
        let [x, y, z] = at;
        let Some(row) = self.object.row_at([y, z]) else {
            return self.outside();
        };
        if let Some(&gap) = self.opened.get(&at) {
            return gap;
        }
        let gaps = self.row_gaps(row);
        let [low, high] = self.ends[row];
        let after = self.gaps[gaps.clone()].partition_point(|gap| gap[1] <= x);
        if x < low || x >= high {
            self.outside()
        } else {
            gaps.start + after
        }
    }

    /// Makes a voxel background and joins what is beyond some of its faces, which are given as
    /// bits. How many sets there are fewer; nothing is done, and this is 0, if two of them hang
    /// together already.
    pub fn connect_through(&mut self, voxel: usize, faces: u32) -> u64 {
        let position = self.object.position(voxel);
        let beyond = |face: usize| [0, 1, 2].map(|axis| position[axis] + OFFSETS[face][axis]);
        let mut sides: Vec<usize> = bits(faces)
            .map(|face| {
                let gap = self.gap_at(beyond(face));
                self.sets.root(gap)
            })
            .collect_or_unwind();
        sides.sort_unstable();
        if sides.windows(2).any(|pair| pair[0] == pair[1]) {
            return 0;
        }
        for &side in &sides[1..] {
            self.join_sets(sides[0], side);
        }
        self.opened.push_or_unwind((position, sides[0]));
        sides.len() as u64 - 1
    }
}
