//! From labels to skeletons.

use super::{
    assemble::add_piece,
    component::one,
    cover::Reach,
    metric::Metric,
    params::SkeletonizeParams,
    report::{Dust, LabelSkeleton, Skeletons},
    scan::{Run, Runs},
    steps::Steps,
};
use crate::{
    device::{Device, DeviceKind, start_threads},
    graph::Skeleton,
    grid::{Geometry, Mask, Sample, VolumeView},
    memory::{CollectOrUnwind, ExtendOrUnwind, ReserveOrUnwind, catch_out_of_memory},
    monitor::{Monitor, Stopwatch, add_times},
    parallel,
    skeleton::SkeletonError,
};
use std::cmp::Reverse;

/// The skeletons of all labels of a volume, or of those that `params` name. 0 is the background.
///
/// An object is a component of a label: voxels that hang together by faces, edges or corners. Each
/// gets curves round each of its tunnels and into each of its branches, in one piece, within the
/// closed cubes of its voxels; lengths are those of the world. What holds of them is in
/// [`ComponentReport`](super::ComponentReport). Moving, turning or mirroring an object with its
/// axes moves its skeleton likewise.
///
/// Time and memory are linear in the voxels of objects, but for a few numbers of classes, and a
/// scan of the volume. Components are worked on side by side, one by each thread: each takes about
/// 50 bytes for each of its voxels if it is solid and has no tunnel, 90 if it has some, and up to
/// 280 if it is one voxel thin, since the faces of its surface are kept. So it was measured, as the
/// most that a process held which did nothing else: 247 MB for a ball of 4,988,181 voxels, 448 MB
/// for a ring of 5,109,680, 618 MB for a sheet of 2,250,000. What is needed at the least is asked
/// for before a component is begun.
///
/// ```
/// use ferrovox::{grid::{Geometry, Volume}, monitor::Monitor, skeleton::{SkeletonizeParams, skeletonize}};
///
/// // a ring of label 3 and a rod of label 5, both one voxel wide
/// let labels = Volume::from_fn([30, 10, 3], Geometry::default(), |x, y, z| match (x, y, z) {
///     (2..=8, 2, 1) | (2..=8, 8, 1) | (2, 2..=8, 1) | (8, 2..=8, 1) => 3u8,
///     (12..=27, 5, 1) => 5,
///     _ => 0,
/// })?;
/// let found = skeletonize(labels.view(), &SkeletonizeParams::default(), Monitor::silent())?;
/// assert!(found.certified());
/// let [ring, rod] = [3, 5].map(|label| &found.get(label).unwrap().skeleton);
/// assert_eq!((ring.cycles(), rod.cycles()), (1, 0));
/// assert_eq!(rod.length(), 15.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SkeletonError::Empty`] without a voxel of an object, [`SkeletonError::NotALabel`] for a sample
/// that is no whole number, [`SkeletonError::NoSuchLabel`] for a label that has no voxel,
/// [`SkeletonError::Cover`] for numbers that are none, [`SkeletonError::TooManyComponents`] and
/// [`SkeletonError::ComponentTooLarge`] for what 32 bits do not count;
/// [`DeviceError::Cancelled`](crate::device::DeviceError::Cancelled) soon after the monitor stops
/// it; [`DeviceError::HostMemory`](crate::device::DeviceError::HostMemory) where the memory does
/// not suffice.
pub fn skeletonize<T: Sample>(
    labels: VolumeView<'_, T>,
    params: &SkeletonizeParams,
    monitor: Monitor<'_>,
) -> Result<Skeletons, SkeletonError> {
    skeletonize_on_devices(&[], labels, params, monitor)
}

/// [`skeletonize`] with devices, which compute the distances and cheapest ways of large components:
/// of the first on the first device, and so on. The same bits. A device without memory for a
/// component leaves it to the host.
///
/// # Errors
/// Those of [`skeletonize`], and what fails on a device.
pub fn skeletonize_on_devices<T: Sample>(
    devices: &[Device],
    labels: VolumeView<'_, T>,
    params: &SkeletonizeParams,
    monitor: Monitor<'_>,
) -> Result<Skeletons, SkeletonError> {
    params.check()?;
    start_threads()?;
    catch_out_of_memory(|| of_labels(devices, labels, params, monitor))
}

fn of_labels<T: Sample>(
    devices: &[Device],
    labels: VolumeView<'_, T>,
    params: &SkeletonizeParams,
    monitor: Monitor<'_>,
) -> Result<Skeletons, SkeletonError> {
    let mut watch = Stopwatch::start();
    let wanted = |label: i64| match &params.labels {
        Some(list) => list.contains(&label),
        None => true,
    };
    let runs = Runs::of_labels(labels, wanted)?;
    if let Some(list) = &params.labels {
        for &label in list {
            if !runs.runs.iter().any(|run| run.label == label) {
                return Err(no_such_label(labels, label));
            }
        }
    }
    watch.lap("scan");
    of_runs(
        devices,
        &runs,
        *labels.geometry(),
        params,
        monitor,
        watch,
        labels.samples().len(),
    )
}

