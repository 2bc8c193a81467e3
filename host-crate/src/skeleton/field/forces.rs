//! The force at voxels.

use super::Targets;
use crate::{
    device::{Buffer, Launch, Stream},
    device_volume::{rows, rows_launch},
    distance::{SiteMask, SitePoints, sites::over},
    skeleton::{BoundaryForce, Classes, FieldVariant, Precision, SkeletonError, SkeletonParams},
};
use cuda_std::Kernel;
use ferrovox_kernels::skeleton::field::{
    Add, AnyPower, NUMBERS, Power, Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9,
    Slices, finish_forces, forces_shared, forces_simple, forces_tuned, mean_forces,
};

/// The forces at voxels of a mask, on a device.
#[derive(Debug)]
pub struct ForceField {
    /// The voxels that have a force.
    pub mask: SiteMask,
    /// Four numbers for each of them, in their order: the direction's x, y and z, and the magnitude, with voxels as the unit of length. A
    /// direction of three zeros is none.
    pub forces: Buffer<f32>,
    /// How many voxels of the mask come before each of its words.
    pub before: Buffer<u64>,
}

/// The force field of a classified solid: at all interior and boundary voxels, from the surface voxels.
///
/// Work is proportional to voxels times surface voxels; the memory it takes is 24 bytes for each voxel with a force and slice of the surface, 40 bytes
/// for each that remain. Waits for counts.
///
/// # Errors
/// Those of the device.
pub fn force_field(
    stream: &Stream,
    classes: &Classes,
    params: &SkeletonParams,
) -> Result<ForceField, SkeletonError> {
    params.check()?;
    let sources = SitePoints::from_sites(stream, &classes.surface)?;
    let inside = classes.inside(stream)?;
    if params.boundary == BoundaryForce::Exact {
        return forces(stream, &sources, inside, params);
    }
    let known = forces(stream, &sources, classes.interior.copy(stream)?, params)?;
    let all = Targets::of(stream, &inside)?;
    let mut forces = stream.alloc::<f32>(NUMBERS * all.count as usize)?;
    let bits = inside.layout();
    let rows = rows(stream, [bits.grid.nx, bits.grid.ny, bits.grid.nz], 1);
    // SAFETY: the words are those of the grid, and there are four numbers for each voxel of the masks.
    unsafe {
        let args = (
            known.mask.bits.view(),
            known.before.view(),
            known.forces.view(),
            inside.bits.view(),
            all.before.view(),
            bits,
            rows,
            forces.view_mut(),
        );
        stream.launch::<mean_forces>(rows_launch(rows), args)?;
    }
    let before = all.before;
    Ok(ForceField {
        mask: inside,
        forces,
        before,
    })
}

/// The forces of points on the voxels of a mask, none of which is at a point.
///
/// # Errors
/// Those of the device.
pub fn forces(
    stream: &Stream,
    sources: &SitePoints,
    mask: SiteMask,
    params: &SkeletonParams,
) -> Result<ForceField, SkeletonError> {
    let targets = Targets::of(stream, &mask)?;
    let numbers = Job {
        stream,
        sources,
        targets: &targets,
        params,
    }
    .made()?;
    let before = targets.before;
    Ok(ForceField {
        mask,
        forces: numbers,
        before,
    })
}

/// Forces that are to be made.
struct Job<'a> {
    stream: &'a Stream,
    sources: &'a SitePoints,
    targets: &'a Targets<'a>,
    params: &'a SkeletonParams,
}

/// Threads that are on a multiprocessor at a time, about.
const RESIDENT: u64 = 1024;

/// Of a device's threads so many times as many are to have work: then those that are left over at the end take little of the time.
const WAVES: u64 = 8;

/// Larger blocks wait longer for their slowest warp between tiles.
const MOST_THREADS: u32 = 256;

/// Shorter slices would have threads that write more than they compute.
const LEAST_SLICE: u64 = 2048;

