//! A volume that is streamed gives the same file, byte for byte.

mod along_y;
mod errors;
mod memory;
mod same;
mod support;
