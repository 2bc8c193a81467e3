//! Input of the oblique transform: sites as points, and properties of the voxels.

use crate::{
    device::{Buffer, DeviceError, Stream, items_launch},
    distance::DistanceError,
    grid::{DeviceMask, DevicePoints, DeviceSample, DeviceVolume, Geometry, Metric},
};
use ferrovox_kernels::distance::{
    oblique::{NEIGHBOUR_PAIRS, keep_boundary, keep_label_boundary, labels_to_f32},
    sites::BitRows,
};

/// Sites and properties of the voxels.
pub(in crate::distance) struct ObliqueSites<'a> {
    /// Sites that can be the nearest site of another voxel.
    pub points: MaybeOwned<'a, DevicePoints>,
    /// Sites with which a search may start; `None` if all `points` are suitable.
    pub initial_sites: Option<DevicePoints>,
    /// Mask of the voxels that are sites.
    pub mask: Option<MaybeOwned<'a, DeviceMask>>,
    /// Labels of the voxels, for label maps: only sites with another label are valid for a voxel.
    pub labels: Option<Buffer<f32>>,
    /// Bound on the distance from an initial site to a neighbour with another label, in units of
    /// the metric; 0 except for label maps.
    pub margin: f64,
    /// Steps to the neighbours of a voxel.
    pub neighbours: Buffer<i32>,
}

/// Borrowed input, or data derived from it.
pub(in crate::distance) enum MaybeOwned<'a, T> {
    Borrowed(&'a T),
    Owned(T),
}

impl<T> MaybeOwned<'_, T> {
    pub fn get(&self) -> &T {
        match self {
            Self::Borrowed(value) => value,
            Self::Owned(value) => value,
        }
    }
}

impl<'a> ObliqueSites<'a> {
    /// Creates the input for arbitrary points.
    pub fn from_points(stream: &Stream, points: &'a DevicePoints) -> Result<Self, DeviceError> {
        let neighbours = stream.upload(neighbour_steps(&points.geometry).as_flattened())?;
        Ok(Self {
            points: MaybeOwned::Borrowed(points),
            initial_sites: None,
            mask: None,
            labels: None,
            margin: 0.0,
            neighbours,
        })
    }

    /// Creates the input for the voxels of a mask.
    pub fn from_mask(
        stream: &Stream,
        source: MaybeOwned<'a, DeviceMask>,
    ) -> Result<Self, DistanceError> {
        let mask = source.get();
        check_dims(mask.dims())?;
        let bits = mask.layout();
        let mut boundary = stream.alloc::<u32>(bits.words() as usize)?;
        let (launch, items) = items_launch(stream, bits.words());
        let neighbours = stream.upload(neighbour_steps(&mask.geometry).as_flattened())?;
        // SAFETY: both buffers have the words of the grid, which the items count.
        unsafe {
            let args = (
                mask.bits.view(),
                bits,
                neighbours.view(),
                items,
                boundary.view_mut(),
            );
            stream.launch::<keep_boundary>(launch, args)?;
        }
        let points = mask_points(stream, boundary, bits, &mask.geometry)?;
        Ok(Self {
            points: MaybeOwned::Owned(points),
            initial_sites: None,
            mask: Some(source),
            labels: None,
            margin: 0.0,
            neighbours,
        })
    }

    /// Creates the input for labels, where the sites of each voxel are those with another label.
    pub fn from_labels<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
    ) -> Result<Self, DistanceError> {
        let (grid, geometry) = (volume.grid(), volume.geometry());
        let bits = BitRows::new(grid);
        let mut labels = stream.alloc::<f32>(volume.samples().len())?;
        let (launch, items) = items_launch(stream, grid.samples());
        // SAFETY: both buffers have one element per voxel, which the items count.
        unsafe {
            let args = (volume.samples().view(), items, labels.view_mut());
            stream.launch::<labels_to_f32<T>>(launch, args)?;
        }
        check_dims([grid.nx, grid.ny, grid.nz].map(|n| n as usize))?;
        let steps = neighbour_steps(geometry);
        let neighbours = stream.upload(steps.as_flattened())?;
        let boundary_points = |outside: bool| {
            let mut words = stream.alloc::<u32>(bits.words() as usize)?;
            let (launch, items) = items_launch(stream, bits.words());
            // SAFETY: there is one label per voxel and one word per word of the grid, which the
            // items count.
            unsafe {
                let outside = u32::from(outside);
                let args = (
                    labels.view(),
                    bits,
                    neighbours.view(),
                    outside,
                    items,
                    words.view_mut(),
                );
                stream.launch::<keep_label_boundary>(launch, args)?;
            }
            mask_points(stream, words, bits, geometry)
        };
        let (initial_sites, points) = (boundary_points(false)?, boundary_points(true)?);
        let (metric, _) = Metric::exact(geometry);
        let lengths = steps.map(|step| metric.length(step.map(f64::from)));
        Ok(Self {
            points: MaybeOwned::Owned(points),
            initial_sites: Some(initial_sites),
            mask: None,
            labels: Some(labels),
            margin: lengths.into_iter().fold(0.0, f64::max),
            neighbours,
        })
    }

    /// Returns the sites with which a search starts.
    pub fn initial_sites(&self) -> &DevicePoints {
        self.initial_sites.as_ref().unwrap_or(self.points.get())
    }

    pub fn is_empty(&self) -> bool {
        self.initial_sites().is_empty()
    }

    /// Returns the number of points.
    pub fn count(&self) -> usize {
        self.points.get().len()
    }

    pub fn dims(&self) -> [usize; 3] {
        self.points.get().dims
    }

    pub fn geometry(&self) -> &Geometry {
        &self.points.get().geometry
    }
}

/// Checks that f32 represents all coordinates exactly: integers up to 2²⁴.
fn check_dims(dims: [usize; 3]) -> Result<(), DeviceError> {
    match dims.into_iter().find(|&len| len > 1 << 24) {
        Some(len) => Err(DeviceError::TooLarge { len, size: 1 }),
        None => Ok(()),
    }
}

fn mask_points(
    stream: &Stream,
    words: Buffer<u32>,
    bits: BitRows,
    geometry: &Geometry,
) -> Result<DevicePoints, DistanceError> {
    let mask = DeviceMask {
        bits: words,
        grid: bits.grid,
        geometry: *geometry,
    };
    Ok(DevicePoints::from_mask(stream, &mask)?)
}

/// Returns the steps to the neighbours of a voxel. Steps too long for 32 bits are clamped, without
/// effect: they lead outside every grid.
fn neighbour_steps(geometry: &Geometry) -> [[i32; 3]; NEIGHBOUR_PAIRS] {
    let (metric, _) = Metric::exact(geometry);
    let voronoi_neighbours = metric.voronoi_steps().into_iter();
    let faces = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut steps = [[0; 3]; NEIGHBOUR_PAIRS];
    for (step, from) in steps.iter_mut().zip(voronoi_neighbours.chain(faces)) {
        *step = from.map(|n| n.clamp(-i64::from(i32::MAX), i32::MAX.into()) as i32);
    }
    steps
}
