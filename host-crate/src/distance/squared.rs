//! Squared distances as integers.

use super::{
    DistanceError, DistanceParams, Method, NoSites,
    labels::LabelChanges,
    separable::{
        ScanlineCost,
        parts::{Part, PartTransform},
        weights::{CostUnit, Weights},
    },
};
use crate::grid::DeviceMask;
use crate::{
    device::{Buffer, DeviceError, Element, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume, Geometry},
};
use cuda_std::KernelType;
use ferrovox_kernels::{
    distance::{separable::Layout, squared::narrow_squared_distances},
    grid::Grid,
    sample::Count,
};

/// Integer types of stored squared distances: `u16` and `u32`.
pub trait SquaredValue: Count + Element + sealed::Sealed {
    /// Largest value of the type.
    const MAX: u64;
}

impl SquaredValue for u16 {
    const MAX: u64 = u16::MAX as u64;
}

impl SquaredValue for u32 {
    const MAX: u64 = u32::MAX as u64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
}

/// Lossless squared distances in device memory.
#[derive(Debug)]
pub struct SquaredMap<S> {
    /// Squared distance of each voxel, x fastest, in squares of the [unit](Self::unit). Without a
    /// site within the maximum distance it is the squared maximum distance, rounded up; without any
    /// site or maximum distance, all bits are 1.
    pub squared: Buffer<S>,
    unit: f64,
    dims: [usize; 3],
    geometry: Geometry,
}

impl<S: SquaredValue> SquaredMap<S> {
    fn new(
        stream: &Stream,
        grid: Grid,
        geometry: &Geometry,
        unit: &CostUnit,
    ) -> Result<Self, DeviceError> {
        let dims = [grid.nx, grid.ny, grid.nz].map(|axis| axis as usize);
        Ok(Self {
            squared: stream.alloc(grid.samples() as usize)?,
            unit: unit.conversion.unit,
            dims,
            geometry: *geometry,
        })
    }

    /// Returns the length in world units whose square is 1: the greatest length of which all
    /// spacings are multiples. If all spacings are equal, it is the spacing, and squared distances
    /// are those in voxels.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Returns the number of voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// Returns the position of the voxels in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Copies the squared distances to the host. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(&self, stream: &Stream) -> Result<Vec<S>, DeviceError> {
        stream.download(&self.squared)
    }
}

