//! Adaptation of the volumes that finished walls enclose.

use super::Fairing;
use crate::device::{DeviceError, items_launch};
use cuda_std::Kernel;
use ferrovox_kernels::label_surface::{
    compute_label_pressures,
    fairing::{TRIANGLES_PER_RUN, apply_wall_pressures, measure_wall_triangles},
};

/// Difference between the enclosed volume of a label and that of its voxels that needs no further
/// step, as a fraction of the latter.
const TOLERANCE: f64 = 1.0 / 1024.0;

impl Fairing<'_> {
    /// Moves walls such that each label encloses the volume of its voxels, in at most `steps`
    /// steps. `voxels` are those of the background, 0, and of each label.
    pub fn adapt_volumes(&mut self, voxels: &[u64], steps: u32) -> Result<(), DeviceError> {
        if steps == 0 {
            return Ok(());
        }
        let (stream, walls) = (self.stream, self.walls);
        stream.prepare(&[
            measure_wall_triangles::entry(),
            compute_label_pressures::entry(),
            apply_wall_pressures::entry(),
        ])?;
        let labels = voxels.len();
        let voxels = stream.upload(voxels)?;
        let mut sums = stream.zeros::<u64>(labels * 2)?;
        let mut pressures = stream.zeros::<f32>(labels)?;
        let mut areas = stream.alloc::<f64>(walls.triangles.len())?;
        let triangles = walls.triangle_count();
        let (run_launch, runs) = items_launch(stream, triangles.div_ceil(TRIANGLES_PER_RUN));
        let (label_launch, label_items) = items_launch(stream, labels as u64);
        let (launch, items) = items_launch(stream, walls.vertex_count());
        let orientation = if self.geometry.mirrors() { -1.0 } else { 1.0 };
        for _ in 0..steps {
            let mut unequal = stream.zeros::<u64>(1)?;
            // SAFETY: vertices, labels and area vectors per triangle, positions per vertex, and
            // sums and pressures per label, including the background.
            unsafe {
                let args = (
                    runs,
                    triangles,
                    walls.triangles.view(),
                    walls.sides.view(),
                    orientation,
                    self.positions.view(),
                    areas.view_mut(),
                    sums.view_mut(),
                );
                stream.launch::<measure_wall_triangles>(run_launch, args)?;
                let args = (
                    label_items,
                    voxels.view(),
                    TOLERANCE,
                    sums.view_mut(),
                    pressures.view_mut(),
                    unequal.view_mut(),
                );
                stream.launch::<compute_label_pressures>(label_launch, args)?;
            }
            if stream.download(&unequal)?.first() == Some(&0) {
                break;
            }
            // SAFETY: lists and flags per vertex, area vectors and labels per triangle.
            unsafe {
                let args = (
                    items,
                    self.lists.starts.view(),
                    self.lists.lengths.view(),
                    self.lists.triangles.view(),
                    walls.sides.view(),
                    areas.view(),
                    pressures.view(),
                    self.thin.view(),
                    self.starts.view(),
                    self.positions.view_mut(),
                );
                stream.launch::<apply_wall_pressures>(launch, args)?;
            }
        }
        Ok(())
    }
}
