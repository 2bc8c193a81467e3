//! The path that an access takes on the CPU when it is out of bounds or watched. Kept out of line,
//! so that the common path is one comparison and the access.

use simt::memory::{self, Space};

/// The bit of a view's size that says that its elements may not be used yet: it is an argument of a
/// launch to come. A field of its own takes a register from every kernel: a distance map took 1.25
/// times as long with one.
pub(super) const CLOSED: usize = 1 << (usize::BITS - 1);

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

/// What is known of an access when it is compiled.
pub(super) struct Site {
    pub place: Place,
    pub access: Access,
    /// Bytes of an element.
    pub bytes: usize,
}

/// Ends the thread where the view at `base`, of `size` elements, is closed or `index` is past its
/// end, else tells the executor of the access.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn checked_access(site: &Site, base: *const u8, size: usize, index: usize) {
    site.open(size);
    site.note(base, size, index);
}

/// [`checked_access`] of the `count` elements from `first` on, one by one; of none, `first` may be
/// the view's end.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn checked_vector_access(
    site: &Site,
    base: *const u8,
    size: usize,
    first: usize,
    count: usize,
) {
    site.open(size);
    if count == 0 && first > size {
        memory::out_of_bounds(site.place.what, first, size);
    }
    for i in 0..count {
        site.note(base, size, first.saturating_add(i));
    }
}

impl Site {
    #[track_caller]
    fn open(&self, size: usize) {
        let what = self.place.what;
        assert!(
            size & CLOSED == 0,
            "a {what} that is the argument of a launch was used outside of it: its elements are there for the kernel"
        );
    }

    /// Of an open view.
    #[track_caller]
    fn note(&self, base: *const u8, len: usize, index: usize) {
        let Self { place, bytes, .. } = *self;
        if index >= len {
            memory::out_of_bounds(place.what, index, len);
        }
        let address = base.addr() + index * bytes;
        match self.access {
            Access::Read => memory::note_read(place.space, address, bytes),
            Access::Write => memory::note_write(place.space, address, bytes),
            Access::Atomic => memory::note_atomic(place.space, address, bytes),
        }
    }
}
