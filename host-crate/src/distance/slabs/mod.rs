//! Exact distance transforms in slabs along z, on one or several devices, with bounded device and
//! host memory.

mod plan;
mod worker;

use super::{DistanceError, DistanceParams, Method, NoSites, separable::CostUnit};
use crate::{
    device::{Device, DeviceError},
    grid::{Geometry, Mask, Volume},
    monitor::{Cancelled, Monitor},
    partition::{
        OnDevice,
        devices::Stop,
        ordered::{PartSender, consume_in_order},
    },
};
use plan::SlabPlan;
use std::ops::Range;
use worker::SlabWorker;

/// Distance map that is computed slab by slab along z by one or several devices.
///
/// Each device processes slabs in turn, in a thread of its own. Every slab is computed from the
/// sites of the entire volume, so the map is bit-identical to that of
/// [`transform`](super::transform), regardless of the devices and the memory limit. The host holds
/// one slab per device and the one being consumed, each at most 256 MiB or 32 planes.
///
/// [`DistanceParams::memory`] limits all device buffers: one bit per voxel of the entire volume
/// (temporarily two), squared distances and their inputs (8 to 12 bytes per voxel of a slab), the
/// slab's distances (4 bytes) and signs (one bit). With [`with_opposite`](Slabs::with_opposite), a
/// second bit per voxel is added, and the slab's distances are held twice. The default limit is
/// half of the free memory. A device that is listed twice uses twice as much.
///
/// If the spacings have no common unit, sums of their squares are rounded, and the order of
/// summation matters. Scanlines along z are then minimised last, over all planes: every slab
/// requires the work of the complete map, at least 32 columns at a time (12 bytes per voxel), of
/// which the slab's planes are kept. Slabs may then have 1 GiB, and additional devices do not
/// increase the speed. Nearest sites are not available in slabs, and the method is
/// [`Method::Separable`].
///
/// On oblique grids, each device sorts the sites into a tree from which all slabs are computed: up
/// to 24 bytes per site including the input, and a quarter of a byte per voxel of the volume.
///
/// ```
/// use ferrovox::{device::Device, distance::{DistanceParams, Slabs}, grid::{Mask, Geometry}};
///
/// let mut sites = Mask::new([8, 8, 100], Geometry::default())?;
/// sites.set_planes(50, &[1_u8; 64], |sample| sample != 0.0);
/// let devices = [Device::best(), Device::cpu()];
/// let params = DistanceParams::default();
/// let mut planes = 0;
/// Slabs::new(&devices, &sites, &params)?.for_each(|slab| {
///     assert_eq!(slab.z.start, planes);
///     assert_eq!(slab.distances[0], slab.z.start.abs_diff(50) as f32);
///     planes = slab.z.end;
///     Ok::<(), ferrovox::distance::DistanceError>(())
/// })?;
/// assert_eq!(planes, 100);
/// # Ok::<(), ferrovox::distance::DistanceError>(())
/// ```
#[derive(Debug)]
pub struct Slabs<'a> {
    devices: &'a [Device],
    sites: &'a Mask,
    sign: SlabSign<'a>,
    params: DistanceParams,
    unit: CostUnit,
    plan: SlabPlan,
    monitor: Monitor<'a>,
}

/// Signs of the distances.
#[derive(Clone, Copy, Debug)]
enum SlabSign<'a> {
    Unsigned,
    /// Voxels whose distances are negated.
    Negated(&'a Mask),
    /// Voxels that are not sites. Each site gets the negated distance to the nearest of them.
    Opposite(&'a Mask),
}

/// Error of the consumer of slabs.
struct ConsumerError<E>(E);

impl<E: From<DistanceError>> From<Cancelled> for ConsumerError<E> {
    fn from(error: Cancelled) -> Self {
        Self(DistanceError::from(DeviceError::from(error)).into())
    }
}

/// Range of planes of a distance map.
#[derive(Clone, Debug)]
pub struct Slab<'a> {
    /// Range of planes.
    pub z: Range<usize>,
    /// Distance of each voxel in world units, x fastest.
    pub distances: &'a [f32],
}

impl<'a> Slabs<'a> {
    /// Plans the distance map of `sites`; computation starts with [`for_each`](Self::for_each).
    ///
    /// # Errors
    /// The errors of [`transform`](super::transform); [`DistanceError::Memory`] if 32 planes (or
    /// all, if there are fewer) exceed the limit; [`DistanceError::NoDevices`];
    /// [`DistanceError::SlabsUnsupported`] for other methods, and
    /// [`DistanceError::NearestUnsupportedBySlabs`].
    pub fn new(
        devices: &'a [Device],
        sites: &'a Mask,
        params: &DistanceParams,
    ) -> Result<Self, DistanceError> {
        params.check()?;
        if devices.is_empty() {
            return Err(DistanceError::NoDevices);
        }
        if params.method != Method::Separable {
            let method = params.method;
            return Err(DistanceError::SlabsUnsupported { method });
        }
        if params.nearest {
            return Err(DistanceError::NearestUnsupportedBySlabs);
        }
        if params.no_sites == NoSites::Error && sites.count() == 0 {
            return Err(DistanceError::NoSites);
        }
        let unit = CostUnit::for_grid(sites.layout().grid, sites.geometry(), params);
        Ok(Self {
            devices,
            sites,
            sign: SlabSign::Unsigned,
            monitor: Monitor::new(),
            params: *params,
            unit,
            plan: SlabPlan::new(devices, sites, SlabSign::Unsigned, &unit, params.memory)?,
        })
    }

