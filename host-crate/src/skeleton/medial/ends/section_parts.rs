//! Connected parts of the sections of a front.

use crate::memory::{CollectOrUnwind, ExtendOrUnwind};

/// Minimum share of the second largest part of a section that counts as split.
pub const SPLIT_SHARE: f64 = 0.2;

/// Connected parts of sections, as a union-find forest with the number of voxels at the roots.
#[derive(Default)]
pub struct Parts {
    pub roots: Vec<u32>,
    /// Number of voxels of each root.
    pub counts: Vec<f64>,
}

impl Parts {
    /// Adds an empty part.
    pub fn add(&mut self) -> u32 {
        let part = self.roots.len() as u32;
        self.roots.push_or_unwind(part);
        self.counts.push_or_unwind(0.0);
        part
    }

    /// Joins the parts of two roots, and returns the remaining root.
    pub fn join(&mut self, a: u32, b: u32) -> u32 {
        let (kept, other) = (a.min(b), a.max(b));
        if kept != other {
            self.roots[other as usize] = kept;
            self.counts[kept as usize] += self.counts[other as usize];
        }
        kept
    }

    /// Returns `true` if the second largest of the parts has at least [`SPLIT_SHARE`] of the
    /// voxels.
    pub fn is_split(&mut self, parts: &[u32]) -> bool {
        if parts.len() < 2 {
            return false;
        }
        let roots = parts.iter().map(|&part| find_root(&mut self.roots, part));
        let mut roots: Vec<u32> = roots.collect_or_unwind();
        roots.sort_unstable();
        roots.dedup();
        let (mut sum, mut largest) = (0.0, [0.0_f64; 2]);
        for root in roots {
            let count = self.counts[root as usize];
            sum += count;
            if count > largest[0] {
                largest = [count, largest[0]];
            } else {
                largest[1] = largest[1].max(count);
            }
        }
        largest[1] >= SPLIT_SHARE * sum
    }
}

/// Returns the root of an element, and shortens the path to it.
pub fn find_root(roots: &mut [u32], mut index: u32) -> u32 {
    while roots[index as usize] != index {
        let next = roots[index as usize];
        roots[index as usize] = roots[next as usize];
        index = roots[index as usize];
    }
    index
}
