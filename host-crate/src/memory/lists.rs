//! Lists, or an error.

use super::{OutOfMemory, system_memory};
use bytemuck::Zeroable;
use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash},
};

/// From this size on it is looked at what is free: systems promise more memory than they have, and
/// end a program that takes it.
const LARGE: u64 = 256 << 20;

pub(super) fn bytes_of<T>(len: usize) -> u64 {
    (len as u64).saturating_mul(size_of::<T>() as u64)
}

/// Fails if so many bytes more are not there. What is small is not looked into.
pub(crate) fn check_room(what: &'static str, bytes: u64) -> Result<(), OutOfMemory> {
    if bytes >= LARGE && system_memory().with_swap() < bytes {
        return Err(OutOfMemory { what, bytes });
    }
    Ok(())
}

/// Fails if so many bytes more are not there, however few they are: they are asked for and given
/// back. For work that then takes them in many lists, where an error has no way out.
pub(crate) fn require(what: &'static str, bytes: u64) -> Result<(), OutOfMemory> {
    let len = usize::try_from(bytes).map_err(|_| OutOfMemory { what, bytes })?;
    reserve(what, &mut Vec::<u8>::new(), len)
}

/// Makes room for `more` elements, and for no more than that.
pub(crate) fn reserve<T>(
    what: &'static str,
    list: &mut Vec<T>,
    more: usize,
) -> Result<(), OutOfMemory> {
    if list.capacity() - list.len() >= more {
        return Ok(());
    }
    check_room(what, bytes_of::<T>(more))?;
    list.try_reserve_exact(more).map_err(|_| OutOfMemory {
        what,
        bytes: bytes_of::<T>(list.len().saturating_add(more)),
    })
}

/// Makes room for `more` entries.
pub(crate) fn reserve_map<K: Eq + Hash, V, S: BuildHasher>(
    what: &'static str,
    map: &mut HashMap<K, V, S>,
    more: usize,
) -> Result<(), OutOfMemory> {
    // a byte for each place beside the entry, and places that stay free
    let bytes = bytes_of::<(K, V)>(more).saturating_add(more as u64);
    check_room(what, bytes)?;
    map.try_reserve(more)
        .map_err(|_| OutOfMemory { what, bytes })
}

/// `len` elements that are all the same.
pub(crate) fn filled<T: Clone>(
    what: &'static str,
    len: usize,
    value: T,
) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    reserve(what, &mut list, len)?;
    list.resize(len, value);
    Ok(list)
}

/// `len` elements that are zero, which the system gives without their being written.
pub(crate) fn zeroed<T: Zeroable>(what: &'static str, len: usize) -> Result<Vec<T>, OutOfMemory> {
    let bytes = bytes_of::<T>(len);
    check_room(what, bytes)?;
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| OutOfMemory { what, bytes })
}

/// A copy.
pub(crate) fn copied<T: Clone>(what: &'static str, from: &[T]) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    extend(what, &mut list, from)?;
    Ok(list)
}

/// Puts copies behind a list, which grows by half of itself or more.
pub(crate) fn extend<T: Clone>(
    what: &'static str,
    list: &mut Vec<T>,
    from: &[T],
) -> Result<(), OutOfMemory> {
    grow(what, list, from.len())?;
    list.extend_from_slice(from);
    Ok(())
}

/// Makes room for `more` elements, and for half of the list's length if there is none: so a list
/// that grows is seldom moved.
pub(crate) fn grow<T>(
    what: &'static str,
    list: &mut Vec<T>,
    more: usize,
) -> Result<(), OutOfMemory> {
    if list.capacity() - list.len() >= more {
        return Ok(());
    }
    // the first time no more than is asked for
    reserve(what, list, more.max(list.len() / 2)).or_else(|_| reserve(what, list, more))
}

/// What an iterator gives that knows its length.
pub(crate) fn collected<T>(
    what: &'static str,
    from: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> Result<Vec<T>, OutOfMemory> {
    let from = from.into_iter();
    let mut list = Vec::new();
    reserve(what, &mut list, from.len())?;
    list.extend(from);
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error_with_its_bytes() {
        let len = 1 << 56;
        let error = zeroed::<u32>("numbers", len).unwrap_err();
        assert_eq!((error.what, error.bytes), ("numbers", 4 << 56));
        assert_eq!(filled("numbers", len, 1_u32), Err(error));
        assert_eq!(reserve("numbers", &mut Vec::<u32>::new(), len), Err(error));
        let text = error.to_string();
        assert!(text.starts_with("288230376151711744 bytes"), "{text}");
        assert_eq!(
            reserve("x", &mut Vec::<u64>::new(), usize::MAX)
                .unwrap_err()
                .bytes,
            u64::MAX
        );
    }

    #[test]
    fn lists_are_what_they_would_be() {
        assert_eq!(filled("x", 3, 7_u8), Ok(vec![7; 3]));
        assert_eq!(zeroed::<u16>("x", 2), Ok(vec![0; 2]));
        assert_eq!(collected("x", [1, 2].map(|it| it + 1)), Ok(vec![2, 3]));
        let mut list = copied("x", &[1, 2]).unwrap();
        extend("x", &mut list, &[3]).unwrap();
        assert_eq!(list, [1, 2, 3]);
    }
}
