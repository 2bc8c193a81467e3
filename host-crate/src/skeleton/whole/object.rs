//! The voxels of a component as rows of bits, with their numbers and neighbours.

use super::{
    frame::Frame,
    neighbours::{BELOW, bit_of},
    rows::Rows,
    scan::Run,
    words::{Placed, WIDTH, Word, words},
};
use rayon::prelude::*;
use std::ops::Range;

/// Rows and words are dealt to threads in portions that are no smaller.
pub const PORTION: usize = 1 << 11;

/// The voxels of a component, numbered in the order of its frame: x fastest, then y, then z.
///
/// Memory is about a byte for each voxel of a solid, and at most some 80 for voxels that are each alone in their row. What is asked of a voxel takes the time of a few
/// look-ups.
pub struct Object {
    /// Those that have a voxel, in order.
    words: Vec<Word>,
    /// For each word its row.
    row_of: Vec<u32>,
    /// Of words.
    rows: Rows,
    /// For each row the nine around it, itself among them, or [`NONE`].
    beside: Vec<[u32; 9]>,
    /// For each 64th voxel its word, and the last word.
    starts: Vec<u32>,
    len: usize,
}

/// No row.
const NONE: u32 = u32::MAX;

/// Where a voxel is.
#[derive(Clone, Copy)]
struct Spot {
    row: u32,
    word: u32,
    block: i32,
    bit: u32,
}

impl Object {
    /// Those of some runs, which are one component.
    pub fn new(runs: &[Run], frame: &Frame) -> Self {
        let slabs = words(runs, frame);
        let placed = || slabs.iter().flatten();
        let rows = Rows::of(placed().map(|word| [word.y, word.z]));
        let mut object = Self {
            words: Vec::with_capacity(placed().count()),
            row_of: Vec::with_capacity(placed().count()),
            beside: Vec::new(),
            rows,
            starts: Vec::new(),
            len: 0,
        };
        for &Placed { bits, block, .. } in placed() {
            let word = object.words.len() as u32;
            let first = object.len as u32;
            object.words.push(Word { bits, first, block });
            object.len += bits.count_ones() as usize;
            while object.starts.len() * 64 < object.len {
                object.starts.push(word);
            }
        }
        object.starts.push(object.words.len() as u32 - 1);
        for row in 0..object.rows.len() {
            let words = object.rows.members(row).len();
            object.row_of.extend(std::iter::repeat_n(row as u32, words));
        }
        let rows = (0..object.rows.len()).into_par_iter();
        object.beside = rows
            .with_min_len(PORTION)
            .map(|row| object.rows_around(row))
            .collect();
        object
    }

    /// The nine rows around one.
    fn rows_around(&self, row: usize) -> [u32; 9] {
        let [y, z] = self.rows.place(row);
        std::array::from_fn(|way| {
            let [y, z] = [y + way as i32 % 3 - 1, z + way as i32 / 3 - 1];
            let found = self.rows.between(z, y, y).next();
            found.map_or(NONE, |row| row as u32)
        })
    }

    /// How many voxels there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Words that have a voxel.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Where a voxel is.
    #[inline(always)]
    fn spot(&self, voxel: usize) -> Spot {
        let [from, to] =
            [self.starts[voxel / 64], self.starts[voxel / 64 + 1]].map(|at| at as usize);
        let later = &self.words[from + 1..=to];
        let at = from + later.partition_point(|word| word.first as usize <= voxel);
        let word = &self.words[at];
        Spot {
            row: self.row_of[at],
            word: at as u32,
            block: word.block,
            bit: nth(word.bits, voxel as u32 - word.first),
        }
    }

    /// The place of a voxel in the frame.
    #[inline]
    pub fn place(&self, voxel: usize) -> [i32; 3] {
        let spot = self.spot(voxel);
        let [y, z] = self.rows.place(spot.row as usize);
        [WIDTH * spot.block + spot.bit as i32, y, z]
    }

    /// The word of a voxel, and its bit there.
    #[inline]
    pub fn word_of(&self, voxel: usize) -> (usize, u32) {
        let spot = self.spot(voxel);
        (spot.word as usize, spot.bit)
    }

    /// The place of the voxels at a word's first bit, whether there is one or not.
    pub fn place_of(&self, word: usize) -> [i32; 3] {
        let [y, z] = self.rows.place(self.row_of[word] as usize);
        [WIDTH * self.words[word].block, y, z]
    }

