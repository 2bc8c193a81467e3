//! Lookup tables of the multipole kernels, on a device.

use super::tables::TableData;
use crate::device::{Buffer, DeviceError, Stream};
use ferrovox_kernels::skeleton::field::fmm::ProductTable;

/// Lookup tables for an exponent, an order, a near-field radius and a voxel shape, on a device.
pub(super) struct DeviceTables {
    pub order: u32,
    pub terms: u32,
    /// Multi-indices, packed into one byte per axis, and the index of the first one for each pair
    /// of powers of x and y.
    pub multi_indices: Buffer<u32>,
    pub rows: Buffer<u32>,
    /// Tables of the coefficient products of translations.
    pub products: Buffer<u32>,
    pub local_products: ProductTable,
    pub moment_products: ProductTable,
    /// Packed offsets to near and to far bricks.
    pub near: Buffer<u32>,
    pub far: Buffer<u32>,
    pub starts: [u32; 9],
    /// Derivatives of the potential for each far offset, and the maximum error of a source's force:
    /// on the finest level, and on coarser levels.
    pub derivatives: Buffer<f32>,
    pub errors: [Buffer<f64>; 2],
    /// `(-u)^k / k!` and `u^k / k!` for each position `u` along a brick's edge.
    pub source_powers: Buffer<f64>,
    pub target_powers: Buffer<f64>,
    /// Factors by which moments are shifted on the way up, and expansions on the way down.
    pub upward_shifts: Buffer<f32>,
    pub downward_shifts: Buffer<f32>,
    /// `R^-(m + 1)` by `R²`, for cubic voxels.
    pub weights: Buffer<f64>,
}

impl DeviceTables {
    /// Uploads the tables.
    pub fn upload(stream: &Stream, data: &TableData) -> Result<Self, DeviceError> {
        let TableData {
            indices,
            products,
            interactions,
            ..
        } = data;
        let [finest, coarser] = &data.errors;
        Ok(Self {
            order: indices.order,
            terms: indices.count() as u32,
            multi_indices: stream.upload(&indices.packed())?,
            rows: stream.upload(&indices.rows)?,
            products: stream.upload(&products.tables)?,
            local_products: products.local_products,
            moment_products: products.moment_products,
            near: stream.upload(&interactions.near)?,
            far: stream.upload(&interactions.far)?,
            starts: interactions.starts,
            derivatives: stream.upload(&data.derivatives)?,
            errors: [stream.upload(finest)?, stream.upload(coarser)?],
            source_powers: stream.upload(&data.source_powers)?,
            target_powers: stream.upload(&data.target_powers)?,
            upward_shifts: stream.upload(&data.upward_shifts)?,
            downward_shifts: stream.upload(&data.downward_shifts)?,
            weights: stream.upload(&data.weights)?,
        })
    }
}
