//! The voxels of one component as rows of bits, with their neighbours, faces and distances.

pub mod adjacency;
pub mod ball;
pub mod boundary_faces;
pub mod cell_grid;
pub mod distance_transform;
pub mod frame;
pub mod moments;
pub mod neighbour_bits;
pub mod object;
#[cfg(test)]
pub mod object_tests;
pub mod row_index;
pub mod row_words;
pub mod runs;
pub mod scanlines;
pub mod segment_voxels;
pub mod word_neighbourhood;
pub mod x_runs;
