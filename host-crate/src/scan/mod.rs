//! Prefix scans.
//!
//! The exclusive scan of `x` is `y[i] = x[0] + … + x[i-1]`; the inclusive scan includes `x[i]`.
//! Operators are associative ([`Sum`], [`Min`], [`Max`]); elements are `u32`, `i32`, `u64`, `i64`,
//! `f32` and `f64`. Flags and counts of 8 and 16 bits are summed into 32 or 64 bits without being
//! widened first.
//!
//! | method | passes | memory traffic per element |
//! | --- | --- | --- |
//! | [`ScanMethod::SinglePass`] | one kernel | 1 read, 1 write |
//! | [`ScanMethod::ThreePass`] | reduce, scan of the sums, scan | 2 reads, 1 write |
//!
//! The single-pass method is decoupled look-back (Merrill and Garland 2016, *Single-pass Parallel
//! Prefix Scan with Decoupled Look-back*). The three-pass method is the classic one, for integer
//! sums.
//!
//! ```
//! use ferrovox::{device::Device, scan::{Scanner, Sum}};
//!
//! let stream = Device::best().stream()?;
//! let input = stream.upload(&[3u32, 1, 4, 1, 5])?;
//! let mut output = stream.alloc::<u32>(5)?;
//! let mut scanner = Scanner::new(&stream)?;
//! let total = scanner.exclusive(Sum, &input, &mut output)?.download()?;
//! assert_eq!(total, 14);
//! assert_eq!(stream.download(&output)?, [0, 3, 4, 8, 9]);
//! # Ok::<(), ferrovox::scan::ScanError>(())
//! ```
//!
//! [`multi_device`] scans host memory on several devices concurrently, and a [`MultiDeviceScanner`]
//! does so repeatedly.
//!
//! # Reproducibility
//!
//! Integer results, minima and maxima are exact and identical on every device. Integer sums wrap
//! around. A floating-point sum depends on the grouping of its operands, which is determined by the
//! tile size, and hence by device and type: equal scans on one device yield equal bits, regardless
//! of the timing of its blocks. The error of each result is at most a few units in the last place
//! times the depth of the grouping, which is approximately the number of tiles.

mod checked;
mod element;
mod error;
mod memory;
mod multi_device;
mod params;
mod scanner;
mod small;
mod three_pass;
mod tiling;
mod total;

pub use checked::CheckedSum;
pub use element::{ScanValue, Scannable};
pub use error::ScanError;
pub use ferrovox_kernels::operator::{Max, Min, Operator, Sum};
pub use multi_device::{MultiDeviceMethod, MultiDeviceParams, MultiDeviceScanner, multi_device};
pub use params::{ScanKind, ScanMethod, ScanParams};
pub use scanner::Scanner;
pub use total::Total;

pub(crate) use small::{exclusive_small, exclusive_small_and_gather};
pub(crate) use three_pass::segments;
