//! Reproducible pseudo-random samples.

use nalgebra::Vector3;

/// Pseudo-random number generator (SplitMix64).
pub struct Noise(pub u64);

impl Noise {
    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns a number from -1 to 1.
    pub fn signed(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Returns an integer from 0 to `below` - 1.
    pub fn below(&mut self, below: u64) -> u64 {
        self.bits() % below
    }

    /// Returns a number from `min` to `max`.
    pub fn between(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Returns a unit vector with uniformly distributed direction.
    pub fn direction(&mut self) -> Vector3<f64> {
        let z = self.between(-1.0, 1.0);
        let angle = self.between(0.0, std::f64::consts::TAU);
        let across = (1.0 - z * z).sqrt();
        Vector3::new(across * angle.cos(), across * angle.sin(), z)
    }
}

/// Returns samples of the given dimensions: -1 at the border, and values from `draw` inside.
pub fn with_border_below(dims: [usize; 3], mut draw: impl FnMut() -> f32) -> Vec<f32> {
    let [nx, ny, nz] = dims;
    let mut samples = Vec::with_capacity(nx * ny * nz);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let border = [(x, nx), (y, ny), (z, nz)]
                    .iter()
                    .any(|&(i, n)| i == 0 || i + 1 == n);
                samples.push(if border { -1.0 } else { draw() });
            }
        }
    }
    samples
}
