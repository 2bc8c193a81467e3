//! Distances to the nearest voxel with another label.

use super::{
    DistanceError, DistanceMap, DistanceParams, Method, NoSites,
    separable::{
        lower_envelope::LabelEnvelopes,
        parts::{Part, PartTransform},
        weights::{CostUnit, Number, Weights},
    },
};
use crate::{
    device::items_launch,
    grid::{DeviceMask, count_ones},
};
use crate::{
    device::{Buffer, DeviceError, Element, Launch, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume},
};
use cuda_std::View;
use ferrovox_kernels::{
    distance::{
        labels::{
            LineChanges, MAX_GROUP_WIDTH, ScanlineGroups, clamp_to_changes, distances_from_changes,
            keep_label_edges, mark_label_changes, squared_from_changes,
        },
        separable::{Cost, Layout, Scanlines},
        sites::BitRows,
    },
    grid::{Grid, Y},
};

/// Computes the distance from each voxel of a label volume to the nearest voxel with another label,
/// exactly, as with [`Method::Separable`]. The result stays on the device.
///
/// Labels are compared as numbers; NaN differs from every label.
///
/// ```
/// use ferrovox::{device::Device, grid::{DeviceVolume, Geometry, Volume}, distance};
///
/// let stream = Device::best().stream()?;
/// let labels = Volume::<u8>::new(vec![7, 7, 7, 2, 2], [5, 1, 1], Geometry::default())?;
/// let labels = DeviceVolume::upload(&stream, labels.view())?;
/// let map = distance::transform_labels(&stream, &labels, &Default::default())?;
/// assert_eq!(stream.download(&map.distances)?, [3.0, 2.0, 1.0, 1.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DistanceError::SingleLabel`] if all voxels have the same label, unless `params` allows it:
/// then every distance is infinite, or the maximum distance. [`DistanceError::LabelsUnsupported`]
/// for other methods, [`DistanceError::NearestUnsupportedForLabels`] if nearest sites are
/// requested; and the errors of [`transform`](super::transform).
pub fn transform_labels<T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    check(params)?;
    let unit = CostUnit::for_grid(labels.grid(), labels.geometry(), params);
    let is_oblique = labels.geometry().shear().is_some();
    let envelopes = LabelEnvelopes::choose::<T>(stream.device(), labels.grid(), &unit, params);
    if let (false, Some(envelopes)) = (is_oblique, envelopes) {
        return transform_by_envelopes(&envelopes, stream, labels, params);
    }
    let changes = LabelChanges::checked(stream, labels, params)?;
    if is_oblique {
        drop(changes);
        return super::oblique::transform_labels(stream, labels, params);
    }
    let mut map = empty_map(stream, labels)?;
    let limit = params.memory;
    match unit.weights {
        Weights::U32(weights) => changes.fill(&unit, weights, limit, &mut map),
        Weights::U64(weights) => changes.fill(&unit, weights, limit, &mut map),
        Weights::F64(weights) => changes.fill(&unit, weights, limit, &mut map),
    }?;
    Ok(map)
}

/// Computes the distances like [`transform_labels`], with the lower-envelope kernels on any device,
/// for tests. Returns `None` if sides or spacings do not fit.
///
/// # Errors
/// The errors of [`transform_labels`].
pub fn transform_labels_by_envelopes<T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<Option<DistanceMap>, DistanceError> {
    let unit = CostUnit::for_grid(labels.grid(), labels.geometry(), params);
    match LabelEnvelopes::for_any_device(labels.grid(), &unit) {
        Some(envelopes) => transform_by_envelopes(&envelopes, stream, labels, params).map(Some),
        None => Ok(None),
    }
}

fn transform_by_envelopes<T: DeviceSample>(
    envelopes: &LabelEnvelopes,
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let label_changes = envelopes.mark_changes(stream, labels)?;
    if params.no_sites == NoSites::Error && label_changes.has_single_label(stream)? {
        return Err(single_label_error(stream, labels)?);
    }
    let mut map = empty_map(stream, labels)?;
    label_changes.fill(stream, &mut map.distances)?;
    Ok(map)
}

/// Allocates a map whose distances are not initialised yet.
fn empty_map<T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
) -> Result<DistanceMap, DeviceError> {
    Ok(DistanceMap {
        distances: stream.alloc(labels.samples().len())?,
        nearest: None,
        dims: labels.dims(),
        geometry: *labels.geometry(),
    })
}

/// Checks that `params` is supported for labels.
fn check(params: &DistanceParams) -> Result<(), DistanceError> {
    params.check()?;
    if params.method != Method::Separable {
        let method = params.method;
        return Err(DistanceError::LabelsUnsupported { method });
    }
    if params.nearest {
        return Err(DistanceError::NearestUnsupportedForLabels);
    }
    Ok(())
}

