//! From input to output: what knows both files and algorithms.

pub mod stream_mesh;
