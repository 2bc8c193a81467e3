//! Public crates in kernels on the CPU, in fast and in checked mode, compared with published
//! vectors.

mod ciphers;
mod collections;
mod hashes;
mod numbers;
mod random;
