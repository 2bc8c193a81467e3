//! Input files of the commands and input arrays of the library calls; their bytes never change.
//!
//! They are computed only with additions, multiplications, divisions and square roots, whose
//! results are identical on every computer.

mod files;
mod meshes;
mod volumes;

pub use files::create;
pub use meshes::{octasphere, points};
pub use volumes::{
    DIMS, SITE_DIMS, density, holes, labels, mask, oblique, sites, solid, stretched,
};
