//! Distances on grids whose axes are not at right angles.
//!
//! Axis after axis such distances cannot be made: the nearest site of a row depends on how far
//! beside the row a voxel is. So bricks of voxels are compared with the sites that can be the
//! nearest of one of their voxels, which a tree of boxes finds.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`keep_open`], [`keep_changes`] | bits, or labels | the voxels that can be the nearest site of another |
//! | [`label_values`] | labels | the same as f32 |
//! | those of [`cubes`](super::cubes) | sites | sites cell after cell (8 × 8 × 8 voxels), and the box that a cell's sites fill |
//! | [`join_boxes`] | boxes of 4 × 4 × 4 cells | the box around them |
//! | [`nearest_to_centres`] | the tree, sites | a nearest site of the centre of each block, then of each brick |
//! | [`measure_sheared`] | these, the tree, sites | the distance of every voxel, and which site it is |
//!
//! Let `s` be a nearest site of a brick's centre, and `R` the largest distance from `s` to a voxel
//! of the brick. It is that to a corner. No voxel of the brick is farther than `R` from its nearest
//! site, so the sites within `R` of the brick are all that are compared with its voxels. What is
//! left out is left out by a lower bound of the squared distance, which is 10⁻⁹ of `R²` beyond it.
//! Of these only the sites count that are nearer to some voxel of the brick than `s` is. How much
//! nearer, in squares, is linear in the voxel, so the corners tell; above a flat surface few are
//! left, however far it is.
//!
//! # The metric
//! Distances are those of the world. They do not change if the world is turned, so that the axes
//! are the columns of an upper triangle (Gram and Schmidt). With it the squared length of a step
//! `(x, y, z)` is `(a·x + b·y + c·z)² + (d·y + e·z)² + (f·z)²`, in `f64`: along x all but `a·x` is
//! the same.
//!
//! # Sites that are left out
//! A voxel of a mask all of whose neighbours are in the mask too is the nearest site of no other
//! voxel, if the neighbours are those across the faces of its Voronoi cell: whatever lies outside
//! the cell is nearer to one of these. There are 14 at the most (`±` seven, Selling 1874).
//!
//! # Labels
//! Of labels the sites are the voxels with such a neighbour of another label, or beyond the grid;
//! those of a voxel's own label do not count for it. What is nearest to a centre may have any
//! label, but it has a neighbour with another one, so `R` is that much longer.

mod brick;
mod bricks;
mod centres;
mod compare;
mod metric;
mod open;
mod tree;

pub use brick::BRICK;
pub use bricks::{Planes, measure_sheared};
pub use centres::{Blocks, NOWHERE, nearest_to_centres};
pub use metric::Tilt;
pub use open::{AROUND, keep_changes, keep_open, label_values};
pub use tree::{BLOCK, Tree, join_boxes};
