//! All device code of ferrovox.
//!
//! This crate is compiled twice: to PTX for NVIDIA GPUs (`cargo xtask ptx`), and as ordinary Rust
//! for the CPU, where `simt` runs the same kernels block by block.
//!
//! The layers, each of which uses only those above it:
//!
//! | module | what it knows |
//! | --- | --- |
//! | [`sample`], [`grid`], [`rows`] | sample types, the numbering of samples, cells and edges, how rows are dealt to blocks |
//! | [`operator`] | what a scan or a reduction combines, and how |
//! | [`warp`], [`block`], [`bits`] | votes, scan and reduction among the threads of a warp or of a block |
//! | [`scan`], [`isosurface`], [`label_surface`], [`mesh_filter`], [`distance`], [`skeleton`], [`voxelize`], [`synthetic`], [`render`] | one folder per system: its kernels and nothing else |
//!
//! Every kernel takes an extent that has nothing to do with the launch shape: any number of blocks
//! of any size gives the same result, so that block sizes can come from the occupancy calculator
//! (and be 1 on the CPU). Those of [`distance::lower_envelope`] alone want whole warps, and one for each
//! chunk of a line.
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
pub mod skeleton;
pub mod synthetic;
pub mod voxelize;
pub mod warp;
