//! The path that an access takes on the CPU when it is out of bounds or watched. Kept out of line,
//! so that the common path is one comparison and the access.

use simt::memory::{self, Space};

/// The bit of a view's size that says that its elements may not be used yet: it is an argument of a
/// launch to come. A field of its own takes a register from every kernel: a distance map took 1.25
/// times as long with one.
pub(super) const CLOSED_BIT: usize = 1 << (usize::BITS - 1);

/// What a watched access does to memory.
#[derive(Clone, Copy)]
pub(super) enum Access {
    Read,
    Write,
    Atomic,
}

/// Where a view lies and name it is called in a report.
#[derive(Clone, Copy)]
pub(super) struct ViewKind {
    pub name: &'static str,
    pub space: Space,
}

pub(super) const VIEW: ViewKind = ViewKind {
    name: "View",
    space: Space::Global,
};
pub(super) const VIEW_MUT: ViewKind = ViewKind {
    name: "ViewMut",
    space: Space::Global,
};
pub(super) const SHARED_VIEW: ViewKind = ViewKind {
    name: "SharedView",
    space: Space::Shared,
};

/// What is known of an access when it is compiled.
pub(super) struct AccessSite {
    pub kind: ViewKind,
    pub access: Access,
    /// Bytes of an element.
    pub bytes: usize,
}

/// Ends the thread where the view at `base`, of `size` elements, is closed or `index` is past its
/// end, else tells the executor of the access.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn checked_access(site: &AccessSite, base: *const u8, size: usize, index: usize) {
    site.assert_open(size);
    site.record(base, size, index);
}

/// [`checked_access`] of the `count` elements from `first` on, one by one; of none, `first` may be
/// the view's end.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn checked_vector_access(
    site: &AccessSite,
    base: *const u8,
    size: usize,
    first: usize,
    count: usize,
) {
    site.assert_open(size);
    if count == 0 && first > size {
        memory::out_of_bounds(site.kind.name, first, size);
    }
    for i in 0..count {
        site.record(base, size, first.saturating_add(i));
    }
}

impl AccessSite {
    #[track_caller]
    fn assert_open(&self, size: usize) {
        let name = self.kind.name;
        assert!(
            size & CLOSED_BIT == 0,
            "a {name} that is the argument of a launch was used outside of it: its elements are there for the kernel"
        );
    }

    /// Of an open view.
    #[track_caller]
    fn record(&self, base: *const u8, len: usize, index: usize) {
        let Self { kind, bytes, .. } = *self;
        if index >= len {
            memory::out_of_bounds(kind.name, index, len);
        }
        let address = base.addr() + index * bytes;
        match self.access {
            Access::Read => memory::record_read(kind.space, address, bytes),
            Access::Write => memory::record_write(kind.space, address, bytes),
            Access::Atomic => memory::record_atomic(kind.space, address, bytes),
        }
    }
}
