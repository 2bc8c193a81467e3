//! Extraction of the skeletons of all objects of a volume.

use super::{
    assemble::append_component,
    component::{Component, skeletonize_component},
    measures::PlanarGrid,
    params::Params,
    progress::ComponentProgress,
    report::{Dust, LabelSkeleton, Skeletons},
    voxels::runs::{Run, Runs},
};
use crate::{
    device::{Device, DeviceKind, start_threads},
    graph::Skeleton,
    grid::{Geometry, Mask, Metric, Sample, Volume, VolumeView},
    memory::{CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, catch_out_of_memory},
    monitor::{Monitor, Stopwatch, add_times},
    parallel,
    skeleton::SkeletonError,
};
use std::cmp::Reverse;

/// Voxels from which [`extract`] takes its objects: a label volume, or a mask.
///
/// Implemented for [`VolumeView`] and `&`[`Volume`] of labels, in which 0 is the background, and
/// for `&`[`Mask`], whose voxels have the label 1.
pub trait Objects: sealed::Objects {}

impl<T: Sample> Objects for VolumeView<'_, T> {}
impl<T: Sample> Objects for &Volume<T> {}
impl Objects for &Mask {}

/// Operations of the public trait `Objects`, hidden from users.
mod sealed {
    use super::{
        super::{Params, voxels::runs::Runs},
        runs_of_labels,
    };
    use crate::{
        grid::{Geometry, Mask, Sample, Volume, VolumeView},
        skeleton::SkeletonError,
    };

    pub trait Objects {
        /// Finds the runs of the objects that `params` select.
        fn find_runs(&self, params: &Params) -> Result<Runs, SkeletonError>;
        /// Returns the geometry of the grid.
        fn grid_geometry(&self) -> Geometry;
        /// Returns the number of voxels of the grid along x, y and z.
        fn grid_dims(&self) -> [usize; 3];
    }

    impl<T: Sample> Objects for VolumeView<'_, T> {
        fn find_runs(&self, params: &Params) -> Result<Runs, SkeletonError> {
            runs_of_labels(*self, params)
        }

        fn grid_geometry(&self) -> Geometry {
            *self.geometry()
        }

        fn grid_dims(&self) -> [usize; 3] {
            self.dims()
        }
    }

    impl<T: Sample> Objects for &Volume<T> {
        fn find_runs(&self, params: &Params) -> Result<Runs, SkeletonError> {
            runs_of_labels(self.view(), params)
        }

        fn grid_geometry(&self) -> Geometry {
            *self.geometry()
        }

        fn grid_dims(&self) -> [usize; 3] {
            self.dims()
        }
    }

    impl Objects for &Mask {
        fn find_runs(&self, _params: &Params) -> Result<Runs, SkeletonError> {
            Runs::from_mask(self)
        }

        fn grid_geometry(&self) -> Geometry {
            *self.geometry()
        }

        fn grid_dims(&self) -> [usize; 3] {
            self.dims()
        }
    }
}

