//! From a solid to its skeleton.

use super::{
    Certificate, ClassCounts, Execution, FieldVariant, Skeleton, SkeletonError, SkeletonParams,
    classify, components,
    context::Context,
    field::{ForceField, Sources, force_field_from},
    fill_cavities,
    radii::Radii,
    trace::Inside,
};
use crate::{
    device::{DeviceError, Stream},
    grid::DeviceMask,
    memory::catch_out_of_memory,
    monitor::{StageTime, Stopwatch},
};

/// A skeleton, and how it was made.
#[derive(Clone, Debug)]
pub struct Extraction {
    /// The skeleton.
    pub skeleton: Skeleton,
    /// For each component of the solid whether all of its critical points have been found.
    pub certificate: Vec<Certificate>,
    /// How many curves join what the force leaves apart in one component of the solid: where it is
    /// so thin that there is no force, or where critical points are missing.
    pub bridges: usize,
    /// How many voxels there are of each class.
    pub counts: ClassCounts,
    /// How the force field was made: never [`FieldVariant::Auto`].
    pub variant: FieldVariant,
    /// How long each stage took.
    pub timings: Vec<StageTime>,
}

/// The skeleton of a solid.
///
/// The force field is most of the work: proportional to the voxels inside times those of the
/// surface where these are few, otherwise to the voxels. It takes about 60 bytes of device memory
/// for each voxel inside, and 5 for each of the grid. Synchronises the stream after each stage.
///
/// ```
/// use ferrovox::{device::Device, grid::{DeviceMask, Geometry}, skeleton::{self, SkeletonParams}};
///
/// // a bar of 40 x 9 x 9 voxels: a curve along its middle
/// let bar: Vec<u8> = (0..44 * 13 * 13)
///     .map(|i| [i % 44, i / 44 % 13, i / 572])
///     .map(|[x, y, z]| u8::from((2..42).contains(&x) && (2..11).contains(&y) && (2..11).contains(&z)))
///     .collect();
/// let stream = Device::best().stream()?;
/// let bar = DeviceMask::upload(&stream, &bar, [44, 13, 13], Geometry::default())?;
/// let found = skeleton::skeleton(&stream, &bar, &SkeletonParams::default())?;
/// assert!(found.certificate[0].balanced() && found.skeleton.is_connected());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SkeletonError`].
pub fn skeleton(
    stream: &Stream,
    solid: &DeviceMask,
    params: &SkeletonParams,
) -> Result<Extraction, SkeletonError> {
    Ok(skeleton_on_devices(Execution::single(stream), solid, params)?.0)
}

/// The same with the force field by one or more devices; and that field, for others that want it.
/// The solid is on the first.
///
/// # Errors
/// [`SkeletonError`]; [`DeviceError::Cancelled`] soon after the execution's
/// [`Monitor`](crate::monitor::Monitor) is to stop it: between stages, and between portions of the
/// field.
pub fn skeleton_on_devices(
    execution: Execution<'_>,
    solid: &DeviceMask,
    params: &SkeletonParams,
) -> Result<(Extraction, ForceField), SkeletonError> {
    params.check()?;
    catch_out_of_memory(|| extract(execution, solid, params))
}

fn extract(
    execution: Execution<'_>,
    solid: &DeviceMask,
    params: &SkeletonParams,
) -> Result<(Extraction, ForceField), SkeletonError> {
    let stream = execution.first();
    let mut stopwatch = Stopwatch::start();
    let check = || execution.monitor().check().map_err(DeviceError::from);
    check()?;
    let filled = if params.fill {
        Some(fill_cavities(stream, solid)?)
    } else {
        None
    };
    let solid = filled.as_ref().unwrap_or(solid);
    let pieces = components(stream, solid)?;
    if pieces.count() == 0 {
        let voxels = solid.grid.samples();
        return Err(SkeletonError::Empty { voxels });
    }
    let classes = classify(stream, solid, params.surface)?;
    stopwatch.lap("classes");
    check()?;
    let sources = Sources::of_surface(stream, &classes)?;
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
        pieces: &pieces,
        classes: &classes,
        field: &field,
        inside: Inside::new(stream, &field)?,
        radii,
        sources: &sources,
    };
    let (search, certificate) = context.critical_points()?;
    stopwatch.lap("critical points");
    check()?;
    let (mut skeleton, bridges) = context.build_graph(&search, &mut stopwatch)?;
    context.radii.measure(&mut skeleton)?;
    stopwatch.lap("radii");
    let extraction = Extraction {
        skeleton,
        certificate,
        bridges,
        counts: classes.counts,
        variant: field.variant,
        timings: stopwatch.times(),
    };
    Ok((extraction, field))
}
