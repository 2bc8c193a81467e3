//! Distances to the nearest voxel of another label.

use super::{
    DistanceError, DistanceMap, DistanceParams, Method, NoSites,
    separable::{
        hulls::LabelHulls,
        parts::{Part, Parts},
        weights::{Number, Unit, Weights},
    },
};
use crate::{
    device::over,
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
            Bundles, ChangesAlong, WIDE, clamp_to_changes, distances_from_changes,
            keep_label_edges, mark_label_changes, squares_from_changes,
        },
        separable::{Cost, Layout, Lines},
        sites::BitRows,
    },
    grid::{Grid, Y},
};

/// The distance of each voxel of a volume of labels to the nearest voxel with another label: exact,
/// as that of [`Method::Separable`]. The result stays on the device.
///
/// Labels are compared as numbers; a sample that is not a number is of another label than every
/// other voxel.
///
/// ```
/// use ferrovox::{device::Device, grid::{DeviceVolume, Geometry, Volume}, distance};
///
/// let stream = Device::best().stream()?;
/// let labels = Volume::<u8>::new(vec![7, 7, 7, 2, 2], [5, 1, 1], Geometry::default())?;
/// let labels = DeviceVolume::upload(&stream, labels.view())?;
/// let map = distance::label_map(&stream, &labels, &Default::default())?;
/// assert_eq!(stream.download(&map.distances)?, [3.0, 2.0, 1.0, 1.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DistanceError::OneLabel`] if there is no other label, unless `params` allow it: then every
/// distance is infinite, or the bound. [`DistanceError::LabelsWith`] for another method,
/// [`DistanceError::NearestOfLabels`] if nearest sites are asked for; those of [`map`](super::map).
pub fn label_map<T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    check(params)?;
    let unit = Unit::of(labels.grid(), labels.geometry(), params);
    let is_sheared = labels.geometry().shear().is_some();
    let hulls = LabelHulls::choose::<T>(stream.device(), labels.grid(), &unit, params);
    if let (false, Some(hulls)) = (is_sheared, hulls) {
        return map_by(&hulls, stream, labels, params);
    }
    let changes = Changes::found(stream, labels, params)?;
    if is_sheared {
        drop(changes);
        return super::sheared::label_map(stream, labels, params);
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

/// The map that hulls make on this device, whatever the device; none where they are not for it. For
/// tests.
///
/// # Errors
/// As [`label_map`].
pub fn label_map_by_hulls<T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<Option<DistanceMap>, DistanceError> {
    let unit = Unit::of(labels.grid(), labels.geometry(), params);
    match LabelHulls::of(labels.grid(), &unit) {
        Some(hulls) => map_by(&hulls, stream, labels, params).map(Some),
        None => Ok(None),
    }
}

fn map_by<T: DeviceSample>(
    hulls: &LabelHulls,
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let marked = hulls.mark(stream, labels)?;
    if params.no_sites == NoSites::Error && marked.is_one(stream)? {
        return Err(one_label(stream, labels)?);
    }
    let mut map = empty_map(stream, labels)?;
    marked.fill(stream, &mut map.distances)?;
    Ok(map)
}

/// A map that is still to be filled.
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

/// Whether what is asked for can be made of labels.
fn check(params: &DistanceParams) -> Result<(), DistanceError> {
    params.check()?;
    if params.method != Method::Separable {
        let method = params.method;
        return Err(DistanceError::LabelsWith { method });
    }
    if params.nearest {
        return Err(DistanceError::NearestOfLabels);
    }
    Ok(())
}

/// The error of a volume whose voxels have one label.
fn one_label<T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
) -> Result<DistanceError, DeviceError> {
    Ok(match first(stream, labels.samples())? {
        Some(label) => DistanceError::OneLabel {
            label: label.value(),
        },
        None => DistanceError::NoSites,
    })
}

/// Where labels change: a bit for each voxel and each axis.
pub(super) struct Changes<'a> {
    stream: &'a Stream,
    bits: BitRows,
    words: Buffer<u32>,
}