/// Computes the squared distance from each voxel to the nearest site as an exact integer. The
/// result stays on the device.
///
/// The spacings must be multiples of a common length, the [unit](SquaredMap::unit), and at most a
/// thousand times as long.
///
/// ```
/// use ferrovox::{device::Device, distance, grid::{DeviceMask, Geometry}};
///
/// let stream = Device::best().stream()?;
/// let geometry = Geometry::from_spacing([1.5, 1.0, 1.0], [0.0; 3])?;
/// let sites = DeviceMask::from_indices(&stream, &[1], [4, 1, 1], geometry)?;
/// let map = distance::transform_squared::<u16>(&stream, &sites, &Default::default())?;
/// assert_eq!(map.unit(), 0.5);
/// assert_eq!(map.download(&stream)?, [9, 0, 9, 36]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DistanceError::SquaredOblique`] on oblique grids, [`DistanceError::SquaredNotIntegral`] if
/// there is no common unit, [`DistanceError::SquaredTooLarge`] if a value does not fit,
/// [`DistanceError::SquaredUnsupported`] for methods other than [`Method::Separable`],
/// [`DistanceError::NearestUnsupportedForSquared`] if nearest sites are requested; and the errors
/// of [`transform`](super::transform).
pub fn transform_squared<S: SquaredValue>(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<SquaredMap<S>, DistanceError> {
    params.check()?;
    check(params)?;
    check_orthogonal(&sites.geometry)?;
    let unit = CostUnit::for_squared(sites.grid, &sites.geometry, params);
    let weights = IntegerWeights::from_unit(&unit)?;
    if params.no_sites == NoSites::Error && sites.count(stream)? == 0 {
        return Err(DistanceError::NoSites);
    }
    let mut map = SquaredMap::new(stream, sites.grid, &sites.geometry, &unit)?;
    match weights {
        IntegerWeights::U32(weights) => fill(stream, sites, params, (&unit, weights), &mut map),
        IntegerWeights::U64(weights) => fill(stream, sites, params, (&unit, weights), &mut map),
    }?;
    Ok(map)
}

/// Computes the squared distance from each voxel to the nearest voxel with another label as an
/// exact integer: [`transform_labels`](super::transform_labels) without roots.
///
/// # Errors
/// The errors of [`transform_squared`] and [`transform_labels`](super::transform_labels).
pub fn transform_labels_squared<S: SquaredValue, T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<SquaredMap<S>, DistanceError> {
    params.check()?;
    check_orthogonal(labels.geometry())?;
    let unit = CostUnit::for_squared(labels.grid(), labels.geometry(), params);
    let weights = IntegerWeights::from_unit(&unit)?;
    let changes = LabelChanges::checked(stream, labels, params)?;
    let mut map = SquaredMap::new(stream, labels.grid(), labels.geometry(), &unit)?;
    let limit = params.memory;
    match weights {
        IntegerWeights::U32(weights) => {
            fill_labels(stream, &changes, limit, (&unit, weights), &mut map)
        }
        IntegerWeights::U64(weights) => {
            fill_labels(stream, &changes, limit, (&unit, weights), &mut map)
        }
    }?;
    Ok(map)
}

fn check_orthogonal(geometry: &Geometry) -> Result<(), DistanceError> {
    match geometry.shear() {
        Some(shear) => Err(DistanceError::SquaredOblique { shear }),
        None => Ok(()),
    }
}

fn check(params: &DistanceParams) -> Result<(), DistanceError> {
    if params.method != Method::Separable {
        let method = params.method;
        return Err(DistanceError::SquaredUnsupported { method });
    }
    if params.nearest {
        return Err(DistanceError::NearestUnsupportedForSquared);
    }
    Ok(())
}

/// Integer squared spacings.
enum IntegerWeights {
    U32([u32; 3]),
    U64([u64; 3]),
}

impl IntegerWeights {
    fn from_unit(unit: &CostUnit) -> Result<Self, DistanceError> {
        match unit.weights {
            Weights::U32(weights) => Ok(Self::U32(weights)),
            Weights::U64(weights) => Ok(Self::U64(weights)),
            Weights::F64(_) => Err(DistanceError::SquaredNotIntegral {
                spacing: unit.spacing,
            }),
        }
    }
}

fn fill<C: ScanlineCost + Count, S: SquaredValue>(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
    (unit, weights): (&CostUnit, [C; 3]),
    map: &mut SquaredMap<S>,
) -> Result<(), DistanceError> {
    if map.squared.is_empty() {
        return Ok(());
    }
    let part_transform = PartTransform::new(stream, sites.grid, unit, weights);
    let mut narrower = Narrower::new(stream, unit)?;
    let along_z = part_transform.tiled_along_z();
    part_transform.for_each(params.memory, 0, 0, |part| {
        let mut costs = part_transform.minimise_in_planes(&sites.bits, part)?;
        part_transform.minimise(
            &mut costs,
            part.scanlines_along_z(),
            &along_z,
            part.layout_along_z(),
        )?;
        Ok(narrower.store(&part_transform, part, &costs, map)?)
    })?;
    narrower.check::<S>()
}

fn fill_labels<C: ScanlineCost + Count, S: SquaredValue>(
    stream: &Stream,
    changes: &LabelChanges<'_>,
    limit: Option<u64>,
    (unit, weights): (&CostUnit, [C; 3]),
    map: &mut SquaredMap<S>,
) -> Result<(), DistanceError> {
    let part_transform = changes.part_transform(unit, weights);
    let mut narrower = Narrower::new(stream, unit)?;
    changes.for_each(&part_transform, limit, |part| {
        let costs = changes.squared_costs(&part_transform, part)?;
        Ok(narrower.store(&part_transform, part, &costs, map)?)
    })?;
    narrower.check::<S>()
}

/// Conversion of costs to narrower integers.
struct Narrower<'a> {
    stream: &'a Stream,
    unit: &'a CostUnit,
    /// Largest value that did not fit.
    overflow_max: Buffer<u64>,
}

impl<'a> Narrower<'a> {
    fn new(stream: &'a Stream, unit: &'a CostUnit) -> Result<Self, DeviceError> {
        Ok(Self {
            stream,
            unit,
            overflow_max: stream.zeros(1)?,
        })
    }

    /// Stores the costs of a part.
    fn store<C: ScanlineCost + Count, S: SquaredValue>(
        &mut self,
        part_transform: &PartTransform<'_, C>,
        part: Part,
        costs: &Buffer<C>,
        map: &mut SquaredMap<S>,
    ) -> Result<(), DeviceError> {
        let Grid { ny, nz, .. } = part.grid;
        let rows = rows(self.stream, [part.columns() as u32, ny, nz], 1);
        let volume_layout = part.volume_layout_along_z();
        let to = Layout {
            along: volume_layout.batch,
            batch: volume_layout.along,
        };
        let background_value = self.unit.squared_bound().unwrap_or(S::MAX);
        let no_site = part_transform
            .unit
            .axis(&part_transform.weights, 2, nz)
            .no_site;
        let first_x = part.first_x() as usize;
        let squared = map.squared.view_mut();
        let squared = squared.slice(first_x, squared.len() - first_x);
        let overflow_max = self.overflow_max.view_mut();
        let args = (
            costs.view(),
            rows,
            no_site,
            background_value,
            to,
            squared,
            overflow_max,
        );
        // SAFETY: the rows are those of the part, and the squared distances start at its first
        // column.
        unsafe {
            self.stream
                .launch::<narrow_squared_distances<C, S>>(rows_launch(rows), args)
        }
    }

    /// Returns an error if a value did not fit. Synchronises the stream.
    fn check<S: SquaredValue>(&self) -> Result<(), DistanceError> {
        let overflow_max = self.stream.download(&self.overflow_max)?[0];
        if overflow_max == 0 {
            return Ok(());
        }
        Err(DistanceError::SquaredTooLarge {
            largest: overflow_max,
            unit: self.unit.conversion.unit,
            name: <S as KernelType>::NAME,
            max_distance: self.unit.conversion.unit * (S::MAX as f64).sqrt().floor(),
        })
    }
}