    /// Negates the distances of the voxels in `inside`, like [`apply_sign`](super::apply_sign).
    ///
    /// # Errors
    /// [`DistanceError::GridMismatch`] if map and mask have different dimensions, and
    /// [`DistanceError::Memory`].
    pub fn with_sign(self, inside: &'a Mask) -> Result<Self, DistanceError> {
        self.with_slab_sign(SlabSign::Negated(inside), inside.dims())
    }

    /// Computes signed distances by [`SignConvention::Opposite`](super::SignConvention::Opposite).
    /// `outside` is the [complement](Mask::complement) of the sites.
    ///
    /// # Errors
    /// [`DistanceError::NoVoxelsOutside`] if `outside` is empty, unless the parameters allow it;
    /// the errors of [`with_sign`](Self::with_sign).
    pub fn with_opposite(self, outside: &'a Mask) -> Result<Self, DistanceError> {
        if self.params.no_sites == NoSites::Error && outside.count() == 0 {
            return Err(DistanceError::NoVoxelsOutside);
        }
        self.with_slab_sign(SlabSign::Opposite(outside), outside.dims())
    }

    fn with_slab_sign(self, sign: SlabSign<'a>, dims: [usize; 3]) -> Result<Self, DistanceError> {
        if dims != self.dims() {
            return Err(DistanceError::GridMismatch {
                map: self.dims(),
                mask: dims,
            });
        }
        let memory = self.params.memory;
        let plan = SlabPlan::new(self.devices, self.sites, sign, &self.unit, memory)?;
        Ok(Self { sign, plan, ..self })
    }

    /// Reports progress of the stage `slabs` to `monitor`, which can cancel the work between slabs.
    #[must_use]
    pub fn with_monitor(self, monitor: Monitor<'a>) -> Self {
        Self { monitor, ..self }
    }

    /// Returns the number of voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.sites.dims()
    }

    /// Returns the position of the voxels in the world.
    pub fn geometry(&self) -> &Geometry {
        self.sites.geometry()
    }

    /// Returns the number of slabs; 0 if there are no voxels.
    pub fn count(&self) -> usize {
        if self.sites.layout().grid.samples() == 0 {
            return 0;
        }
        self.plan.slabs as usize
    }

    /// Returns the minimum value of [`DistanceParams::memory`].
    pub fn min_memory(&self) -> u64 {
        self.plan.min_memory
    }

    /// Returns the planes of a slab.
    fn planes(&self, slab: usize) -> Range<usize> {
        self.plan.planes(slab, self.dims()[2])
    }

    /// Computes the slabs and calls `consume` for each of them in order of their planes. Stops
    /// after an error of `consume`.
    ///
    /// # Errors
    /// The first error of `consume`; errors of the devices, as [`DistanceError::OnDevice`] if there
    /// are several; [`DeviceError::Cancelled`].
    pub fn for_each<E: From<DistanceError>>(
        &self,
        mut consume: impl FnMut(Slab<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let count = self.count();
        let workers = self.devices.len().min(count);
        let counter = self.monitor.counter("slabs", count as u64);
        // A slab is delivered when it is requested.
        let outcome = consume_in_order(
            0..workers,
            count,
            0,
            &counter,
            |worker, _, sender| self.run_worker(worker, workers, &sender),
            |slab, distances: Vec<f32>| {
                consume(Slab {
                    z: self.planes(slab),
                    distances: &distances,
                })
                .map_err(ConsumerError)
            },
        )
        .map_err(DistanceError::from)?;
        for (worker, result) in outcome.workers.into_iter().enumerate() {
            if let Err(Stop::Failed(error)) = result {
                return Err(self.wrap_device_error(worker, error).into());
            }
        }
        outcome.consumed.map_err(|ConsumerError(error)| error)
    }

    /// Computes the slabs of a worker: every `workers`th one, starting at `worker`.
    fn run_worker(
        &self,
        worker: usize,
        workers: usize,
        sender: &PartSender<Vec<f32>>,
    ) -> Result<(), Stop<DistanceError>> {
        let stream = self.devices[worker].stream()?;
        let slab_worker = SlabWorker::new(stream, self)?;
        for slab in (worker..self.count()).step_by(workers) {
            sender.send(slab_worker.compute_slab(self.planes(slab))?, true)?;
        }
        Ok(())
    }

    fn wrap_device_error(&self, worker: usize, source: DistanceError) -> DistanceError {
        match self.devices {
            [_] => source,
            devices => OnDevice::new(devices, worker, source).into(),
        }
    }

    /// Returns the complete map on the host.
    ///
    /// # Errors
    /// The errors of [`for_each`](Self::for_each).
    pub fn map(&self) -> Result<Volume<f32>, DistanceError> {
        let mut samples = Vec::with_capacity(self.sites.layout().grid.samples() as usize);
        self.for_each(|slab| {
            samples.extend_from_slice(slab.distances);
            Ok::<(), DistanceError>(())
        })?;
        Ok(Volume::new(samples, self.dims(), *self.geometry()).expect("one distance per voxel"))
    }
}
