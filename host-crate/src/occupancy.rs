//! Occupancy calculator: the number of resident blocks per multiprocessor, what limits it, and the
//! best block size.
//!
//! Every launch of this library gets its block size from this module. It re-exports the crate
//! `ferrovox-occupancy`, which can be used on its own. The limits of a device are
//! [`Device::limits`](crate::device::Device::limits), and the resources of a kernel of this library
//! [`recorded_kernel`](crate::device::recorded_kernel).
//!
//! ```
//! use ferrovox::occupancy::{BlockConfig, Gpu, HardwareModel, KernelResources, Limiter,
//!     OccupancyModel};
//!
//! let h200 = HardwareModel::new(Gpu::named("H200")?.limits());
//! let occupancy = h200.occupancy(&KernelResources::new(40), &BlockConfig::new(256))?;
//! assert_eq!((occupancy.active_blocks, occupancy.fraction()), (6, 0.75));
//! assert!(occupancy.limiters().eq([Limiter::Registers]));
//! # Ok::<(), ferrovox::occupancy::OccupancyError>(())
//! ```

#[doc(inline)]
pub use ::occupancy::*;
