//! Lookup tables of the multipole kernels, computed once for all devices.

use super::{
    expansion::TaylorExpansion,
    interactions::{InteractionLists, NearFieldCriterion, Offset},
    lattice::BrickLattice,
    multi_indices::{CoefficientProducts, MultiIndices},
};
use crate::{
    grid::{Geometry, Metric},
    memory::{CollectOrUnwind, collect_into_or_unwind, concat_or_unwind},
    parallel,
    skeleton::potential_field::Params,
};
use ferrovox_kernels::skeleton::field::fmm::{BRICK, MAX_SQUARED_DISTANCE};
use std::collections::{BTreeSet, HashMap};

/// Lookup tables for an exponent, an order, a near-field radius and a voxel shape.
/// [`DeviceTables`](super::device_tables::DeviceTables) is the copy on a device and documents the
/// contents.
pub(in crate::skeleton::potential_field::field) struct TableData {
    pub(super) exponent: f64,
    pub(super) lattice: BrickLattice,
    pub(super) near_field: NearFieldCriterion,
    pub(super) indices: MultiIndices,
    pub(super) products: CoefficientProducts,
    pub(super) interactions: InteractionLists,
    pub(super) derivatives: Vec<f32>,
    pub(super) errors: [Vec<f64>; 2],
    pub(super) source_powers: Vec<f64>,
    pub(super) target_powers: Vec<f64>,
    pub(super) upward_shifts: Vec<f32>,
    pub(super) downward_shifts: Vec<f32>,
    pub(super) weights: Vec<f64>,
}

impl TableData {
    /// Computes the tables for a voxel geometry, or returns `None` if voxels are so elongated, or
    /// axes so oblique, that there are too many offsets.
    pub fn new(geometry: &Geometry, params: &Params) -> Option<Self> {
        let exponent = params.exponent;
        let order = params.multipole.order_for(exponent);
        let lattice = BrickLattice::new(geometry);
        let metric = &lattice.metric;
        let near_field =
            NearFieldCriterion::new(params.multipole.squared_near_radius_for(exponent), metric);
        let interactions = InteractionLists::new(&near_field)?;
        let indices = MultiIndices::new(order);
        let potential = TaylorExpansion::new(&indices, exponent, metric);
        let symmetry = Symmetry::from_metric(metric);
        let errors = errors(&potential, &interactions, symmetry);
        let derivatives = derivatives(&indices, &potential, &interactions, symmetry);
        Some(Self {
            exponent,
            lattice,
            near_field,
            products: CoefficientProducts::new(&indices),
            interactions,
            derivatives,
            errors,
            source_powers: powers(order, -1.0),
            target_powers: powers(order, 1.0),
            upward_shifts: shifts(&indices, -0.25, 0.0),
            downward_shifts: shifts(&indices, 0.5, exponent - 1.0),
            weights: weights(exponent),
            indices,
        })
    }
}

/// Returns `k!`.
fn factorial(k: u32) -> f64 {
    (1..=k).map(f64::from).product()
}

/// Returns the coordinate of a lattice point relative to the brick's centre, in units of the
/// brick's edge.
fn coordinate(position: u32) -> f64 {
    let side = f64::from(BRICK);
    (f64::from(position) - 0.5 * (side - 1.0)) / side
}

/// Returns `(sign v)^k / k!` for each position along an edge.
fn powers(order: u32, sign: f64) -> Vec<f64> {
    let powers_at = |position: u32| {
        let along = sign * coordinate(position);
        (0..=order).map(move |k| along.powi(k as i32) / factorial(k))
    };
    (0..BRICK).flat_map(powers_at).collect_or_unwind()
}

/// Returns `shift^c / c!` for each octant, where `shift` is the magnitude of the shift along each
/// axis, followed by `2^-(base + |c|)`.
fn shifts(indices: &MultiIndices, shift: f64, base: f64) -> Vec<f32> {
    let octant_shifts = |octant: u32| {
        indices.all.iter().map(move |multi_index| {
            let along = |axis: usize| {
                let sign = if octant >> axis & 1 == 1 { 1.0 } else { -1.0 };
                (sign * shift).powi(multi_index[axis] as i32) / factorial(multi_index[axis])
            };
            (along(0) * along(1) * along(2)) as f32
        })
    };
    let halves = indices.all.iter().map(|multi_index| {
        let sum = f64::from(multi_index.iter().sum::<u32>());
        (-(base + sum)).exp2() as f32
    });
    (0..8)
        .flat_map(octant_shifts)
        .chain(halves)
        .collect_or_unwind()
}

