//! Squared distances as integers.

use super::{
    DistanceError, DistanceParams, Method, NoSites,
    labels::Changes,
    separable::{
        parts::{Part, Parts},
        weights::{Number, Unit, Weights},
    },
};
use crate::grid::DeviceMask;
use crate::{
    device::{Buffer, DeviceError, Element, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume, Geometry},
};
use cuda_std::KernelType;
use ferrovox_kernels::{
    distance::{
        separable::{Cost, Layout},
        squares::narrow_squares,
    },
    grid::Grid,
    sample::Count,
};

/// What squared distances can be stored in: `u16` and `u32`.
pub trait Square: Count + Element + sealed::Sealed {
    /// The largest.
    const MOST: u64;
}

impl Square for u16 {
    const MOST: u64 = u16::MAX as u64;
}

impl Square for u32 {
    const MOST: u64 = u32::MAX as u64;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
}

/// Squared distances without any loss, on the device that made them.
#[derive(Debug)]
pub struct SquaredMap<S> {
    /// The squared distance of each voxel, x fastest, in squares of the [unit](Self::unit). Where
    /// there is no site within the bound, it is the square of the bound, rounded up; where there is
    /// none and no bound, all bits are 1.
    pub squares: Buffer<S>,
    unit: f64,
    dims: [usize; 3],
    geometry: Geometry,
}

impl<S: Square> SquaredMap<S> {
    fn new(
        stream: &Stream,
        grid: Grid,
        geometry: &Geometry,
        unit: &Unit,
    ) -> Result<Self, DeviceError> {
        let dims = [grid.nx, grid.ny, grid.nz].map(|axis| axis as usize);
        Ok(Self {
            squares: stream.alloc(grid.samples() as usize)?,
            unit: unit.far.unit,
            dims,
            geometry: *geometry,
        })
    }

    /// The length in the world whose square is 1: the longest of which all spacings are multiples.
    /// It is 1 where all spacings are 1, and 2 where they are 2: squares are those of voxels then.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }

    /// The voxels' place in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The squares on the host. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(&self, stream: &Stream) -> Result<Vec<S>, DeviceError> {
        stream.download(&self.squares)
    }
}

