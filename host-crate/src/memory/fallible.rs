//! Allocation of lists and maps that returns [`OutOfMemory`] on failure.

use super::{OutOfMemory, system_memory};
use bytemuck::Zeroable;
use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash},
};

/// Smallest allocation in bytes that is checked against the available memory first. Systems that
/// overcommit also grant allocations beyond it, and kill the process when it touches them.
const MIN_CHECKED_BYTES: u64 = 256 << 20;

/// Returns the size in bytes of `len` elements, saturating.
pub(super) fn size_in_bytes<T>(len: usize) -> u64 {
    (len as u64).saturating_mul(size_of::<T>() as u64)
}

/// Fails if `bytes` more bytes exceed the available memory. Allocations below
/// [`MIN_CHECKED_BYTES`] always pass.
pub(crate) fn check_available(purpose: &'static str, bytes: u64) -> Result<(), OutOfMemory> {
    if bytes >= MIN_CHECKED_BYTES && system_memory().with_swap() < bytes {
        return Err(OutOfMemory { purpose, bytes });
    }
    Ok(())
}

/// Fails if `bytes` bytes cannot be allocated: allocates them and frees them again. Used
/// before work that allocates this much in many small lists and cannot report a failure.
pub(crate) fn probe(purpose: &'static str, bytes: u64) -> Result<(), OutOfMemory> {
    let len = usize::try_from(bytes).map_err(|_| OutOfMemory { purpose, bytes })?;
    try_reserve(purpose, &mut Vec::<u8>::new(), len)
}

/// Reserves capacity for exactly `additional` more elements.
pub(crate) fn try_reserve<T>(
    purpose: &'static str,
    list: &mut Vec<T>,
    additional: usize,
) -> Result<(), OutOfMemory> {
    if list.capacity() - list.len() >= additional {
        return Ok(());
    }
    check_available(purpose, size_in_bytes::<T>(additional))?;
    list.try_reserve_exact(additional).map_err(|_| OutOfMemory {
        purpose,
        bytes: size_in_bytes::<T>(list.len().saturating_add(additional)),
    })
}

/// Reserves capacity for `additional` more entries of a map.
pub(crate) fn try_reserve_map<K: Eq + Hash, V, S: BuildHasher>(
    purpose: &'static str,
    map: &mut HashMap<K, V, S>,
    additional: usize,
) -> Result<(), OutOfMemory> {
    // hash tables store one control byte per entry, and keep some slots free
    let bytes = size_in_bytes::<(K, V)>(additional).saturating_add(additional as u64);
    check_available(purpose, bytes)?;
    map.try_reserve(additional)
        .map_err(|_| OutOfMemory { purpose, bytes })
}

/// Creates a list of `len` clones of `value`.
pub(crate) fn try_filled<T: Clone>(
    purpose: &'static str,
    len: usize,
    value: T,
) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    try_reserve(purpose, &mut list, len)?;
    list.resize(len, value);
    Ok(list)
}

/// Creates a list of `len` zeros without writing them: the system provides zeroed pages.
pub(crate) fn try_zeroed<T: Zeroable>(
    purpose: &'static str,
    len: usize,
) -> Result<Vec<T>, OutOfMemory> {
    let bytes = size_in_bytes::<T>(len);
    check_available(purpose, bytes)?;
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| OutOfMemory { purpose, bytes })
}

/// Copies a slice into a new list.
pub(crate) fn try_copy<T: Clone>(
    purpose: &'static str,
    slice: &[T],
) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    try_extend(purpose, &mut list, slice)?;
    Ok(list)
}

/// Appends copies of `slice`; the capacity grows by [`try_reserve_amortized`].
pub(crate) fn try_extend<T: Clone>(
    purpose: &'static str,
    list: &mut Vec<T>,
    slice: &[T],
) -> Result<(), OutOfMemory> {
    try_reserve_amortized(purpose, list, slice.len())?;
    list.extend_from_slice(slice);
    Ok(())
}

/// Reserves capacity for `additional` more elements. A list that has to grow grows by at least
/// half its length, if the memory suffices, so that repeated calls take amortized constant time
/// per element.
pub(crate) fn try_reserve_amortized<T>(
    purpose: &'static str,
    list: &mut Vec<T>,
    additional: usize,
) -> Result<(), OutOfMemory> {
    if list.capacity() - list.len() >= additional {
        return Ok(());
    }
    // an empty list gets exactly what it needs
    try_reserve(purpose, list, additional.max(list.len() / 2))
        .or_else(|_| try_reserve(purpose, list, additional))
}

/// Collects the items of an iterator of known length.
pub(crate) fn try_collect<T>(
    purpose: &'static str,
    items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> Result<Vec<T>, OutOfMemory> {
    let items = items.into_iter();
    let mut list = Vec::new();
    try_reserve(purpose, &mut list, items.len())?;
    list.extend(items);
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_allocation_reports_its_size() {
        let len = 1 << 56;
        let error = try_zeroed::<u32>("numbers", len).unwrap_err();
        assert_eq!((error.purpose, error.bytes), ("numbers", 4 << 56));
        assert_eq!(try_filled("numbers", len, 1_u32), Err(error));
        assert_eq!(
            try_reserve("numbers", &mut Vec::<u32>::new(), len),
            Err(error)
        );
        let text = error.to_string();
        let expected = "cannot allocate 288230376151711744 bytes of memory for numbers";
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(
            try_reserve("x", &mut Vec::<u64>::new(), usize::MAX)
                .unwrap_err()
                .bytes,
            u64::MAX
        );
    }

    #[test]
    fn lists_have_the_contents_of_standard_lists() {
        assert_eq!(try_filled("x", 3, 7_u8), Ok(vec![7; 3]));
        assert_eq!(try_zeroed::<u16>("x", 2), Ok(vec![0; 2]));
        assert_eq!(try_collect("x", [1, 2].map(|it| it + 1)), Ok(vec![2, 3]));
        let mut list = try_copy("x", &[1, 2]).unwrap();
        try_extend("x", &mut list, &[3]).unwrap();
        assert_eq!(list, [1, 2, 3]);
    }
}
