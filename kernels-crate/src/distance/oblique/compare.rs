//! Comparison of a brick's voxels with the buffered sites.

use super::{
    brick::{Brick, ROW_VOXELS},
    metric::ObliqueMetric,
};

impl Brick<'_> {
    /// Compares the voxels with the first `count` buffered sites.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn compare(&self, count: usize) {
        let factor = self.metric.scale.factors[0];
        Self::for_each_row(|row| {
            let [y, z] = self.row(row);
            let (y, z) = (y as f64, z as f64);
            let mut x = [0.0f64; ROW_VOXELS];
            let mut smallest = [0.0f64; ROW_VOXELS];
            let mut k = 0;
            while k < ROW_VOXELS {
                x[k] = (self.first[0] + k as u32) as f64;
                smallest[k] = self.best.read(row * ROW_VOXELS + k);
                k += 1;
            }
            let site_terms = |site: usize| {
                let [sx, sy, sz] = self.sites.site_coordinates(site);
                (sx as f64, self.metric.across(y - sy as f64, z - sz as f64))
            };
            if self.find_nearest_site {
                let mut numbers = [0u64; ROW_VOXELS];
                let mut k = 0;
                while k < ROW_VOXELS {
                    numbers[k] = self.nearest.read(row * ROW_VOXELS + k);
                    k += 1;
                }
                let mut site = 0;
                while site < count {
                    let (site_x, across) = site_terms(site);
                    let key = self.site_keys.read(site);
                    let mut k = 0;
                    while k < ROW_VOXELS {
                        let squared = ObliqueMetric::squared_with_x(factor, x[k] - site_x, across);
                        if squared == smallest[k] && key < numbers[k] {
                            numbers[k] = key;
                        }
                        k += 1;
                    }
                    site += 1;
                }
                let mut k = 0;
                while k < ROW_VOXELS {
                    self.nearest.write(row * ROW_VOXELS + k, numbers[k]);
                    k += 1;
                }
                return;
            }
            // NaN labels differ from themselves.
            if self.labels.is_empty() || !self.label.is_nan() {
                let mut site = 0;
                while site < count {
                    let (site_x, across) = site_terms(site);
                    let mut k = 0;
                    while k < ROW_VOXELS {
                        let squared = ObliqueMetric::squared_with_x(factor, x[k] - site_x, across);
                        smallest[k] = if squared < smallest[k] {
                            squared
                        } else {
                            smallest[k]
                        };
                        k += 1;
                    }
                    site += 1;
                }
            } else {
                let mut voxel_labels = [0.0f32; ROW_VOXELS];
                let mut k = 0;
                while k < ROW_VOXELS {
                    voxel_labels[k] = self.label(row, k);
                    k += 1;
                }
                let mut site = 0;
                while site < count {
                    let (site_x, across) = site_terms(site);
                    let label = f32::from_bits(self.site_keys.read(site) as u32);
                    let mut k = 0;
                    while k < ROW_VOXELS {
                        let squared = ObliqueMetric::squared_with_x(factor, x[k] - site_x, across);
                        // Only the voxel itself has squared distance 0.
                        let counts = label != voxel_labels[k] && squared > 0.0;
                        if counts && squared < smallest[k] {
                            smallest[k] = squared;
                        }
                        k += 1;
                    }
                    site += 1;
                }
            }
            let mut k = 0;
            while k < ROW_VOXELS {
                self.best.write(row * ROW_VOXELS + k, smallest[k]);
                k += 1;
            }
        });
    }

    /// Returns the label of voxel `k` of a row; 0 beyond the grid.
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
