//! Scans: what comes before each element, combined.
//!
//! The exclusive scan of `x` is `y[i] = x[0] + … + x[i-1]`; the inclusive one counts `x[i]` too.
//! Any associative operator will do ([`Sum`], [`Min`], [`Max`]); elements are `u32`, `i32`, `u64`,
//! `i64`, `f32`, `f64`, and flags and counts of 8 and 16 bits are summed into 32 or 64 bits without
//! being widened first.
//!
//! | method | passes | memory traffic | after |
//! | --- | --- | --- | --- |
//! | [`ScanMethod::SinglePass`] | one kernel | each element read once, written once | Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back*, 2016 |
//! | [`ScanMethod::ThreePass`] | reduce, scan of the sums, scan | read twice, written once | the classic scan; for sums of integers |
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
//! [`multi_device`] scans host memory on several devices at once, and a [`MultiDeviceScanner`] does
//! so again and again.
//!
//! # Bits
//!
//! Integers, minima and maxima are exact: the same on every device. Integer sums wrap around. A
//! floating-point sum depends on the grouping of its operands, which is fixed by the size of a
//! tile, and so by the device and the type: equal scans on one device give equal bits, however its
//! blocks run. Each result is off by no more than a few units in the last place times the depth of
//! the grouping, which is about the number of tiles.

mod checked;
mod element;
mod error;
mod kept;
mod multi_device;
mod params;
mod scanner;
mod small;
mod three_pass;

pub use checked::CheckedSum;
pub use element::{ScanOf, ScanValue};
pub use error::ScanError;
pub use ferrovox_kernels::operator::{Max, Min, Operator, Sum};
pub use multi_device::{MultiDeviceMethod, MultiDeviceParams, MultiDeviceScanner, multi_device};
pub use params::{ScanKind, ScanMethod, ScanParams};
pub use scanner::{Scanner, Total};

pub(crate) use small::{exclusive_small, exclusive_small_and_pick};
pub(crate) use three_pass::segments;
