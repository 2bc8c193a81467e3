//! Indexing of device slices.

use std::ops::{
    Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

use super::{DeviceCopy, DeviceSlice};
use crate::private::Sealed;

/// Index of a device slice: a number or a range.
pub trait DeviceSliceIndex<T: DeviceCopy>: Sealed + Sized {
    /// Returns the index as a range in a slice of length `len`, or `None` if it is out of bounds.
    #[doc(hidden)]
    fn checked_range(self, len: usize) -> Option<Range<usize>>;

    /// Returns the part of `slice` without a bounds check.
    ///
    /// # Safety
    /// 1. The index is within the slice.
    unsafe fn get_unchecked(self, slice: &DeviceSlice<T>) -> DeviceSlice<T> {
        self.index(slice)
    }

    /// Returns the part of `slice`.
    ///
    /// # Panics
    /// If the index is out of bounds, like indexing in the standard library. [`DeviceSlice::get`]
    /// does not panic.
    #[track_caller]
    fn index(self, slice: &DeviceSlice<T>) -> DeviceSlice<T> {
        match self.checked_range(slice.len()) {
            Some(range) => subslice(slice, range),
            None => panic!(
                "index out of range for a device slice of length {}",
                slice.len()
            ),
        }
    }
}

fn subslice<T: DeviceCopy>(slice: &DeviceSlice<T>, range: Range<usize>) -> DeviceSlice<T> {
    slice.part(range.start, range.end - range.start)
}

/// Converts range bounds to a range in a slice of length `len`, or `None` if they are out of
/// bounds.
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
    fn checked_range(self, len: usize) -> Option<Range<usize>> {
        (self < len).then(|| self..self + 1)
    }
}

macro_rules! ranges {
    ($($kind:ty)*) => {$(
        impl Sealed for $kind {}
        impl<T: DeviceCopy> DeviceSliceIndex<T> for $kind {
            fn checked_range(self, len: usize) -> Option<Range<usize>> {
                resolve(self, len)
            }
        }
    )*};
}

ranges! {
    (Bound<usize>, Bound<usize>) Range<usize> RangeFrom<usize> RangeTo<usize> RangeInclusive<usize> RangeToInclusive<usize> RangeFull
}

impl<T: DeviceCopy> DeviceSlice<T> {
    /// Returns a part of the slice.
    ///
    /// # Panics
    /// If the index is out of bounds. [`DeviceSlice::get`] does not panic.
    #[track_caller]
    pub fn index<Idx: DeviceSliceIndex<T>>(&self, idx: Idx) -> DeviceSlice<T> {
        idx.index(self)
    }

    /// Returns a part of the slice, or `None` if the index is out of bounds. (Not part of
    /// Rust-CUDA.)
    pub fn get<Idx: DeviceSliceIndex<T>>(&self, idx: Idx) -> Option<DeviceSlice<T>> {
        idx.checked_range(self.len())
            .map(|range| subslice(self, range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::DevicePointer;

    fn slice_of_ten() -> DeviceSlice<u32> {
        DeviceSlice::in_context(DevicePointer::from_raw(0x1000), 10, std::ptr::null_mut())
    }

    fn address_and_len(slice: Option<DeviceSlice<u32>>) -> Option<(u64, usize)> {
        slice.map(|slice| (slice.as_device_ptr().as_raw(), slice.len()))
    }

    #[test]
    fn indexing_matches_the_standard_library() {
        let slice = slice_of_ten();
        assert_eq!(address_and_len(slice.get(3)), Some((0x100c, 1)));
        assert_eq!(address_and_len(slice.get(2..5)), Some((0x1008, 3)));
        assert_eq!(address_and_len(slice.get(..5)), Some((0x1000, 5)));
        assert_eq!(address_and_len(slice.get(8..)), Some((0x1020, 2)));
        assert_eq!(address_and_len(slice.get(..)), Some((0x1000, 10)));
        assert_eq!(address_and_len(slice.get(2..=5)), Some((0x1008, 4)));
        assert_eq!(address_and_len(slice.get(..=9)), Some((0x1000, 10)));
        assert_eq!(address_and_len(slice.get(10..)), Some((0x1028, 0)));
        let after_two = (Bound::Excluded(2), Bound::Included(4));
        assert_eq!(address_and_len(slice.get(after_two)), Some((0x100c, 2)));
        assert_eq!(address_and_len(Some(slice.index(2..5))), Some((0x1008, 3)));
    }

    #[test]
    fn split_parts_cover_the_slice() {
        let mut slice = slice_of_ten();
        for mid in 0..=10 {
            let (low, high) = slice.split_at(mid);
            assert_eq!(
                address_and_len(Some(low)),
                address_and_len(slice.get(..mid))
            );
            assert_eq!(
                address_and_len(Some(high)),
                address_and_len(slice.get(mid..))
            );
        }
        let (low, high) = slice.split_at_mut(4);
        assert_eq!((low.len(), high.len()), (4, 6));
    }

    #[test]
    #[should_panic(expected = "length 10 at 11")]
    fn splitting_beyond_the_end_panics() {
        slice_of_ten().split_at(11);
    }

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "tests reversed ranges")]
    fn out_of_bounds_indices_return_none() {
        let slice = slice_of_ten();
        assert!(slice.get(10).is_none());
        assert!(slice.get(5..11).is_none());
        assert!(slice.get(5..4).is_none());
        assert!(slice.get(11..).is_none());
        assert!(slice.get(..=usize::MAX).is_none());
        assert!(slice.get(usize::MAX).is_none());
    }
}