fn weights(exponent: f64) -> Vec<f64> {
    let weight = |squared: usize| (squared as f64).powf(-0.5 * (exponent + 1.0));
    std::iter::once(0.0)
        .chain((1..=MAX_SQUARED_DISTANCE).map(weight))
        .collect_or_unwind()
}

/// Symmetry of the voxel grid, which relates the derivatives of different offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symmetry {
    /// Cubic voxels: invariant under sign changes and permutations of the axes.
    Cube,
    /// Orthogonal axes: invariant under sign changes of each axis.
    Box,
    /// Oblique axes: invariant under inversion.
    Centre,
}

/// Relation of an offset to the representative of its symmetry class.
struct SymmetricOffset {
    /// Representative of the symmetry class.
    representative: Offset,
    /// Axis of the offset that corresponds to each axis of the representative.
    axes: [usize; 3],
    /// Axes of the offset whose sign differs from the representative.
    flipped: [bool; 3],
}

impl Symmetry {
    fn from_metric(metric: &Metric) -> Self {
        match (metric.is_cubic(), metric.is_diagonal()) {
            (true, _) => Self::Cube,
            (_, true) => Self::Box,
            _ => Self::Centre,
        }
    }

    fn reduce(self, offset: Offset) -> SymmetricOffset {
        let mut axes = [0, 1, 2];
        match self {
            Self::Cube => {
                let mut representative = offset.map(i32::abs);
                representative.sort_unstable();
                axes.sort_by_key(|&axis| offset[axis].abs());
                // `axes` now holds the axis of the offset for each axis of the representative
                let flipped = offset.map(|along| along < 0);
                SymmetricOffset {
                    representative,
                    axes,
                    flipped,
                }
            }
            Self::Box => SymmetricOffset {
                representative: offset.map(i32::abs),
                axes,
                flipped: offset.map(|along| along < 0),
            },
            Self::Centre => {
                let back = offset.map(|along| -along);
                SymmetricOffset {
                    representative: offset.max(back),
                    axes,
                    flipped: [offset < back; 3],
                }
            }
        }
    }

    /// Returns the representatives of all far offsets.
    fn representatives(self, interactions: &InteractionLists) -> Vec<Offset> {
        let representatives = interactions
            .far_offsets
            .iter()
            .map(|&offset| self.reduce(offset).representative);
        representatives
            .collect::<BTreeSet<Offset>>()
            .into_iter()
            .collect_or_unwind()
    }
}

/// Computes the derivatives of the potential for each far offset; offsets point from target to
/// source.
fn derivatives(
    indices: &MultiIndices,
    potential: &TaylorExpansion<'_>,
    interactions: &InteractionLists,
    symmetry: Symmetry,
) -> Vec<f32> {
    let representative_derivatives = |offset: &Offset| {
        let series = potential.coefficients(offset.map(f64::from));
        let pairs = series.iter().zip(&indices.all);
        let derivative = |(a, multi_index): (&f64, &[u32; 3])| {
            (a * multi_index.iter().map(|&k| factorial(k)).product::<f64>()) as f32
        };
        (*offset, pairs.map(derivative).collect_or_unwind())
    };
    let representatives = symmetry.representatives(interactions);
    let by_representative: HashMap<Offset, Vec<f32>> =
        collect_into_or_unwind(parallel::map(representatives.len(), |at| {
            representative_derivatives(&representatives[at])
        }));
    // permuted multi-indices for each order of the axes, and signs for each combination of sign
    // changes
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let permute = |axes: [usize; 3]| {
        let multi_indices = indices.all.iter();
        let permuted =
            multi_indices.map(move |multi_index| indices.index(axes.map(|axis| multi_index[axis])));
        (axes, permuted.collect_or_unwind())
    };
    let permuted: HashMap<[usize; 3], Vec<usize>> = orders.into_iter().map(permute).collect();
    let sign = |signs: usize| {
        let parity = move |multi_index: &[u32; 3]| {
            let odd = (0..3).filter(|&axis| signs >> axis & 1 == 1 && multi_index[axis] % 2 == 1);
            if odd.count() % 2 == 1 { -1.0f32 } else { 1.0 }
        };
        indices.all.iter().map(parity).collect_or_unwind()
    };
    let signs: Vec<Vec<f32>> = (0..8).map(sign).collect_or_unwind();
    let offset_derivatives = |offset: &Offset| {
        // the displacement points from the source
        let reduced = symmetry.reduce(offset.map(|along| -along));
        let derivatives = &by_representative[&reduced.representative];
        let negative = (0..3).filter(|&axis| reduced.flipped[axis]);
        let signs = &signs[negative.map(|axis| 1 << axis).sum::<usize>()];
        let pairs = permuted[&reduced.axes].iter().zip(signs);
        pairs
            .map(|(&position, sign)| sign * derivatives[position])
            .collect_or_unwind()
    };
    let far_offsets = &interactions.far_offsets;
    let all: Vec<Vec<f32>> =
        parallel::map(far_offsets.len(), |at| offset_derivatives(&far_offsets[at]));
    concat_or_unwind(&all)
}

