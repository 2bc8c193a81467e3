//! Parameters of smoothing.

use super::MeshFilterError;

/// Maximum number of iterations.
const MAX_ITERATIONS: u32 = 1000;

/// Parameters of windowed sinc smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothParams {
    /// Number of Chebyshev terms, at least 1: more terms make the transition at the end of the pass
    /// band sharper. Each term takes one pass over the mesh.
    pub iterations: u32,
    /// End of the pass band, between 0 and 2, in units of the Laplacian's eigenvalues. Along a line
    /// of vertices, a wave of `n` edges has the eigenvalue `2 - 2 cos(2π/n)`, so 0.1 preserves
    /// waves of 20 edges and more. Lower values smooth more.
    pub pass_band: f64,
}

impl Default for SmoothParams {
    /// Returns 20 iterations and a pass band of 0.1.
    fn default() -> Self {
        Self {
            iterations: 20,
            pass_band: 0.1,
        }
    }
}

impl SmoothParams {
    /// Checks that the parameters are in range.
    ///
    /// # Errors
    /// [`MeshFilterError::Iterations`], [`MeshFilterError::PassBand`].
    pub fn check(&self) -> Result<(), MeshFilterError> {
        let found = self.iterations;
        if !(1..=MAX_ITERATIONS).contains(&found) {
            return Err(MeshFilterError::Iterations {
                found,
                max: MAX_ITERATIONS,
            });
        }
        let found = self.pass_band;
        if !(found > 0.0 && found < 2.0) {
            return Err(MeshFilterError::PassBand { found });
        }
        Ok(())
    }
}
