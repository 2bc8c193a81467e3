//! Parts of slices.

use std::ops::{
    Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

use super::{DeviceCopy, DeviceSlice};
use crate::private::Sealed;

/// What a slice can be indexed with: a number or a range of numbers.
pub trait DeviceSliceIndex<T: DeviceCopy>: Sealed + Sized {
    /// The range of values it stands for in a slice of `len`; `None` where that is not within the
    /// slice.
    #[doc(hidden)]
    fn within(self, len: usize) -> Option<Range<usize>>;

    /// That part of `slice`.
    ///
    /// # Safety
    /// 1. The index lies within the slice.
    unsafe fn get_unchecked(self, slice: &DeviceSlice<T>) -> DeviceSlice<T> {
        self.index(slice)
    }

    /// That part of `slice`.
    ///
    /// # Panics
    /// Where the index does not lie within the slice, as indexing in the standard library does;
    /// [`DeviceSlice::get`] does not.
    #[track_caller]
    fn index(self, slice: &DeviceSlice<T>) -> DeviceSlice<T> {
        match self.within(slice.len()) {
            Some(range) => part(slice, range),
            None => panic!(
                "index out of range for a device slice of length {}",
                slice.len()
            ),
        }
    }
}

fn part<T: DeviceCopy>(slice: &DeviceSlice<T>, range: Range<usize>) -> DeviceSlice<T> {
    slice.part(range.start, range.end - range.start)
}

/// The range that bounds stand for in a slice of `len`.
fn resolve(bounds: impl RangeBounds<usize>, len: usize) -> Option<Range<usize>> {
    let start = match bounds.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before.checked_add(1)?,
        Bound::Unbounded => 0,
    };
    let end = match bounds.end_bound() {
        Bound::Included(last) => last.checked_add(1)?,
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    (start <= end && end <= len).then_some(start..end)
}

impl Sealed for usize {}
impl<T: DeviceCopy> DeviceSliceIndex<T> for usize {
    fn within(self, len: usize) -> Option<Range<usize>> {
        (self < len).then(|| self..self + 1)
    }
}

macro_rules! ranges {
    ($($kind:ty)*) => {$(
        impl Sealed for $kind {}
        impl<T: DeviceCopy> DeviceSliceIndex<T> for $kind {
            fn within(self, len: usize) -> Option<Range<usize>> {
                resolve(self, len)
            }
        }
    )*};
}

ranges! {
    (Bound<usize>, Bound<usize>) Range<usize> RangeFrom<usize> RangeTo<usize> RangeInclusive<usize> RangeToInclusive<usize> RangeFull
}

impl<T: DeviceCopy> DeviceSlice<T> {
    /// A part of the slice.
    ///
    /// # Panics
    /// Where the index does not lie within the slice; [`DeviceSlice::get`] does not.
    #[track_caller]
    pub fn index<Idx: DeviceSliceIndex<T>>(&self, idx: Idx) -> DeviceSlice<T> {
        idx.index(self)
    }

    /// A part of the slice, or `None` where the index does not lie within it. (An addition to the
    /// published names.)
    pub fn get<Idx: DeviceSliceIndex<T>>(&self, idx: Idx) -> Option<DeviceSlice<T>> {
        idx.within(self.len()).map(|range| part(self, range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::DevicePointer;

    fn ten() -> DeviceSlice<u32> {
        DeviceSlice::in_context(DevicePointer::from_raw(0x1000), 10, std::ptr::null_mut())
    }

    fn place(slice: Option<DeviceSlice<u32>>) -> Option<(u64, usize)> {
        slice.map(|slice| (slice.as_device_ptr().as_raw(), slice.len()))
    }

    #[test]
    fn parts_are_where_the_standard_library_has_them() {
        let slice = ten();
        assert_eq!(place(slice.get(3)), Some((0x100c, 1)));
        assert_eq!(place(slice.get(2..5)), Some((0x1008, 3)));
        assert_eq!(place(slice.get(..5)), Some((0x1000, 5)));
        assert_eq!(place(slice.get(8..)), Some((0x1020, 2)));
        assert_eq!(place(slice.get(..)), Some((0x1000, 10)));
        assert_eq!(place(slice.get(2..=5)), Some((0x1008, 4)));
        assert_eq!(place(slice.get(..=9)), Some((0x1000, 10)));
        assert_eq!(place(slice.get(10..)), Some((0x1028, 0)));
        let after_two = (Bound::Excluded(2), Bound::Included(4));
        assert_eq!(place(slice.get(after_two)), Some((0x100c, 2)));
        assert_eq!(place(Some(slice.index(2..5))), Some((0x1008, 3)));
    }

    #[test]
    fn two_halves_are_the_whole() {
        let mut slice = ten();
        for mid in 0..=10 {
            let (low, high) = slice.split_at(mid);
            assert_eq!(place(Some(low)), place(slice.get(..mid)));
            assert_eq!(place(Some(high)), place(slice.get(mid..)));
        }
        let (low, high) = slice.split_at_mut(4);
        assert_eq!((low.len(), high.len()), (4, 6));
    }

    #[test]
    #[should_panic(expected = "length 10 at 11")]
    fn a_split_beyond_the_end_panics() {
        ten().split_at(11);
    }

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "that is the test")]
    fn what_is_not_within_is_none() {
        let slice = ten();
        assert!(slice.get(10).is_none());
        assert!(slice.get(5..11).is_none());
        assert!(slice.get(5..4).is_none());
        assert!(slice.get(11..).is_none());
        assert!(slice.get(..=usize::MAX).is_none());
        assert!(slice.get(usize::MAX).is_none());
    }
}
