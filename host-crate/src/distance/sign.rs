//! Signed distances.

use super::{
    DistanceError, DistanceMap, DistanceParams, NearestIndices, NoSites, Sites, transform,
};
use crate::{
    device::{Buffer, DeviceError, Element, Stream, rows, rows_launch},
    grid::DeviceMask,
};
use ferrovox_kernels::{
    distance::sites::{BitRows, merge_signed, negate_inside},
    sample::Count,
};

/// Convention of the signed distances of a mask, which are negative inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignConvention {
    /// Inside the mask, minus the distance to the nearest voxel outside; outside, the distance to
    /// the nearest voxel of the mask. No voxel has distance 0. This is the difference of two calls
    /// of SciPy's `distance_transform_edt`, and the negative of `edt.sdf`.
    #[default]
    Opposite,
    /// Distance to the nearest surface voxel: a voxel of the mask with a face neighbour outside.
    /// Surface voxels have distance 0, the other voxels of the mask are inside. ITK's
    /// `SignedMaurerDistanceMap` also counts voxels of the mask with an edge or corner neighbour
    /// outside as surface voxels.
    Surface,
    /// Distance to the nearest voxel of the mask, whose voxels have distance 0. The inside is the
    /// region that the mask [encloses](DeviceMask::enclosed_by).
    Enclosed,
}

impl SignConvention {
    /// All conventions.
    pub const ALL: [Self; 3] = [Self::Opposite, Self::Surface, Self::Enclosed];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opposite => "opposite",
            Self::Surface => "surface",
            Self::Enclosed => "enclosed",
        }
    }
}

/// Computes the signed distance map of a mask. The map stays on the device.
///
/// [`SignConvention::Opposite`] computes two transforms, and holds a second map on the device
/// meanwhile.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::distance::{self, DistanceParams, SignConvention};
/// use ferrovox::grid::{DeviceMask, Geometry};
///
/// let stream = Device::best().stream()?;
/// let mask = DeviceMask::upload(&stream, &[0, 1, 1, 1, 0, 0], [6, 1, 1], Geometry::default())?;
/// let params = DistanceParams::default();
/// let signed = |convention| {
///     let map = distance::transform_signed(&stream, &mask, convention, &params);
///     stream.download(&map.unwrap().distances).unwrap()
/// };
/// assert_eq!(signed(SignConvention::Opposite), [1.0, -1.0, -2.0, -1.0, 1.0, 2.0]);
/// assert_eq!(signed(SignConvention::Surface), [1.0, 0.0, -1.0, 0.0, 1.0, 2.0]);
/// assert_eq!(signed(SignConvention::Enclosed), [1.0, 0.0, 0.0, 0.0, 1.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DistanceError::NoVoxelsOutside`] if the convention is [`SignConvention::Opposite`] and all
/// voxels are in the mask, unless `params` allows it; the errors of [`transform`].
pub fn transform_signed(
    stream: &Stream,
    mask: &DeviceMask,
    convention: SignConvention,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    let (sites, inside) = match convention {
        SignConvention::Opposite => {
            let outside = mask.complement(stream)?;
            return transform_opposite(stream, mask, &outside, params);
        }
        SignConvention::Surface => (&mask.surface(stream)?, mask),
        SignConvention::Enclosed => (mask, &DeviceMask::enclosed_by(stream, mask)?),
    };
    let mut map = transform(stream, Sites::Voxels(sites), params)?;
    apply_sign(stream, &mut map, inside)?;
    Ok(map)
}

/// Computes the signed distance map of [`SignConvention::Opposite`] from a mask and its complement.
pub(crate) fn transform_opposite(
    stream: &Stream,
    inside: &DeviceMask,
    outside: &DeviceMask,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    if params.no_sites == NoSites::Error && outside.count(stream)? == 0 {
        return Err(DistanceError::NoVoxelsOutside);
    }
    let mut map = transform(stream, Sites::Voxels(inside), params)?;
    let from_outside = transform(stream, Sites::Voxels(outside), params)?;
    let mask = (&inside.bits, inside.layout());
    let (outside_distances, distances) = (&from_outside.distances, &mut map.distances);
    match (&from_outside.nearest, &mut map.nearest) {
        (Some(NearestIndices::U32(outside)), Some(NearestIndices::U32(nearest))) => {
            let merged = (distances, nearest);
            merge(stream, mask, (outside_distances, outside), merged)
        }
        (Some(NearestIndices::U64(outside)), Some(NearestIndices::U64(nearest))) => {
            let merged = (distances, nearest);
            merge(stream, mask, (outside_distances, outside), merged)
        }
        _ => merge_distances(stream, mask, outside_distances, distances),
    }?;
    Ok(map)
}

