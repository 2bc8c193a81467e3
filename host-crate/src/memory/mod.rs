//! Fallible allocation of host memory, and how much of it is available.
//!
//! Every list whose length depends on the input is allocated by this module. If the system cannot
//! provide the memory, the work fails with an [`OutOfMemory`] that states the purpose and the
//! size, whereas the collections of the standard library would abort the process.
//!
//! | module | contents |
//! | --- | --- |
//! | `fallible` | allocation that returns a `Result` |
//! | `or_unwind` | allocation that unwinds, for code that cannot return a `Result` |
//! | `system` | available memory of the machine, its control groups and process limits |

mod fallible;
mod or_unwind;
mod system;

pub(crate) use fallible::{
    check_available, probe, try_collect, try_copy, try_extend, try_filled, try_reserve,
    try_reserve_amortized, try_reserve_map, try_zeroed,
};
pub(crate) use or_unwind::{
    CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, catch_out_of_memory, collect_into_or_unwind,
    concat_or_unwind, copy_or_unwind, filled_or_unwind, stable_sort_or_unwind, unwrap_or_unwind,
    with_capacity_or_unwind, zeroed_or_unwind,
};
pub(crate) use system::system_memory;

/// The error of an allocation of host memory that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot allocate {bytes} bytes of memory for {purpose}; free some, allow the process more, or use a machine with more or a smaller volume"
)]
pub struct OutOfMemory {
    /// Purpose of the allocation, quoted in the message.
    pub purpose: &'static str,
    /// Size of the allocation in bytes.
    pub bytes: u64,
}

impl From<OutOfMemory> for std::io::Error {
    fn from(error: OutOfMemory) -> Self {
        Self::new(std::io::ErrorKind::OutOfMemory, error)
    }
}