/// Returns the error for a volume whose voxels all have the same label.
fn single_label_error<T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
) -> Result<DistanceError, DeviceError> {
    Ok(match first_element(stream, labels.samples())? {
        Some(label) => DistanceError::SingleLabel {
            label: label.value(),
        },
        None => DistanceError::NoSites,
    })
}

/// Label changes: one bit per voxel and axis.
pub(super) struct LabelChanges<'a> {
    stream: &'a Stream,
    bits: BitRows,
    words: Buffer<u32>,
}

impl<'a> LabelChanges<'a> {
    /// Marks the label changes of a volume after checking that `params` is supported.
    pub fn checked<T: DeviceSample>(
        stream: &'a Stream,
        labels: &DeviceVolume<T>,
        params: &DistanceParams,
    ) -> Result<Self, DistanceError> {
        check(params)?;
        let changes = Self::new(stream, labels)?;
        if params.no_sites == NoSites::Error && count_ones(stream, &changes.words)? == 0 {
            return Err(single_label_error(stream, labels)?);
        }
        Ok(changes)
    }

    fn new<T: DeviceSample>(
        stream: &'a Stream,
        labels: &DeviceVolume<T>,
    ) -> Result<Self, DeviceError> {
        let bits = BitRows::new(labels.grid());
        let mut words = stream.alloc::<u32>(3 * bits.words() as usize)?;
        let launch =
            Launch::warp_pieces(bits.words().div_ceil(ferrovox_kernels::bits::GROUP.into()));
        // SAFETY: there is one label per voxel, and one word per axis for each word of the grid.
        unsafe {
            let args = (labels.samples().view(), bits, words.view_mut());
            stream.launch::<mark_label_changes<T>>(launch, args)?;
        }
        Ok(Self {
            stream,
            bits,
            words,
        })
    }

    /// Returns the words of the changes along an axis.
    fn words_along(&self, axis: u32) -> View<'_, u32> {
        let words = self.bits.words() as usize;
        self.words.view().slice(axis as usize * words, words)
    }

    /// Returns the location of the changes of scanlines along y or z.
    fn line_changes(&self, part: Part, axis: u32) -> LineChanges {
        let Grid { ny, nz, .. } = self.bits.grid;
        let (row, plane) = (u64::from(self.bits.per_row), self.bits.per_plane());
        let (len, [along, batch]) = match axis {
            Y => (ny, [row, plane]),
            _ => (nz, [plane, row]),
        };
        LineChanges {
            layout: Layout { along, batch },
            first_x: part.first_x() as u32,
            len,
        }
    }

    fn fill<C: Cost + Number + Element>(
        &self,
        unit: &CostUnit,
        weights: [C; 3],
        limit: Option<u64>,
        map: &mut DistanceMap,
    ) -> Result<(), DistanceError> {
        let part_transform = self.part_transform(unit, weights);
        self.for_each(&part_transform, limit, |part| {
            let mut costs = self.costs(&part_transform, part)?;
            let first_x = part.first_x() as usize;
            let distances = map.distances.view_mut();
            let distances = distances.slice(first_x, distances.len() - first_x);
            let (launch, groups) = scanline_launch(self.stream, part.scanlines_along_z());
            let args = (
                self.words_along(2),
                self.line_changes(part, 2),
                groups,
                unit.axis(&weights, 2, self.bits.grid.nz),
                unit.max_steps_along(2),
                [part.layout_along_z(), part.volume_layout_along_z()],
                costs.view_mut(),
                unit.conversion,
                distances,
            );
            // SAFETY: there is one cost per voxel of the part, and the distances start at its first
            // column.
            unsafe {
                Ok(self
                    .stream
                    .launch::<distances_from_changes<C>>(launch, args)?)
            }
        })
    }

    /// Returns the transform that computes the costs part by part.
    pub fn part_transform<'u, C>(
        &'u self,
        unit: &'u CostUnit,
        weights: [C; 3],
    ) -> PartTransform<'u, C> {
        PartTransform::new(self.stream, self.bits.grid, unit, weights)
    }

    /// Calls `visit` for each part.
    pub fn for_each<C: Cost + Number + Element>(
        &self,
        part_transform: &PartTransform<'_, C>,
        limit: Option<u64>,
        visit: impl FnMut(Part) -> Result<(), DistanceError>,
    ) -> Result<(), DistanceError> {
        if self.bits.words() == 0 {
            return Ok(());
        }
        part_transform.for_each(limit, self.words.bytes() as u64, 0, visit)
    }

    /// Computes the squared distances of a part, not yet clamped along z.
    fn costs<C: Cost + Number + Element>(
        &self,
        part_transform: &PartTransform<'_, C>,
        part: Part,
    ) -> Result<Buffer<C>, DistanceError> {
        let (stream, along_y) = (self.stream, part_transform.tiled_along_y());
        let row_scan = part_transform.row_scan(self.words_along(0), part)?;
        let mut costs = stream.alloc::<C>(part.voxels())?;
        let Grid { ny, nz, .. } = self.bits.grid;
        let rows = rows(stream, [part.columns() as u32, ny, nz], 1);
        let no_site = part_transform
            .unit
            .axis(&part_transform.weights, 0, self.bits.grid.nx)
            .no_site;
        // SAFETY: the rows are those of the part, and the row scan covers its words.
        unsafe {
            let row_costs = part_transform.row_costs(part);
            let args = (row_scan.view(), rows, row_costs, no_site, costs.view_mut());
            stream.launch::<squared_from_changes<C>>(rows_launch(rows), args)?;
        }
        drop(row_scan);
        part_transform.minimise(
            &mut costs,
            part.scanlines_along_y(),
            &along_y,
            part.layout_along_y(),
        )?;
        self.clamp_to_line(part_transform, part, Y, &mut costs)?;
        part_transform.minimise(
            &mut costs,
            part.scanlines_along_z(),
            &part_transform.tiled_along_z(),
            part.layout_along_z(),
        )?;
        Ok(costs)
    }

    /// Computes the squared distances of a part.
    pub fn squared_costs<C: Cost + Number + Element>(
        &self,
        part_transform: &PartTransform<'_, C>,
        part: Part,
    ) -> Result<Buffer<C>, DistanceError> {
        let mut costs = self.costs(part_transform, part)?;
        self.clamp_to_line(part_transform, part, 2, &mut costs)?;
        Ok(costs)
    }

    /// Clamps costs to the distances to label changes along y or z.
    fn clamp_to_line<C: Cost + Number + Element>(
        &self,
        part_transform: &PartTransform<'_, C>,
        part: Part,
        axis: u32,
        costs: &mut Buffer<C>,
    ) -> Result<(), DeviceError> {
        let (line_changes, layout) = match axis {
            Y => (part.scanlines_along_y(), part.layout_along_y()),
            _ => (part.scanlines_along_z(), part.layout_along_z()),
        };
        let location = self.line_changes(part, axis);
        let (launch, groups) = scanline_launch(self.stream, line_changes);
        let axis = axis as usize;
        let args = (
            self.words_along(axis as u32),
            location,
            groups,
            part_transform
                .unit
                .axis(&part_transform.weights, axis, location.len),
            part_transform.unit.max_steps_along(axis),
            layout,
            costs.view_mut(),
        );
        // SAFETY: there is one cost per voxel of the part, and the words are those of the axis.
        unsafe { self.stream.launch::<clamp_to_changes<C>>(launch, args) }
    }
}

