//! The rows of words that a ball covers.

use super::{
    object::Object,
    row_index::{ceil, floor},
};
use std::ops::{Range, RangeInclusive};

/// A ball in a frame.
pub struct Ball<'a> {
    /// The upper triangle of the metric.
    pub u: &'a [[f64; 3]; 3],
    pub at: [f64; 3],
    pub radius: f64,
}

impl Ball<'_> {
    /// The planes of an object that it meets.
    pub fn planes(&self, object: &Object) -> RangeInclusive<i32> {
        let half = self.radius / self.u[2][2];
        let first = ceil(self.at[2] - half).max(0);
        let last = floor(self.at[2] + half).min(object.plane_count() - 1);
        first..=last
    }

    /// At most so many rows.
    pub fn max_rows(&self, object: &Object) -> usize {
        let planes = self.planes(object).count();
        planes.saturating_mul(1 + (2.0 * self.radius / self.u[1][1]) as usize)
    }

    /// How far a plane is beyond its middle, what that leaves of the squared radius, and by how
    /// much it shifts y.
    fn plane_section(&self, z: i32) -> [f64; 3] {
        let dz = f64::from(z) - self.at[2];
        let rest = self.radius * self.radius - (self.u[2][2] * dz).powi(2);
        [dz, rest, self.u[1][2] * dz]
    }

    /// The rows of a plane that it may meet.
    fn rows(&self, object: &Object, z: i32) -> Range<usize> {
        let [_, rest, shift] = self.plane_section(z);
        let half = rest.max(0.0).sqrt();
        let low = ceil(self.at[1] + (-half - shift) / self.u[1][1]);
        let high = floor(self.at[1] + (half - shift) / self.u[1][1]);
        object.rows_between(z, [low, high])
    }
}

/// What is known of some rows that follow each other.
pub struct CoverageSlice<'a> {
    pub words: &'a mut [u64],
    pub uncovered_in_row: &'a mut [u32],
    /// The numbers of the first word and the first row.
    pub first: [usize; 2],
}

impl<'a> CoverageSlice<'a> {
    /// That of each of some planes that have rows.
    pub fn split_planes(
        self,
        object: &Object,
        planes: RangeInclusive<i32>,
    ) -> impl Iterator<Item = (i32, Self)> {
        let mut rest = self;
        planes.filter_map(move |z| {
            let rows = object.plane_rows(z);
            let last = rows.clone().last()?;
            let words = object.row_words(rows.start).start..object.row_words(last).end;
            let first = std::mem::replace(&mut rest.first, [words.end, rows.end]);
            let slice = CoverageSlice {
                first: [words.start, rows.start],
                words: take_range(&mut rest.words, first[0], words),
                uncovered_in_row: take_range(&mut rest.uncovered_in_row, first[1], rows),
            };
            Some((z, slice))
        })
    }

    /// Covers what a ball has of a plane; how many voxels that are.
    pub fn cover_plane(&mut self, object: &Object, ball: &Ball<'_>, z: i32) -> usize {
        let Ball {
            u, at: [x, y, _], ..
        } = *ball;
        let [dz, rest, shift] = ball.plane_section(z);
        let mut all = 0;
        for row in ball.rows(object, z) {
            let remaining = &mut self.uncovered_in_row[row - self.first[1]];
            if *remaining == 0 {
                continue;
            }
            let dy = f64::from(object.row_position(row)[0]) - y;
            let across = u[1][1] * dy + shift;
            let half = (rest - across * across).max(0.0).sqrt();
            let shift = u[0][1] * dy + u[0][2] * dz;
            let low = ceil(x + (-half - shift) / u[0][0]);
            let high = floor(x + (half - shift) / u[0][0]);
            let mut count = 0;
            for (word, bits) in object.masked_words(row, low, high) {
                let covered = &mut self.words[word - self.first[0]];
                let new = object.words()[word].bits & bits & !*covered;
                *covered |= new;
                count += new.count_ones();
            }
            if count > 0 {
                let voxels = object.row_voxels(row).len() as u32;
                *remaining = (*remaining).min(voxels) - count;
                all += count as usize;
            }
        }
        all
    }
}

/// Cuts a range of members off a list whose first has a number. What is before them is left out.
fn take_range<'a, T>(list: &mut &'a mut [T], first: usize, range: Range<usize>) -> &'a mut [T] {
    let (_, rest) = std::mem::take(list).split_at_mut(range.start - first);
    let (slice, rest) = rest.split_at_mut(range.len());
    *list = rest;
    slice
}
