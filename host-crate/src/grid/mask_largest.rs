//! The largest connected component of a mask.

use super::{Connectivity, Mask, Runs};
use crate::memory::{OutOfMemory, catch_out_of_memory};

impl Mask {
    /// Returns the voxels of the connected component with the most voxels; on ties, of the first.
    /// Voxels are connected if they share a face, an edge or a corner.
    ///
    /// Time is linear in words and runs along x; memory is about 20 bytes per run.
    ///
    /// ```
    /// use ferrovox::grid::{Geometry, Mask};
    ///
    /// let mask = Mask::from_indices(&[0, 2, 3], [5, 1, 1], Geometry::default())?;
    /// assert_eq!(mask.largest_component()?.words(), [0b1100]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn largest_component(&self) -> Result<Self, OutOfMemory> {
        catch_out_of_memory("the components of a mask", || {
            let runs = Runs::from_words(self.words(), self.layout());
            let mut sets = runs.joined(Connectivity::Corners, 0)?;
            let mut voxels = crate::memory::try_zeroed::<u64>("components", runs.list.len())?;
            for (index, run) in runs.list.iter().enumerate() {
                voxels[sets.root(index)] += u64::from(run.end - run.start);
            }
            let mut largest = None;
            for (root, &count) in voxels.iter().enumerate() {
                if largest.is_none_or(|(_, most)| count > most) {
                    largest = Some((root, count));
                }
            }
            let mut mask = self.clone();
            mask.clear();
            let nx = self.layout().grid.nx as usize;
            for row in 0..runs.row_count() {
                for index in runs.row(row) {
                    if largest.is_some_and(|(root, _)| sets.root(index) == root) {
                        let run = runs.list[index];
                        for x in run.start..run.end {
                            mask.set((row * nx) as u64 + u64::from(x));
                        }
                    }
                }
            }
            Ok(mask)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Geometry;

    #[test]
    fn largest_component_is_connected_through_corners() {
        let dims = [40, 3, 2];
        let index = |x: u64, y: u64, z: u64| x + 40 * (y + 3 * z);
        // a diagonal chain of three, and a pair
        let chain = [index(30, 0, 0), index(31, 1, 0), index(32, 2, 1)];
        let pair = [index(5, 0, 0), index(6, 0, 0)];
        let all: Vec<u64> = chain.iter().chain(&pair).copied().collect();
        let mask = Mask::from_indices(&all, dims, Geometry::default()).unwrap();
        let expected = Mask::from_indices(&chain, dims, Geometry::default()).unwrap();
        assert_eq!(mask.largest_component().unwrap(), expected);
        let empty = Mask::new(dims, Geometry::default()).unwrap();
        assert_eq!(empty.largest_component().unwrap(), empty);
    }
}
