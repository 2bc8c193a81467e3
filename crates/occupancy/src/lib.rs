//! CUDA occupancy calculator: how many blocks of a kernel are resident on a multiprocessor, which
//! resource limits their number, and which block size is best.
//!
//! ferrovox chooses the block size of every launch with this crate. The calculator needs no GPU: it
//! contains the limits of every compute capability from 1.0 to 12.1, and also accepts the limits of
//! a live device.
//!
//! | task | item |
//! | --- | --- |
//! | choose a device | [`DeviceLimits::for_capability`], [`Gpu::named`] |
//! | describe a kernel | [`KernelResources`], [`from_ptxas`] |
//! | describe a launch | [`BlockConfig`], [`Carveout`] |
//! | choose the allocation rules | [`HardwareModel`]; [`PaperModel`]: Zhao et al. (2016), eq. (2) |
//! | compute the occupancy | [`OccupancyModel::occupancy`], [`Waves`] |
//! | list the limits and reserves | [`slack`](slack()), [`resource_table`](resource_table()) |
//! | find the best block size | [`best_block`] |
//! | plot or explain a result | [`curve`], [`OccupancyModel::explain`] |
//!
//! Occupancy is not speed. It measures how many warps are available to hide latency; a kernel with
//! enough independent instructions per thread hides latency with few warps. `cargo xtask bench
//! occupancy` measures both.
//!
//! ```
//! use occupancy::{BlockConfig, Gpu, HardwareModel, KernelResources, Limiter, OccupancyModel};
//!
//! let h200 = HardwareModel::new(Gpu::named("H200")?.limits());
//! let occupancy = h200.occupancy(&KernelResources::new(40), &BlockConfig::new(256))?;
//! assert_eq!((occupancy.active_blocks, occupancy.fraction()), (6, 0.75));
//! assert!(occupancy.limiters().eq([Limiter::Registers]));
//! # Ok::<(), occupancy::OccupancyError>(())
//! ```

mod allocation;
mod best_block;
mod block_size;
mod capability;
mod capability_table;
pub mod curve;
mod error;
mod explain;
mod gpu;
mod hardware;
mod inputs;
mod limits;
mod model;
mod occupancy;
mod paper;
mod ptxas;
mod register_rule;
mod resource_table;
mod slack;
mod supported;
mod wave;

pub use allocation::{Allocation, BlockLimits, Limiter};
pub use best_block::{BestBlock, best_block};
pub use block_size::{active_blocks, block_size, block_size_among};
pub use capability::ComputeCapability;
pub use error::OccupancyError;
pub use gpu::Gpu;
pub use hardware::HardwareModel;
pub use inputs::{BlockConfig, Carveout, KernelResources};
pub use limits::DeviceLimits;
pub use model::OccupancyModel;
pub use occupancy::Occupancy;
pub use paper::PaperModel;
pub use ptxas::{AssembledKernel, from_ptxas};
pub use resource_table::resource_table;
pub use slack::{Reduction, Slack, slack};
pub use wave::Waves;
