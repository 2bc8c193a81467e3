//! Force field at voxels.

use super::{
    ErrorBounds, Sources, Targets,
    all_pairs::AllPairsJob,
    fmm::{FmmField, TableData, fmm_forces},
    multi_device::forces_on,
    variant_choice::VariantChoice,
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

/// Forces at the voxels of a mask, on a device.
#[derive(Debug)]
pub struct ForceField {
    /// Mask of the voxels with a force.
    pub mask: DeviceMask,
    /// Forces in mask order, four elements each: the direction's x, y and z, and the magnitude, in
    /// world space with the smallest spacing as the unit of length. A vanishing force has direction
    /// zero.
    ///
    /// Components are along the grid's axes, including their sign. For oblique axes, x is along the
    /// first axis, y in the plane of the first two, and z perpendicular to both.
    pub forces: Buffer<f32>,
    /// Number of mask voxels before each word of the mask.
    pub before: Buffer<u64>,
    /// Variant that computed the forces; never [`FieldVariant::Auto`].
    pub variant: FieldVariant,
    /// Error bounds, if [`FieldVariant::Multipole`] computed the forces of all voxels of the mask.
    pub bounds: Option<ErrorBounds>,
}

impl ForceField {
    /// Returns the force vectors at all voxels of the grid, x fastest; zero where there is no
    /// force. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    ///
    /// ```
    /// use ferrovox::device::Device;
    /// use ferrovox::grid::{DeviceMask, Geometry};
    /// use ferrovox::skeleton::potential_field::{
    ///     Params, SurfaceNeighbours, classify, field::force_field,
    /// };
    ///
    /// let stream = Device::best().stream()?;
    /// let cube = DeviceMask::upload(&stream, &[1; 5 * 5 * 5], [5; 3], Geometry::default())?;
    /// let classes = classify(&stream, &cube, SurfaceNeighbours::Corners)?;
    /// let field = force_field(&stream, &classes, &Params::default())?;
    /// let vectors: Vec<[f32; 3]> = field.vectors(&stream)?.collect();
    /// // no force on the surface; next to the first face it points along x
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

/// Computes the force field of a classified solid: at all interior and boundary voxels, from the
/// surface voxels.
///
/// Lengths are in world units. For anisotropic or oblique voxels, [`FieldVariant::Tuned`] replaces
/// the other all-pairs variants; for very elongated voxels it also replaces
/// [`FieldVariant::Multipole`]. The result's `variant` is the one used.
///
/// The time of the all-pairs variants is proportional to the number of targets times the number of
/// surface voxels; they take 24 bytes per target and slice of the surface, and 40 bytes per target
/// remain. The time of the multipole method is proportional to the number of voxels; it takes 16
/// bytes per target, at most three per voxel of the solid, and 0.1 per voxel of the grid.
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

/// Computes the force field of a classified solid on one or more devices, each of which processes
/// about the same number of targets.
///
/// The classes and the result are on the first device. If all devices are of one kind, the forces
/// have the same bits as those computed by the first device alone, because the sources are summed
/// in the same slices. Each device holds the sources, its forces, and three bits per voxel of the
/// grid.
///
/// # Errors
/// Errors of the devices; [`SkeletonError::OnDevice`] if there are several.
pub fn force_field_on_devices(
    execution: Execution<'_>,
    classes: &VoxelClasses,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    params.check()?;
    let sources = Sources::from_surface(execution.first(), classes)?;
    force_field_from(execution, classes, &sources, params)
}

/// Computes the force field of a classified solid from the given sources.
pub(in crate::skeleton) fn force_field_from(
    execution: Execution<'_>,
    classes: &VoxelClasses,
    sources: &Sources,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    let stream = execution.first();
    let inside = classes.inside(stream)?;
    let sources = SourceSet {
        sources,
        voxels: Some(&classes.surface),
    };
    if params.boundary == BoundaryForce::Exact {
        return forces_on_devices(execution, sources, inside, params);
    }
    let interior = classes.interior.copy(stream)?;
    let interior_forces = forces_on_devices(execution, sources, interior, params)?;
    let targets = Targets::new(stream, &inside)?;
    let mut forces = stream.alloc::<f32>(FORCE_COMPONENTS * targets.count as usize)?;
    let bits = inside.layout();
    let rows = rows(stream, [bits.grid.nx, bits.grid.ny, bits.grid.nz], 1);
    // SAFETY: the words are those of the grid, and there are four floats per voxel of each mask.
    unsafe {
        let args = (
            interior_forces.mask.bits.view(),
            interior_forces.before.view(),
            interior_forces.forces.view(),
            inside.bits.view(),
            targets.before.view(),
            bits,
            rows,
            forces.view_mut(),
        );
        stream.launch::<average_boundary_forces>(rows_launch(rows), args)?;
    }
    let before = targets.before;
    Ok(ForceField {
        mask: inside,
        forces,
        before,
        variant: interior_forces.variant,
        // means of forces have no error bounds
        bounds: None,
    })
}

/// Sources, and the mask of their voxels if they are known to be voxels of the targets' grid.
#[derive(Clone, Copy)]
struct SourceSet<'a> {
    sources: &'a Sources,
    voxels: Option<&'a DeviceMask>,
}

/// Computes the forces of points on the voxels of a mask, none of which may coincide with a point.
///
/// Lengths are in world units of the mask, as in [`force_field`]. [`FieldVariant::Multipole`]
/// requires points that are distinct voxels of the mask's grid, in grid order if they have weights;
/// otherwise [`FieldVariant::Tuned`] is used.
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
        FieldVariant::Multipole | FieldVariant::Auto => source_voxels(stream, sources, &mask)?,
        _ => None,
    };
    let sources = SourceSet {
        sources,
        voxels: voxels.as_ref(),
    };
    forces_on_devices(execution, sources, mask, params)
}

