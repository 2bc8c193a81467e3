//! Rasterisation of balls into the rows of words of an object.

use super::{
    object::Object,
    row_index::{ceil, floor},
};
use std::ops::{Range, RangeInclusive};

/// Ball in a frame.
pub struct Ball<'a> {
    /// Upper triangular factor of the metric.
    pub u: &'a [[f64; 3]; 3],
    /// Centre, in voxels.
    pub at: [f64; 3],
    /// Radius, in units of the smallest spacing.
    pub radius: f64,
}

impl Ball<'_> {
    /// Returns the planes of the object that the ball intersects.
    pub fn planes(&self, object: &Object) -> RangeInclusive<i32> {
        let half = self.radius / self.u[2][2];
        let first = ceil(self.at[2] - half).max(0);
        let last = floor(self.at[2] + half).min(object.plane_count() - 1);
        first..=last
    }

    /// Returns an upper bound of the number of rows that the ball intersects.
    pub fn max_rows(&self, object: &Object) -> usize {
        let planes = self.planes(object).count();
        planes.saturating_mul(1 + (2.0 * self.radius / self.u[1][1]) as usize)
    }

    /// Returns the offset of a plane from the centre in voxels, the squared radius of the section,
    /// and the shift of y.
    fn plane_section(&self, z: i32) -> [f64; 3] {
        let dz = f64::from(z) - self.at[2];
        let squared_section = self.radius * self.radius - (self.u[2][2] * dz).powi(2);
        [dz, squared_section, self.u[1][2] * dz]
    }

    /// Returns the rows of a plane that the ball can intersect.
    fn rows(&self, object: &Object, z: i32) -> Range<usize> {
        let [_, squared_section, shift] = self.plane_section(z);
        let half = squared_section.max(0.0).sqrt();
        let low = ceil(self.at[1] + (-half - shift) / self.u[1][1]);
        let high = floor(self.at[1] + (half - shift) / self.u[1][1]);
        object.rows_between(z, [low, high])
    }
}

/// Coverage of consecutive rows.
pub struct CoverageSlice<'a> {
    /// Covered voxels of each word.
    pub words: &'a mut [u64],
    /// Number of uncovered voxels of each row; `u32::MAX` until one is covered.
    pub uncovered_in_row: &'a mut [u32],
    /// Indices of the first word and of the first row.
    pub first: [usize; 2],
}

impl<'a> CoverageSlice<'a> {
    /// Splits the slice into one slice per plane that contains rows.
    pub fn split_planes(
        self,
        object: &Object,
        planes: RangeInclusive<i32>,
    ) -> impl Iterator<Item = (i32, Self)> {
        let mut remaining = self;
        planes.filter_map(move |z| {
            let rows = object.plane_rows(z);
            let last = rows.clone().last()?;
            let words = object.row_words(rows.start).start..object.row_words(last).end;
            let first = std::mem::replace(&mut remaining.first, [words.end, rows.end]);
            let slice = CoverageSlice {
                first: [words.start, rows.start],
                words: take_range(&mut remaining.words, first[0], words),
                uncovered_in_row: take_range(&mut remaining.uncovered_in_row, first[1], rows),
            };
            Some((z, slice))
        })
    }

    /// Covers the voxels of a ball in one plane, and returns their number.
    pub fn cover_plane(&mut self, object: &Object, ball: &Ball<'_>, z: i32) -> usize {
        let Ball {
            u, at: [x, y, _], ..
        } = *ball;
        let [dz, squared_section, shift] = ball.plane_section(z);
        let mut covered_count = 0;
        for row in ball.rows(object, z) {
            let remaining = &mut self.uncovered_in_row[row - self.first[1]];
            if *remaining == 0 {
                continue;
            }
            let dy = f64::from(object.row_position(row)[0]) - y;
            let across = u[1][1] * dy + shift;
            let half = (squared_section - across * across).max(0.0).sqrt();
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
                covered_count += count as usize;
            }
        }
        covered_count
    }
}

/// Splits the elements with indices in `range` off a list whose first element has index `first`;
/// elements before the range are dropped.
fn take_range<'a, T>(list: &mut &'a mut [T], first: usize, range: Range<usize>) -> &'a mut [T] {
    let (_, tail) = std::mem::take(list).split_at_mut(range.start - first);
    let (slice, tail) = tail.split_at_mut(range.len());
    *list = tail;
    slice
}
