//! The path that an access takes on the CPU when it is out of bounds or watched. Kept out of line, so that the common path is one
//! comparison and the access.

use simt::memory::{self, Space};

/// What a watched access does to memory.
#[derive(Clone, Copy)]
pub(super) enum Access {
    Read,
    Write,
    Atomic,
}

/// Where a view lies and what it is called in a report.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub what: &'static str,
    pub space: Space,
}

pub(super) const VIEW: Place = Place {
    what: "View",
    space: Space::Global,
};
pub(super) const VIEW_MUT: Place = Place {
    what: "ViewMut",
    space: Space::Global,
};
pub(super) const SHARED_VIEW: Place = Place {
    what: "SharedView",
    space: Space::Shared,
};

/// Ends the thread where `index` is past the end, else tells the executor of the access to the element of `bytes` bytes.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn checked_access(
    place: Place,
    access: Access,
    base: *const u8,
    bytes: usize,
    index: usize,
    len: usize,
) {
    if index >= len {
        memory::out_of_bounds(place.what, index, len);
    }
    let address = base as usize + index * bytes;
    match access {
        Access::Read => memory::note_read(place.space, address, bytes),
        Access::Write => memory::note_write(place.space, address, bytes),
        Access::Atomic => memory::note_atomic(place.space, address, bytes),
    }
}
