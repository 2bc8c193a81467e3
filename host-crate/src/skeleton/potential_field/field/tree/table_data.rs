//! What the kernels look up, as it is computed: once, whatever the number of devices.

use super::{
    lattice::BrickLattice,
    offsets::{Nearness, Offset, Offsets},
    potential::Potential,
    terms::{Products, Terms},
};
use crate::{
    grid::{Geometry, Metric},
    memory::{CollectOrUnwind, collect_into_or_unwind, concat_or_unwind},
    parallel,
    skeleton::potential_field::Params,
};
use ferrovox_kernels::skeleton::field::fmm::{BRICK, MAX_SQUARED_DISTANCE};
use std::collections::{BTreeSet, HashMap};

/// The tables of an exponent, an order and a radius, for voxels of one form.
/// [`Tables`](super::tables::Tables) are the same on a device, and say what is in them.
pub(in crate::skeleton::potential_field::field) struct TableData {
    pub(super) exponent: f64,
    pub(super) lattice: BrickLattice,
    pub(super) nearness: Nearness,
    pub(super) terms: Terms,
    pub(super) products: Products,
    pub(super) offsets: Offsets,
    pub(super) derivatives: Vec<f32>,
    pub(super) errors: [Vec<f64>; 2],
    pub(super) powers_of_sources: Vec<f64>,
    pub(super) powers_of_targets: Vec<f64>,
    pub(super) shifts_up: Vec<f32>,
    pub(super) shifts_down: Vec<f32>,
    pub(super) weights: Vec<f64>,
}

impl TableData {
    /// Those for voxels of a geometry; `None` where these are so flat, or axes lean so much, that
    /// there are too many offsets.
    pub fn of(geometry: &Geometry, params: &Params) -> Option<Self> {
        let exponent = params.exponent;
        let order = params.multipole.order_of(exponent);
        let lattice = BrickLattice::of(geometry);
        let metric = &lattice.metric;
        let nearness = Nearness::new(params.multipole.near_of(exponent), metric);
        let offsets = Offsets::of(&nearness)?;
        let terms = Terms::of(order);
        let potential = Potential::new(&terms, exponent, metric);
        let symmetry = Symmetry::of(metric);
        let errors = errors(&potential, &offsets, symmetry);
        let derivatives = derivatives(&terms, &potential, &offsets, symmetry);
        Some(Self {
            exponent,
            lattice,
            nearness,
            products: Products::of(&terms),
            offsets,
            derivatives,
            errors,
            powers_of_sources: powers(order, -1.0),
            powers_of_targets: powers(order, 1.0),
            shifts_up: shifts(&terms, -0.25, 0.0),
            shifts_down: shifts(&terms, 0.5, exponent - 1.0),
            weights: weights(exponent),
            terms,
        })
    }
}

/// `k!`.
fn factorial(k: u32) -> f64 {
    (1..=k).map(f64::from).product()
}

/// The coordinate of a voxel's centre, from the brick's, in sides of a brick.
fn coordinate(place: u32) -> f64 {
    let side = f64::from(BRICK);
    (f64::from(place) - 0.5 * (side - 1.0)) / side
}

/// `(sign v)^k / k!` for each place along a side.
fn powers(order: u32, sign: f64) -> Vec<f64> {
    let of = |place: u32| {
        let along = sign * coordinate(place);
        (0..=order).map(move |k| along.powi(k as i32) / factorial(k))
    };
    (0..BRICK).flat_map(of).collect_or_unwind()
}

/// For each octant `shift^c / c!`, where the shift is that of the upper half along each axis, and
/// then `2^-(more + |c|)`.
fn shifts(terms: &Terms, shift: f64, more: f64) -> Vec<f32> {
    let of_octant = |octant: u32| {
        terms.triples.iter().map(move |triple| {
            let along = |axis: usize| {
                let sign = if octant >> axis & 1 == 1 { 1.0 } else { -1.0 };
                (sign * shift).powi(triple[axis] as i32) / factorial(triple[axis])
            };
            (along(0) * along(1) * along(2)) as f32
        })
    };
    let halves = terms.triples.iter().map(|triple| {
        let sum = f64::from(triple.iter().sum::<u32>());
        (-(more + sum)).exp2() as f32
    });
    (0..8).flat_map(of_octant).chain(halves).collect_or_unwind()
}

