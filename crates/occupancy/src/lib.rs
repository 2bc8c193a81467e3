//! How many blocks of a kernel run on a multiprocessor at a time, what bounds their number, and
//! which block size is best.
//!
//! Every launch of ferrovox gets its block size here. The calculator needs no GPU: it has the
//! limits of every compute capability from 1.0 to 12.1, or takes those of a live device.
//!
//! | to | use |
//! | --- | --- |
//! | name a device | [`DeviceLimits::of`] a capability, [`Gpu::named`] |
//! | say what a kernel takes | [`KernelResources`], [`from_ptxas`] |
//! | say what a launch asks for | [`BlockConfig`], [`Carveout`] |
//! | choose the rules | [`HardwareModel`], or Zhao et al.'s (2016) equation: [`PaperModel`] |
//! | have the answer | [`OccupancyModel::occupancy`], [`slack`](slack()), [`resource_table`](resource_table()), [`Waves`] |
//! | find the best block | [`best_block`] |
//! | plot or explain it | [`curve`], [`OccupancyModel::explain`] |
//!
//! Occupancy is not speed. It is how many warps there are to hide the latency of others; a kernel
//! with enough independent instructions of its own hides it with few warps.
//! `cargo xtask bench occupancy` measures both.
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
mod answer;
mod best;
mod capability;
pub mod curve;
mod error;
mod explain;
mod gpu;
mod hardware;
mod kernel;
mod known;
mod launch;
mod limits;
mod model;
mod paper;
mod ptxas;
mod registers;
mod resource_table;
mod slack;
mod table;
mod wave;

pub use allocation::{Allocation, BlockLimits, Limiter};
pub use answer::Occupancy;
pub use best::{BestBlock, best_block};
pub use capability::ComputeCapability;
pub use error::OccupancyError;
pub use gpu::Gpu;
pub use hardware::HardwareModel;
pub use kernel::{BlockConfig, Carveout, KernelResources};
pub use launch::{active_blocks, block_size, block_size_among};
pub use limits::DeviceLimits;
pub use model::OccupancyModel;
pub use paper::PaperModel;
pub use ptxas::{AssembledKernel, from_ptxas};
pub use resource_table::resource_table;
pub use slack::{Fewer, Slack, slack};
pub use wave::Waves;