    /// The row of a word.
    pub fn row_of(&self, word: usize) -> usize {
        self.row_of[word] as usize
    }

    /// The bits of a word of a row.
    #[inline(always)]
    pub fn bits_in(&self, row: usize, block: i32) -> u64 {
        self.word_in(row as u32, block).map_or(0, |word| word.bits)
    }

    /// A word of a row, if it has a voxel.
    #[inline(always)]
    pub fn word_in(&self, row: u32, block: i32) -> Option<&Word> {
        let words = &self.words[self.rows.members(row as usize)];
        let first = words.first()?.block;
        // most rows have no gaps
        match words.get(block.wrapping_sub(first) as usize) {
            Some(word) if word.block == block => Some(word),
            _ if words[words.len() - 1].block - first == words.len() as i32 - 1 => None,
            _ => {
                let found = words.binary_search_by_key(&block, |word| word.block);
                found.ok().map(|at| &words[at])
            }
        }
    }

    /// Which of the three voxels of a row about a spot's x are of the component, and the number of the first of them.
    #[inline(always)]
    fn three(&self, row: u32, spot: Spot) -> (u32, u32) {
        let Spot { block, bit, .. } = spot;
        let word = self.word_in(row, block);
        let (bits, first) = word.map_or((0, 0), |word| (word.bits, word.first));
        if bit > 0 {
            let here = (bits >> (bit - 1)) as u32 & 7;
            let number = first + (bits & ((1 << (bit - 1)) - 1)).count_ones();
            if bit < 63 {
                return (here, number);
            }
            return match self.word_in(row, block + 1) {
                Some(next) if next.bits & 1 == 1 => {
                    (here | 4, if here == 0 { next.first } else { number })
                }
                _ => (here, number),
            };
        }
        let here = (bits << 1) as u32 & 7;
        match self.word_in(row, block - 1) {
            Some(last) if last.bits >> 63 == 1 => {
                (here | 1, last.first + last.bits.count_ones() - 1)
            }
            _ => (here, first),
        }
    }

    /// For a voxel those of the 27 around it that are of the component, itself among them.
    #[inline]
    pub fn around(&self, voxel: usize) -> u32 {
        let spot = self.spot(voxel);
        let mut around = 0;
        for (way, &row) in self.beside[spot.row as usize].iter().enumerate() {
            if row != NONE {
                around |= self.three(row, spot).0 << (3 * way);
            }
        }
        around
    }

    /// The neighbour of a voxel at a bit, if it is of the component.
    #[inline]
    pub fn beyond(&self, voxel: usize, bit: usize) -> Option<usize> {
        let spot = self.spot(voxel);
        let row = self.beside[spot.row as usize][bit / 3];
        if row == NONE {
            return None;
        }
        let (three, first) = self.three(row, spot);
        let before = (three << (bit - bit % 3) & BELOW[bit]).count_ones();
        (three >> (bit % 3) & 1 == 1).then_some((first + before) as usize)
    }

    /// The neighbour of a voxel at a bit, which is of the component.
    #[inline]
    pub fn neighbour(&self, voxel: usize, bit: usize) -> usize {
        self.beyond(voxel, bit).unwrap_or(voxel)
    }

    /// The neighbours of a voxel that are of the component and of a mask: their bits and their numbers.
    #[inline(always)]
    pub fn neighbours(&self, voxel: usize, mask: u32) -> Neighbours {
        let spot = self.spot(voxel);
        let mut found = Neighbours {
            around: 0,
            rest: 0,
            firsts: [0; 9],
        };
        for (way, &row) in self.beside[spot.row as usize].iter().enumerate() {
            if row != NONE && mask >> (3 * way) & 7 != 0 {
                let (three, first) = self.three(row, spot);
                found.around |= three << (3 * way);
                found.firsts[way] = first;
            }
        }
        found.rest = found.around & mask;
        found
    }

    /// The voxel at a place, if it is of the component.
    pub fn find(&self, [x, y, z]: [i32; 3]) -> Option<usize> {
        let row = self.rows.between(z, y, y).next()?;
        let word = self.word_in(row as u32, x.div_euclid(WIDTH))?;
        let bit = x.rem_euclid(WIDTH) as u32;
        (word.bits >> bit & 1 == 1).then(|| word.number(bit) as usize)
    }

    /// The bit of the way from a voxel to another that touches it.
    pub fn bit_between(&self, from: usize, to: usize) -> usize {
        let [a, b] = [from, to].map(|voxel| self.place(voxel));
        bit_of([0, 1, 2].map(|axis| b[axis] - a[axis]))
    }