impl<'a> Changes<'a> {
    /// Those of a volume, if what `params` ask for can be made of them.
    pub fn found<T: DeviceSample>(
        stream: &'a Stream,
        labels: &DeviceVolume<T>,
        params: &DistanceParams,
    ) -> Result<Self, DistanceError> {
        check(params)?;
        let changes = Self::new(stream, labels)?;
        if params.no_sites == NoSites::Error && count_ones(stream, &changes.words)? == 0 {
            return Err(one_label(stream, labels)?);
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
        // SAFETY: there is a label for each voxel, and a word of each axis for each word of the
        // grid.
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

    /// Those along an axis.
    fn along(&self, axis: u32) -> View<'_, u32> {
        let words = self.bits.words() as usize;
        self.words.view().slice(axis as usize * words, words)
    }

    /// The words of lines along y or z.
    fn lines(&self, part: Part, axis: u32) -> ChangesAlong {
        let Grid { ny, nz, .. } = self.bits.grid;
        let (row, plane) = (u64::from(self.bits.per_row), self.bits.per_plane());
        let (len, [along, batch]) = match axis {
            Y => (ny, [row, plane]),
            _ => (nz, [plane, row]),
        };
        ChangesAlong {
            layout: Layout { along, batch },
            first_x: part.first_x() as u32,
            len,
        }
    }

    fn fill<C: Cost + Number + Element>(
        &self,
        unit: &Unit,
        weights: [C; 3],
        limit: Option<u64>,
        map: &mut DistanceMap,
    ) -> Result<(), DistanceError> {
        let parts = self.parts(unit, weights);
        self.for_each(&parts, limit, |part| {
            let mut costs = self.costs(&parts, part)?;
            let first_x = part.first_x() as usize;
            let distances = map.distances.view_mut();
            let distances = distances.slice(first_x, distances.len() - first_x);
            let (launch, bundles) = bundles(self.stream, part.lines_along_z());
            let args = (
                self.along(2),
                self.lines(part, 2),
                bundles,
                unit.axis(&weights, 2, self.bits.grid.nz),
                unit.most_along(2),
                [part.along_z(), part.along_z_of_whole()],
                costs.view_mut(),
                unit.far,
                distances,
            );
            // SAFETY: there is a cost for each voxel of the part, whose first column is that of the
            // distances.
            unsafe {
                Ok(self
                    .stream
                    .launch::<distances_from_changes<C>>(launch, args)?)
            }
        })
    }

    /// How costs are made.
    pub fn parts<'u, C>(&'u self, unit: &'u Unit, weights: [C; 3]) -> Parts<'u, C> {
        Parts {
            stream: self.stream,
            grid: self.bits.grid,
            unit,
            weights,
        }
    }

    /// Calls `make` with each part.
    pub fn for_each<C: Cost + Number + Element>(
        &self,
        parts: &Parts<'_, C>,
        limit: Option<u64>,
        make: impl FnMut(Part) -> Result<(), DistanceError>,
    ) -> Result<(), DistanceError> {
        if self.bits.words() == 0 {
            return Ok(());
        }
        parts.for_each(limit, self.words.bytes() as u64, 0, make)
    }

    /// The squared distances of a part, but for what is nearer along z.
    fn costs<C: Cost + Number + Element>(
        &self,
        parts: &Parts<'_, C>,
        part: Part,
    ) -> Result<Buffer<C>, DistanceError> {
        let (stream, along_y) = (self.stream, parts.along_y()?);
        let near = parts.near(self.along(0), part)?;
        let mut costs = stream.alloc::<C>(part.voxels())?;
        let Grid { ny, nz, .. } = self.bits.grid;
        let rows = rows(stream, [part.columns() as u32, ny, nz], 1);
        let none = parts.unit.axis(&parts.weights, 0, self.bits.grid.nx).none;
        // SAFETY: the rows are those of the part, whose words are those that are known.
        unsafe {
            let across = parts.across(part);
            let args = (near.view(), rows, across, none, costs.view_mut());
            stream.launch::<squares_from_changes<C>>(rows_launch(rows), args)?;
        }
        drop(near);
        parts.minimise(&mut costs, part.lines_along_y(), &along_y, part.along_y())?;
        self.clamp(parts, part, Y, &mut costs)?;
        parts.minimise(
            &mut costs,
            part.lines_along_z(),
            &parts.along_z()?,
            part.along_z(),
        )?;
        Ok(costs)
    }

    /// The squared distances of a part.
    pub fn squares<C: Cost + Number + Element>(
        &self,
        parts: &Parts<'_, C>,
        part: Part,
    ) -> Result<Buffer<C>, DistanceError> {
        let mut costs = self.costs(parts, part)?;
        self.clamp(parts, part, 2, &mut costs)?;
        Ok(costs)
    }

    /// What is nearer along y or z.
    fn clamp<C: Cost + Number + Element>(
        &self,
        parts: &Parts<'_, C>,
        part: Part,
        axis: u32,
        costs: &mut Buffer<C>,
    ) -> Result<(), DeviceError> {
        let (lines, layout) = match axis {
            Y => (part.lines_along_y(), part.along_y()),
            _ => (part.lines_along_z(), part.along_z()),
        };
        let at = self.lines(part, axis);
        let (launch, bundles) = bundles(self.stream, lines);
        let axis = axis as usize;
        let args = (
            self.along(axis as u32),
            at,
            bundles,
            parts.unit.axis(&parts.weights, axis, at.len),
            parts.unit.most_along(axis),
            layout,
            costs.view_mut(),
        );
        // SAFETY: there is a cost for each voxel of the part, and the words are those of the axis.
        unsafe { self.stream.launch::<clamp_to_changes<C>>(launch, args) }
    }
}

/// A launch over lines.
fn bundles(stream: &Stream, lines: Lines) -> (Launch, Bundles) {
    let alone = stream.device().limits().threads_per_block == 1;
    let width = if alone { WIDE } else { 1 };
    let count = lines.batches * lines.columns.div_ceil(width.into());
    let (launch, items) = over(stream, count);
    // a bundle is much for a thread of the CPU
    let piece = if alone { 4 } else { items.piece };
    let bundles = Bundles {
        lines,
        piece,
        width,
    };
    let launch = if alone {
        Launch::pieces(bundles.items().pieces())
    } else {
        launch
    };
    (launch, bundles)
}

/// The first element, if there is one. Synchronises the stream.
fn first<T: Element>(stream: &Stream, buffer: &Buffer<T>) -> Result<Option<T>, DeviceError> {
    let mut first = [T::zeroed()];
    if buffer.is_empty() {
        return Ok(None);
    }
    // SAFETY: the stream is synchronised before the borrow ends, also after an error.
    let begun = unsafe { stream.begin_read(buffer, &mut first) };
    let done = stream.synchronize();
    begun.and(done)?;
    Ok(Some(first[0]))
}

impl DeviceMask {
    /// The voxels that have a neighbour across a face with another label.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn from_label_edges<T: DeviceSample>(
        stream: &Stream,
        labels: &DeviceVolume<T>,
    ) -> Result<Self, DistanceError> {
        let changes = Changes::new(stream, labels)?;
        let words = changes.bits.words();
        let mut edges = stream.alloc::<u32>(words as usize)?;
        let (launch, items) = over(stream, words);
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
