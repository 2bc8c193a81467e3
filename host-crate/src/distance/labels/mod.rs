//! Distances to the nearest voxel with another label.

mod changes;

pub(super) use changes::LabelChanges;

use super::{
    DistanceError, DistanceMap, DistanceParams, Method, NoSites,
    separable::{
        lower_envelope::LabelEnvelopes,
        weights::{CostUnit, Weights},
    },
};
use crate::{
    device::{Buffer, DeviceError, Element, Stream, items_launch},
    grid::{DeviceMask, DeviceSample, DeviceVolume},
};
use ferrovox_kernels::distance::labels::keep_label_edges;

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