/// The squared distance of each voxel to the nearest site, as an integer: exact, whatever its size.
/// The result stays on the device.
///
/// The spacings must be multiples of a length, the [unit](SquaredMap::unit), none more than a
/// thousand times as long.
///
/// ```
/// use ferrovox::{device::Device, distance, grid::{DeviceMask, Geometry}};
///
/// let stream = Device::best().stream()?;
/// let geometry = Geometry::from_spacing([1.5, 1.0, 1.0], [0.0; 3])?;
/// let sites = DeviceMask::from_indices(&stream, &[1], [4, 1, 1], geometry)?;
/// let map = distance::squared_map::<u16>(&stream, &sites, &Default::default())?;
/// assert_eq!(map.unit(), 0.5);
/// assert_eq!(map.download(&stream)?, [9, 0, 9, 36]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DistanceError::SquaresOfSheared`] if axes are not at right angles,
/// [`DistanceError::SquaresNotWhole`] if there is no such unit, [`DistanceError::SquareTooLarge`]
/// if a square does not fit, [`DistanceError::SquaresWith`] for another method than
/// [`Method::Separable`], [`DistanceError::NearestOfSquares`] if nearest sites are asked for; those
/// of [`map`](super::map).
pub fn squared_map<S: Square>(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<SquaredMap<S>, DistanceError> {
    params.check()?;
    check(params)?;
    refuse_shear(&sites.geometry)?;
    let unit = Unit::of_squares(sites.grid, &sites.geometry, params);
    let weights = IntegerWeights::of(&unit)?;
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

/// The squared distance of each voxel to the nearest one with another label, as an integer:
/// [`label_map`](super::label_map) without roots.
///
/// # Errors
/// As [`squared_map`], and [`label_map`](super::label_map).
pub fn squared_label_map<S: Square, T: DeviceSample>(
    stream: &Stream,
    labels: &DeviceVolume<T>,
    params: &DistanceParams,
) -> Result<SquaredMap<S>, DistanceError> {
    params.check()?;
    refuse_shear(labels.geometry())?;
    let unit = Unit::of_squares(labels.grid(), labels.geometry(), params);
    let weights = IntegerWeights::of(&unit)?;
    let changes = Changes::found(stream, labels, params)?;
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

fn refuse_shear(geometry: &Geometry) -> Result<(), DistanceError> {
    match geometry.shear() {
        Some(shear) => Err(DistanceError::SquaresOfSheared { shear }),
        None => Ok(()),
    }
}

fn check(params: &DistanceParams) -> Result<(), DistanceError> {
    if params.method != Method::Separable {
        let method = params.method;
        return Err(DistanceError::SquaresWith { method });
    }
    if params.nearest {
        return Err(DistanceError::NearestOfSquares);
    }
    Ok(())
}

/// Squared spacings that are integers.
enum IntegerWeights {
    U32([u32; 3]),
    U64([u64; 3]),
}

impl IntegerWeights {
    fn of(unit: &Unit) -> Result<Self, DistanceError> {
        match unit.weights {
            Weights::U32(weights) => Ok(Self::U32(weights)),
            Weights::U64(weights) => Ok(Self::U64(weights)),
            Weights::F64(_) => Err(DistanceError::SquaresNotWhole {
                spacing: unit.spacing,
            }),
        }
    }
}

fn fill<C: Cost + Number + Count + Element, S: Square>(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
    (unit, weights): (&Unit, [C; 3]),
    map: &mut SquaredMap<S>,
) -> Result<(), DistanceError> {
    if map.squares.is_empty() {
        return Ok(());
    }
    let parts = Parts {
        stream,
        grid: sites.grid,
        unit,
        weights,
    };
    let mut narrowing = Narrowing::new(stream, unit)?;
    let along_z = parts.along_z()?;
    parts.for_each(params.memory, 0, 0, |part| {
        let mut costs = parts.least_in_planes(&sites.bits, part)?;
        parts.minimise(&mut costs, part.lines_along_z(), &along_z, part.along_z())?;
        Ok(narrowing.store(&parts, part, &costs, map)?)
    })?;
    narrowing.check::<S>()
}

fn fill_labels<C: Cost + Number + Count + Element, S: Square>(
    stream: &Stream,
    changes: &Changes<'_>,
    limit: Option<u64>,
    (unit, weights): (&Unit, [C; 3]),
    map: &mut SquaredMap<S>,
) -> Result<(), DistanceError> {
    let parts = changes.parts(unit, weights);
    let mut narrowing = Narrowing::new(stream, unit)?;
    changes.for_each(&parts, limit, |part| {
        let costs = changes.squares(&parts, part)?;
        Ok(narrowing.store(&parts, part, &costs, map)?)
    })?;
    narrowing.check::<S>()
}

/// Storing costs in fewer bits.
struct Narrowing<'a> {
    stream: &'a Stream,
    unit: &'a Unit,
    /// The largest that did not fit.
    largest: Buffer<u64>,
}

impl<'a> Narrowing<'a> {
    fn new(stream: &'a Stream, unit: &'a Unit) -> Result<Self, DeviceError> {
        Ok(Self {
            stream,
            unit,
            largest: stream.zeros(1)?,
        })
    }

    /// Stores the costs of a part.
    fn store<C: Cost + Number + Count + Element, S: Square>(
        &mut self,
        parts: &Parts<'_, C>,
        part: Part,
        costs: &Buffer<C>,
        map: &mut SquaredMap<S>,
    ) -> Result<(), DeviceError> {
        let Grid { ny, nz, .. } = part.grid;
        let rows = rows(self.stream, [part.columns() as u32, ny, nz], 1);
        let of_z = part.along_z_of_whole();
        let to = Layout {
            along: of_z.batch,
            batch: of_z.along,
        };
        let far = self.unit.squared_bound().unwrap_or(S::MOST);
        let none = parts.unit.axis(&parts.weights, 2, nz).none;
        let first_x = part.first_x() as usize;
        let squares = map.squares.view_mut();
        let squares = squares.slice(first_x, squares.len() - first_x);
        let largest = self.largest.view_mut();
        let args = (costs.view(), rows, none, far, to, squares, largest);
        // SAFETY: the rows are those of the part, and squares begin with its first column.
        unsafe {
            self.stream
                .launch::<narrow_squares<C, S>>(rows_launch(rows), args)
        }
    }

    /// Fails if a square did not fit. Synchronises the stream.
    fn check<S: Square>(&self) -> Result<(), DistanceError> {
        let largest = self.stream.download(&self.largest)?[0];
        if largest == 0 {
            return Ok(());
        }
        Err(DistanceError::SquareTooLarge {
            largest,
            unit: self.unit.far.unit,
            name: <S as KernelType>::NAME,
            bound: self.unit.far.unit * (S::MOST as f64).sqrt().floor(),
        })
    }
}
