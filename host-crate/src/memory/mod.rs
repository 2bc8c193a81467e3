//! Memory of the host: how much there is, and asking for it in a way that can fail.
//!
//! A list whose length follows from the input is made by one of the functions here. Where the
//! system has no room for it, they return an [`OutOfMemory`], which says what the memory was for;
//! the standard library's own ways would end the program.
//!
//! | subject | what it says |
//! | --- | --- |
//! | `lists` | lists that are made, filled, copied and collected, or an error |
//! | `unwinding` | the same where an error has no way out |
//! | `system` | what is free: of the machine, of a control group, of a process's limits |

mod lists;
mod system;
mod unwinding;

pub(crate) use lists::{
    check_room, collected, copied, extend, filled, grow, require, reserve, reserve_map, zeroed,
};
pub(crate) use system::system_memory;
pub(crate) use unwinding::{
    Listed, Put, Room, caught, copy, gathered, one_list, or_unwind, repeated, sort_stably,
    with_room, zeros,
};

/// The system has no room for what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{bytes} bytes of memory are needed for {what} and cannot be had; free some, allow the process more, or use a machine with more or a smaller volume"
)]
pub struct OutOfMemory {
    /// What the memory was for.
    pub what: &'static str,
    /// How many bytes.
    pub bytes: u64,
}

impl From<OutOfMemory> for std::io::Error {
    fn from(error: OutOfMemory) -> Self {
        Self::new(std::io::ErrorKind::OutOfMemory, error)
    }
}
