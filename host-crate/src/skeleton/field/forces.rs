//! The force at voxels.

use super::{Targets, devices::forces_on, job::Job};
use crate::{
    device::{Buffer, Stream, rows, rows_launch},
    grid::{DeviceMask, DevicePoints},
    skeleton::{BoundaryForce, Classes, Execution, SkeletonError, SkeletonParams},
};
use ferrovox_kernels::skeleton::field::{NUMBERS, mean_forces};

/// The forces at voxels of a mask, on a device.
#[derive(Debug)]
pub struct ForceField {
    /// The voxels that have a force.
    pub mask: DeviceMask,
    /// Four numbers for each of them, in their order: the direction's x, y and z, and the magnitude, with voxels as the unit of length. A
    /// direction of three zeros is none.
    pub forces: Buffer<f32>,
    /// How many voxels of the mask come before each of its words.
    pub before: Buffer<u64>,
}

impl ForceField {
    /// The forces of all voxels of the grid, x fastest, as vectors: direction times magnitude, zeros where there is none. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    ///
    /// ```
    /// use ferrovox::{device::Device, grid::{DeviceMask, Geometry}, skeleton::{SkeletonParams, SurfaceBy, classify}};
    /// use ferrovox::skeleton::field::force_field;
    ///
    /// let stream = Device::best().stream()?;
    /// let cube = DeviceMask::upload(&stream, &[1; 5 * 5 * 5], [5; 3], Geometry::default())?;
    /// let classes = classify(&stream, &cube, SurfaceBy::Corners)?;
    /// let field = force_field(&stream, &classes, &SkeletonParams::default())?;
    /// let vectors: Vec<[f32; 3]> = field.vectors(&stream)?.collect();
    /// // on the surface there is none; beside its first face it points along x
    /// assert_eq!(vectors[0], [0.0; 3]);
    /// assert!(vectors[(2 * 5 + 2) * 5 + 1][0] > 0.0);
    /// # Ok::<(), ferrovox::skeleton::SkeletonError>(())
    /// ```
    pub fn vectors(
        &self,
        stream: &Stream,
    ) -> Result<impl ExactSizeIterator<Item = [f32; 3]>, SkeletonError> {
        let words = self.mask.download(stream)?;
        let forces = stream.download(&self.forces)?;
        let [nx, ny, nz] = self.mask.dims();
        let per_row = self.mask.layout().per_row as usize;
        let mut next = 0;
        let vectors = (0..nx * ny * nz).map(move |voxel| {
            let (row, x) = (voxel / nx, voxel % nx);
            if words[row * per_row + x / 32] >> (x % 32) & 1 == 0 {
                return [0.0; 3];
            }
            let force = &forces[next..next + NUMBERS];
            next += NUMBERS;
            [0, 1, 2].map(|axis| force[axis] * force[3])
        });
        Ok(vectors)
    }
}

/// The force field of a classified solid: at all interior and boundary voxels, from the surface voxels.
///
/// Work is proportional to voxels times surface voxels; the memory it takes is 24 bytes for each voxel with a force and slice of the surface, 40 bytes
/// for each that remain. Synchronises the stream.
///
/// # Errors
/// Errors of the device.
pub fn force_field(
    stream: &Stream,
    classes: &Classes,
    params: &SkeletonParams,
) -> Result<ForceField, SkeletonError> {
    force_field_on_devices(Execution::single(stream), classes, params)
}

/// The same by one or more devices: each makes the forces of some planes and rows, about as many as the others.
///
/// The classes are on the first device, and so is the field. Forces have the same bits as those that the first makes alone, if all are of one
/// kind: sources are added up in the same slices. Each device has room for the sources, its forces, and three bits for each voxel of the grid.
///
/// # Errors
/// Errors of the devices; [`SkeletonError::OnDevice`] where there are several.
pub fn force_field_on_devices(
    execution: Execution<'_>,
    classes: &Classes,
    params: &SkeletonParams,
) -> Result<ForceField, SkeletonError> {
    params.check()?;
    let stream = execution.first();
    let sources = DevicePoints::from_sites(stream, &classes.surface)?;
    let inside = classes.inside(stream)?;
    if params.boundary == BoundaryForce::Exact {
        return forces_on_devices(execution, &sources, inside, params);
    }
    let interior = classes.interior.copy(stream)?;
    let known = forces_on_devices(execution, &sources, interior, params)?;
    let all = Targets::of(stream, &inside)?;
    let mut forces = stream.alloc::<f32>(NUMBERS * all.count as usize)?;
    let bits = inside.layout();
    let rows = rows(stream, [bits.grid.nx, bits.grid.ny, bits.grid.nz], 1);
    // SAFETY: the words are those of the grid, and there are four numbers for each voxel of the masks.
    unsafe {
        let args = (
            known.mask.bits.view(),
            known.before.view(),
            known.forces.view(),
            inside.bits.view(),
            all.before.view(),
            bits,
            rows,
            forces.view_mut(),
        );
        stream.launch::<mean_forces>(rows_launch(rows), args)?;
    }
    let before = all.before;
    Ok(ForceField {
        mask: inside,
        forces,
        before,
    })
}

/// The forces of points on the voxels of a mask, none of which is at a point.
///
/// # Errors
/// Errors of the device.
pub fn forces(
    stream: &Stream,
    sources: &DevicePoints,
    mask: DeviceMask,
    params: &SkeletonParams,
) -> Result<ForceField, SkeletonError> {
    forces_on_devices(Execution::single(stream), sources, mask, params)
}

fn forces_on_devices(
    execution: Execution<'_>,
    sources: &DevicePoints,
    mask: DeviceMask,
    params: &SkeletonParams,
) -> Result<ForceField, SkeletonError> {
    let stream = execution.first();
    let targets = Targets::of(stream, &mask)?;
    let pairs = targets.count.saturating_mul(sources.len() as u64);
    let monitor = execution.monitor();
    let counter = (!monitor.is_silent()).then(|| monitor.counter("field", pairs));
    let counter = counter.as_ref();
    let forces = match execution.streams() {
        [_] => Job {
            stream,
            sources,
            targets: &targets,
            params,
            whole: None,
            counter,
        }
        .compute()?,
        streams => forces_on(streams, (sources, &mask), params, counter)?,
    };
    let before = targets.before;
    Ok(ForceField {
        mask,
        forces,
        before,
    })
}