    /// How many rows of voxels there are.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The y and z of a row.
    pub fn row_place(&self, row: usize) -> [i32; 2] {
        self.rows.place(row)
    }

    /// The words of a row.
    #[inline]
    pub fn words_of(&self, row: usize) -> Range<usize> {
        self.rows.members(row)
    }

    /// The voxels of a row.
    pub fn voxels_of(&self, row: usize) -> Range<usize> {
        let words = self.rows.members(row);
        self.first_of(words.start)..self.first_of(words.end)
    }

    /// The row at a way from another, if it has voxels.
    pub fn row_beside(&self, row: usize, way: usize) -> Option<usize> {
        let beside = self.beside[row][way];
        (beside != NONE).then_some(beside as usize)
    }

    /// The first voxel of a word, or after the last one how many there are.
    pub fn first_of(&self, word: usize) -> usize {
        match self.words.get(word) {
            Some(word) => word.first as usize,
            None => self.len,
        }
    }

    /// The rows of a plane from one y to another.
    pub fn rows_between(&self, z: i32, [low, high]: [i32; 2]) -> Range<usize> {
        self.rows.between(z, low, high)
    }

    /// The rows of a plane.
    pub fn rows_of_plane(&self, z: i32) -> Range<usize> {
        self.rows.plane(z)
    }

    /// Planes.
    pub fn planes(&self) -> i32 {
        self.rows.planes()
    }

    /// The words of a row that have places whose x is from one to another, each with the bits of these places.
    #[inline]
    pub fn part(&self, row: usize, low: i32, high: i32) -> impl Iterator<Item = (usize, u64)> {
        let range = self.rows.members(row);
        let words = &self.words[range.clone()];
        let blocks = [low, high].map(|x| x.div_euclid(WIDTH));
        let place = |block: i32| {
            let [first, last] = [words[0].block, words[words.len() - 1].block];
            if block <= first {
                0
            } else if last - first == words.len() as i32 - 1 {
                words.len().min((block - first) as usize)
            } else {
                words.partition_point(|word| word.block < block)
            }
        };
        let part = match low <= high {
            true => place(blocks[0])..place(blocks[1].saturating_add(1)),
            false => 0..0,
        };
        part.map(move |at| {
            let block = words[at].block;
            let mut bits = u64::MAX;
            if block == blocks[0] {
                bits &= u64::MAX << low.rem_euclid(WIDTH);
            }
            if block == blocks[1] {
                bits &= u64::MAX >> (WIDTH - 1 - high.rem_euclid(WIDTH));
            }
            (range.start + at, bits)
        })
    }

    /// How many voxels of a row are at an x from one to another.
    pub fn count_between(&self, row: usize, low: i32, high: i32) -> u32 {
        let part = self.part(row, low, high);
        part.map(|(word, bits)| (self.words[word].bits & bits).count_ones())
            .sum()
    }
}

/// Neighbours of a voxel: their bits, lowest first, and their numbers.
#[derive(Clone, Copy)]
pub struct Neighbours {
    around: u32,
    rest: u32,
    /// For each way the first of the component's three voxels there.
    firsts: [u32; 9],
}

impl Neighbours {
    /// The number of the neighbour at a bit, which is one of them.
    #[inline(always)]
    pub fn at(&self, bit: usize) -> usize {
        let before = (self.around & BELOW[bit]).count_ones();
        (self.firsts[bit / 3] + before) as usize
    }
}

impl Iterator for Neighbours {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        if self.rest == 0 {
            return None;
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some((bit, self.at(bit)))
    }
}

