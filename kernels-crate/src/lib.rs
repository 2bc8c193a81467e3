//! Device code of ferrovox.
//!
//! This crate is compiled twice: to PTX for NVIDIA GPUs (`cargo xtask ptx`), and as ordinary Rust
//! for the CPU, where `simt` runs the same kernels block by block.
//!
//! Layers, each of which uses only those above it:
//!
//! | module | contents |
//! | --- | --- |
//! | [`sample`], [`grid`], [`rows`] | sample types, indexing, distribution of items over threads |
//! | [`operator`] | operators of scans and reductions |
//! | [`warp`], [`block`], [`bits`] | votes, scans and reductions within a warp or block |
//! | [`scan`], [`isosurface`], [`label_surface`] | kernels |
//! | [`mesh_filter`], [`self_intersection`] | kernels |
//! | [`volume_filter`], [`distance`], [`skeleton`] | kernels |
//! | [`voxelize`], [`synthetic`], [`render`] | kernels |
//!
//! The result of a kernel does not depend on the launch shape: any number of blocks of any size
//! computes the same, so that block sizes can come from the occupancy calculator (and be 1 on the
//! CPU). The kernels of [`distance::lower_envelope`] are an exception: they require whole warps,
//! and one warp per chunk of a scanline.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod arith;
pub mod bits;
pub mod block;
pub mod distance;
pub mod grid;
pub mod isosurface;
pub mod label_surface;
pub mod mesh_filter;
pub mod operator;
pub mod render;
pub mod rows;
pub mod sample;
pub mod scan;
pub mod self_intersection;
pub mod skeleton;
pub mod synthetic;
pub mod volume_filter;
pub mod voxelize;
pub mod warp;
