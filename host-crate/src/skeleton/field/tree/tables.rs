//! What the kernels look up.

use super::{
    offsets::{Offset, Offsets},
    potential::{series, worst_error},
    terms::{Products, Terms},
};
use crate::device::{Buffer, DeviceError, Stream};
use ferrovox_kernels::skeleton::field::tree::{BRICK, MAX_SQUARED, Pairs};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// The tables of an exponent, an order and a radius, on a device.
pub(super) struct Tables {
    pub order: u32,
    pub terms: u32,
    /// The triples of powers, packed, and where those of two powers begin.
    pub triples: Buffer<u32>,
    pub rows: Buffer<u32>,
    /// Which coefficients are multiplied.
    pub products: Buffer<u32>,
    pub gathered: Pairs,
    pub spread: Pairs,
    /// Offsets of near and of far bricks.
    pub near: Buffer<u32>,
    pub far: Buffer<u32>,
    pub starts: [u32; 9],
    /// For each far offset the derivatives, and how far a force can be off: on the finest level, and on others.
    pub derivatives: Buffer<f32>,
    pub errors: [Buffer<f64>; 2],
    /// For each place along a side of a brick the powers of minus its coordinate, and of its coordinate.
    pub powers_of_sources: Buffer<f64>,
    pub powers_of_targets: Buffer<f64>,
    /// What moments are multiplied by on the way up, and series on the way down.
    pub shifts_up: Buffer<f32>,
    pub shifts_down: Buffer<f32>,
    /// `R^-(m + 1)` by `R²`.
    pub weights: Buffer<f64>,
}

impl Tables {
    pub fn new(stream: &Stream, exponent: f64, order: u32, near: u32) -> Result<Self, DeviceError> {
        let terms = Terms::of(order);
        let offsets = Offsets::of(near);
        let products = Products::of(&terms);
        let [finest, others] = errors(&terms, exponent, &offsets);
        Ok(Self {
            order,
            terms: terms.count() as u32,
            triples: stream.upload(&terms.packed())?,
            rows: stream.upload(&terms.rows)?,
            products: stream.upload(&products.tables)?,
            gathered: products.gathered,
            spread: products.spread,
            near: stream.upload(&offsets.near)?,
            far: stream.upload(&offsets.far)?,
            starts: offsets.starts,
            derivatives: stream.upload(&derivatives(&terms, exponent, &offsets))?,
            errors: [stream.upload(&finest)?, stream.upload(&others)?],
            powers_of_sources: stream.upload(&powers(order, -1.0))?,
            powers_of_targets: stream.upload(&powers(order, 1.0))?,
            shifts_up: stream.upload(&shifts(&terms, -0.25, 0.0))?,
            shifts_down: stream.upload(&shifts(&terms, 0.5, exponent - 1.0))?,
            weights: stream.upload(&weights(exponent))?,
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
    (0..BRICK).flat_map(of).collect()
}

/// For each octant `shift^c / c!`, where the shift is that of the upper half along each axis, and then `2^-(more + |c|)`.
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
    (0..8).flat_map(of_octant).chain(halves).collect()
}

fn weights(exponent: f64) -> Vec<f64> {
    let of = |squared: usize| (squared as f64).powf(-0.5 * (exponent + 1.0));
    std::iter::once(0.0)
        .chain((1..=MAX_SQUARED).map(of))
        .collect()
}

/// The derivatives of the potential for each far offset, which is from what is acted on to what acts.
fn derivatives(terms: &Terms, exponent: f64, offsets: &Offsets) -> Vec<f32> {
    let factorials: Vec<f64> = terms
        .triples
        .iter()
        .map(|triple| triple.iter().map(|&k| factorial(k)).product())
        .collect();
    let of = |offset: &Offset| {
        let series = series(terms, exponent, offset.map(|a| f64::from(-a)));
        let pairs = series.iter().zip(&factorials);
        pairs.map(|(a, factorial)| (a * factorial) as f32).collect()
    };
    let made: Vec<Vec<f32>> = offsets.tables.par_iter().map(of).collect();
    made.concat()
}

/// How far the force of a source can be off for each far offset: on the finest level, whose voxels are half a voxel from a brick's sides, and on others.
fn errors(terms: &Terms, exponent: f64, offsets: &Offsets) -> [Vec<f64>; 2] {
    let sorted = |offset: &Offset| {
        let mut sides = offset.map(i32::abs);
        sides.sort_unstable();
        sides
    };
    // what differs by signs and the order of axes is the same
    let kinds: BTreeSet<Offset> = offsets.tables.iter().map(sorted).collect();
    let kinds: Vec<Offset> = kinds.into_iter().collect();
    let finest = 1.0 - 1.0 / f64::from(BRICK);
    [finest, 1.0].map(|half| {
        let of = |&kind: &Offset| {
            (
                kind,
                worst_error(terms, exponent, kind.map(f64::from), half),
            )
        };
        let of_kind: HashMap<Offset, f64> = kinds.par_iter().map(of).collect();
        offsets
            .tables
            .iter()
            .map(|offset| of_kind[&sorted(offset)])
            .collect()
    })
}
