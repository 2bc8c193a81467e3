//! Samples with a border that is not stored.

use crate::{grid::Grid, sample::Sample};
use cuda_std::View;

/// A grid of samples of which some are stored, as a box within it; all others have one value.
///
/// This is how a surface is closed where the volume ends without a copy of the volume: the grid is
/// one sample larger wherever it is to be closed, and what is there has a value that is far
/// outside.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Padded {
    /// All samples.
    pub grid: Grid,
    /// The stored ones.
    pub stored: Grid,
    /// Where in the grid the first stored sample is.
    pub low: [u32; 3],
    /// The value of the others.
    pub outside: f32,
}

impl Padded {
    /// A grid all of whose samples are stored.
    pub const fn none(grid: Grid) -> Self {
        Self {
            grid,
            stored: grid,
            low: [0; 3],
            outside: 0.0,
        }
    }

    /// The stored sample at a place of the grid, if it is one.
    #[inline(always)]
    pub const fn stored_at(&self, place: [u32; 3]) -> Option<usize> {
        // what is below `low` wraps around to something large
        let x = place[0].wrapping_sub(self.low[0]);
        let y = place[1].wrapping_sub(self.low[1]);
        let z = place[2].wrapping_sub(self.low[2]);
        if x < self.stored.nx && y < self.stored.ny && z < self.stored.nz {
            Some(self.stored.sample(x, y, z))
        } else {
            None
        }
    }

    /// The stored sample nearest to a place of the grid.
    #[inline(always)]
    pub const fn nearest_stored(&self, place: [u32; 3]) -> usize {
        let x = nearest(place[0], self.low[0], self.stored.nx);
        let y = nearest(place[1], self.low[1], self.stored.ny);
        let z = nearest(place[2], self.low[2], self.stored.nz);
        self.stored.sample(x, y, z)
    }

    /// The value at a place of the grid.
    #[inline(always)]
    pub fn value<T: Sample>(&self, samples: View<T>, place: [u32; 3]) -> f32 {
        match self.stored_at(place) {
            Some(at) => samples.read(at).value(),
            None => self.outside,
        }
    }
}

#[inline(always)]
const fn nearest(place: u32, low: u32, count: u32) -> u32 {
    if place < low {
        return 0;
    }
    let stored = place - low;
    if stored < count { stored } else { count - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_is_what_is_not_stored() {
        let cube = |n| Grid {
            nx: n,
            ny: n,
            nz: n,
        };
        let padded = Padded {
            grid: cube(5),
            stored: cube(3),
            low: [1; 3],
            outside: -9.0,
        };
        let samples: Vec<u8> = (0..27).collect();
        let samples = View::from(&samples[..]);
        assert_eq!(padded.value(samples, [1, 1, 1]), 0.0);
        assert_eq!(padded.value(samples, [3, 3, 3]), 26.0);
        for place in [[0, 1, 1], [1, 4, 1], [1, 1, 0], [4, 4, 4]] {
            assert_eq!(padded.value(samples, place), -9.0);
        }
        assert_eq!(padded.nearest_stored([0, 0, 0]), 0);
        assert_eq!(padded.nearest_stored([4, 2, 4]), 2 + 3 + 18);
    }
}
