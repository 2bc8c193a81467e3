//! Fast multipole method: the force field in time linear in the number of voxels.
//!
//! Far sources are summarised by expansions over bricks of 8 × 8 × 8 voxels (Greengard and Rokhlin
//! 1987); the documentation of the kernels' module `skeleton::field::fmm` describes the
//! mathematics. This module builds the lookup tables and the octree of bricks, runs the passes, and
//! recomputes the forces for which the error bound is too large.
//!
//! # Costs
//! An expansion of order 8 has 165 coefficients (660 bytes), of order 10 286 (1144 bytes). Each
//! brick with targets has an expansion, each brick with sources has moments; coarser levels add a
//! seventh (solids) to a third (surfaces). In addition there are 16 bytes per brick of the grid, 4
//! bytes per source, and 12 KiB per brick of the chunk being evaluated; the tables take 3 MB.
//!
//! | per brick with targets | operations at order 8 and squared near-field radius 24 |
//! | --- | --- |
//! | local expansion | 3003 products per far brick with sources; a surface has some 300 |
//! | forces from the expansion | 22,000 products |
//! | near field | 512 targets times the sources within 39 voxels |
//!
//! For a planar surface the near field amounts to 3 million pairs of four products and a table
//! lookup each, most of the work. A larger radius therefore costs more than a higher order, but
//! allows shorter expansions.
//!
//! # Errors
//! The truncation error of a translation depends on the positions of source and target in their
//! bricks; its maximum is tabulated per offset. Each far brick adds its number of sources times
//! that maximum to the bound of the brick ([`ErrorBounds`]), which also inherits the bound of its
//! parent. Actual errors are a few hundredths of the bound. A global tolerance would not suffice:
//! along the axis of a tube the force is 10⁻⁸ of the sum of the magnitudes. Where the bound is too
//! large, forces are recomputed exactly: at the corners of all cells in which the bound cannot rule
//! out a critical point, so that the same cells are found as with all pairs; and where the force is
//! weak, because its direction would be lost.
//!
//! # Requirements
//! Sources must be voxels of the targets' grid. For anisotropic or oblique voxels, bricks are cut
//! from a lattice with 1, 2, 4 or 8 points per voxel along each axis, such that bricks are
//! approximately cubes; lengths are in world units, and the ratio of the near-field radius to the
//! distance of a brick's corner from its centre is the same as for cubes. There are more distinct
//! offsets (686 for spacings of 1, 1 and 1.4, 133 for cubes), and near-field weights are computed
//! rather than looked up. Voxels with an aspect ratio above about 31, and strongly oblique axes,
//! are left to the all-pairs kernels.

mod device_tables;
mod error_bounds;
mod evaluation;
mod expansion;
mod interactions;
mod lattice;
mod multi_device;
mod multi_indices;
mod octree;
mod passes;
mod refinement;
mod tables;

pub use error_bounds::ErrorBounds;
pub(super) use multi_device::{FmmField, fmm_forces};
pub(in crate::skeleton) use octree::brick_grid;
pub(super) use tables::TableData;
