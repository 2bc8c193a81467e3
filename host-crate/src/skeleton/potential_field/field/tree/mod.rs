//! The field in time linear in the voxels.
//!
//! What is far is summed up by series over bricks of 8 x 8 x 8 voxels, the fast multipole method
//! (Greengard and Rokhlin 1987) on the voxels' lattice; the kernels' module says how. Here their
//! tables are made, the bricks are listed, and what the bound of the error leaves in doubt is
//! summed up again.
//!
//! # Costs
//! With the order 8 a series has 165 coefficients, 660 bytes; with 10 it has 286, 1144 bytes. A
//! brick with targets has a series, one with sources moments; levels above add a third to a
//! seventh. Beside them there are 16 bytes for each brick of the grid, 4 for each source, and 12
//! KiB for each brick of those whose forces are made at a time; the tables take 3 MB.
//!
//! | for a brick with targets | operations, with the order 8 and the squared radius 24 |
//! | --- | --- |
//! | its series | 3003 products for each far brick with sources, of which a surface has some 300 |
//! | its forces from it | 22,000 products |
//! | near sources | 512 times those of a ball of radius 39 voxels: 3 million pairs for a plane, of 4 products and a look-up each |
//!
//! So the near sources are most of it, and a larger radius costs more than a higher order; but it
//! is the radius that makes series short.
//!
//! # Errors
//! What a translation cuts off depends on where source and target are in their bricks, and is
//! largest for places that are tabulated: each far brick adds its number of sources times that
//! worst error to the bound of the brick ([`ErrorBounds`]), which inherits that of the brick it is
//! a part of. Errors are a few hundredths of the bound; but no number for all bricks would do, as
//! along the axis of a tube the force is 10⁻⁸ of what is summed up. Where the bound does not
//! suffice, forces are summed up again source by source: at all corners of cells that it does not
//! rule out to have a critical point, so that these cells are found as if all pairs had been
//! compared; and where the force is weak, since the direction there is lost.
//!
//! # What it is for
//! Sources are voxels of the targets' grid. Where voxels are no cubes, bricks are cut from a
//! lattice in which a voxel is 1, 2, 4 or 8 places from the next along each axis, so that bricks
//! are about as long along each; lengths are those of the world, and near are those whose distance
//! is as many times the distance of a brick's corner as it is for cubes. There are more kinds of
//! offsets then (for spacings of 1, 1 and 1.4 686, for cubes 133), and near sources are weighed by
//! computing the power of a distance, not by a table. Voxels more than some 31 times as long as
//! wide, and axes that lean so much that balls become needles, are left to comparing all pairs.

mod bounds;
mod devices;
mod forces;
mod lattice;
mod levels;
mod offsets;
mod potential;
mod refine;
mod series;
mod table_data;
mod tables;
mod terms;

pub use bounds::ErrorBounds;
pub(super) use devices::{TreeField, tree_on};
pub(in crate::skeleton) use levels::brick_grid;
pub(super) use table_data::TableData;
