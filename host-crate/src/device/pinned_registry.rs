//! Registry of pinned host memory.

use std::sync::{Mutex, PoisonError};

/// First and one-past-last address of all pinned memory, which is copied without staging memory.
static PINNED: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

fn extent(bytes: &[u8]) -> (usize, usize) {
    let range = bytes.as_ptr_range();
    (range.start.addr(), range.end.addr())
}

pub(super) fn remember(bytes: &[u8]) {
    let mut pinned = PINNED.lock().unwrap_or_else(PoisonError::into_inner);
    pinned.push(extent(bytes));
}

pub(super) fn forget(bytes: &[u8]) {
    let mut pinned = PINNED.lock().unwrap_or_else(PoisonError::into_inner);
    pinned.retain(|&known| known != extent(bytes));
}

/// Returns `true` if any of these bytes are pinned.
pub(super) fn is_pinned(bytes: &[u8]) -> bool {
    let (start, end) = extent(bytes);
    let pinned = PINNED.lock().unwrap_or_else(PoisonError::into_inner);
    pinned
        .iter()
        .any(|&(first, last)| first < end && start < last)
}
