//! Division of work among devices and within a memory budget.
//!
//! An algorithm implements three operations on a slab of planes: its halo (extra planes that it
//! needs), `count` (size of the output and of the scratch memory), and `emit`. This module chooses
//! slab boundaries, finds the largest height that fits the budget (halving on failure), runs one
//! worker per device, turns counts into offsets by an exclusive scan, and delivers parts in order.
//! It depends only on devices and a [monitor](crate::monitor), not on meshes, maps, scans or files.
//!
//! | module | contents |
//! | --- | --- |
//! | `memory_plan` | estimate of the memory, the plan that fits, and the retry policy |
//! | `budget` | slab heights from bytes; pieces that are halved if they do not fit |
//! | `slab` | ranges of planes: even shares, fixed heights, steps, by weight, with a halo |
//! | `devices` | one worker per device; the error that names its device ([`OnDevice`]) |
//! | `exchange` | state shared by workers, and waiting for its changes |
//! | `offsets` | exclusive scan of the counts of the parts, as they are published |
//! | `ordered` | delivery of the parts of several workers to one consumer, in order |

pub(crate) mod budget;
pub(crate) mod devices;
pub(crate) mod exchange;
pub(crate) mod memory_plan;
pub(crate) mod offsets;
pub(crate) mod ordered;
pub(crate) mod slab;

pub use budget::TooLittleMemory;
pub use devices::{AmongDevices, OnDevice};
