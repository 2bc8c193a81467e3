//! How much is smoothed.

use super::MeshFilterError;

/// The largest number of terms.
const MOST: u32 = 1000;

/// How much is smoothed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothParams {
    /// Terms of the polynomial, at least 1: the more, the sharper is the end of the pass band. A
    /// term is one pass over the mesh.
    pub iterations: u32,
    /// What is kept, from 0 to 2: components of the surface that change so little from a vertex to
    /// its neighbours. A wave of `n` edges has `2 - 2 cos(2π/n)` along a line of vertices, so 0.1
    /// keeps waves of 20 edges and more. The less, the smoother.
    pub pass_band: f64,
}

impl Default for SmoothParams {
    /// 20 terms, a pass band of 0.1.
    fn default() -> Self {
        Self {
            iterations: 20,
            pass_band: 0.1,
        }
    }
}

impl SmoothParams {
    /// Whether the numbers make sense.
    ///
    /// # Errors
    /// [`MeshFilterError::Iterations`], [`MeshFilterError::PassBand`].
    pub fn check(&self) -> Result<(), MeshFilterError> {
        let found = self.iterations;
        if !(1..=MOST).contains(&found) {
            return Err(MeshFilterError::Iterations { found, most: MOST });
        }
        let found = self.pass_band;
        if !(found > 0.0 && found < 2.0) {
            return Err(MeshFilterError::PassBand { found });
        }
        Ok(())
    }
}
