//! Computation of slabs on one device.

use super::{Slabs, plan::SlabPlan};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream, rows, rows_launch},
    distance::{
        DistanceError, DistanceParams, oblique,
        separable::{CostUnit, Number, PartTransform, Weights},
    },
};
use ferrovox_kernels::{
    distance::{
        separable::{Cost, WordRange},
        sites::{BitRows, negate_inside},
        slabs::{BitTiles, SlabTiles, copy_columns, transpose_bits, transpose_slab},
    },
    grid::Grid,
};
use std::ops::Range;

/// Sites in the memory of a device, and everything else needed to compute slabs.
pub(super) struct SlabWorker<'a> {
    stream: Stream,
    slabs: &'a Slabs<'a>,
    plan: SlabPlan,
    /// Site mask with rows along z, or along x if the plan is [in order](SlabPlan::in_order).
    bits: Buffer<u32>,
    /// Grid of the mask.
    grid: Grid,
    /// Unit of squared distances, for the axes of that grid.
    unit: CostUnit,
    /// Tree of the sites, for oblique axes.
    oblique: Option<oblique::SiteTree<'a>>,
}

impl<'a> SlabWorker<'a> {
    pub fn new(stream: Stream, slabs: &'a Slabs<'a>) -> Result<Self, DistanceError> {
        let tiles = BitTiles::new(slabs.sites.layout().grid);
        if slabs.plan.oblique {
            let mask = slabs.sites.upload(&stream)?;
            let sites =
                oblique::ObliqueSites::from_mask(&stream, oblique::MaybeOwned::Owned(mask))?;
            let params = DistanceParams {
                memory: None,
                ..slabs.params
            };
            return Ok(Self {
                oblique: Some(oblique::SiteTree::new(&stream, sites, &params)?),
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
                transpose(&stream, &bits, tiles)?,
                tiles.to.grid,
                slabs.unit.transposed(),
            )
        };
        Ok(Self {
            stream,
            slabs,
            plan: slabs.plan,
            bits,
            grid,
            unit,
            oblique: None,
        })
    }

    /// Computes the distances of a range of planes and copies them to the host.
    pub fn compute_slab(&self, z: Range<usize>) -> Result<Vec<f32>, DistanceError> {
        let mut slab = match (&self.oblique, self.unit.weights) {
            (Some(tree), _) => self.slab_from_tree(tree, &z),
            (None, Weights::U32(weights)) => self.slab_from_columns(weights, &z),
            (None, Weights::U64(weights)) => self.slab_from_columns(weights, &z),
            (None, Weights::F64(weights)) => self.slab_in_order(weights, &z),
        }?;
        self.apply_sign(&mut slab, &z)?;
        Ok(self.stream.download(&slab)?)
    }

    fn part_transform<C: Cost + Number + Element>(&self, weights: [C; 3]) -> PartTransform<'_, C> {
        PartTransform {
            stream: &self.stream,
            grid: self.grid,
            unit: &self.unit,
            weights,
        }
    }

    /// Computes a slab from words along z.
    fn slab_from_columns<C: Cost + Number + Element>(
        &self,
        weights: [C; 3],
        z: &Range<usize>,
    ) -> Result<Buffer<f32>, DistanceError> {
        let words = WordRange {
            first: (z.start / 32) as u32,
            count: z.len().div_ceil(32) as u32,
        };
        let transposed = self
            .part_transform(weights)
            .part_distances(&self.bits, words)?;
        let tiles = SlabTiles {
            nx: self.grid.nz,
            ny: self.grid.ny,
            planes: z.len() as u32,
        };
        let mut slab = self.stream.alloc::<f32>(tiles.voxels() as usize)?;
        let launch = Launch::pieces(tiles.count()).max_useful_threads(256);
        // SAFETY: both buffers have one element per voxel of the slab.
        unsafe {
            let args = (transposed.view(), tiles, slab.view_mut());
            self.stream.launch::<transpose_slab>(launch, args)?;
        }
        Ok(slab)
    }

    /// Computes a slab from the tree of sites.
    fn slab_from_tree(
        &self,
        tree: &oblique::SiteTree<'_>,
        z: &Range<usize>,
    ) -> Result<Buffer<f32>, DistanceError> {
        let plane = self.grid.nx as usize * self.grid.ny as usize;
        let mut slab = self.stream.alloc::<f32>(plane * z.len())?;
        let mut no_indices: Buffer<u32> = self.stream.alloc(0)?;
        tree.write_distances(&self.stream, z.clone(), &mut slab, &mut no_indices)?;
        Ok(slab)
    }

    /// Computes a slab from words along x, a few at a time: all planes are computed, and those of
    /// the slab are kept.
    fn slab_in_order<C: Cost + Number + Element>(
        &self,
        weights: [C; 3],
        z: &Range<usize>,
    ) -> Result<Buffer<f32>, DistanceError> {
        let grid = Grid {
            nz: z.len() as u32,
            ..self.grid
        };
        let part_transform = self.part_transform(weights);
        let mut slab = self.stream.alloc::<f32>(grid.samples() as usize)?;
        let per_row = BitRows::new(grid).per_row;
        let mut first = 0;
        while first < per_row {
            let words = WordRange {
                first,
                count: self.plan.columns.min(per_row - first),
            };
            let part = part_transform.part_distances(&self.bits, words)?;
            let columns = (words.count * 32).min(grid.nx - first * 32);
            let rows = rows(&self.stream, [columns, grid.ny, grid.nz], 1);
            let plane = columns as usize * grid.ny as usize;
            let slab_planes = part.view().slice(z.start * plane, z.len() * plane);
            // SAFETY: the columns contain the planes of the slab, in whose rows they start at the
            // first word's first voxel.
            unsafe {
                let args = (slab_planes, rows, first * 32, grid, slab.view_mut());
                self.stream
                    .launch::<copy_columns>(rows_launch(rows), args)?;
            }
            first += words.count;
        }
        Ok(slab)
    }

    /// Negates the distances of enclosed voxels.
    fn apply_sign(&self, slab: &mut Buffer<f32>, z: &Range<usize>) -> Result<(), DeviceError> {
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
        // SAFETY: both buffers have the voxels of the slab.
        unsafe {
            let args = (bits.view(), layout, rows, slab.view_mut());
            self.stream.launch::<negate_inside>(rows_launch(rows), args)
        }
    }
}

/// Transposes a mask to rows along z.
fn transpose(
    stream: &Stream,
    bits: &Buffer<u32>,
    tiles: BitTiles,
) -> Result<Buffer<u32>, DeviceError> {
    let mut transposed = stream.alloc::<u32>(tiles.to.words() as usize)?;
    let launch = Launch::pieces(tiles.count()).max_useful_threads(256);
    // SAFETY: both buffers have the words of the grid.
    unsafe {
        let args = (bits.view(), tiles, transposed.view_mut());
        stream.launch::<transpose_bits>(launch, args)?;
    }
    Ok(transposed)
}
