//! Machine code of ferrovox's kernels for NVIDIA GPUs, compressed with zstd.
//!
//! `cargo xtask ptx` assembles the files from the PTX of the package `ferrovox`, which is the only
//! user of this one, next to the PTX; `code` contains links to them. They are a package of their
//! own because of the registry's limit of 10 MB per package.

macro_rules! shipped {
    ($($capability:literal),+) => {
        [$((
            $capability,
            include_bytes!(concat!("../code/ferrovox_sm_", $capability, ".cubin.zst")).as_slice(),
        )),+]
    };
}

/// Compute capabilities, times ten, in ascending order, each with its compressed machine code: a
/// cubin with all kernels.
pub const SHIPPED: [(u32, &[u8]); 4] = shipped![80, 90, 100, 120];
