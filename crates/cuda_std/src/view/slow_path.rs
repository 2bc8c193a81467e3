//! Slow path of view accesses on the CPU: out-of-bounds accesses, closed views and checked mode. It
//! is kept out of line, so that the fast path is one comparison and the access.

use simt::memory::{self, Space};

/// Bit of a view's size that marks a closed view, whose elements may not be used yet. A separate
/// field would occupy a register of every kernel.
pub(super) const CLOSED_BIT: usize = 1 << (usize::BITS - 1);

/// Kind of an access.
#[derive(Clone, Copy)]
pub(super) enum Access {
    Read,
    Write,
    Atomic,
}

/// Name and address space of a kind of view.
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

/// Compile-time description of an access.
pub(super) struct AccessSite {
    pub kind: ViewKind,
    pub access: Access,
    /// Size of an element, in bytes.
    pub bytes: usize,
}

/// Checks and records an access. Panics if the view at `base`, of `size` elements, is closed, and
/// ends the thread if `index` is out of bounds.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn checked_access(site: &AccessSite, base: *const u8, size: usize, index: usize) {
    site.assert_open(size);
    site.record(base, size, index);
}

/// Checks and records the accesses to the `count` elements from `first` on, one by one. If `count`
/// is 0, `first` may equal the length.
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
            "a {name} was used outside of the launch whose argument it is: only the kernel may access its elements"
        );
    }

    /// Checks and records an access to an open view.
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