/// The skeleton of a mask, as that of label 1.
///
/// # Errors
/// Those of [`skeletonize`].
pub fn skeletonize_mask(
    mask: &Mask,
    params: &SkeletonizeParams,
    monitor: Monitor<'_>,
) -> Result<Skeletons, SkeletonError> {
    skeletonize_mask_on_devices(&[], mask, params, monitor)
}

/// [`skeletonize_mask`] with devices, as [`skeletonize_on_devices`].
///
/// # Errors
/// As there.
pub fn skeletonize_mask_on_devices(
    devices: &[Device],
    mask: &Mask,
    params: &SkeletonizeParams,
    monitor: Monitor<'_>,
) -> Result<Skeletons, SkeletonError> {
    params.check()?;
    start_threads()?;
    catch_out_of_memory(|| {
        let mut watch = Stopwatch::start();
        let runs = Runs::of_mask(mask)?;
        watch.lap("scan");
        let voxels = mask.dims().iter().product();
        of_runs(
            devices,
            &runs,
            *mask.geometry(),
            params,
            monitor,
            watch,
            voxels,
        )
    })
}

/// A label that has no voxel.
fn no_such_label<T: Sample>(labels: VolumeView<'_, T>, label: i64) -> SkeletonError {
    const MOST: usize = 50;
    let present = match Runs::of_labels(labels, |_| true) {
        Ok(runs) => {
            let mut present: Vec<i64> = runs.runs.iter().map(|run| run.label).collect_or_unwind();
            present.sort_unstable();
            present.dedup();
            let more = present.len().saturating_sub(MOST);
            let mut text: Vec<String> = present
                .iter()
                .take(MOST)
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

fn of_runs(
    devices: &[Device],
    runs: &Runs,
    geometry: Geometry,
    params: &SkeletonizeParams,
    monitor: Monitor<'_>,
    mut watch: Stopwatch,
    samples: usize,
) -> Result<Skeletons, SkeletonError> {
    let components = runs.components()?;
    // on the CPU the host's own ways are quicker
    let gpus: Vec<&Device> = devices
        .iter()
        .filter(|device| device.kind() == DeviceKind::Cuda)
        .collect_or_unwind();
    let mut list: Vec<(&[Run], u64)> = Vec::new();
    let mut labels: Vec<LabelSkeleton> = Vec::new();
    let mut all = 0;
    for component in components.iter() {
        let voxels: u64 = component.iter().map(Run::voxels).sum();
        let label = label_entry(&mut labels, component[0].label, geometry);
        if voxels < params.dust {
            label.dust.components += 1;
            label.dust.voxels += voxels;
        } else if u32::try_from(voxels).is_err() {
            return Err(SkeletonError::ComponentTooLarge { found: voxels });
        } else {
            list.push_or_unwind((component, voxels));
            all += voxels;
        }
    }
    if labels.is_empty() {
        let voxels = samples as u64;
        return Err(SkeletonError::Empty { voxels });
    }
    watch.lap("components");
    let (metric, spacing) = Metric::of(&geometry);
    let reach = Reach {
        scale: params.scale,
        constant: params.constant,
    };
    let counter = monitor.counter("skeletons", all);
    // large ones first, so that none is left for one thread at the end
    let mut order: Vec<usize> = (0..list.len()).collect_or_unwind();
    order.sort_unstable_by_key(|&at| (Reverse(list[at].1), at));
    let mut pieces = parallel::try_map(order.len(), |turn| {
        let at = order[turn];
        let (runs, voxels) = list[at];
        let device = gpus.get(turn % gpus.len().max(1)).copied();
        let steps = Steps::new(&counter, voxels);
        // an error begins no others, a panic would
        let piece =
            catch_out_of_memory(|| one(runs, voxels, &metric, reach, params, device, &steps))?;
        Ok::<_, SkeletonError>((at, piece))
    })?;
    pieces.sort_unstable_by_key(|&(at, _)| at);
    watch.lap("skeletons");
    let mut times = Vec::new();
    for (_, piece) in pieces {
        let label = label_entry(&mut labels, piece.label, geometry);
        add_times(&mut times, add_piece(label, piece, spacing));
    }
    watch.lap("graphs");
    let mut all_times = watch.times();
    all_times.extend_or_unwind(times);
    Ok(Skeletons {
        labels,
        times: all_times,
    })
}

/// The entry of a label, in the order of labels.
fn label_entry(
    labels: &mut Vec<LabelSkeleton>,
    label: i64,
    geometry: Geometry,
) -> &mut LabelSkeleton {
    let at = match labels.binary_search_by_key(&label, |one| one.label) {
        Ok(at) => at,
        Err(at) => {
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
            labels.insert(at, entry);
            at
        }
    };
    &mut labels[at]
}
