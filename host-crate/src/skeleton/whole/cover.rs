//! Which voxels a skeleton covers.

use super::{
    crossing::{Place, in_voxels},
    draft::{Draft, Point},
    known::Known,
    metric::Metric,
    object::Object,
    rows::{ceil, floor},
    surface::ones,
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
    /// For each word of the object the voxels that are covered.
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
            words: vec![0; object.words().len()],
            left: object.len(),
            left_of_row: vec![u32::MAX; object.rows()],
        }
    }

    /// Voxels that are not covered.
    pub fn left(&self) -> usize {
        self.left
    }

    pub fn is_covered(&self, voxel: usize) -> bool {
        let (word, bit) = self.object.word_of(voxel);
        self.words[word] >> bit & 1 == 1
    }

    /// The voxels that are not covered, ascending.
    pub fn bare(&self) -> impl Iterator<Item = usize> {
        (0..self.words.len()).flat_map(|word| self.bare_of(word))
    }

    /// Those of a word.
    pub fn bare_of(&self, word: usize) -> impl Iterator<Item = usize> {
        let voxels = self.object.words()[word];
        ones(voxels.bits & !self.words[word]).map(move |bit| voxels.number(bit) as usize)
    }

    /// The component.
    pub fn object(&self) -> &'a Object {
        self.object
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
            for row in object.rows_between(plane, [low, high]) {
                let left_here = self.left_of_row[row];
                if left_here == 0 {
                    continue;
                }
                let dy = f64::from(object.row_place(row)[0]) - y;
                let across = u[1][1] * dy + shift;
                let half = (rest - across * across).max(0.0).sqrt();
                let shift = u[0][1] * dy + u[0][2] * dz;
                let low = ceil(x + (-half - shift) / u[0][0]);
                let high = floor(x + (half - shift) / u[0][0]);
                let mut count = 0;
                for (word, bits) in object.part(row, low, high) {
                    let new = object.words()[word].bits & bits & !self.words[word];
                    self.words[word] |= new;
                    count += new.count_ones();
                }
                if count > 0 {
                    self.left -= count as usize;
                    let all = object.voxels_of(row).len() as u32;
                    self.left_of_row[row] = left_here.min(all) - count;
                }
            }
        }
    }
}

/// The part of what a point covers within which others are passed over.
const PASSED: f64 = 0.25;
