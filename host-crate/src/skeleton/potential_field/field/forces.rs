//! The force at voxels.

use super::{
    ErrorBounds, Sources, Targets,
    choice::Choice,
    devices::forces_on,
    job::Job,
    tree::{TableData, TreeField, tree_on},
};
use crate::{
    device::{Buffer, Stream, rows, rows_launch},
    grid::{DeviceMask, Metric, Points},
    memory::catch_out_of_memory,
    skeleton::{
        SkeletonError,
        potential_field::{BoundaryForce, Execution, FieldVariant, Params, VoxelClasses},
    },
};
use ferrovox_kernels::skeleton::field::{FORCE_COMPONENTS, average_boundary_forces};

/// The forces at voxels of a mask, on a device.
#[derive(Debug)]
pub struct ForceField {
    /// The voxels that have a force.
    pub mask: DeviceMask,
    /// Four numbers for each of them, in their order: the direction's x, y and z, and the
    /// magnitude, in the world with the smallest spacing as the unit of length. A direction of
    /// three zeros is none.
    ///
    /// Components are along the grid's axes, whichever way these point. Where the axes are not at
    /// right angles, x is along the first, y in the plane of the first two, and z across both.
    pub forces: Buffer<f32>,
    /// How many voxels of the mask come before each of its words.
    pub before: Buffer<u64>,
    /// How it was made: never [`FieldVariant::Auto`].
    pub variant: FieldVariant,
    /// How far the forces can be off, if it was made by [`FieldVariant::Multipole`] for all voxels of
    /// the mask.
    pub bounds: Option<ErrorBounds>,
}

impl ForceField {
    /// The forces of all voxels of the grid, x fastest, as vectors: direction times magnitude,
    /// zeros where there is none. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    ///
    /// ```
    /// use ferrovox::{device::Device, grid::{DeviceMask, Geometry}, skeleton::{Params, SurfaceBy, classify}};
    /// use ferrovox::skeleton::field::force_field;
    ///
    /// let stream = Device::best().stream()?;
    /// let cube = DeviceMask::upload(&stream, &[1; 5 * 5 * 5], [5; 3], Geometry::default())?;
    /// let classes = classify(&stream, &cube, SurfaceBy::Corners)?;
    /// let field = force_field(&stream, &classes, &Params::default())?;
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
            let force = &forces[next..next + FORCE_COMPONENTS];
            next += FORCE_COMPONENTS;
            [0, 1, 2].map(|axis| force[axis] * force[3])
        });
        Ok(vectors)
    }
}

/// The force field of a classified solid: at all interior and boundary voxels, from the surface
/// voxels.
///
/// Lengths are those of the world. Where voxels are no cubes, [`FieldVariant::Tuned`] takes the
/// place of the other variants that compare all pairs; where they are so flat that there are no
/// series, that of [`FieldVariant::Multipole`] too. The field's `variant` has the one that was taken.
///
/// Where all pairs are compared, work is proportional to voxels times surface voxels; it takes 24
/// bytes for each voxel with a force and slice of the surface, and 40 bytes for each remain. By
/// series ([`FieldVariant::Multipole`]) work is proportional to the voxels, and it takes 16 bytes for
/// each voxel with a force, at most three for each of the solid, and 0.1 for each of the grid.
/// Synchronises the stream.
///
/// # Errors
/// Errors of the device.
pub fn force_field(
    stream: &Stream,
    classes: &VoxelClasses,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    force_field_on_devices(Execution::single(stream), classes, params)
}

/// The same by one or more devices: each makes the forces of some planes and rows, about as many as
/// the others.
///
/// The classes are on the first device, and so is the field. Forces have the same bits as those
/// that the first makes alone, if all are of one kind: sources are added up in the same slices.
/// Each device has room for the sources, its forces, and three bits for each voxel of the grid.
///
/// # Errors
/// Errors of the devices; [`SkeletonError::OnDevice`] where there are several.
pub fn force_field_on_devices(
    execution: Execution<'_>,
    classes: &VoxelClasses,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    params.check()?;
    let sources = Sources::from_surface(execution.first(), classes)?;
    force_field_from(execution, classes, &sources, params)
}

