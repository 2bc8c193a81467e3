//! Fallible growth of the lists of a mesh that is being read.

use crate::io::FileProblem;
use crate::memory;

/// Elements by which a list of a mesh grows at least.
const GROWTH: usize = 1 << 16;

/// Appends an element to a list of a mesh that is being read.
pub(super) fn append<T>(list: &mut Vec<T>, element: T) -> Result<(), FileProblem> {
    if list.len() == list.capacity() {
        memory::try_reserve_amortized("a mesh", list, GROWTH.max(list.len() / 2))?;
    }
    list.push(element);
    Ok(())
}