/// The place of a bit that is set and has so many set ones before it.
#[inline(always)]
pub fn nth(bits: u64, mut before: u32) -> u32 {
    // most words are one run
    let start = bits.trailing_zeros();
    if before < (!(bits >> start)).trailing_zeros() {
        return start + before;
    }
    let (mut rest, mut at) = (bits, 0);
    for half in [32, 16, 8, 4, 2, 1] {
        let low = (rest & ((1 << half) - 1)).count_ones();
        if low <= before {
            before -= low;
            rest >>= half;
            at += half;
        }
    }
    at
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::skeleton::whole::{
        metric::Metric,
        neighbours::{AROUND, OFFSETS},
    };
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn bits_are_found_by_their_order() {
        for bits in [
            1,
            1 << 63,
            u64::MAX,
            0xf0,
            0x8000_0000_0000_0001,
            0x5555_aaaa_0ff0_1234,
        ] {
            let all: Vec<u32> = (0..64).filter(|at| bits >> at & 1 == 1).collect();
            for (before, &at) in (0..).zip(&all) {
                assert_eq!(nth(bits, before), at, "{bits:x}");
            }
        }
    }

    /// An object has the voxels of its runs in the frame, in order, with their neighbours.
    fn check(runs: &[Run], frame: &Frame) {
        let object = Object::new(runs, frame);
        let mut places = Vec::new();
        for run in runs {
            for x in run.start..run.end {
                places.push(frame.inside([x.into(), run.y.into(), run.z.into()]));
            }
        }
        places.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
        assert_eq!(object.len(), places.len());
        let number: BTreeMap<[i32; 3], usize> =
            (0..).zip(&places).map(|(at, &place)| (place, at)).collect();
        for (voxel, &place) in places.iter().enumerate() {
            assert_eq!(object.place(voxel), place);
            assert_eq!(object.find(place), Some(voxel));
            let expected: Vec<(usize, usize)> = (0..27)
                .filter_map(|bit| {
                    let there = [0, 1, 2].map(|axis| place[axis] + OFFSETS[bit][axis]);
                    let found = number.get(&there).copied();
                    assert_eq!(object.beyond(voxel, bit), found);
                    assert_eq!(object.find(there), found);
                    found.map(|other| (bit, other))
                })
                .collect();
            let around = expected.iter().fold(0, |set, &(bit, _)| set | 1 << bit);
            assert_eq!(object.around(voxel), around);
            for mask in [AROUND, 0o111_000_777, 1 << 26] {
                let some = expected.iter().filter(|&&(bit, _)| mask >> bit & 1 == 1);
                let some: Vec<_> = some.copied().collect();
                assert_eq!(object.neighbours(voxel, mask).collect::<Vec<_>>(), some);
            }
        }
        for row in 0..object.rows() {
            let voxels = &places[object.voxels_of(row)];
            let [y, z] = object.row_place(row);
            assert!(voxels.iter().all(|place| place[1..] == [y, z]));
            let (first, last) = (voxels[0][0], voxels[voxels.len() - 1][0]);
            for (low, high) in [
                (first, last),
                (first + 1, last - 70),
                (-9, first + 64),
                (last, last + 99),
                (i32::MIN, i32::MAX),
            ] {
                let some = voxels
                    .iter()
                    .filter(|place| (low..=high).contains(&place[0]));
                assert_eq!(object.count_between(row, low, high) as usize, some.count());
            }
        }
    }

    /// The runs of a set of places.
    pub fn runs_of(places: impl Iterator<Item = [u32; 3]>) -> Vec<Run> {
        let mut places: Vec<[u32; 3]> = places.collect();
        places.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
        places.dedup();
        let mut runs: Vec<Run> = Vec::new();
        for [x, y, z] in places {
            match runs.last_mut() {
                Some(last) if last.end == x && [last.y, last.z] == [y, z] => last.end += 1,
                _ => runs.push(Run {
                    start: x,
                    end: x + 1,
                    y,
                    z,
                    label: 1,
                }),
            }
        }
        runs
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..Default::default() })]

        #[test]
        fn objects_have_their_voxels(
            places in prop::collection::vec((0u32..4, 0u32..5, 0u32..4), 1..60),
            stretch in prop::sample::select(vec![[1u32, 1, 1], [1, 40, 1], [60, 1, 1], [1, 1, 900], [3, 77, 1 << 20]]),
            far in 0u32..130,
            spacing in prop::sample::select(vec![[1.0; 3], [2.0, 1.0, 1.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [2.0, 3.0, 1.0]]),
        ) {
            let places = places.into_iter().map(|(x, y, z)| [x * stretch[0] + far, y * stretch[1], z * stretch[2]]);
            let runs = runs_of(places);
            let geometry = crate::grid::Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
            let frame = Frame::of(&runs, &Metric::of(&geometry).0);
            check(&runs, &frame);
        }
    }

    /// A diagonal: memory is for its voxels, not for the box.
    #[test]
    fn a_line_through_a_huge_box() {
        let run = |at: u32| Run {
            start: at,
            end: at + 1,
            y: at,
            z: at,
            label: 1,
        };
        let runs: Vec<Run> = (0..3000).map(|at| run(at * 1000)).collect();
        check(&runs, &Frame::plain(&runs));
    }
}