/// The same with the sources of the classes.
pub(in crate::skeleton) fn force_field_from(
    execution: Execution<'_>,
    classes: &VoxelClasses,
    sources: &Sources,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    let stream = execution.first();
    let inside = classes.inside(stream)?;
    let sources = Acting {
        sources,
        voxels: Some(&classes.surface),
    };
    if params.boundary == BoundaryForce::Exact {
        return forces_on_devices(execution, sources, inside, params);
    }
    let interior = classes.interior.copy(stream)?;
    let known = forces_on_devices(execution, sources, interior, params)?;
    let all = Targets::new(stream, &inside)?;
    let mut forces = stream.alloc::<f32>(FORCE_COMPONENTS * all.count as usize)?;
    let bits = inside.layout();
    let rows = rows(stream, [bits.grid.nx, bits.grid.ny, bits.grid.nz], 1);
    // SAFETY: the words are those of the grid, and there are four numbers for each voxel of the
    // masks.
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
        stream.launch::<average_boundary_forces>(rows_launch(rows), args)?;
    }
    let before = all.before;
    Ok(ForceField {
        mask: inside,
        forces,
        before,
        variant: known.variant,
        // of means there are none
        bounds: None,
    })
}

/// What exerts forces, and the same as voxels of the targets' grid where it is known to be some.
#[derive(Clone, Copy)]
struct Acting<'a> {
    sources: &'a Sources,
    voxels: Option<&'a DeviceMask>,
}

/// The forces of points on the voxels of a mask, none of which is at a point.
///
/// Lengths are those of the mask's world, as in [`force_field`]. [`FieldVariant::Multipole`] is for
/// points that are voxels of the mask's grid, each once, in their order: for others all pairs are
/// compared, as by [`FieldVariant::Tuned`].
///
/// # Errors
/// Errors of the device.
pub fn forces_at_voxels(
    stream: &Stream,
    sources: &Sources,
    mask: DeviceMask,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    let execution = Execution::single(stream);
    let voxels = match params.variant {
        FieldVariant::Multipole | FieldVariant::Auto => voxels_of(stream, sources, &mask)?,
        _ => None,
    };
    let sources = Acting {
        sources,
        voxels: voxels.as_ref(),
    };
    forces_on_devices(execution, sources, mask, params)
}

/// Points as voxels of the grid of a mask, if they are some, each once, and in the order of the
/// grid if they have weights.
fn voxels_of(
    stream: &Stream,
    sources: &Sources,
    mask: &DeviceMask,
) -> Result<Option<DeviceMask>, SkeletonError> {
    let (dims, geometry) = (mask.dims(), mask.geometry);
    let on_host = Points::from_voxels(&sources.points.download(stream)?, dims, geometry)?;
    let Some(voxels) = on_host.voxels() else {
        return Ok(None);
    };
    if !sources.weights.is_empty() && !voxels.is_sorted() {
        return Ok(None);
    }
    let made = DeviceMask::from_indices(stream, &voxels, dims, geometry)?;
    let each_once = made.count(stream)? == voxels.len() as u64;
    Ok(each_once.then_some(made))
}

fn is_of_cubes(mask: &DeviceMask) -> bool {
    Metric::snapped(&mask.geometry).0.is_of_cubes()
}

fn forces_on_devices(
    execution: Execution<'_>,
    acting: Acting<'_>,
    mask: DeviceMask,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    params.multipole.check()?;
    catch_out_of_memory(|| forces_of_all(execution, acting, mask, params))
}

fn forces_of_all(
    execution: Execution<'_>,
    acting: Acting<'_>,
    mask: DeviceMask,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    let stream = execution.first();
    let targets = Targets::new(stream, &mask)?;
    let pairs = targets.count.saturating_mul(acting.sources.len() as u64);
    let monitor = execution.monitor();
    let counter = (!monitor.is_silent()).then(|| monitor.counter("field", pairs));
    let counter = counter.as_ref();
    let choice = Choice {
        device: stream.device(),
        pairs,
        targets: targets.count,
        is_of_cubes: is_of_cubes(&mask),
    };
    let tables = match acting.voxels {
        Some(_) if choice.may_be_tree(params.variant) => TableData::of(&mask.geometry, params),
        _ => None,
    };
    let params = &Params {
        variant: choice.variant(params.variant, tables.is_some()),
        ..*params
    };
    if let (Some(voxels), Some(data)) = (acting.voxels, &tables) {
        let field = TreeField {
            sources: voxels,
            points: acting.sources,
            targets: &targets,
            data,
            params,
            counter,
        };
        let (forces, bounds) = tree_on(execution, &field)?;
        return Ok(ForceField {
            forces,
            before: targets.before,
            mask,
            variant: params.variant,
            bounds: Some(bounds),
        });
    }
    let forces = match execution.streams() {
        [_] => Job {
            stream,
            sources: acting.sources,
            targets: &targets,
            params,
            whole: None,
            counter,
        }
        .compute()?,
        streams => forces_on(streams, (acting.sources, &mask), params, counter)?,
    };
    let before = targets.before;
    Ok(ForceField {
        mask,
        forces,
        before,
        variant: params.variant,
        bounds: None,
    })
}
