//! Volumes with a virtual border of constant value.

use crate::{grid::Grid, sample::Sample};
use cuda_std::View;

/// A grid of samples of which a box is stored; all samples outside of the box have one constant
/// value.
///
/// Closes a surface at the boundary of a volume without copying the volume: the grid extends one
/// sample beyond the volume on every side to be closed, and the border samples have a value far
/// outside of the solid.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaddedGrid {
    /// Grid of all samples, stored and constant.
    pub grid: Grid,
    /// Grid of the stored samples.
    pub stored: Grid,
    /// Index of the first stored sample within `grid`, along x, y and z.
    pub offset: [u32; 3],
    /// Value of the samples that are not stored.
    pub outside: f32,
}

impl PaddedGrid {
    /// Creates a grid of which every sample is stored.
    pub const fn unpadded(grid: Grid) -> Self {
        Self {
            grid,
            stored: grid,
            offset: [0; 3],
            outside: 0.0,
        }
    }

    /// Returns the storage index of the sample at grid index `[x, y, z]`, or `None` if it is not
    /// stored.
    #[inline(always)]
    pub const fn stored_at(&self, index: [u32; 3]) -> Option<usize> {
        // indices less than `offset` wrap around to large numbers
        let x = index[0].wrapping_sub(self.offset[0]);
        let y = index[1].wrapping_sub(self.offset[1]);
        let z = index[2].wrapping_sub(self.offset[2]);
        if x < self.stored.nx && y < self.stored.ny && z < self.stored.nz {
            Some(self.stored.sample(x, y, z))
        } else {
            None
        }
    }

    /// Returns the storage index of the stored sample nearest to grid index `[x, y, z]`.
    #[inline(always)]
    pub const fn nearest_stored(&self, index: [u32; 3]) -> usize {
        let x = clamp_to_stored(index[0], self.offset[0], self.stored.nx);
        let y = clamp_to_stored(index[1], self.offset[1], self.stored.ny);
        let z = clamp_to_stored(index[2], self.offset[2], self.stored.nz);
        self.stored.sample(x, y, z)
    }

    /// Returns the value at grid index `[x, y, z]`.
    #[inline(always)]
    pub fn value<T: Sample>(&self, samples: View<T>, index: [u32; 3]) -> f32 {
        match self.stored_at(index) {
            Some(stored) => samples.read(stored).value(),
            None => self.outside,
        }
    }
}

#[inline(always)]
const fn clamp_to_stored(index: u32, offset: u32, count: u32) -> u32 {
    if index < offset {
        return 0;
    }
    let stored = index - offset;
    if stored < count { stored } else { count - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_outside_of_the_stored_box_are_constant() {
        let cube = |n| Grid {
            nx: n,
            ny: n,
            nz: n,
        };
        let padded = PaddedGrid {
            grid: cube(5),
            stored: cube(3),
            offset: [1; 3],
            outside: -9.0,
        };
        let samples: Vec<u8> = (0..27).collect();
        let samples = View::from(&samples[..]);
        assert_eq!(padded.value(samples, [1, 1, 1]), 0.0);
        assert_eq!(padded.value(samples, [3, 3, 3]), 26.0);
        for index in [[0, 1, 1], [1, 4, 1], [1, 1, 0], [4, 4, 4]] {
            assert_eq!(padded.value(samples, index), -9.0);
        }
        assert_eq!(padded.nearest_stored([0, 0, 0]), 0);
        assert_eq!(padded.nearest_stored([4, 2, 4]), 2 + 3 + 18);
    }
}
