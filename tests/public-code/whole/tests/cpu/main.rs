//! Larger public crates in kernels on the CPU, in fast and in checked mode, against vectors that
//! others published.

mod curves;
mod hashes;
mod matrices;
mod miner;
mod random;
mod vectors;
