//! The kernels of the course, one module for each lesson.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![allow(
    clippy::missing_safety_doc,
    reason = "of all: nothing else uses what is written, and the launch is as the lesson's host has it"
)]

pub mod bitonic;
pub mod gemm;
pub mod histogram;
pub mod n_body;
pub mod reduction;
pub mod stencil;