/// Extracts the skeletons of all labels of a volume, of the labels that `params` select, or of a
/// mask.
///
/// An object is a 26-connected component of a label. Its skeleton is one connected graph with a
/// cycle for each tunnel and a curve for each branch, inside the closed cubes of the object's
/// voxels; lengths are in world units. The properties of each skeleton are reported in
/// [`ComponentReport`](super::ComponentReport). Translating, rotating or mirroring an object along
/// the axes of the grid transforms its skeleton likewise.
///
/// `devices` compute the distances and shortest paths of large components, which are distributed
/// over them; pass `&[]` to use the host only. If a device lacks memory for a component, the host
/// computes it. The result is bitwise identical in all cases.
///
/// Time and memory are linear in the number of object voxels, plus a scan of the volume and the
/// classes of tunnels. Each thread works on one component at a time, which takes at most 24 bytes
/// per voxel and 67 MB for blocks if the component is thick, and up to 240 if it is one voxel thin,
/// because the faces of the surface are stored. Measured peaks of a whole process: 160 MB for a
/// ball of 4,990,064 voxels, 204 MB for a ring of 5,092,232, 558 MB for a sheet of
/// 2,250,000. The minimum is reserved before a component is started.
///
/// ```
/// use ferrovox::{grid::{Geometry, Volume}, monitor::Monitor, skeleton::medial};
///
/// // a ring of label 3 and a rod of label 5, both one voxel wide
/// let labels = Volume::from_fn([30, 10, 3], Geometry::default(), |x, y, z| match (x, y, z) {
///     (2..=8, 2, 1) | (2..=8, 8, 1) | (2, 2..=8, 1) | (8, 2..=8, 1) => 3u8,
///     (12..=27, 5, 1) => 5,
///     _ => 0,
/// })?;
/// let skeletons = medial::extract(&[], &labels, &medial::Params::default(), Monitor::new())?;
/// assert!(skeletons.is_certified());
/// let [ring, rod] = [3, 5].map(|label| &skeletons.get(label).unwrap().skeleton);
/// assert_eq!((ring.cycles(), rod.cycles()), (1, 0));
/// assert_eq!(rod.length(), 15.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SkeletonError::Empty`] if there is no object voxel, [`SkeletonError::NotALabel`] for a sample
/// that is not an integer, [`SkeletonError::NoSuchLabel`] for a selected label without voxels,
/// [`SkeletonError::Significance`], [`SkeletonError::Coverage`] and
/// [`SkeletonError::TunnelThickness`] for parameters out of range,
/// [`SkeletonError::TooManyComponents`] and [`SkeletonError::ComponentTooLarge`] beyond 32-bit
/// counts; [`DeviceError::Cancelled`](crate::device::DeviceError::Cancelled) soon after the monitor
/// requests cancellation; [`DeviceError::HostMemory`](crate::device::DeviceError::HostMemory) if
/// host memory does not suffice; errors of the devices.
pub fn extract(
    devices: &[Device],
    objects: impl Objects,
    params: &Params,
    monitor: Monitor<'_>,
) -> Result<Skeletons, SkeletonError> {
    params.check()?;
    start_threads()?;
    let extract = || {
        let mut watch = Stopwatch::start();
        let runs = objects.find_runs(params)?;
        watch.lap("scan");
        extract_runs(
            devices,
            &runs,
            objects.grid_geometry(),
            params,
            monitor,
            watch,
            objects.grid_dims(),
        )
    };
    parallel::catch_cancelled(monitor.cancel_flag(), || {
        catch_out_of_memory("medial skeletons", extract)
    })
}

/// Finds the runs of the labels that `params` select.
fn runs_of_labels<T: Sample>(
    labels: VolumeView<'_, T>,
    params: &Params,
) -> Result<Runs, SkeletonError> {
    let is_selected = |label: i64| match &params.labels {
        Some(list) => list.contains(&label),
        None => true,
    };
    let runs = Runs::from_labels(labels, is_selected)?;
    for &label in params.labels.iter().flatten() {
        if !runs.runs.iter().any(|run| run.label == label) {
            return Err(no_such_label(labels, label));
        }
    }
    Ok(runs)
}

/// Returns the error for a selected label without voxels, with the labels that are present.
fn no_such_label<T: Sample>(labels: VolumeView<'_, T>, label: i64) -> SkeletonError {
    const MAX_LISTED: usize = 50;
    let present = match Runs::from_labels(labels, |_| true) {
        Ok(runs) => {
            let mut present: Vec<i64> = runs.runs.iter().map(|run| run.label).collect_or_unwind();
            present.sort_unstable();
            present.dedup();
            let more = present.len().saturating_sub(MAX_LISTED);
            let mut text: Vec<String> = present
                .iter()
                .take(MAX_LISTED)
                .map(ToString::to_string)
                .collect_or_unwind();
            if more > 0 {
                text.push_or_unwind(format!("and {more} more"));
            }
            text.join(", ")
        }
        Err(error) => return error,
    };
    SkeletonError::NoSuchLabel { label, present }
}