/// Replaces the distances of the voxels in a mask by the negatives of `outside_distances`.
pub(super) fn merge_distances(
    stream: &Stream,
    inside: (&Buffer<u32>, BitRows),
    outside_distances: &Buffer<f32>,
    distances: &mut Buffer<f32>,
) -> Result<(), DeviceError> {
    let (no_indices, mut nearest) = (stream.alloc::<u32>(0)?, stream.alloc::<u32>(0)?);
    let merged = (distances, &mut nearest);
    merge(stream, inside, (outside_distances, &no_indices), merged)
}

/// Merges distances and nearest sites of the voxels in a mask into those of the other voxels. The
/// buffers of nearest sites may both be empty.
fn merge<I: Count + Element>(
    stream: &Stream,
    (inside, layout): (&Buffer<u32>, BitRows),
    (outside_distances, nearest_outside): (&Buffer<f32>, &Buffer<I>),
    (distances, nearest): (&mut Buffer<f32>, &mut Buffer<I>),
) -> Result<(), DeviceError> {
    let grid = layout.grid;
    let rows = rows(stream, [grid.nx, grid.ny, grid.nz], 1);
    let args = (
        inside.view(),
        layout,
        rows,
        outside_distances.view(),
        nearest_outside.view(),
        distances.view_mut(),
        nearest.view_mut(),
    );
    // SAFETY: the mask and the distances have the voxels of the grid, and so do the nearest sites
    // unless they are empty.
    unsafe { stream.launch::<merge_signed<I>>(rows_launch(rows), args) }
}

/// Negates the distances of the voxels in `inside`. Distances of 0 are unchanged.
///
/// ```
/// use ferrovox::device::Stream;
/// use ferrovox::distance::{self, DistanceError, DistanceParams, Sites};
/// use ferrovox::grid::DeviceMask;
///
/// # fn signed(stream: &Stream, surface: &DeviceMask) -> Result<(), DistanceError> {
/// let mut map = distance::transform(stream, Sites::Voxels(surface), &DistanceParams::default())?;
/// distance::apply_sign(stream, &mut map, &DeviceMask::enclosed_by(stream, surface)?)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`DistanceError::GridMismatch`] if map and mask have different dimensions; errors of the device.
pub fn apply_sign(
    stream: &Stream,
    map: &mut DistanceMap,
    inside: &DeviceMask,
) -> Result<(), DistanceError> {
    check_grid(map, inside)?;
    let grid = inside.grid;
    let rows = rows(stream, [grid.nx, grid.ny, grid.nz], 1);
    let distances = map.distances.view_mut();
    // SAFETY: both have the voxels of the grid.
    unsafe {
        let args = (inside.bits.view(), inside.layout(), rows, distances);
        stream.launch::<negate_inside>(rows_launch(rows), args)?;
    }
    Ok(())
}

/// Sets the distances of the voxels in `inside` to 0. Two further maps are on the device meanwhile.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::distance::{self, DistanceParams};
/// use ferrovox::grid::{DeviceMask, DeviceVolume, Geometry, Volume};
///
/// let stream = Device::best().stream()?;
/// let labels = Volume::<u8>::new(vec![7, 7, 0, 0, 2], [5, 1, 1], Geometry::default())?;
/// let labels = DeviceVolume::upload(&stream, labels.view())?;
/// let background = DeviceMask::between(&stream, &labels, 0.0, 0.0)?;
/// let mut map = distance::transform_labels(&stream, &labels, &DistanceParams::default())?;
/// distance::clear_inside(&stream, &mut map, &background)?;
/// assert_eq!(stream.download(&map.distances)?, [2.0, 1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DistanceError::GridMismatch`] if map and mask have different dimensions; errors of the device.
pub fn clear_inside(
    stream: &Stream,
    map: &mut DistanceMap,
    inside: &DeviceMask,
) -> Result<(), DistanceError> {
    check_grid(map, inside)?;
    let mask = || (&inside.bits, inside.layout());
    // the kernel writes negatives, and the zeros should be positive
    let zeros = stream.zeros(map.distances.len())?;
    let mut negative_zeros = stream.zeros(map.distances.len())?;
    merge_distances(stream, mask(), &zeros, &mut negative_zeros)?;
    drop(zeros);
    merge_distances(stream, mask(), &negative_zeros, &mut map.distances)?;
    Ok(())
}

/// Checks that a map and a mask have the same dimensions.
fn check_grid(map: &DistanceMap, mask: &DeviceMask) -> Result<(), DistanceError> {
    if map.dims == mask.dims() {
        return Ok(());
    }
    Err(DistanceError::GridMismatch {
        map: map.dims,
        mask: mask.dims(),
    })
}
