//! Geometry from volumes on the GPU, in Rust from the kernel up.
//!
//! ferrovox extracts geometry from volume data (medical images, simulations, scans). Every kernel
//! is written once, in Rust; it runs on NVIDIA GPUs as PTX and on any CPU through a SIMT executor,
//! with bit-identical results. Building it requires no CUDA toolkit, and running it no driver.
//!
//! | task | module |
//! | --- | --- |
//! | read and write volumes, meshes and skeletons | [`io`] |
//! | represent volumes, masks, points and their geometry | [`grid`] |
//! | choose a device, allocate, launch kernels | [`device`] |
//! | generate synthetic volumes | [`synthetic`] |
//! | compute distance maps | [`distance`] |
//! | voxelize a mesh | [`voxelize`] |
//! | extract isosurfaces and surfaces of labels | [`isosurface`], [`label_surface`] |
//! | smooth and resample volumes | [`volume_filter`] |
//! | smooth and simplify meshes | [`mesh_filter`] |
//! | compute prefix sums | [`scan`] |
//! | extract curve skeletons | [`skeleton`] |
//! | query and prune skeleton graphs | [`graph`] |
//! | check meshes | [`mesh`] |
//! | draw pictures | [`render`] |
//! | run a whole command, from files to files | [`pipeline`] |
//! | handle a lack of memory, classify errors | [`memory`], [`error`] |
//! | report progress, cancel work | [`monitor`] |
//! | divide work among devices and within a memory budget | [`partition`] |
//! | compute the occupancy of launches | [`occupancy`] |
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
//! From files to files:
//!
//! ```no_run
//! use ferrovox::{monitor::Monitor, pipeline::{Level, VolumeSource, mesh::{self, MeshJob}}};
//!
//! let job = MeshJob::new(VolumeSource::new("brain.nii.gz"), Level::Iso(120.0))
//!     .output("brain.ply");
//! let outcome = mesh::run(&job, &Monitor::new())?;
//! println!("{} triangles", outcome.triangles);
//! # Ok::<(), ferrovox::pipeline::PipelineError>(())
//! ```
//!
//! # Features
//!
//! All are on by default. `default-features = false` suits a program that computes on a GPU and
//! has files and pictures of its own: its build compiles 58 instead of 81 crates, and no kernels
//! for the CPU. `cargo xtask features --measure` compares the processor time of both builds.
//!
//! | feature | brings |
//! | --- | --- |
//! | `cpu` | kernels on the CPU; without it, only CUDA devices create streams |
//! | `files` | `io`, `bzip2` and `jpeg2000` |
//! | `io` | the modules `io` and `viewer`, without the formats of the next two features |
//! | `bzip2` | files compressed with bzip2 |
//! | `jpeg2000` | DICOM files with JPEG 2000 |
//! | `render` | the module `render` |
//! | `skeleton` | the module `skeleton` |
//!
//! The module `pipeline` exists with `io`, `render` and `skeleton`.
//!
//! The folder `examples` of the repository contains complete programs: a mesh from a file, several
//! results from one upload, distances, a skeleton, a voxelized mesh, scans, block sizes, and a
//! custom kernel.

// Optional modules use items of the others that a library without them does not.
#![cfg_attr(
    not(all(feature = "io", feature = "render", feature = "skeleton")),
    allow(unused)
)]

/// The linear algebra library of the public interface: points, vectors and matrices of geometries
/// and graphs.
pub use nalgebra;

pub mod device;
pub mod distance;
pub mod error;
pub mod graph;
pub mod grid;
#[cfg(feature = "io")]
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
#[cfg(all(feature = "io", feature = "render", feature = "skeleton"))]
pub mod pipeline;
#[cfg(feature = "render")]
pub mod render;
pub mod scan;
#[cfg(feature = "skeleton")]
pub mod skeleton;
pub mod synthetic;
mod union_find;
#[cfg(feature = "io")]
pub mod viewer;
pub mod volume_filter;
pub mod voxelize;
