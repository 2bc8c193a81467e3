//! Scanlines in groups, each of which one thread processes.

use super::weights::Number;
use crate::{
    device::{DeviceError, Element, Launch, Stream, items_launch},
    occupancy::DeviceLimits,
};
use cuda_std::{Kernel, View, ViewMut};
use ferrovox_kernels::distance::{
    labels::{
        LineChanges, clamp_to_changes, distances_from_changes, group_label_distances_along,
        group_label_minima_along, group_label_minima_from_rows, label_group_shared_bytes,
        squared_from_changes,
    },
    separable::{
        Axis, Cost, DistanceConversion, Layout, MAX_GROUP_WIDTH, RowCosts, ScanlineGroups,
        Scanlines, distances_along, group_distances_along, group_minima_along,
        group_minima_from_rows, group_shared_bytes, minimise_along, minimise_from_rows,
    },
};
use simt::MAX_DYNAMIC_SHARED_BYTES;

/// Longest scanline of the group kernels: positions have 16 bits, with a sign.
const MAX_LEN: u32 = 1 << 15;

/// Number of groups per work item on the CPU: few suffice, because each consists of many scanlines.
const CPU_PIECE: u32 = 4;

/// Returns a launch over scanlines, and their division into groups: of neighbouring scanlines on
/// the CPU, otherwise of one each.
pub(in crate::distance) fn scanline_launch(
    stream: &Stream,
    scanlines: Scanlines,
) -> (Launch, ScanlineGroups) {
    let is_cpu = stream.device().limits().threads_per_block == 1;
    let width = if is_cpu { MAX_GROUP_WIDTH } else { 1 };
    let count = scanlines.batches * scanlines.columns.div_ceil(width.into());
    let (launch, items) = items_launch(stream, count);
    let groups = ScanlineGroups {
        scanlines,
        piece: if is_cpu { CPU_PIECE } else { items.chunk },
        width,
    };
    let launch = if is_cpu {
        Launch::pieces(groups.items().chunks())
    } else {
        launch
    };
    (launch, groups)
}

/// Returns the shared memory available to a block, in bytes.
pub(super) fn shared_bytes(limits: &DeviceLimits) -> u32 {
    limits
        .shared_bytes_per_multiprocessor
        .saturating_sub(limits.reserved_shared_bytes_per_block)
        .min(MAX_DYNAMIC_SHARED_BYTES)
}

/// Launches of kernels that minimise costs in groups of scanlines.
#[derive(Clone, Copy)]
pub(in crate::distance) struct GroupLaunch<C: ScanlineCost> {
    pub kernels: C::GroupKernels,
    launch: Launch,
    groups: ScanlineGroups,
    len: u32,
    axis: Axis<C>,
}

impl<C: ScanlineCost> GroupLaunch<C> {
    /// Returns the launches over scanlines of `len` voxels, or `None` if there are no kernels for
    /// the number type, the scanlines are too long for the kernels or for the shared memory of the
    /// device, or a [`LaunchOverride`](crate::device::LaunchOverride) requests other blocks.
    pub fn new(stream: &Stream, scanlines: Scanlines, len: u32, axis: Axis<C>) -> Option<Self> {
        let kernels = C::GROUP_KERNELS?;
        let device = stream.device();
        let is_overridden = [
            group_minima_from_rows::entry(),
            group_minima_along::entry(),
            group_distances_along::entry(),
            minimise_from_rows::<u32>::entry(),
            minimise_along::<u32>::entry(),
            distances_along::<u32>::entry(),
            group_label_minima_from_rows::entry(),
            group_label_minima_along::entry(),
            group_label_distances_along::entry(),
            squared_from_changes::<u32>::entry(),
            clamp_to_changes::<u32>::entry(),
            distances_from_changes::<u32>::entry(),
        ]
        .iter()
        .any(|entry| device.overrides_block(entry));
        let (launch, groups) = scanline_launch(stream, scanlines);
        let bytes = label_group_shared_bytes(len, groups.width);
        let max_threads = u64::from(shared_bytes(device.limits())) / bytes;
        let fits = len <= MAX_LEN && max_threads > 0;
        (fits && !is_overridden).then(|| Self {
            kernels,
            launch: launch.max_threads_per_block(max_threads as u32),
            groups,
            len,
            axis,
        })
    }

    /// Returns the launch with memory for scanlines without label changes.
    fn launch(&self) -> Launch {
        let bytes = group_shared_bytes(self.len, self.groups.width);
        self.launch.dynamic_shared_bytes_per_thread(bytes as u32)
    }

