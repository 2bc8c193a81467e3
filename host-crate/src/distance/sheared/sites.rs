//! What is searched: the sites as points, and what is known of the voxels.

use crate::{
    device::{Buffer, DeviceError, Stream, over},
    distance::DistanceError,
    grid::{DeviceMask, DevicePoints, DeviceSample, DeviceVolume, Geometry, Metric},
};
use ferrovox_kernels::distance::{
    sheared::{AROUND, keep_changes, keep_open, label_values},
    sites::BitRows,
};

/// Sites, and what else of the voxels counts.
pub(in crate::distance) struct Given<'a> {
    /// The sites that can be the nearest of another voxel.
    pub points: Held<'a, DevicePoints>,
    /// Of these and others those that a search may begin with; the same where there are none.
    pub begin: Option<DevicePoints>,
    /// The voxels that are sites.
    pub mask: Option<Held<'a, DeviceMask>>,
    /// The labels of the voxels, if only sites of other labels count.
    pub labels: Option<Buffer<f32>>,
    /// How much farther a nearest site can be than one that a search begins with.
    pub more: f64,
    /// The steps to the neighbours of a voxel.
    pub around: Buffer<i32>,
}

/// What was given, or was made of it.
pub(in crate::distance) enum Held<'a, T> {
    Given(&'a T),
    Made(T),
}

impl<T> Held<'_, T> {
    pub fn get(&self) -> &T {
        match self {
            Self::Given(it) => it,
            Self::Made(it) => it,
        }
    }
}

impl<'a> Given<'a> {
    /// Points anywhere.
    pub fn of_points(stream: &Stream, points: &'a DevicePoints) -> Result<Self, DeviceError> {
        let around = stream.upload(steps(&points.geometry).as_flattened())?;
        Ok(Self {
            points: Held::Given(points),
            begin: None,
            mask: None,
            labels: None,
            more: 0.0,
            around,
        })
    }

    /// The voxels of a mask.
    pub fn of_mask(stream: &Stream, held: Held<'a, DeviceMask>) -> Result<Self, DistanceError> {
        let mask = held.get();
        check_dims(mask.dims())?;
        let bits = mask.layout();
        let mut open = stream.alloc::<u32>(bits.words() as usize)?;
        let (launch, items) = over(stream, bits.words());
        let around = stream.upload(steps(&mask.geometry).as_flattened())?;
        // SAFETY: both have the words of the grid, which the items count.
        unsafe {
            let args = (
                mask.bits.view(),
                bits,
                around.view(),
                items,
                open.view_mut(),
            );
            stream.launch::<keep_open>(launch, args)?;
        }
        let points = points_of(stream, open, bits, &mask.geometry)?;
        Ok(Self {
            points: Held::Made(points),
            begin: None,
            mask: Some(held),
            labels: None,
            more: 0.0,
            around,
        })
    }

    /// For each voxel those of another label.
    pub fn of_labels<T: DeviceSample>(
        stream: &Stream,
        volume: &DeviceVolume<T>,
    ) -> Result<Self, DistanceError> {
        let (grid, geometry) = (volume.grid(), volume.geometry());
        let bits = BitRows::new(grid);
        let mut labels = stream.alloc::<f32>(volume.samples().len())?;
        let (launch, items) = over(stream, grid.samples());
        // SAFETY: both have an element for each voxel, which the items count.
        unsafe {
            let args = (volume.samples().view(), items, labels.view_mut());
            stream.launch::<label_values<T>>(launch, args)?;
        }
        check_dims([grid.nx, grid.ny, grid.nz].map(|n| n as usize))?;
        let steps = steps(geometry);
        let around = stream.upload(steps.as_flattened())?;
        let kept = |beyond: bool| {
            let mut kept = stream.alloc::<u32>(bits.words() as usize)?;
            let (launch, items) = over(stream, bits.words());
            // SAFETY: there is a label for each voxel and a word for each of the grid's, which the
            // items count.
            unsafe {
                let beyond = u32::from(beyond);
                let args = (
                    labels.view(),
                    bits,
                    around.view(),
                    beyond,
                    items,
                    kept.view_mut(),
                );
                stream.launch::<keep_changes>(launch, args)?;
            }
            points_of(stream, kept, bits, geometry)
        };
        let (begin, points) = (kept(false)?, kept(true)?);
        let (metric, _) = Metric::exact(geometry);
        let lengths = steps.map(|step| metric.length(step.map(f64::from)));
        Ok(Self {
            points: Held::Made(points),
            begin: Some(begin),
            mask: None,
            labels: Some(labels),
            more: lengths.into_iter().fold(0.0, f64::max),
            around,
        })
    }

    /// Those that a search begins with.
    pub fn begin(&self) -> &DevicePoints {
        self.begin.as_ref().unwrap_or(self.points.get())
    }

    pub fn is_empty(&self) -> bool {
        self.begin().is_empty()
    }

    /// How many points there are.
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

/// Points are f32, which have every integer up to 2²⁴.
fn check_dims(dims: [usize; 3]) -> Result<(), DeviceError> {
    match dims.into_iter().find(|&len| len > 1 << 24) {
        Some(len) => Err(DeviceError::TooLarge { len, size: 1 }),
        None => Ok(()),
    }
}

fn points_of(
    stream: &Stream,
    words: Buffer<u32>,
    bits: BitRows,
    geometry: &Geometry,
) -> Result<DevicePoints, DistanceError> {
    let kept = DeviceMask {
        bits: words,
        grid: bits.grid,
        geometry: *geometry,
    };
    Ok(DevicePoints::from_sites(stream, &kept)?)
}

/// The steps to the neighbours of a voxel. Those that are too long for 32 bits lead out of every
/// grid either way.
fn steps(geometry: &Geometry) -> [[i32; 3]; AROUND] {
    let (metric, _) = Metric::exact(geometry);
    let across = metric.around().into_iter();
    let faces = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut steps = [[0; 3]; AROUND];
    for (to, from) in steps.iter_mut().zip(across.chain(faces)) {
        *to = from.map(|n| n.clamp(-i64::from(i32::MAX), i32::MAX.into()) as i32);
    }
    steps
}
