//! The kernels of the course, one module per lesson.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![allow(
    clippy::missing_safety_doc,
    reason = "of all: outputs are not used otherwise, and the launch is that of the lesson's host code"
)]

pub mod bitonic;
pub mod gemm;
pub mod histogram;
pub mod n_body;
pub mod reduction;
pub mod stencil;
