//! Public crates in kernels on the CPU, in fast and in checked mode, against vectors that others
//! published.

mod ciphers;
mod collections;
mod hashes;
mod numbers;
mod random;
