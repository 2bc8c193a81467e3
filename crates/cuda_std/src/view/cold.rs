//! The path that an access takes on the CPU when it is out of bounds or watched. Kept out of line, so that the common path is one
//! comparison and the access.

use simt::memory::{self, Space};

/// Whether a view's elements may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// They may: who made the view, or the launch that it was given to, answers for it.
    Open,
    /// They may not yet: it is an argument of a launch to come.
    Closed,
}

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

/// A view as this path sees it.
pub(super) struct Watched {
    pub place: Place,
    pub state: State,
    pub base: *const u8,
    /// Bytes of an element.
    pub bytes: usize,
    pub len: usize,
}

/// Ends the thread where the view is closed or `index` is past its end, else tells the executor of the access.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn checked_access(view: Watched, access: Access, index: usize) {
    view.open();
    view.note(access, index);
}

/// [`checked_access`] of the `count` elements from `first` on, one by one; of none, `first` may be the view's end.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn checked_vector_access(view: Watched, access: Access, first: usize, count: usize) {
    view.open();
    if count == 0 && first > view.len {
        memory::out_of_bounds(view.place.what, first, view.len);
    }
    for i in 0..count {
        view.note(access, first.saturating_add(i));
    }
}

impl Watched {
    #[track_caller]
    fn open(&self) {
        let what = self.place.what;
        assert!(
            self.state == State::Open,
            "a {what} that is the argument of a launch was used outside of it: its elements are there for the kernel"
        );
    }

    #[track_caller]
    fn note(&self, access: Access, index: usize) {
        let Self { place, bytes, .. } = *self;
        if index >= self.len {
            memory::out_of_bounds(place.what, index, self.len);
        }
        let address = self.base.addr() + index * bytes;
        match access {
            Access::Read => memory::note_read(place.space, address, bytes),
            Access::Write => memory::note_write(place.space, address, bytes),
            Access::Atomic => memory::note_atomic(place.space, address, bytes),
        }
    }
}