fn weights(exponent: f64) -> Vec<f64> {
    let of = |squared: usize| (squared as f64).powf(-0.5 * (exponent + 1.0));
    std::iter::once(0.0)
        .chain((1..=MAX_SQUARED_DISTANCE).map(of))
        .collect_or_unwind()
}

/// Offsets with the same derivatives, but for their signs and order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symmetry {
    /// Cubes: those that differ by signs and the order of axes.
    Cube,
    /// Axes at right angles: by signs.
    Box,
    /// Axes that lean: by all signs together.
    Centre,
}

/// How an offset is made of the one that stands for all of its kind.
struct Kind {
    /// The one that does.
    of: Offset,
    /// Where each axis is in it.
    axes: [usize; 3],
    /// The axes whose signs differ.
    flipped: [bool; 3],
}

impl Symmetry {
    fn of(metric: &Metric) -> Self {
        match (metric.is_of_cubes(), metric.is_diagonal()) {
            (true, _) => Self::Cube,
            (_, true) => Self::Box,
            _ => Self::Centre,
        }
    }

    fn kind(self, offset: Offset) -> Kind {
        let mut axes = [0, 1, 2];
        match self {
            Self::Cube => {
                let mut of = offset.map(i32::abs);
                of.sort_unstable();
                axes.sort_by_key(|&axis| offset[axis].abs());
                // what is at each place of the kind, to where it is
                let flipped = offset.map(|along| along < 0);
                Kind { of, axes, flipped }
            }
            Self::Box => Kind {
                of: offset.map(i32::abs),
                axes,
                flipped: offset.map(|along| along < 0),
            },
            Self::Centre => {
                let back = offset.map(|along| -along);
                Kind {
                    of: offset.max(back),
                    axes,
                    flipped: [offset < back; 3],
                }
            }
        }
    }

    /// The kinds of far offsets.
    fn kinds(self, offsets: &Offsets) -> Vec<Offset> {
        let kinds = offsets.tables.iter().map(|&offset| self.kind(offset).of);
        kinds
            .collect::<BTreeSet<Offset>>()
            .into_iter()
            .collect_or_unwind()
    }
}

/// The derivatives of the potential for each far offset, which is from what is acted on to what
/// acts.
fn derivatives(
    terms: &Terms,
    potential: &Potential<'_>,
    offsets: &Offsets,
    symmetry: Symmetry,
) -> Vec<f32> {
    let of_kind = |kind: &Offset| {
        let series = potential.series(kind.map(f64::from));
        let pairs = series.iter().zip(&terms.triples);
        let derivative = |(a, triple): (&f64, &[u32; 3])| {
            (a * triple.iter().map(|&k| factorial(k)).product::<f64>()) as f32
        };
        (*kind, pairs.map(derivative).collect_or_unwind())
    };
    let kinds = symmetry.kinds(offsets);
    let made: HashMap<Offset, Vec<f32>> =
        collect_into_or_unwind(parallel::map(kinds.len(), |at| of_kind(&kinds[at])));
    // for each order of axes the places of triples, for each choice of signs theirs
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let place = |axes: [usize; 3]| {
        let triples = terms.triples.iter();
        let places = triples.map(move |triple| terms.index(axes.map(|axis| triple[axis])));
        (axes, places.collect_or_unwind())
    };
    let places: HashMap<[usize; 3], Vec<usize>> = orders.into_iter().map(place).collect();
    let sign = |signs: usize| {
        let of = move |triple: &[u32; 3]| {
            let odd = (0..3).filter(|&axis| signs >> axis & 1 == 1 && triple[axis] % 2 == 1);
            if odd.count() % 2 == 1 { -1.0f32 } else { 1.0 }
        };
        terms.triples.iter().map(of).collect_or_unwind()
    };
    let signs: Vec<Vec<f32>> = (0..8).map(sign).collect_or_unwind();
    let of = |offset: &Offset| {
        // the way is from what acts
        let kind = symmetry.kind(offset.map(|along| -along));
        let made = &made[&kind.of];
        let negative = (0..3).filter(|&axis| kind.flipped[axis]);
        let signs = &signs[negative.map(|axis| 1 << axis).sum::<usize>()];
        let pairs = places[&kind.axes].iter().zip(signs);
        pairs
            .map(|(&place, sign)| sign * made[place])
            .collect_or_unwind()
    };
    let tables = &offsets.tables;
    let all: Vec<Vec<f32>> = parallel::map(tables.len(), |at| of(&tables[at]));
    concat_or_unwind(&all)
}

