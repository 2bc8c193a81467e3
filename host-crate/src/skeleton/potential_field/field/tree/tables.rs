//! What the kernels look up, on a device.

use super::table_data::TableData;
use crate::device::{Buffer, DeviceError, Stream};
use ferrovox_kernels::skeleton::field::fmm::ProductTable;

/// The tables of an exponent, an order and a radius, on a device.
pub(super) struct Tables {
    pub order: u32,
    pub terms: u32,
    /// The triples of powers, packed, and where those of two powers begin.
    pub triples: Buffer<u32>,
    pub rows: Buffer<u32>,
    /// Which coefficients are multiplied.
    pub products: Buffer<u32>,
    pub gathered: ProductTable,
    pub spread: ProductTable,
    /// Offsets of near and of far bricks.
    pub near: Buffer<u32>,
    pub far: Buffer<u32>,
    pub starts: [u32; 9],
    /// For each far offset the derivatives, and how far a force can be off: on the finest level,
    /// and on others.
    pub derivatives: Buffer<f32>,
    pub errors: [Buffer<f64>; 2],
    /// For each place along a side of a brick the powers of minus its coordinate, and of its
    /// coordinate.
    pub powers_of_sources: Buffer<f64>,
    pub powers_of_targets: Buffer<f64>,
    /// What moments are multiplied by on the way up, and series on the way down.
    pub shifts_up: Buffer<f32>,
    pub shifts_down: Buffer<f32>,
    /// `R^-(m + 1)` by `R²`, where voxels are cubes.
    pub weights: Buffer<f64>,
}

impl Tables {
    /// Uploads them.
    pub fn upload(stream: &Stream, data: &TableData) -> Result<Self, DeviceError> {
        let TableData {
            terms,
            products,
            offsets,
            ..
        } = data;
        let [finest, others] = &data.errors;
        Ok(Self {
            order: terms.order,
            terms: terms.count() as u32,
            triples: stream.upload(&terms.packed())?,
            rows: stream.upload(&terms.rows)?,
            products: stream.upload(&products.tables)?,
            gathered: products.gathered,
            spread: products.spread,
            near: stream.upload(&offsets.near)?,
            far: stream.upload(&offsets.far)?,
            starts: offsets.starts,
            derivatives: stream.upload(&data.derivatives)?,
            errors: [stream.upload(finest)?, stream.upload(others)?],
            powers_of_sources: stream.upload(&data.powers_of_sources)?,
            powers_of_targets: stream.upload(&data.powers_of_targets)?,
            shifts_up: stream.upload(&data.shifts_up)?,
            shifts_down: stream.upload(&data.shifts_down)?,
            weights: stream.upload(&data.weights)?,
        })
    }
}