impl Job<'_> {
    fn made(&self) -> Result<Buffer<f32>, SkeletonError> {
        match self.params.precision {
            Precision::F32 => self.with::<f32>(),
            Precision::Accurate => self.with::<f64>(),
        }
    }

    fn with<A: Add>(&self) -> Result<Buffer<f32>, SkeletonError> {
        let exponent = self.params.exponent;
        let integer = if exponent.fract() == 0.0 {
            exponent as u32
        } else {
            0
        };
        match integer {
            2 => self.run::<A, Power2>(),
            3 => self.run::<A, Power3>(),
            4 => self.run::<A, Power4>(),
            5 => self.run::<A, Power5>(),
            6 => self.run::<A, Power6>(),
            7 => self.run::<A, Power7>(),
            8 => self.run::<A, Power8>(),
            9 => self.run::<A, Power9>(),
            _ => self.run::<A, AnyPower>(),
        }
    }

    fn run<A: Add, P: Power>(&self) -> Result<Buffer<f32>, SkeletonError> {
        let stream = self.stream;
        let (sums, slices) = match self.params.variant {
            FieldVariant::Tuned => self.tuned::<A, P>()?,
            FieldVariant::Simple => self.simple::<A, P>()?,
            FieldVariant::Constant | FieldVariant::Shared => self.shared::<A, P>()?,
        };
        let mut forces = stream.alloc::<f32>(NUMBERS * self.targets.count as usize)?;
        let (launch, items) = over(stream, self.targets.count);
        // SAFETY: there are three sums for each target and slice, and four numbers for each target.
        unsafe {
            let args = (sums.view(), slices, items, forces.view_mut());
            stream.launch::<finish_forces>(launch, args)?;
        }
        Ok(forces)
    }

    /// The launch of a kernel whose threads take one of `items` each, and the slices in which sources are taken: as many as give all of the device work.
    fn plan<K: Kernel>(&self, items: u64) -> Result<(Launch, Slices), SkeletonError> {
        let plan = self
            .stream
            .plan::<K>(Launch::pieces(items).at_most_threads(MOST_THREADS))?;
        let sources = self.sources.len() as u64;
        // not by how many threads the plan has: the grouping of sums, and so their bits, are the same for any block
        let limits = self.stream.device().limits();
        let resident = u64::from(limits.multiprocessors) * RESIDENT;
        let alone = limits.threads_per_block == 1;
        let wanted = if alone {
            1
        } else {
            (WAVES * resident).div_ceil(items.max(1))
        };
        let most = (sources / LEAST_SLICE).max(1);
        let len = sources.div_ceil(wanted.min(most)).max(1);
        let slices = Slices {
            sources,
            len,
            count: sources.div_ceil(len).max(1),
            targets: self.targets.count,
        };
        let blocks = items.div_ceil(plan.threads.into()) * slices.count;
        let launch = Launch::pieces(blocks).at_most_threads(MOST_THREADS);
        Ok((launch, slices))
    }

    /// Room for three sums for each target and slice.
    fn sums(&self, slices: Slices) -> Result<Buffer<f64>, SkeletonError> {
        let count = 3 * slices.targets * slices.count;
        Ok(self.stream.alloc(count as usize)?)
    }

    fn tuned<A: Add, P: Power>(&self) -> Result<(Buffer<f64>, Slices), SkeletonError> {
        let (runs, places) = self.targets.runs(self.stream)?;
        let (launch, slices) = self.plan::<forces_tuned<A, P>>(runs.count)?;
        let mut sums = self.sums(slices)?;
        // SAFETY: sources and runs have three coordinates each, the words and what comes before them are the targets', and there are three sums for
        // each target and slice.
        unsafe {
            let args = (
                self.sources.coordinates.view(),
                places.coordinates.view(),
                self.targets.mask.bits.view(),
                self.targets.before.view(),
                runs,
                slices,
                self.params.exponent as f32,
                sums.view_mut(),
            );
            self.stream.launch::<forces_tuned<A, P>>(launch, args)?;
        }
        Ok((sums, slices))
    }

    fn simple<A: Add, P: Power>(&self) -> Result<(Buffer<f64>, Slices), SkeletonError> {
        let targets = SitePoints::from_sites(self.stream, self.targets.mask)?;
        let (launch, slices) = self.plan::<forces_simple<A, P>>(targets.len() as u64)?;
        let mut sums = self.sums(slices)?;
        // SAFETY: sources and targets have three coordinates each, and there are three sums for each target and slice.
        unsafe {
            let args = (
                self.sources.coordinates.view(),
                targets.coordinates.view(),
                slices,
                self.params.exponent as f32,
                sums.view_mut(),
            );
            self.stream.launch::<forces_simple<A, P>>(launch, args)?;
        }
        Ok((sums, slices))
    }

    fn shared<A: Add, P: Power>(&self) -> Result<(Buffer<f64>, Slices), SkeletonError> {
        let targets = SitePoints::from_sites(self.stream, self.targets.mask)?;
        let (launch, slices) = self.plan::<forces_shared<A, P>>(targets.len() as u64)?;
        let mut sums = self.sums(slices)?;
        // SAFETY: as above.
        unsafe {
            let args = (
                self.sources.coordinates.view(),
                targets.coordinates.view(),
                slices,
                self.params.exponent as f32,
                sums.view_mut(),
            );
            self.stream.launch::<forces_shared<A, P>>(launch, args)?;
        }
        Ok((sums, slices))
    }
}
