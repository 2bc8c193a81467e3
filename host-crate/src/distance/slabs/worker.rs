//! Computation of slabs on one device.

use super::{SlabSign, Slabs, plan::SlabPlan};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream, rows, rows_launch},
    distance::{
        DistanceError, DistanceParams, oblique,
        separable::{CostUnit, PartTransform, ScanlineCost, Weights},
        sign::merge_distances,
    },
    grid::Mask,
};
use ferrovox_kernels::{
    distance::{
        separable::WordRange,
        sites::{BitRows, negate_inside},
        slabs::{BitTiles, SlabTiles, copy_columns, transpose_bits, transpose_slab},
    },
    grid::Grid,
};
use std::ops::Range;

/// Everything that a device needs to compute slabs.
pub(super) struct SlabWorker<'a> {
    stream: Stream,
    slabs: &'a Slabs<'a>,
    plan: SlabPlan,
    sites: SlabSites<'a>,
    /// The voxels that are not sites, if each site gets the negated distance to the nearest of
    /// them.
    outside: Option<SlabSites<'a>>,
    /// Grid of the site masks.
    grid: Grid,
    /// Unit of squared distances, for the axes of that grid.
    unit: CostUnit,
}

/// Sites in the memory of a device.
enum SlabSites<'a> {
    /// Mask with rows along z, or along x if [z is minimised last](SlabPlan::minimises_z_last).
    Bits(Buffer<u32>),
    /// Tree of the sites, for oblique axes.
    Tree(Box<oblique::SiteTree<'a>>),
}

impl<'a> SlabSites<'a> {
    fn new(
        stream: &Stream,
        slabs: &'a Slabs<'a>,
        sites: &Mask,
        tiles: BitTiles,
    ) -> Result<Self, DistanceError> {
        if slabs.plan.oblique {
            let mask = sites.upload(stream)?;
            let sites = oblique::ObliqueSites::from_mask(stream, oblique::MaybeOwned::Owned(mask))?;
            let params = DistanceParams {
                memory: None,
                ..slabs.params
            };
            let tree = oblique::SiteTree::new(stream, sites, &params)?;
            return Ok(Self::Tree(Box::new(tree)));
        }
        let bits = stream.upload(sites.words())?;
        Ok(Self::Bits(if slabs.plan.minimises_z_last {
            bits
        } else {
            transpose(stream, &bits, tiles)?
        }))
    }
}

impl<'a> SlabWorker<'a> {
    pub fn new(stream: Stream, slabs: &'a Slabs<'a>) -> Result<Self, DistanceError> {
        let tiles = BitTiles::new(slabs.sites.layout().grid);
        let sites = SlabSites::new(&stream, slabs, slabs.sites, tiles)?;
        let outside = match slabs.sign {
            SlabSign::Opposite(outside) => Some(SlabSites::new(&stream, slabs, outside, tiles)?),
            SlabSign::Unsigned | SlabSign::Negated(_) => None,
        };
        let (grid, unit) = if slabs.plan.oblique || slabs.plan.minimises_z_last {
            (tiles.from.grid, slabs.unit)
        } else {
            (tiles.to.grid, slabs.unit.transposed())
        };
        Ok(Self {
            plan: slabs.plan,
            stream,
            slabs,
            sites,
            outside,
            grid,
            unit,
        })
    }

    /// Computes the distances of a range of planes and copies them to the host.
    pub fn compute_slab(&self, z: Range<usize>) -> Result<Vec<f32>, DistanceError> {
        let mut slab = self.distances_to(&self.sites, &z)?;
        match (self.slabs.sign, &self.outside) {
            (SlabSign::Negated(inside), _) => self.negate_inside(inside, &mut slab, &z)?,
            (SlabSign::Opposite(_), Some(outside)) => {
                let outside_distances = self.distances_to(outside, &z)?;
                let (bits, layout) = self.upload_planes(self.slabs.sites, &z)?;
                let inside = (&bits, layout);
                merge_distances(&self.stream, inside, &outside_distances, &mut slab)?;
            }
            _ => {}
        }
        Ok(self.stream.download(&slab)?)
    }

    /// Computes the distances of a range of planes to one set of sites.
    fn distances_to(
        &self,
        sites: &SlabSites<'_>,
        z: &Range<usize>,
    ) -> Result<Buffer<f32>, DistanceError> {
        match (sites, self.unit.weights) {
            (SlabSites::Tree(tree), _) => self.slab_from_tree(tree, z),
            (SlabSites::Bits(bits), Weights::U32(weights)) => {
                self.slab_from_columns(bits, weights, z)
            }
            (SlabSites::Bits(bits), Weights::U64(weights)) => {
                self.slab_from_columns(bits, weights, z)
            }
            (SlabSites::Bits(bits), Weights::F64(weights)) => self.slab_from_rows(bits, weights, z),
        }
    }

    fn part_transform<C: ScanlineCost>(&self, weights: [C; 3]) -> PartTransform<'_, C> {
        PartTransform::new(&self.stream, self.grid, &self.unit, weights)
    }

    /// Computes a slab from words along z.
    fn slab_from_columns<C: ScanlineCost>(
        &self,
        bits: &Buffer<u32>,
        weights: [C; 3],
        z: &Range<usize>,
    ) -> Result<Buffer<f32>, DistanceError> {
        let words = WordRange {
            first: (z.start / 32) as u32,
            count: z.len().div_ceil(32) as u32,
        };
        let transposed = self.part_transform(weights).part_distances(bits, words)?;
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
    fn slab_from_rows<C: ScanlineCost>(
        &self,
        bits: &Buffer<u32>,
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
            let part = part_transform.part_distances(bits, words)?;
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

    /// Uploads the words of a mask in a range of planes.
    fn upload_planes(
        &self,
        mask: &Mask,
        z: &Range<usize>,
    ) -> Result<(Buffer<u32>, BitRows), DeviceError> {
        let bits = self.stream.upload(mask.planes(z.clone()))?;
        let layout = BitRows::new(Grid {
            nz: z.len() as u32,
            ..mask.layout().grid
        });
        Ok((bits, layout))
    }

    /// Negates the distances of the voxels in a mask.
    fn negate_inside(
        &self,
        inside: &Mask,
        slab: &mut Buffer<f32>,
        z: &Range<usize>,
    ) -> Result<(), DeviceError> {
        let (bits, layout) = self.upload_planes(inside, z)?;
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
