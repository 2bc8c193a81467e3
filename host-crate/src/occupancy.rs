//! How many blocks of a kernel run on a multiprocessor at a time, what bounds their number, and
//! which block size is best.
//!
//! Every launch of this library gets its block size here. It is the crate `ferrovox-occupancy`,
//! which can be used without this library. The limits of a device that is here are
//! [`Device::limits`](crate::device::Device::limits), and what a kernel of this library takes is
//! [`recorded_kernel`](crate::device::recorded_kernel).
//!
//! ```
//! use ferrovox::occupancy::{BlockConfig, Gpu, HardwareModel, KernelResources, Limiter, OccupancyModel};
//!
//! let h200 = HardwareModel::new(Gpu::named("H200")?.limits());
//! let occupancy = h200.occupancy(&KernelResources::new(40), &BlockConfig::new(256))?;
//! assert_eq!((occupancy.active_blocks, occupancy.fraction()), (6, 0.75));
//! assert!(occupancy.limiters().eq([Limiter::Registers]));
//! # Ok::<(), ferrovox::occupancy::OccupancyError>(())
//! ```

#[doc(inline)]
pub use ::occupancy::*;
