//! The mesh formats, one module each: properties, encoder and, for some, a reader.

pub(super) mod obj;
pub(super) mod ply;
pub(super) mod stl;
pub(super) mod vtk;
pub(super) mod vtp;

use crate::io::FileProblem;
use crate::memory;

/// Elements by which a list of a mesh grows at least.
const GROWTH: usize = 1 << 16;

/// Appends an element to a list of a mesh that is being read.
fn append<T>(list: &mut Vec<T>, element: T) -> Result<(), FileProblem> {
    if list.len() == list.capacity() {
        memory::try_reserve_amortized("a mesh", list, GROWTH.max(list.len() / 2))?;
    }
    list.push(element);
    Ok(())
}
