//! Work in parts: cut, handed to devices, kept within a budget, and put together in order.
//!
//! An algorithm that works in parts declares what a part needs around it (its halo), counts what a
//! part will have, and emits it. The rest is the same for all of them, and is here; it depends on
//! devices and a [monitor](crate::monitor) only, not on meshes, maps, scans or files.
//!
//! | subject | what it does |
//! | --- | --- |
//! | `slab` | cuts a length into ranges: even shares, so high at most, in steps, by weight, with a halo |
//! | `budget` | from bytes to heights: what is free, which devices share a memory, the largest height that fits, pieces that are halved when they do not |
//! | `devices` | one worker for each device; why a worker stops; the error that names its device ([`OnDevice`]) |
//! | `exchange` | state that workers share, and how they wait for changes of it |
//! | `offsets` | the exclusive scan of the parts' counts, as they become known |
//! | `ordered` | the parts of several workers, handed to one consumer in their order |

pub(crate) mod budget;
pub(crate) mod devices;
pub(crate) mod exchange;
pub(crate) mod memory_plan;
pub(crate) mod offsets;
pub(crate) mod ordered;
pub(crate) mod slab;

pub use budget::TooLittleMemory;
pub use devices::{AmongDevices, OnDevice};
