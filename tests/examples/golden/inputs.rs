//! The files that commands read, and the arrays that library calls take: always the same bytes.
//!
//! They are made by additions, multiplications, divisions and square roots only, which give the
//! same bits on every machine.

mod files;
mod meshes;
mod volumes;

pub use files::make;
pub use meshes::{octasphere, points};
pub use volumes::{
    DIMS, SITE_DIMS, density, holes, labels, mask, oblique, sites, solid, stretched,
};