/// Returns the mask of the sources' voxels, if they are distinct voxels of a mask's grid, and in
/// grid order if they have weights.
fn source_voxels(
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
    let source_mask = DeviceMask::from_indices(stream, &voxels, dims, geometry)?;
    let is_unique = source_mask.count(stream)? == voxels.len() as u64;
    Ok(is_unique.then_some(source_mask))
}

fn is_isotropic(mask: &DeviceMask) -> bool {
    Metric::snapped(&mask.geometry).0.is_cubic()
}

fn forces_on_devices(
    execution: Execution<'_>,
    sources: SourceSet<'_>,
    mask: DeviceMask,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    params.multipole.check()?;
    catch_out_of_memory("the force field", || {
        forces_checked(execution, sources, mask, params)
    })
}

fn forces_checked(
    execution: Execution<'_>,
    sources: SourceSet<'_>,
    mask: DeviceMask,
    params: &Params,
) -> Result<ForceField, SkeletonError> {
    let stream = execution.first();
    let targets = Targets::new(stream, &mask)?;
    let pairs = targets.count.saturating_mul(sources.sources.len() as u64);
    let monitor = execution.monitor();
    let counter = (!monitor.is_unobserved()).then(|| monitor.counter("field", pairs));
    let counter = counter.as_ref();
    let choice = VariantChoice {
        device: stream.device(),
        pairs,
        targets: targets.count,
        is_isotropic: is_isotropic(&mask),
    };
    let tables = match sources.voxels {
        Some(_) if choice.may_be_multipole(params.variant) => {
            TableData::new(&mask.geometry, params)
        }
        _ => None,
    };
    let params = &Params {
        variant: choice.variant(params.variant, tables.is_some()),
        ..*params
    };
    if let (Some(voxels), Some(data)) = (sources.voxels, &tables) {
        let field = FmmField {
            sources: voxels,
            points: sources.sources,
            targets: &targets,
            data,
            params,
            counter,
        };
        let (forces, bounds) = fmm_forces(execution, &field)?;
        return Ok(ForceField {
            forces,
            before: targets.before,
            mask,
            variant: params.variant,
            bounds: Some(bounds),
        });
    }
    let forces = match execution.streams() {
        [_] => AllPairsJob {
            stream,
            sources: sources.sources,
            targets: &targets,
            params,
            divided_job: None,
            counter,
        }
        .compute()?,
        streams => forces_on(streams, (sources.sources, &mask), params, counter)?,
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
