//! Exact maps by slabs along z: by several devices, in bounded memory of theirs and of the host's.

mod plan;
mod worker;

use super::{DistanceError, DistanceParams, Method, NoSites, separable::Unit};
use crate::{
    device::{Device, DeviceError},
    grid::{Geometry, Mask, Volume},
    monitor::{Cancelled, Monitor},
    partition::{
        OnDevice,
        devices::Stop,
        ordered::{Outlet, in_order},
    },
};
use plan::Plan;
use std::ops::Range;
use worker::Worker;

/// A distance map that is made slab by slab: planes of it, one after the other, by one or more
/// devices.
///
/// Each device takes the next slab in turn, in a thread of its own, and each slab is made from the
/// sites of the whole volume, so that the map is that of [`map`](super::map), bit for bit, whatever
/// the devices and the limit of memory. The host has one slab of each device and the one that is
/// handed out, of 256 MiB or 32 planes each at the most.
///
/// [`DistanceParams::memory`] bounds all that a device's buffers hold: a bit per voxel of the whole
/// volume, for a moment two; squared distances and what they are made from, 8 to 12 bytes per voxel
/// of a slab; the slab's distances, 4 bytes, and its signs, a bit. Without a limit it is half of
/// what is free. A device that is named twice takes twice as much.
///
/// Where the spacings have no common measure, sums of their squares are rounded, and their order
/// matters. So lines along z are then the last to be minimised, over all planes: every slab takes
/// the work of the whole map, 32 columns of it or more at a time (12 bytes for each of their
/// voxels), of which the slab's planes are kept, and it may have 1 GiB; more devices are not
/// quicker. Nearest sites are not found by slabs, and the method is [`Method::Separable`].
///
/// Where axes are not at right angles, each device sorts the sites into a tree, which every slab is
/// made from: with what it is sorted from up to 24 bytes for each site, and a quarter of a byte for
/// each voxel of the whole.
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
    inside: Option<&'a Mask>,
    params: DistanceParams,
    unit: Unit,
    plan: Plan,
    monitor: Monitor<'a>,
}

/// The error of the consumer of slabs.
struct Consumed<E>(E);

impl<E: From<DistanceError>> From<Cancelled> for Consumed<E> {
    fn from(error: Cancelled) -> Self {
        Self(DistanceError::from(DeviceError::from(error)).into())
    }
}

/// Some planes of a map.
#[derive(Clone, Debug)]
pub struct Slab<'a> {
    /// Which planes.
    pub z: Range<usize>,
    /// The distance of each voxel, x fastest, in world units.
    pub distances: &'a [f32],
}

impl<'a> Slabs<'a> {
    /// A map to the sites; nothing is done yet.
    ///
    /// # Errors
    /// Those of [`map`](super::map); [`DistanceError::Memory`] if 32 planes (or all, if there are
    /// fewer) do not fit in the limit; [`DistanceError::NoDevices`]; [`DistanceError::SlabsWith`]
    /// for another method, and [`DistanceError::NearestBySlabs`].
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
            return Err(DistanceError::SlabsWith { method });
        }
        if params.nearest {
            return Err(DistanceError::NearestBySlabs);
        }
        if params.no_sites == NoSites::Error && sites.count() == 0 {
            return Err(DistanceError::NoSites);
        }
        let unit = Unit::of(sites.layout().grid, sites.geometry(), params);
        Ok(Self {
            devices,
            sites,
            inside: None,
            monitor: Monitor::silent(),
            params: *params,
            unit,
            plan: Plan::new(devices, sites, false, &unit, params.memory)?,
        })
    }

    /// With negative distances of the voxels of `inside`, as [`apply_sign`](super::apply_sign)
    /// makes them.
    ///
    /// # Errors
    /// [`DistanceError::Dims`] if the two have not as many voxels along each axis,
    /// [`DistanceError::Memory`].
    pub fn signed(self, inside: &'a Mask) -> Result<Self, DistanceError> {
        if inside.dims() != self.dims() {
            return Err(DistanceError::Dims {
                map: self.dims(),
                mask: inside.dims(),
            });
        }
        let plan = Plan::new(
            self.devices,
            self.sites,
            true,
            &self.unit,
            self.params.memory,
        )?;
        Ok(Self {
            inside: Some(inside),
            plan,
            ..self
        })
    }

    /// `monitor` gets the progress of the stage `slabs`, and can cancel the work between two of
    /// them.
    #[must_use]
    pub fn monitored_by(self, monitor: Monitor<'a>) -> Self {
        Self { monitor, ..self }
    }

    /// Voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        self.sites.dims()
    }

    /// The voxels' place in the world.
    pub fn geometry(&self) -> &Geometry {
        self.sites.geometry()
    }

    /// How many slabs there will be; none if there are no voxels.
    pub fn count(&self) -> usize {
        if self.sites.layout().grid.samples() == 0 {
            return 0;
        }
        self.plan.slabs as usize
    }

    /// The least [`DistanceParams::memory`] that works.
    pub fn least_memory(&self) -> u64 {
        self.plan.least
    }

    /// The planes of a slab.
    fn planes(&self, slab: usize) -> Range<usize> {
        self.plan.planes(slab, self.dims()[2])
    }

    /// Makes the slabs, and calls `each` with one after the other, from the first plane to the
    /// last. After an error of `each` no other is made.
    ///
    /// # Errors
    /// The first of `each`; errors of the devices, as [`DistanceError::OnDevice`] if there are
    /// several; [`DeviceError::Cancelled`].
    pub fn for_each<E: From<DistanceError>>(
        &self,
        mut each: impl FnMut(Slab<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let count = self.count();
        let workers = self.devices.len().min(count);
        let counter = self.monitor.counter("slabs", count as u64);
        // a slab is handed over when it is asked for
        let outcome = in_order(
            0..workers,
            count,
            0,
            &counter,
            |worker, _, outlet| self.work(worker, workers, &outlet),
            |slab, distances: Vec<f32>| {
                each(Slab {
                    z: self.planes(slab),
                    distances: &distances,
                })
                .map_err(Consumed)
            },
        )
        .map_err(DistanceError::from)?;
        for (worker, result) in outcome.workers.into_iter().enumerate() {
            if let Err(Stop::Failed(error)) = result {
                return Err(self.on_device(worker, error).into());
            }
        }
        outcome.consumed.map_err(|Consumed(error)| error)
    }

    /// Every slab whose number is the worker's, counted in steps of as many as there are workers.
    fn work(
        &self,
        worker: usize,
        workers: usize,
        outlet: &Outlet<Vec<f32>>,
    ) -> Result<(), Stop<DistanceError>> {
        let stream = self.devices[worker].stream()?;
        let worker_of_device = Worker::new(stream, self)?;
        for slab in (worker..self.count()).step_by(workers) {
            outlet.put(worker_of_device.make(self.planes(slab))?, true)?;
        }
        Ok(())
    }

    fn on_device(&self, worker: usize, source: DistanceError) -> DistanceError {
        match self.devices {
            [_] => source,
            devices => OnDevice::new(devices, worker, source).into(),
        }
    }

    /// The whole map on the host.
    ///
    /// # Errors
    /// As [`for_each`](Self::for_each).
    pub fn map(&self) -> Result<Volume<f32>, DistanceError> {
        let mut samples = Vec::with_capacity(self.sites.layout().grid.samples() as usize);
        self.for_each(|slab| {
            samples.extend_from_slice(slab.distances);
            Ok::<(), DistanceError>(())
        })?;
        Ok(Volume::new(samples, self.dims(), *self.geometry())
            .expect("as many as there are voxels"))
    }
}
