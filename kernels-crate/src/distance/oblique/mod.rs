//! Distance maps on grids with non-orthogonal (oblique) axes.
//!
//! Separable methods do not apply: the nearest site within a row depends on the voxel's offset from
//! the row. Instead, bricks of voxels are compared with the sites that can be nearest to one of
//! their voxels, which are found with a tree of bounding boxes.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`keep_boundary`], [`keep_label_boundary`] | mask, labels | voxels that can be nearest sites |
//! | [`labels_to_f32`] | labels | labels as f32 |
//! | those of [`cubes`](super::cubes) | sites | sites and boxes by cell of 8 × 8 × 8 voxels |
//! | [`join_boxes`] | boxes of 4 × 4 × 4 cells | their common bounding box |
//! | [`nearest_to_centres`] | tree, sites | nearest sites of block centres, then of brick centres |
//! | [`measure_oblique`] | centre sites, tree, sites | distance and nearest site of every voxel |
//!
//! Let `s` be a nearest site of a brick's centre, and `R` the largest distance from `s` to a voxel
//! of the brick, which is attained at a corner. No voxel of the brick is farther than `R` from its
//! nearest site, so only sites within `R` of the brick are compared with its voxels. Rejection uses
//! a lower bound of the squared distance, which must exceed `R²` by a relative 10⁻⁹. Of the
//! remaining sites, only those are compared that are nearer than `s` to some voxel of the brick.
//! The difference of the two squared distances is linear in the voxel position, so it suffices to
//! test the corners; above a flat surface this leaves few sites at any distance.
//!
//! # Metric
//! Distances are measured in world coordinates. They are invariant under rotation, so the axes can
//! be taken as the columns of an upper triangular matrix (QR decomposition by Gram–Schmidt). The
//! squared length of a step `(x, y, z)` is then `(a·x + b·y + c·z)² + (d·y + e·z)² + (f·z)²`,
//! computed in `f64`; along x only the term `a·x` varies.
//!
//! # Omitted sites
//! A mask voxel whose neighbours are all in the mask is not the nearest site of any other voxel,
//! provided that the neighbours are those across the faces of its Voronoi cell: every point outside
//! the cell is nearer to one of them. There are at most 14 (`±` seven, Selling 1874).
//!
//! # Labels
//! For label maps, the sites are the voxels that have such a neighbour with another label or
//! outside the grid; sites with the label of a voxel do not count for it. The nearest site of a
//! centre may have any label, but it has a neighbour with another one, so `R` grows by the distance
//! to that neighbour.

mod boundary;
mod brick;
mod bricks;
mod centres;
mod compare;
mod metric;
mod tree;

pub use boundary::{NEIGHBOUR_PAIRS, keep_boundary, keep_label_boundary, labels_to_f32};
pub use brick::BRICK_SHAPE;
pub use bricks::{PlaneRange, measure_oblique};
pub use centres::{BlockGrid, NO_SITE, nearest_to_centres};
pub use metric::ObliqueMetric;
pub use tree::{COARSE_BLOCK, Tree, join_boxes};
