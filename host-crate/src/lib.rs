//! Volumes into geometry on the GPU, in Rust from the kernel up.
//!
//! ferrovox turns volume data (medical images, simulations, scans) into geometry. Every kernel is
//! written once, in Rust; it runs on NVIDIA GPUs as PTX and on any CPU through a SIMT executor,
//! with the same bits as the result. Nothing of CUDA is needed to build it, and no driver to run
//! it.
//!
//! | step | module |
//! | --- | --- |
//! | read a file | [`io`] |
//! | hold samples with their place in the world | [`grid`] |
//! | choose where to run | [`device`] |
//! | put a volume there, or make one | [`grid`], [`synthetic`] |
//! | measure distances | [`distance`] |
//! | make a volume of a mesh | [`voxelize`] |
//! | make geometry | [`isosurface`], [`label_surface`] |
//! | smooth it, or make it coarser | [`mesh_filter`] |
//! | add up what comes before | [`scan`] |
//! | find the centre lines of a solid | [`skeleton`] |
//! | walk along them, shorten them | [`graph`] |
//! | look at it | [`mesh`], [`render`] |
//! | write it | [`io`] |
//! | do all of that in one call, from files to files | [`pipeline`] |
//! | know that memory ran out | [`memory`] |
//! | be told how far it is, stop it | [`monitor`] |
//! | work in parts, in little memory or by several devices | [`partition`] |
//! | understand a launch | [`occupancy`] |
//!
//! ```
//! use ferrovox::{device::Device, isosurface::{self, IsosurfaceParams}, mesh, synthetic};
//!
//! let stream = Device::best().stream()?;
//! let ball = synthetic::sphere(&stream, [32, 32, 32], 12.0)?;
//! let surface = isosurface::extract(&stream, &ball, None, &IsosurfaceParams::default())?;
//! let report = mesh::check(&surface.download(&stream)?);
//! assert!(report.is_closed() && report.is_manifold());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples` of the repository has a whole program for each of: a mesh of a file,
//! several results of one upload, distances, a skeleton, a mesh as voxels, scans, block sizes, and
//! a kernel of one's own.

/// The linear algebra of the public interface: points, vectors and matrices of geometries and
/// graphs.
pub use nalgebra;

pub mod device;
pub mod distance;
pub mod graph;
pub mod grid;
pub mod io;
pub mod isosurface;
pub mod label_surface;
pub mod memory;
pub mod mesh;
pub mod mesh_filter;
pub mod monitor;
pub mod occupancy;
mod parallel;
pub mod partition;
pub mod pipeline;
pub mod render;
pub mod scan;
pub mod skeleton;
pub mod synthetic;
mod union_find;
pub mod voxelize;
