//! Larger public crates in kernels on the CPU, in fast and in checked mode, compared with published
//! vectors.

mod curves;
mod hashes;
mod matrices;
mod miner;
mod random;
mod vectors;
