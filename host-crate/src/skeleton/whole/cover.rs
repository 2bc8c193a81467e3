//! Which voxels a skeleton covers.

use super::{
    crossing::{Place, in_voxels},
    draft::{Draft, Point},
    known::Known,
    metric::Metric,
    object::Object,
    rows::{ceil, floor},
};

/// The rule that says how far from its skeleton an object may reach; lengths in the smallest spacing.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub scale: f64,
    pub constant: f64,
}

impl Reach {
    /// How far a point with this radius covers.
    pub fn of(&self, radius: f64) -> f64 {
        self.scale * radius + self.constant
    }
}

/// Voxels of a component that lie in one of some balls.
pub struct Cover<'a> {
    object: &'a Object,
    metric: &'a Metric,
    /// A bit for each voxel.
    words: Vec<u64>,
    left: usize,
    /// Of each row; not known until one of it is covered.
    left_of_row: Vec<u32>,
}

/// What rounding may take from a radius.
const SLACK: f64 = 1e-9;

impl<'a> Cover<'a> {
    pub fn new(object: &'a Object, metric: &'a Metric) -> Self {
        Self {
            object,
            metric,
            words: vec![0; object.len().div_ceil(64)],
            left: object.len(),
            left_of_row: vec![u32::MAX; object.rows()],
        }
    }

    /// Voxels that are not covered.
    pub fn left(&self) -> usize {
        self.left
    }

    pub fn is_covered(&self, voxel: usize) -> bool {
        self.words[voxel / 64] >> (voxel % 64) & 1 == 1
    }

    /// The voxels that are not covered, ascending.
    pub fn bare(&self) -> impl Iterator<Item = usize> {
        let count = self.object.len();
        let words = self.words.iter().enumerate();
        words
            .filter(|&(_, &word)| word != u64::MAX)
            .flat_map(|(at, &word)| {
                (0..64)
                    .filter(move |bit| word >> bit & 1 == 0)
                    .map(move |bit| 64 * at + bit)
            })
            .filter(move |&voxel| voxel < count)
    }

    /// Covers what the points of a draft cover, until nothing is left. Radii are asked for where they are needed: of points that are near to the one before, for what
    /// that covers, only if something is left without them.
    pub fn add_all(
        &mut self,
        known: &Known<'_>,
        reach: Reach,
        draft: &Draft,
        radius: impl Fn(Point, Place) -> f64,
    ) {
        let mut passed_over = Vec::new();
        for (node, &place) in draft.nodes.iter().enumerate() {
            self.add(in_voxels(place), reach.of(radius(Point::Node(node), place)));
        }
        for (number, edge) in draft.edges.iter().enumerate() {
            let mut next = PASSED * reach.of(known.about_radius(edge.points[0]));
            for at in 1..edge.points.len() - 1 {
                let (point, place) = (Point::Inner(number, at), edge.points[at]);
                next -= known.distance(edge.points[at - 1], place);
                if next > 0.0 {
                    passed_over.push((point, place));
                    continue;
                }
                let reach = reach.of(radius(point, place));
                self.add(in_voxels(place), reach);
                next = PASSED * reach;
            }
        }
        for (point, place) in passed_over {
            if self.left == 0 {
                break;
            }
            self.add(in_voxels(place), reach.of(radius(point, place)));
        }
    }

    /// Covers the voxels of a ball. Its radius is in the smallest spacing.
    pub fn add(&mut self, [x, y, z]: [f64; 3], radius: f64) {
        if self.left == 0 {
            return;
        }
        let object = self.object;
        let u = self.metric.upper();
        let radius = radius * (1.0 + SLACK);
        let half = radius / u[2][2];
        let first = ceil(z - half).max(0);
        let last = floor(z + half).min(object.planes() - 1);
        for plane in first..=last {
            let dz = f64::from(plane) - z;
            let rest = radius * radius - (u[2][2] * dz).powi(2);
            let shift = u[1][2] * dz;
            let half = rest.max(0.0).sqrt();
            let low = ceil(y + (-half - shift) / u[1][1]);
            let high = floor(y + (half - shift) / u[1][1]);
            let Self {
                words,
                left,
                left_of_row,
                ..
            } = self;
            object.rows_between(plane, [low, high], |number, row_y, row| {
                let left_here = &mut left_of_row[number];
                if *left_here == 0 {
                    return;
                }
                let dy = f64::from(row_y) - y;
                let across = u[1][1] * dy + shift;
                let half = (rest - across * across).max(0.0).sqrt();
                let shift = u[0][1] * dy + u[0][2] * dz;
                let low = ceil(x + (-half - shift) / u[0][0]);
                let high = floor(x + (half - shift) / u[0][0]);
                let part = object.part(row.clone(), low, high);
                let count = set(words, part);
                if count > 0 {
                    *left -= count;
                    *left_here = (*left_here).min(row.len() as u32) - count as u32;
                }
            });
        }
    }
}

/// The part of what a point covers within which others are passed over.
const PASSED: f64 = 0.25;

/// Sets a range of bits; how many were not set.
fn set(words: &mut [u64], range: std::ops::Range<usize>) -> usize {
    let mut count = 0;
    let mut at = range.start;
    while at < range.end {
        let end = range.end.min((at / 64 + 1) * 64);
        let mask = (u64::MAX >> (64 - (end - at))) << (at % 64);
        let word = &mut words[at / 64];
        count += (mask & !*word).count_ones() as usize;
        *word |= mask;
        at = end;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::set;

    #[test]
    fn ranges_of_bits() {
        for (start, end) in [
            (0, 0),
            (0, 1),
            (3, 64),
            (63, 65),
            (0, 64),
            (1, 191),
            (64, 128),
            (5, 5),
        ] {
            let mut words = vec![0u64; 3];
            assert_eq!(set(&mut words, start..end), end - start);
            let bits: Vec<usize> = (0..192)
                .filter(|at| words[at / 64] >> (at % 64) & 1 == 1)
                .collect();
            assert_eq!(bits, (start..end).collect::<Vec<_>>());
            assert_eq!(set(&mut words, 0..192), 192 - (end - start));
        }
    }
}
