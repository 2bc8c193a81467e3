//! In-place sorting of lists, each by a single thread.

use crate::sample::Count;
use cuda_std::ViewMut;

/// Maximum length of a list that is sorted by insertion; vertices of isosurfaces have about six
/// triangles.
const MAX_INSERTION_SORT: usize = 64;

/// Sorts `len` elements from `start` on in ascending order.
#[inline(always)]
pub(crate) fn sort<I: Count>(list: ViewMut<I>, start: usize, len: usize) {
    if len > MAX_INSERTION_SORT {
        heap_sort(list, start, len);
    } else {
        insertion_sort(list, start, len);
    }
}

/// Sorts `len` elements from `start` on in ascending order, by insertion: for short lists.
#[inline(always)]
pub(crate) fn insertion_sort<I: Count>(list: ViewMut<I>, start: usize, len: usize) {
    let mut sorted = 1;
    while sorted < len {
        let value = list.read(start + sorted);
        let mut at = sorted;
        while at > 0 {
            let before = list.read(start + at - 1);
            if before.widen() <= value.widen() {
                break;
            }
            list.write(start + at, before);
            at -= 1;
        }
        list.write(start + at, value);
        sorted += 1;
    }
}

/// Sorts by a binary heap, in O(n log n).
#[inline(always)]
fn heap_sort<I: Count>(list: ViewMut<I>, start: usize, len: usize) {
    // First, all inner nodes of the heap sink, from the last on; then, repeatedly, the root is
    // moved to the end, and the element from there sinks from the root.
    let mut unsunk = len / 2;
    let mut end = len;
    while end > 1 {
        let mut at = 0;
        let sinking;
        if unsunk > 0 {
            unsunk -= 1;
            at = unsunk;
            sinking = list.read(start + at);
        } else {
            end -= 1;
            sinking = list.read(start + end);
            list.write(start + end, list.read(start));
        }
        loop {
            let mut child = 2 * at + 1;
            if child >= end {
                break;
            }
            let mut larger = list.read(start + child);
            if child + 1 < end {
                let other = list.read(start + child + 1);
                if other.widen() > larger.widen() {
                    larger = other;
                    child += 1;
                }
            }
            if larger.widen() <= sinking.widen() {
                break;
            }
            list.write(start + at, larger);
            at = child;
        }
        list.write(start + at, sinking);
    }
}