/// Computes the maximum error of a source's force for each far offset: on the finest level, whose
/// voxels are half a voxel away from a brick's faces, and on coarser levels.
fn errors(
    potential: &TaylorExpansion<'_>,
    interactions: &InteractionLists,
    symmetry: Symmetry,
) -> [Vec<f64>; 2] {
    let finest_half = 1.0 - 1.0 / f64::from(BRICK);
    let max_errors = |offset: &Offset| {
        (
            *offset,
            potential.max_errors(offset.map(f64::from), [finest_half, 1.0]),
        )
    };
    let representatives = symmetry.representatives(interactions);
    let errors: HashMap<Offset, [f64; 2]> =
        collect_into_or_unwind(parallel::map(representatives.len(), |at| {
            max_errors(&representatives[at])
        }));
    [0, 1].map(|level| {
        let offsets = interactions.far_offsets.iter();
        offsets
            .map(|&offset| errors[&symmetry.reduce(offset).representative][level])
            .collect_or_unwind()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Geometry;
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn derivatives_from_symmetry_match_direct_ones() {
        let indices = MultiIndices::new(5);
        for (axes, expected) in [
            ([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], Symmetry::Cube),
            ([[1.0, 0.0], [1.3, 0.0], [0.8, 0.0]], Symmetry::Box),
            ([[1.0, 0.5], [1.0, 0.2], [1.2, 0.0]], Symmetry::Centre),
        ] {
            let [x, y, z] = axes;
            let axes = Matrix3::new(x[0], x[1], 0.0, 0.0, y[0], y[1], 0.0, 0.0, z[0]);
            let geometry = Geometry::new(axes, Vector3::zeros()).unwrap();
            let (metric, _) = Metric::snapped(&geometry);
            let symmetry = Symmetry::from_metric(&metric);
            assert_eq!(symmetry, expected);
            let potential = TaylorExpansion::new(&indices, 3.5, &metric);
            let interactions = InteractionLists::new(&NearFieldCriterion::new(3, &metric)).unwrap();
            let actual = derivatives(&indices, &potential, &interactions, symmetry);
            for (offset, actual) in interactions
                .far_offsets
                .iter()
                .zip(actual.chunks(indices.count()))
            {
                let series = potential.coefficients(offset.map(|a| f64::from(-a)));
                for ((multi_index, a), &actual) in indices.all.iter().zip(series).zip(actual) {
                    let expected = a * multi_index.iter().map(|&k| factorial(k)).product::<f64>();
                    let error = (f64::from(actual) - expected).abs();
                    assert!(
                        error <= 1e-6 * expected.abs() + 1e-9,
                        "{offset:?} {multi_index:?}"
                    );
                }
            }
        }
    }

    /// The numbers stated in the documentation.
    #[test]
    fn anisotropic_voxels_have_five_times_as_many_distinct_offsets() {
        let count = |spacing: [f64; 3]| {
            let axes = Matrix3::from_diagonal(&spacing.into());
            let lattice = BrickLattice::new(&Geometry::new(axes, Vector3::zeros()).unwrap());
            let metric = &lattice.metric;
            let interactions = InteractionLists::new(&NearFieldCriterion::new(24, metric)).unwrap();
            Symmetry::from_metric(metric)
                .representatives(&interactions)
                .len()
        };
        assert_eq!((count([1.0; 3]), count([1.0, 1.0, 1.4])), (133, 686));
    }
}
