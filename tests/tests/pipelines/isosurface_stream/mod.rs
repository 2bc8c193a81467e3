//! Streaming a volume produces the same file as meshing it whole, byte for byte.

mod along_y;
mod errors;
mod memory;
mod same;
mod support;
