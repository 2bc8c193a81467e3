//! Lists that are sorted where they are, each by one thread.

use crate::sample::Count;
use cuda_std::ViewMut;

/// Longer lists are sorted as heaps. A vertex of an isosurface has some six triangles, and never so
/// many.
const LONG: usize = 64;

/// Sorts `len` elements from `start` on.
#[inline(always)]
pub(super) fn sort<I: Count>(list: ViewMut<I>, start: usize, len: usize) {
    if len > LONG {
        sort_long(list, start, len);
    } else {
        sort_short(list, start, len);
    }
}

/// By insertion.
#[inline(always)]
fn sort_short<I: Count>(list: ViewMut<I>, start: usize, len: usize) {
    let mut sorted = 1;
    while sorted < len {
        let new = list.read(start + sorted);
        let mut at = sorted;
        while at > 0 {
            let before = list.read(start + at - 1);
            if before.widen() <= new.widen() {
                break;
            }
            list.write(start + at, before);
            at -= 1;
        }
        list.write(start + at, new);
        sorted += 1;
    }
}

/// By a heap: no list takes time with the square of its length.
#[inline(always)]
fn sort_long<I: Count>(list: ViewMut<I>, start: usize, len: usize) {
    // first all places that have others below them sink, from the last on; then the largest goes to
    // the end, and what was there sinks
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
