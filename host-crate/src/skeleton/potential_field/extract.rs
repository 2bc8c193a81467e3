//! Extraction of the skeleton of a solid.

use super::{
    Certificate, ClassCounts, Execution, FieldVariant, Params, classify,
    context::Context,
    field::{ForceField, Sources, force_field_from},
    radii::Radii,
    trace::ForceMask,
};
use crate::{
    device::DeviceError,
    grid::DeviceMask,
    memory::catch_out_of_memory,
    monitor::{StageTime, Stopwatch},
    skeleton::{Skeleton, SkeletonError, components, fill_cavities},
};

/// Skeleton of a solid, with its certificate and statistics of the extraction.
#[derive(Debug)]
pub struct Extraction {
    /// The skeleton.
    pub skeleton: Skeleton,
    /// Balance of the critical points, one entry per component of the solid.
    pub certificate: Vec<Certificate>,
    /// Number of curves that connect parts of the skeleton which the force leaves apart within one
    /// component: where the solid is too thin for a force, or where critical points are missing.
    pub bridges: usize,
    /// Number of voxels of each class.
    pub counts: ClassCounts,
    /// Method by which the force field was computed; never [`FieldVariant::Auto`].
    pub variant: FieldVariant,
    /// Duration of each stage.
    pub timings: Vec<StageTime>,
    /// The force field, in the memory of the first device.
    pub force_field: ForceField,
}

/// Extracts the skeleton of a solid.
///
/// `execution` is a [`Stream`](crate::device::Stream) or an [`Execution`], which names several
/// devices for the force field and a [`Monitor`](crate::monitor::Monitor). The solid is in the
/// memory of the first device.
///
/// The force field dominates the time: it is proportional to the number of inside voxels times the
/// number of surface voxels if these are few, otherwise to the number of voxels. It takes about 60
/// bytes of device memory per inside voxel, and 5 per voxel of the grid. The stream is synchronised
/// after each stage.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::grid::{DeviceMask, Geometry};
/// use ferrovox::skeleton::potential_field::{Params, extract};
///
/// // a bar of 40 x 9 x 9 voxels: a curve along its middle
/// let bar: Vec<u8> = (0..44 * 13 * 13)
///     .map(|i| [i % 44, i / 44 % 13, i / 572])
///     .map(|[x, y, z]| (2..42).contains(&x) && (2..11).contains(&y) && (2..11).contains(&z))
///     .map(u8::from)
///     .collect();
/// let stream = Device::best().stream()?;
/// let bar = DeviceMask::upload(&stream, &bar, [44, 13, 13], Geometry::default())?;
/// let extraction = extract(&stream, &bar, &Params::default())?;
/// assert!(extraction.certificate[0].is_balanced() && extraction.skeleton.is_connected());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SkeletonError`]; [`DeviceError::Cancelled`] soon after the monitor requests cancellation:
/// between stages, and between portions of the force field.
pub fn extract<'a>(
    execution: impl Into<Execution<'a>>,
    solid: &DeviceMask,
    params: &Params,
) -> Result<Extraction, SkeletonError> {
    params.check()?;
    let execution = execution.into();
    catch_out_of_memory("a potential-field skeleton", || {
        extract_checked(execution, solid, params)
    })
}

fn extract_checked(
    execution: Execution<'_>,
    solid: &DeviceMask,
    params: &Params,
) -> Result<Extraction, SkeletonError> {
    let stream = execution.first();
    let mut stopwatch = Stopwatch::start();
    let check = || execution.monitor().check().map_err(DeviceError::from);
    check()?;
    let filled = if params.fill_cavities {
        Some(fill_cavities(stream, solid)?)
    } else {
        None
    };
    let solid = filled.as_ref().unwrap_or(solid);
    let components = components(stream, solid)?;
    if components.count() == 0 {
        let voxels = solid.grid.samples();
        return Err(SkeletonError::Empty { voxels });
    }
    let classes = classify(stream, solid, params.surface)?;
    stopwatch.lap("classes");
    check()?;
    let sources = Sources::from_surface(stream, &classes)?;
    let field = force_field_from(execution, &classes, &sources, params)?;
    stream.synchronize()?;
    stopwatch.lap("field");
    check()?;
    let radii = Radii::new(stream, &classes)?;
    stream.synchronize()?;
    stopwatch.lap("distances");
    let context = Context {
        stream,
        solid,
        params,
        components: &components,
        classes: &classes,
        field: &field,
        inside: ForceMask::new(stream, &field)?,
        radii,
        sources: &sources,
    };
    let (search, certificate) = context.critical_points()?;
    stopwatch.lap("critical points");
    check()?;
    let (mut skeleton, bridges) = context.build_graph(&search, &mut stopwatch)?;
    context.radii.measure(&mut skeleton)?;
    stopwatch.lap("radii");
    Ok(Extraction {
        skeleton,
        certificate,
        bridges,
        counts: classes.counts,
        variant: field.variant,
        timings: stopwatch.times(),
        force_field: field,
    })
}
