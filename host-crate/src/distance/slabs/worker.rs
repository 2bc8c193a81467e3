//! What a device does for its slabs.

use super::{Slabs, plan::Plan};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream, rows, rows_launch},
    distance::{
        DistanceError, DistanceParams,
        separable::{Number, Parts, Unit, Weights},
        sheared,
    },
};
use ferrovox_kernels::{
    distance::{
        separable::{Cost, Words},
        sites::{BitRows, negate_within},
        slabs::{BitTiles, SlabTiles, copy_columns, transpose_bits, transpose_slab},
    },
    grid::Grid,
};
use std::ops::Range;

/// The sites on a device, and all that is to be known for a slab.
pub(super) struct Worker<'a> {
    stream: Stream,
    slabs: &'a Slabs<'a>,
    plan: Plan,
    /// Along z, or along x where the order matters.
    bits: Buffer<u32>,
    /// The grid that these are of.
    grid: Grid,
    /// What squared distances are counted in, along the axes of that grid.
    unit: Unit,
    /// The sites in a tree, where axes are not at right angles.
    sheared: Option<sheared::Prepared<'a>>,
}

impl<'a> Worker<'a> {
    pub fn new(stream: Stream, slabs: &'a Slabs<'a>) -> Result<Self, DistanceError> {
        let tiles = BitTiles::new(slabs.sites.layout().grid);
        if slabs.plan.sheared {
            let mask = slabs.sites.upload(&stream)?;
            let given = sheared::Given::of_mask(&stream, sheared::Held::Made(mask))?;
            let params = DistanceParams {
                memory: None,
                ..slabs.params
            };
            return Ok(Self {
                sheared: Some(sheared::Prepared::new(&stream, given, &params)?),
                plan: slabs.plan,
                bits: stream.alloc(0)?,
                grid: tiles.from.grid,
                unit: slabs.unit,
                stream,
                slabs,
            });
        }
        let bits = stream.upload(slabs.sites.words())?;
        let (bits, grid, unit) = if slabs.plan.in_order {
            (bits, tiles.from.grid, slabs.unit)
        } else {
            (
                turned(&stream, &bits, tiles)?,
                tiles.to.grid,
                slabs.unit.turned(),
            )
        };
        Ok(Self {
            stream,
            slabs,
            plan: slabs.plan,
            bits,
            grid,
            unit,
            sheared: None,
        })
    }

    /// The distances of some planes, on the host.
    pub fn make(&self, z: Range<usize>) -> Result<Vec<f32>, DistanceError> {
        let mut slab = match (&self.sheared, self.unit.weights) {
            (Some(prepared), _) => self.slab_of_tree(prepared, &z),
            (None, Weights::U32(weights)) => self.slab(weights, &z),
            (None, Weights::U64(weights)) => self.slab(weights, &z),
            (None, Weights::F64(weights)) => self.slab_in_order(weights, &z),
        }?;
        self.sign(&mut slab, &z)?;
        Ok(self.stream.download(&slab)?)
    }

    fn parts<C: Cost + Number + Element>(&self, weights: [C; 3]) -> Parts<'_, C> {
        Parts {
            stream: &self.stream,
            grid: self.grid,
            unit: &self.unit,
            weights,
        }
    }

    /// From words along z.
    fn slab<C: Cost + Number + Element>(
        &self,
        weights: [C; 3],
        z: &Range<usize>,
    ) -> Result<Buffer<f32>, DistanceError> {
        let words = Words {
            first: (z.start / 32) as u32,
            count: z.len().div_ceil(32) as u32,
        };
        let turned = self.parts(weights).distances(&self.bits, words)?;
        let tiles = SlabTiles {
            nx: self.grid.nz,
            ny: self.grid.ny,
            planes: z.len() as u32,
        };
        let mut slab = self.stream.alloc::<f32>(tiles.voxels() as usize)?;
        let launch = Launch::pieces(tiles.count()).max_useful_threads(256);
        // SAFETY: both have an element for each voxel of the slab.
        unsafe {
            let args = (turned.view(), tiles, slab.view_mut());
            self.stream.launch::<transpose_slab>(launch, args)?;
        }
        Ok(slab)
    }

    /// From a tree of the sites.
    fn slab_of_tree(
        &self,
        prepared: &sheared::Prepared<'_>,
        z: &Range<usize>,
    ) -> Result<Buffer<f32>, DistanceError> {
        let plane = self.grid.nx as usize * self.grid.ny as usize;
        let mut slab = self.stream.alloc::<f32>(plane * z.len())?;
        let mut none: Buffer<u32> = self.stream.alloc(0)?;
        prepared.measure(&self.stream, z.clone(), &mut slab, &mut none)?;
        Ok(slab)
    }

    /// From all words along x, some at a time: all planes are made, and those of the slab kept.
    fn slab_in_order<C: Cost + Number + Element>(
        &self,
        weights: [C; 3],
        z: &Range<usize>,
    ) -> Result<Buffer<f32>, DistanceError> {
        let grid = Grid {
            nz: z.len() as u32,
            ..self.grid
        };
        let parts = self.parts(weights);
        let mut slab = self.stream.alloc::<f32>(grid.samples() as usize)?;
        let per_row = BitRows::new(grid).per_row;
        let mut first = 0;
        while first < per_row {
            let words = Words {
                first,
                count: self.plan.columns.min(per_row - first),
            };
            let part = parts.distances(&self.bits, words)?;
            let columns = (words.count * 32).min(grid.nx - first * 32);
            let rows = rows(&self.stream, [columns, grid.ny, grid.nz], 1);
            let plane = columns as usize * grid.ny as usize;
            let kept = part.view().slice(z.start * plane, z.len() * plane);
            // SAFETY: of the columns there are the planes of the slab, in whose rows they begin at
            // the first word's first voxel.
            unsafe {
                let args = (kept, rows, first * 32, grid, slab.view_mut());
                self.stream
                    .launch::<copy_columns>(rows_launch(rows), args)?;
            }
            first += words.count;
        }
        Ok(slab)
    }

    /// Makes distances inside negative.
    fn sign(&self, slab: &mut Buffer<f32>, z: &Range<usize>) -> Result<(), DeviceError> {
        let Some(inside) = self.slabs.inside else {
            return Ok(());
        };
        let bits = self.stream.upload(inside.planes(z.clone()))?;
        let layout = BitRows::new(Grid {
            nz: z.len() as u32,
            ..inside.layout().grid
        });
        let grid = layout.grid;
        let rows = rows(&self.stream, [grid.nx, grid.ny, grid.nz], 1);
        // SAFETY: both have the voxels of the slab.
        unsafe {
            let args = (bits.view(), layout, rows, slab.view_mut());
            self.stream.launch::<negate_within>(rows_launch(rows), args)
        }
    }
}

/// Bits along z.
fn turned(
    stream: &Stream,
    bits: &Buffer<u32>,
    tiles: BitTiles,
) -> Result<Buffer<u32>, DeviceError> {
    let mut turned = stream.alloc::<u32>(tiles.to.words() as usize)?;
    let launch = Launch::pieces(tiles.count()).max_useful_threads(256);
    // SAFETY: both have the words of the grid.
    unsafe {
        let args = (bits.view(), tiles, turned.view_mut());
        stream.launch::<transpose_bits>(launch, args)?;
    }
    Ok(turned)
}