    /// Returns the launch with memory for scanlines with label changes.
    fn label_launch(&self) -> Launch {
        let bytes = label_group_shared_bytes(self.len, self.groups.width);
        self.launch.dynamic_shared_bytes_per_thread(bytes as u32)
    }
}

/// Label changes along scanlines.
#[derive(Clone, Copy)]
pub(in crate::distance) struct Changes<'a> {
    pub words: View<'a, u32>,
    pub location: LineChanges,
    /// Maximum distance along the scanlines, in voxels.
    pub max_distance: u32,
}

/// Number type of squared distances, with the kernels for groups of scanlines, if there are any.
pub(in crate::distance) trait ScanlineCost: Cost + Number + Element {
    /// Type of the kernels.
    type GroupKernels: GroupKernels<Self>;

    /// Kernels of the number type, or `None` if it has none.
    const GROUP_KERNELS: Option<Self::GroupKernels>;
}

impl ScanlineCost for u32 {
    type GroupKernels = U32Kernels;
    const GROUP_KERNELS: Option<U32Kernels> = Some(U32Kernels);
}

impl ScanlineCost for u64 {
    type GroupKernels = NoKernels;
    const GROUP_KERNELS: Option<NoKernels> = None;
}

impl ScanlineCost for f64 {
    type GroupKernels = NoKernels;
    const GROUP_KERNELS: Option<NoKernels> = None;
}

