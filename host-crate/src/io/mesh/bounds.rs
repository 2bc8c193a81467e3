//! Bounds of vertex positions.

use std::ops::Range;

use crate::parallel;

/// Positions per parallel task.
const TASK: usize = 1 << 16;

/// Least and greatest finite coordinates along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub min: [f32; 3],
    pub max: [f32; 3],
}

impl Default for Bounds {
    /// Returns the bounds of no positions.
    fn default() -> Self {
        Self {
            min: [f32::INFINITY; 3],
            max: [f32::NEG_INFINITY; 3],
        }
    }
}

impl Bounds {
    /// Extends the bounds by converted positions.
    pub fn extend(
        &mut self,
        positions: &[[f32; 3]],
        convert: impl Fn([f32; 3]) -> [f32; 3] + Sync,
    ) {
        let part = |range: Range<usize>| {
            let mut part = Self::default();
            for position in &positions[range] {
                let position = convert(*position);
                part = part.union(Self {
                    min: position,
                    max: position,
                });
            }
            part
        };
        if let Some(all) = parallel::reduce(positions.len(), TASK, part, Self::union) {
            *self = self.union(all);
        }
    }

    fn union(self, other: Self) -> Self {
        Self {
            min: [0, 1, 2].map(|axis| self.min[axis].min(other.min[axis])),
            max: [0, 1, 2].map(|axis| self.max[axis].max(other.max[axis])),
        }
    }
}
