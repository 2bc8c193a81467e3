//! Fairing of finished walls: smoothing, adaptation of volumes, and reverting vertices.
//!
//! Positions are in voxels and `f64`; vertex indices have 32 bits.

mod neighbours;
mod revert;
mod vertices;
mod volumes;

pub use neighbours::list_fairing_neighbours;
pub use revert::{
    extend_marks, mark_crossed_vertices, mark_reverted_triangles, revert_marked_vertices,
};
pub use vertices::{
    compute_fairing_normals, fair_vertices, find_grid_positions, limit_fairing,
    place_faired_vertices,
};
pub use volumes::{TRIANGLES_PER_RUN, apply_wall_pressures, measure_wall_triangles};