/// Extracts the skeletons of the components of `volume_runs` that are not dust. `dims` is the
/// number of voxels of the grid along x, y and z.
fn extract_runs(
    devices: &[Device],
    volume_runs: &Runs,
    geometry: Geometry,
    params: &Params,
    monitor: Monitor<'_>,
    mut watch: Stopwatch,
    dims: [usize; 3],
) -> Result<Skeletons, SkeletonError> {
    let components = volume_runs.components()?;
    // the CPU device is slower than the host implementation
    let gpus: Vec<&Device> = devices
        .iter()
        .filter(|device| device.kind() == DeviceKind::Cuda)
        .collect_or_unwind();
    let (metric, spacing) = Metric::rounded(&geometry);
    let planar = PlanarGrid::new(dims, &geometry);
    let mut selected: Vec<Component<'_>> = Vec::new();
    let mut labels: Vec<LabelSkeleton> = Vec::new();
    let mut total = 0;
    for runs in components.iter() {
        let voxels: u64 = runs.iter().map(Run::voxels).sum();
        let label = label_entry(&mut labels, runs[0].label, geometry);
        if voxels < params.dust {
            label.dust.components += 1;
            label.dust.voxels += voxels;
        } else if u32::try_from(voxels).is_err() {
            return Err(SkeletonError::ComponentTooLarge { found: voxels });
        } else {
            selected.push_or_unwind(Component {
                runs,
                volume_runs,
                voxels,
                metric: &metric,
                spacing,
                planar: planar.as_ref(),
            });
            total += voxels;
        }
    }
    if labels.is_empty() {
        let voxels = dims.iter().product::<usize>() as u64;
        return Err(SkeletonError::Empty { voxels });
    }
    watch.lap("components");
    let counter = monitor.counter("skeletons", total);
    // largest first, for an even load at the end
    let mut order: Vec<usize> = (0..selected.len()).collect_or_unwind();
    order.sort_unstable_by_key(|&index| (Reverse(selected[index].voxels), index));
    let mut skeletons = parallel::try_map(order.len(), |rank| {
        let index = order[rank];
        let component = &selected[index];
        let device = gpus.get(rank % gpus.len().max(1)).copied();
        let progress = ComponentProgress::new(&counter, component.voxels);
        // an error stops further components from being started; a panic would not
        let skeleton = catch_out_of_memory("the skeleton of a component", || {
            skeletonize_component(component, params, device, &progress)
        })?;
        Ok::<_, SkeletonError>((index, skeleton))
    })?;
    skeletons.sort_unstable_by_key(|&(index, _)| index);
    watch.lap("skeletons");
    let mut stage_times = Vec::new();
    for (_, skeleton) in skeletons {
        let label = label_entry(&mut labels, skeleton.label, geometry);
        add_times(&mut stage_times, append_component(label, skeleton, spacing));
    }
    watch.lap("graphs");
    let mut timings = watch.times();
    timings.extend_or_unwind(stage_times);
    Ok(Skeletons { labels, timings })
}

/// Returns the entry of a label, inserting it in ascending order if necessary.
fn label_entry(
    labels: &mut Vec<LabelSkeleton>,
    label: i64,
    geometry: Geometry,
) -> &mut LabelSkeleton {
    let index = match labels.binary_search_by_key(&label, |entry| entry.label) {
        Ok(index) => index,
        Err(index) => {
            let skeleton = Skeleton {
                geometry,
                ..Skeleton::default()
            };
            let entry = LabelSkeleton {
                label,
                skeleton,
                components: Vec::new(),
                dust: Dust::default(),
            };
            labels.reserve_or_unwind(1);
            labels.insert(index, entry);
            index
        }
    };
    &mut labels[index]
}
