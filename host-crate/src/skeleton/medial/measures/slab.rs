//! Connected voxels between two parallel planes.

use crate::{
    grid::Metric,
    memory::{ExtendOrUnwind, ReserveOrUnwind},
    skeleton::medial::voxels::{
        object::{OWN_ROW, Object},
        word_neighbourhood::set_bits,
    },
};
use nalgebra::Vector3;
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// Space between two parallel planes, in world coordinates whose unit is the smallest spacing.
pub struct Slab<'a> {
    /// Component whose voxels are summed.
    pub object: &'a Object,
    /// Conversion of voxel positions to world coordinates.
    pub metric: &'a Metric,
    /// Position halfway between the planes.
    pub centre: Vector3<f64>,
    /// Unit normal of the planes.
    pub normal: Vector3<f64>,
    /// Distance of both planes from the centre, at least the extent of a voxel along the normal.
    pub half_width: f64,
}

/// The 64 positions of a word along x, relative to the centre of a slab.
struct WordPositions {
    /// Offset of the lowest bit from the centre.
    offset: Vector3<f64>,
    /// Distance between neighbours along x, which is the first world axis.
    step: f64,
}

/// Voxels within a slab that have not been reached yet, by word.
type Unreached = HashMap<u32, u64, BuildHasherDefault<WordHasher>>;

impl Slab<'_> {
    /// Returns the number of voxels that are connected with a voxel within the slab, each weighted
    /// by a hat function of its distance to the central plane, which is 1 there and 0 on both
    /// planes. Returns `None` if one of them is farther than `max_extent` from the centre.
    ///
    /// `first` is a voxel whose cube contains the centre. Rows of voxels are processed as words of
    /// 64 bits, so the time is linear in the number of rows, and in the sum of the voxels.
    pub fn weighted_volume(&self, first: usize, max_extent: f64) -> Option<f64> {
        let object = self.object;
        let mut unreached = Unreached::default();
        let mut pending = Vec::new();
        let mut reach = |word: usize, bits: u64, pending: &mut Vec<(usize, u64)>| {
            let Some(voxels) = object.words().get(word).map(|it| it.bits) else {
                return;
            };
            unreached.reserve_or_unwind(1);
            let unreached = unreached
                .entry(word as u32)
                .or_insert_with(|| voxels & self.positions(word).within(self));
            let reached = fill_runs(bits, *unreached);
            if reached != 0 {
                *unreached &= !reached;
                pending.push_or_unwind((word, reached));
            }
        };
        let (word, bit) = object.locate(first);
        reach(word, 1 << bit, &mut pending);
        let mut sum = 0.0;
        while let Some((word, bits)) = pending.pop() {
            let positions = self.positions(word);
            if positions.extent(bits) > max_extent {
                return None;
            }
            sum += positions.sum_weights(bits, self);
            let beside = bits | bits << 1 | bits >> 1;
            for direction in 0..9 {
                if direction != OWN_ROW {
                    let other = object.adjacent_word_index(word, direction);
                    reach(other, beside, &mut pending);
                }
                for (is_at_end, step, end) in
                    [(bits & 1 == 1, -1, 1 << 63), (bits >> 63 == 1, 1, 1)]
                {
                    if !is_at_end {
                        continue;
                    }
                    if let Some(other) = object.word_index_at_offset(word, direction, step) {
                        reach(other, end, &mut pending);
                    }
                }
            }
        }
        Some(sum)
    }

    /// Returns the positions of a word.
    fn positions(&self, word: usize) -> WordPositions {
        let low = self.object.word_position(word).map(f64::from);
        WordPositions {
            offset: Vector3::from(self.metric.to_world(low)) - self.centre,
            step: self.metric.upper()[0][0],
        }
    }
}

impl WordPositions {
    /// Returns the bits whose positions lie strictly between the planes of a slab.
    fn within(&self, slab: &Slab<'_>) -> u64 {
        let height = self.offset.dot(&slab.normal);
        let step = self.step * slab.normal.x;
        if 64.0 * step.abs() <= f64::EPSILON * slab.half_width {
            return if height.abs() < slab.half_width {
                u64::MAX
            } else {
                0
            };
        }
        let (middle, half_length) = (-height / step, slab.half_width / step.abs());
        let low = ((middle - half_length).floor() + 1.0).max(0.0);
        let high = ((middle + half_length).ceil() - 1.0).min(63.0);
        if low > high {
            return 0;
        }
        u64::MAX << low as u32 & u64::MAX >> (63 - high as u32)
    }

    /// Returns the greatest distance of the positions of some bits from the centre.
    fn extent(&self, bits: u64) -> f64 {
        let distance = |bit: u32| {
            let along = self.offset.x + self.step * f64::from(bit);
            Vector3::new(along, self.offset.y, self.offset.z).norm()
        };
        // the distance is a convex function of the position along the row
        distance(bits.trailing_zeros()).max(distance(63 - bits.leading_zeros()))
    }