/// Returns a launch over scanlines, and their division into groups.
fn scanline_launch(stream: &Stream, scanlines: Scanlines) -> (Launch, ScanlineGroups) {
    let is_cpu = stream.device().limits().threads_per_block == 1;
    let width = if is_cpu { MAX_GROUP_WIDTH } else { 1 };
    let count = scanlines.batches * scanlines.columns.div_ceil(width.into());
    let (launch, items) = items_launch(stream, count);
    // On the CPU, few groups suffice for a work item: each consists of many scanlines.
    let piece = if is_cpu { 4 } else { items.chunk };
    let groups = ScanlineGroups {
        scanlines,
        piece,
        width,
    };
    let launch = if is_cpu {
        Launch::pieces(groups.items().chunks())
    } else {
        launch
    };
    (launch, groups)
}

/// Returns the first element, if there is one. Synchronises the stream.
fn first_element<T: Element>(
    stream: &Stream,
    buffer: &Buffer<T>,
) -> Result<Option<T>, DeviceError> {
    let mut first_element = [T::zeroed()];
    if buffer.is_empty() {
        return Ok(None);
    }
    // SAFETY: the stream is synchronised before the borrow ends, also after an error.
    let begun = unsafe { stream.begin_read(buffer, &mut first_element) };
    let done = stream.synchronize();
    begun.and(done)?;
    Ok(Some(first_element[0]))
}

impl DeviceMask {
    /// Creates the mask of the voxels that have a face neighbour with another label.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn from_label_edges<T: DeviceSample>(
        stream: &Stream,
        labels: &DeviceVolume<T>,
    ) -> Result<Self, DistanceError> {
        let changes = LabelChanges::new(stream, labels)?;
        let words = changes.bits.words();
        let mut edges = stream.alloc::<u32>(words as usize)?;
        let (launch, items) = items_launch(stream, words);
        // SAFETY: there are changes along each axis for each word, which the items count.
        unsafe {
            let args = (changes.words.view(), changes.bits, items, edges.view_mut());
            stream.launch::<keep_label_edges>(launch, args)?;
        }
        Ok(Self {
            bits: edges,
            grid: labels.grid(),
            geometry: *labels.geometry(),
        })
    }
}
