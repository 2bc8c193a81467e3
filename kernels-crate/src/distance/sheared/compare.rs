//! The comparison of a brick's voxels with sites.

use super::{
    brick::{Brick, WIDTH},
    metric::Tilt,
};

impl Brick<'_> {
    /// Compares the voxels with the first `count` sites.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn compare(&self, count: usize) {
        let factor = self.tilt.scale.factors[0];
        Self::for_each_row(|row| {
            let [y, z] = self.row(row);
            let (y, z) = (y as f64, z as f64);
            let mut x = [0.0f64; WIDTH];
            let mut least = [0.0f64; WIDTH];
            let mut k = 0;
            while k < WIDTH {
                x[k] = (self.first[0] + k as u32) as f64;
                least[k] = self.best.read(row * WIDTH + k);
                k += 1;
            }
            let at = |site: usize| {
                let [sx, sy, sz] = self.sites.at(site);
                (sx as f64, self.tilt.across(y - sy as f64, z - sz as f64))
            };
            if self.naming {
                let mut name = [0u64; WIDTH];
                let mut k = 0;
                while k < WIDTH {
                    name[k] = self.name.read(row * WIDTH + k);
                    k += 1;
                }
                let mut site = 0;
                while site < count {
                    let (there, across) = at(site);
                    let here = self.held.read(site);
                    let mut k = 0;
                    while k < WIDTH {
                        let squared = Tilt::with_x(factor, x[k] - there, across);
                        if squared == least[k] && here < name[k] {
                            name[k] = here;
                        }
                        k += 1;
                    }
                    site += 1;
                }
                let mut k = 0;
                while k < WIDTH {
                    self.name.write(row * WIDTH + k, name[k]);
                    k += 1;
                }
                return;
            }
            // not a number is not itself
            if self.labels.is_empty() || !self.label.is_nan() {
                let mut site = 0;
                while site < count {
                    let (there, across) = at(site);
                    let mut k = 0;
                    while k < WIDTH {
                        let squared = Tilt::with_x(factor, x[k] - there, across);
                        least[k] = if squared < least[k] {
                            squared
                        } else {
                            least[k]
                        };
                        k += 1;
                    }
                    site += 1;
                }
            } else {
                let mut own = [0.0f32; WIDTH];
                let mut k = 0;
                while k < WIDTH {
                    own[k] = self.label(row, k);
                    k += 1;
                }
                let mut site = 0;
                while site < count {
                    let (there, across) = at(site);
                    let label = f32::from_bits(self.held.read(site) as u32);
                    let mut k = 0;
                    while k < WIDTH {
                        let squared = Tilt::with_x(factor, x[k] - there, across);
                        // only a voxel itself is at no distance
                        let counts = label != own[k] && squared > 0.0;
                        if counts && squared < least[k] {
                            least[k] = squared;
                        }
                        k += 1;
                    }
                    site += 1;
                }
            }
            let mut k = 0;
            while k < WIDTH {
                self.best.write(row * WIDTH + k, least[k]);
                k += 1;
            }
        });
    }

    /// The label of voxel `k` of a row; 0 beyond the grid.
    #[inline(always)]
    pub fn label(&self, row: usize, k: usize) -> f32 {
        let ([y, z], x) = (self.row(row), self.first[0] + k as u32);
        if x < self.grid.nx && y < self.grid.ny && z < self.grid.nz {
            self.labels.read(self.grid.sample(x, y, z))
        } else {
            0.0
        }
    }
}