/// How far the force of a source can be off for each far offset: on the finest level, whose voxels
/// are half a voxel from a brick's sides, and on others.
fn errors(potential: &Potential<'_>, offsets: &Offsets, symmetry: Symmetry) -> [Vec<f64>; 2] {
    let finest = 1.0 - 1.0 / f64::from(BRICK);
    let of = |kind: &Offset| {
        (
            *kind,
            potential.worst_errors(kind.map(f64::from), [finest, 1.0]),
        )
    };
    let kinds = symmetry.kinds(offsets);
    let of_kind: HashMap<Offset, [f64; 2]> =
        collect_into_or_unwind(parallel::map(kinds.len(), |at| of(&kinds[at])));
    [0, 1].map(|level| {
        let offsets = offsets.tables.iter();
        offsets
            .map(|&offset| of_kind[&symmetry.kind(offset).of][level])
            .collect_or_unwind()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Geometry;
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn derivatives_of_a_kind_are_those_of_its_offsets() {
        let terms = Terms::of(5);
        for (axes, expected) in [
            ([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], Symmetry::Cube),
            ([[1.0, 0.0], [1.3, 0.0], [0.8, 0.0]], Symmetry::Box),
            ([[1.0, 0.5], [1.0, 0.2], [1.2, 0.0]], Symmetry::Centre),
        ] {
            let [x, y, z] = axes;
            let axes = Matrix3::new(x[0], x[1], 0.0, 0.0, y[0], y[1], 0.0, 0.0, z[0]);
            let geometry = Geometry::new(axes, Vector3::zeros()).unwrap();
            let (metric, _) = Metric::snapped(&geometry);
            let symmetry = Symmetry::of(&metric);
            assert_eq!(symmetry, expected);
            let potential = Potential::new(&terms, 3.5, &metric);
            let offsets = Offsets::of(&Nearness::new(3, &metric)).unwrap();
            let found = derivatives(&terms, &potential, &offsets, symmetry);
            for (offset, found) in offsets.tables.iter().zip(found.chunks(terms.count())) {
                let series = potential.series(offset.map(|a| f64::from(-a)));
                for ((triple, a), &found) in terms.triples.iter().zip(series).zip(found) {
                    let expected = a * triple.iter().map(|&k| factorial(k)).product::<f64>();
                    let off = (f64::from(found) - expected).abs();
                    assert!(off <= 1e-6 * expected.abs() + 1e-9, "{offset:?} {triple:?}");
                }
            }
        }
    }

    /// As docs say.
    #[test]
    fn there_are_five_times_as_many_kinds_where_voxels_are_no_cubes() {
        let count = |spacing: [f64; 3]| {
            let axes = Matrix3::from_diagonal(&spacing.into());
            let lattice = BrickLattice::of(&Geometry::new(axes, Vector3::zeros()).unwrap());
            let metric = &lattice.metric;
            let offsets = Offsets::of(&Nearness::new(24, metric)).unwrap();
            Symmetry::of(metric).kinds(&offsets).len()
        };
        assert_eq!((count([1.0; 3]), count([1.0, 1.0, 1.4])), (133, 686));
    }
}