/// Launches of the kernels for groups of scanlines.
pub(in crate::distance) trait GroupKernels<C: ScanlineCost>: Copy {
    /// Writes the minima along scanlines from the row scan of sites; with `changes`, from that of
    /// label changes, clamped to the distances along the scanlines.
    ///
    /// # Safety
    /// The requirements of [`group_minima_from_rows`], or with label changes of
    /// [`group_label_minima_from_rows`], on the arrays hold.
    unsafe fn minima_from_rows(
        self,
        stream: &Stream,
        launch: GroupLaunch<C>,
        rows: (View<'_, u32>, RowCosts<C>),
        changes: Option<Changes<'_>>,
        to: (Layout, ViewMut<'_, C>),
    ) -> Result<(), DeviceError>;

    /// Replaces costs by the minima along scanlines; with `changes` clamped.
    ///
    /// # Safety
    /// The requirements of [`group_minima_along`], or with label changes of
    /// [`group_label_minima_along`], on the arrays hold.
    unsafe fn minima_along(
        self,
        stream: &Stream,
        launch: GroupLaunch<C>,
        changes: Option<Changes<'_>>,
        costs: (Layout, ViewMut<'_, C>),
    ) -> Result<(), DeviceError>;

    /// Writes the bits of the roots of the minima along scanlines; with `changes` clamped.
    ///
    /// # Safety
    /// The requirements of [`group_distances_along`], or with label changes of
    /// [`group_label_distances_along`], on the arrays hold.
    unsafe fn distances_along(
        self,
        stream: &Stream,
        launch: GroupLaunch<C>,
        costs: View<'_, C>,
        changes: Option<Changes<'_>>,
        to: ([Layout; 2], DistanceConversion, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError>;

    /// Writes the bits of distances, with the launches, label changes and layouts along y and z, as
    /// [`minima_from_rows`](Self::minima_from_rows) and
    /// [`distances_along`](Self::distances_along) do, but with the costs in the memory of the
    /// distances. The CPU then writes to lines of its cache that it has read just before.
    ///
    /// # Safety
    /// The requirements of both hold, and the layouts along y and z describe the same elements.
    unsafe fn distances_in_place(
        self,
        stream: &Stream,
        launches: [GroupLaunch<C>; 2],
        rows: (View<'_, u32>, RowCosts<C>),
        changes: [Option<Changes<'_>>; 2],
        to: ([Layout; 2], DistanceConversion, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError>;
}

/// Kernels for 32-bit integers.
#[derive(Clone, Copy)]
pub(in crate::distance) struct U32Kernels;

impl GroupKernels<u32> for U32Kernels {
    unsafe fn minima_from_rows(
        self,
        stream: &Stream,
        launch: GroupLaunch<u32>,
        (row_scan, row_costs): (View<'_, u32>, RowCosts<u32>),
        changes: Option<Changes<'_>>,
        (layout, squared): (Layout, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let (groups, len, axis) = (launch.groups, launch.len, launch.axis);
        let Some(changes) = changes else {
            let args = (row_scan, row_costs, groups, len, axis, layout, squared);
            // SAFETY: guaranteed by the caller; the launch has the memory that the kernel requires,
            // and costs of this type are below 2^25.
            return unsafe { stream.launch::<group_minima_from_rows>(launch.launch(), args) };
        };
        let args = (
            row_scan,
            row_costs,
            changes.words,
            changes.location,
            groups,
            axis,
            changes.max_distance,
            layout,
            squared,
        );
        // SAFETY: as above.
        unsafe { stream.launch::<group_label_minima_from_rows>(launch.label_launch(), args) }
    }

    unsafe fn minima_along(
        self,
        stream: &Stream,
        launch: GroupLaunch<u32>,
        changes: Option<Changes<'_>>,
        (layout, costs): (Layout, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let (groups, len, axis) = (launch.groups, launch.len, launch.axis);
        let Some(changes) = changes else {
            let args = (costs.as_view(), groups, len, axis, layout, costs);
            // SAFETY: guaranteed by the caller; a thread may overwrite the costs that it has read,
            // the launch has the memory that the kernel requires, and costs are below 2^25.
            return unsafe { stream.launch::<group_minima_along>(launch.launch(), args) };
        };
        let args = (
            costs.as_view(),
            changes.words,
            changes.location,
            groups,
            axis,
            changes.max_distance,
            layout,
            costs,
        );
        // SAFETY: as above.
        unsafe { stream.launch::<group_label_minima_along>(launch.label_launch(), args) }
    }

    unsafe fn distances_along(
        self,
        stream: &Stream,
        launch: GroupLaunch<u32>,
        costs: View<'_, u32>,
        changes: Option<Changes<'_>>,
        (layouts, conversion, distances): ([Layout; 2], DistanceConversion, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        let (groups, len, axis) = (launch.groups, launch.len, launch.axis);
        let Some(changes) = changes else {
            let args = (costs, groups, len, axis, layouts, conversion, distances);
            // SAFETY: guaranteed by the caller; the launch has the memory that the kernel requires,
            // and costs are below 2^25.
            return unsafe { stream.launch::<group_distances_along>(launch.launch(), args) };
        };
        let args = (
            costs,
            changes.words,
            changes.location,
            groups,
            axis,
            changes.max_distance,
            layouts,
            conversion,
            distances,
        );
        // SAFETY: as above.
        unsafe { stream.launch::<group_label_distances_along>(launch.label_launch(), args) }
    }

    unsafe fn distances_in_place(
        self,
        stream: &Stream,
        [along_y, along_z]: [GroupLaunch<u32>; 2],
        rows: (View<'_, u32>, RowCosts<u32>),
        [changes_y, changes_z]: [Option<Changes<'_>>; 2],
        ([layout_y, layout_z], conversion, distances): (
            [Layout; 2],
            DistanceConversion,
            ViewMut<'_, u32>,
        ),
    ) -> Result<(), DeviceError> {
        let (costs, layouts) = (distances.as_view(), [layout_z; 2]);
        // SAFETY: guaranteed by the caller; a thread may overwrite the costs that it has read.
        unsafe {
            self.minima_from_rows(stream, along_y, rows, changes_y, (layout_y, distances))?;
            let to = (layouts, conversion, distances);
            self.distances_along(stream, along_z, costs, changes_z, to)
        }
    }
}

/// Type of the kernels of number types that have none. It has no values.
#[derive(Clone, Copy)]
pub(in crate::distance) enum NoKernels {}

impl<C: ScanlineCost> GroupKernels<C> for NoKernels {
    unsafe fn minima_from_rows(
        self,
        _: &Stream,
        _: GroupLaunch<C>,
        _: (View<'_, u32>, RowCosts<C>),
        _: Option<Changes<'_>>,
        _: (Layout, ViewMut<'_, C>),
    ) -> Result<(), DeviceError> {
        match self {}
    }

    unsafe fn minima_along(
        self,
        _: &Stream,
        _: GroupLaunch<C>,
        _: Option<Changes<'_>>,
        _: (Layout, ViewMut<'_, C>),
    ) -> Result<(), DeviceError> {
        match self {}
    }

    unsafe fn distances_along(
        self,
        _: &Stream,
        _: GroupLaunch<C>,
        _: View<'_, C>,
        _: Option<Changes<'_>>,
        _: ([Layout; 2], DistanceConversion, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        match self {}
    }

    unsafe fn distances_in_place(
        self,
        _: &Stream,
        _: [GroupLaunch<C>; 2],
        _: (View<'_, u32>, RowCosts<C>),
        _: [Option<Changes<'_>>; 2],
        _: ([Layout; 2], DistanceConversion, ViewMut<'_, u32>),
    ) -> Result<(), DeviceError> {
        match self {}
    }
}