    /// Returns the sum of the weights of some bits.
    fn sum_weights(&self, bits: u64, slab: &Slab<'_>) -> f64 {
        let height = self.offset.dot(&slab.normal);
        let step = self.step * slab.normal.x;
        let weight = |bit: u32| {
            let distance = (height + step * f64::from(bit)).abs();
            (1.0 - distance / slab.half_width).max(0.0)
        };
        set_bits(bits).map(weight).sum()
    }
}

/// Returns the runs of consecutive bits of `mask` that contain a bit of `seeds`.
fn fill_runs(seeds: u64, mask: u64) -> u64 {
    let mut filled = seeds & mask;
    loop {
        let wider = (filled | filled << 1 | filled >> 1) & mask;
        if wider == filled {
            return filled;
        }
        filled = wider;
    }
}

/// Multiplicative hash of word indices (Knuth 1973, section 6.4).
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        // tables use the lowest and the highest bits; a product is mixed in its upper half only
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(byte.into());
        }
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0 ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry,
        skeleton::medial::{test_objects::with_context, voxels::neighbour_bits::NEIGHBOURS},
    };
    use std::collections::BTreeSet;

    /// Result of [`Slab::weighted_volume`], voxel by voxel.
    fn reference(slab: &Slab<'_>, first: usize, max_extent: f64) -> Option<f64> {
        let offset = |voxel: usize| {
            let position = slab.object.position(voxel).map(f64::from);
            Vector3::from(slab.metric.to_world(position)) - slab.centre
        };
        let height = |voxel: usize| offset(voxel).dot(&slab.normal).abs();
        let mut visited = BTreeSet::from([first]);
        let mut pending = vec![first];
        while let Some(voxel) = pending.pop() {
            for (_, other) in slab.object.neighbours(voxel, NEIGHBOURS) {
                if height(other) < slab.half_width && visited.insert(other) {
                    pending.push(other);
                }
            }
        }
        let is_near = visited.iter().all(|&it| offset(it).norm() <= max_extent);
        let weight = |&voxel: &usize| 1.0 - height(voxel) / slab.half_width;
        is_near.then(|| visited.iter().map(weight).sum())
    }

    #[test]
    fn rows_give_the_result_of_single_voxels() {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24)
        };
        let tilted = [[0.9, 0.1, 0.2], [-0.2, 1.1, 0.0], [0.1, -0.3, 2.0]];
        for (dims, density) in [
            ([200, 7, 6], 0.8),
            ([9, 70, 6], 0.35),
            ([130, 12, 11], 1.0),
            ([70, 9, 9], 0.25),
        ] {
            let axes = tilted.map(Vector3::from);
            let geometry =
                Geometry::new(nalgebra::Matrix3::from_columns(&axes), Vector3::zeros()).unwrap();
            let voxels: Vec<bool> = (0..dims.iter().product::<usize>())
                .map(|at| at == 0 || random() < density)
                .collect();
            let is_set = |[x, y, z]: [usize; 3]| voxels[x + dims[0] * (y + dims[1] * z)];
            with_context(dims, geometry, is_set, |context, _| {
                let (object, metric) = (context.object, context.metric);
                let mut defined = 0;
                for case in 0..100 {
                    let first = ((random() * object.len() as f64) as usize).min(object.len() - 1);
                    let position = object.position(first);
                    let centre = position.map(|at| f64::from(at) + 0.98 * (random() - 0.5));
                    let normal = Vector3::from_fn(|row, _| match case % 4 {
                        axis @ 0..3 => f64::from(u8::from(axis == row)),
                        _ => random() - 0.5,
                    });
                    let normal = normal.normalize();
                    let extent: f64 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
                        .map(|axis| Vector3::from(metric.to_world(axis)).dot(&normal).abs())
                        .iter()
                        .sum();
                    let slab = Slab {
                        object,
                        metric,
                        centre: Vector3::from(metric.to_world(centre)),
                        normal,
                        half_width: extent * (1.001 + 3.0 * random()),
                    };
                    let max_extent = [5.0, 12.0, 1e9][case % 3];
                    let expected = reference(&slab, first, max_extent);
                    let found = slab.weighted_volume(first, max_extent);
                    assert_eq!(found.is_some(), expected.is_some(), "{dims:?} {case}");
                    if let (Some(found), Some(expected)) = (found, expected) {
                        assert!(
                            (found - expected).abs() < 1e-9 * expected,
                            "{dims:?} {case}"
                        );
                        defined += 1;
                    }
                }
                assert!(defined > 20, "{dims:?}: {defined} defined");
            });
        }
    }

    #[test]
    fn runs_are_filled_from_their_seeds() {
        assert_eq!(fill_runs(0b0100, 0b0110_1110), 0b1110);
        assert_eq!(fill_runs(0b1_0000, 0b0110_1110), 0);
        assert_eq!(fill_runs(1 << 63 | 1, u64::MAX), u64::MAX);
        assert_eq!(fill_runs(1 << 40, u64::MAX << 3), u64::MAX << 3);
    }
}
