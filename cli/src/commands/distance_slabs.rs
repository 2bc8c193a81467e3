//! `ferrovox distance` of a map that is made slab by slab: by several devices, or in a limit of memory.

use super::{distance_input, distance_report::DistanceRun, distance_slice, mesh::tell_conversion};
use crate::{
    args::{DistanceArgs, InsideName, SampleName},
    numbers::PlaneChoice,
    phases::Phases,
};
use anyhow::Context;
use ferrovox::{
    device::Device,
    distance::{DistanceError, DistanceParams, Method, NoSites, Slab, Slabs},
    grid::{Geometry, Mask, SampleType, Volume},
    io::{VolumeWriteOptions, VolumeWriter, read_mask},
    pipeline::write_picture,
};
use std::time::{Duration, Instant};

/// Whether the map is to be made by slabs.
pub fn is_wanted(args: &DistanceArgs, devices: &[Device]) -> bool {
    let voxels = !args.points && !args.sub_voxel;
    voxels && args.method() == Method::Separable && (args.memory.is_some() || devices.len() > 1)
}

/// Reads the volume, makes the map and writes it, all slab by slab: only a bit for each voxel is kept.
pub fn make<'a>(args: &'a DistanceArgs, devices: &[Device]) -> anyhow::Result<DistanceRun<'a>> {
    refuse(args)?;
    devices.iter().for_each(Device::reset_peak_memory);
    let name = args.input.name();
    let named = || name.clone();
    let mut phases = Phases::new(4);
    let read = phases.run("read", || read(args))?;
    let dims = read.dims();
    if let Some(slice) = args.slice {
        distance_slice::check(slice, dims)?;
    }
    let params = DistanceParams {
        method: Method::Separable,
        max_distance: args.max_distance,
        memory: args.memory,
        ..DistanceParams::default()
    };
    check_memory(args, devices, &read, &params).with_context(named)?;
    let (sites, inside) = phases
        .run("sites", || place(args, &devices[0], read))
        .with_context(named)?;
    let mut slabs = Slabs::new(devices, &sites, &params).with_context(named)?;
    if let Some(inside) = &inside {
        slabs = slabs.signed(inside).with_context(named)?;
    }
    let mut taker = Taker::new(args, dims, sites.geometry())?;
    let (progress, count) = (phases.progress(), slabs.count());
    let mut done = 0;
    phases
        .run("map", || {
            slabs.for_each(|slab| {
                taker.take(&slab)?;
                done += 1;
                progress.at(done, count as u64);
                anyhow::Ok(())
            })
        })
        .map_err(|error| match error.is::<DistanceError>() {
            true => error.context(name.clone()),
            // of a file, which it names
            false => error,
        })?;
    let (range, writing, isoline_step) = taker.finish(args)?;
    phases.add("write", writing);
    let (phase_times, total) = phases.finish();
    Ok(DistanceRun {
        args,
        dims,
        spacing: sites.geometry().spacing().into(),
        outside: 0,
        sites: sites.count(),
        range,
        isoline_step,
        devices: devices.to_vec(),
        peaks: devices.iter().map(|it| it.memory_use().peak).collect(),
        phase_times,
        total,
    })
}

/// What slabs do not have.
fn refuse(args: &DistanceArgs) -> anyhow::Result<()> {
    let refused = [
        (args.nearest.is_some(), "--nearest"),
        (args.labels, "--labels"),
        (args.dtype != SampleName::F32, "--dtype u16 or u32"),
    ];
    for (is_given, what) in refused {
        anyhow::ensure!(
            !is_given,
            "{what} needs the whole map, and with --memory or several devices it is made in slabs; name one --device, and leave \
             --memory out"
        );
    }
    Ok(())
}

/// The voxels that are not zero, or inside the level.
fn read(args: &DistanceArgs) -> anyhow::Result<Mask> {
    let mut reader = args.input.open()?;
    args.input.tell_notes(reader.header());
    let geometry = args.input.geometry(*reader.geometry())?;
    let stored = reader.header().stored_type.to_string();
    let sample_type = reader.sample_type();
    let mask = match distance_input::level(args)? {
        None => read_mask(&mut reader, |sample| sample != 0.0)?.0,
        Some(level) => {
            let (mask, inexact) = match args.inside {
                InsideName::Above => read_mask(&mut reader, |it| it as f32 >= level)?,
                InsideName::Below => read_mask(&mut reader, |it| (it as f32) < level)?,
            };
            tell_conversion(&args.input, &stored, sample_type.name(), inexact);
            mask
        }
    };
    Ok(match geometry {
        Some(geometry) => mask.with_geometry(geometry),
        None => mask,
    })
}

/// Fails with the least that is enough for all that is to come.
fn check_memory(
    args: &DistanceArgs,
    devices: &[Device],
    read: &Mask,
    params: &DistanceParams,
) -> Result<(), DistanceError> {
    let Some(limit) = args.memory else {
        return Ok(());
    };
    let unlimited = DistanceParams {
        memory: None,
        no_sites: NoSites::Infinity,
        ..*params
    };
    let mut slabs = Slabs::new(devices, read, &unlimited)?;
    if args.signed {
        slabs = slabs.signed(read)?;
    }
    let sites = match (args.level, args.signed) {
        (Some(_), _) => read.surface_bytes(),
        (None, true) => read.enclosed_bytes(),
        (None, false) => 0,
    };
    let least = slabs.least_memory().max(sites);
    if limit < least {
        return Err(DistanceError::Memory { limit, least });
    }
    Ok(())
}

/// The sites, and what is inside if that is asked for.
fn place(
    args: &DistanceArgs,
    device: &Device,
    read: Mask,
) -> Result<(Mask, Option<Mask>), DistanceError> {
    if args.level.is_some() {
        let surface = read.surface(device)?;
        return Ok((surface, args.signed.then_some(read)));
    }
    let inside = match args.signed {
        true => Some(read.enclosed(device)?),
        false => None,
    };
    Ok((read, inside))
}

/// What becomes of the slabs.
struct Taker {
    writer: Option<VolumeWriter>,
    writing: Duration,
    range: Option<[f32; 2]>,
    picture: Option<Plane>,
}

/// The plane of the picture.
struct Plane {
    slice: PlaneChoice,
    dims: [usize; 3],
    geometry: Geometry,
    samples: Vec<f32>,
}

impl Taker {
    fn new(args: &DistanceArgs, dims: [usize; 3], geometry: &Geometry) -> anyhow::Result<Self> {
        let writer = match &args.output {
            None => None,
            Some(path) => {
                let options = VolumeWriteOptions::default();
                let f32 = SampleType::F32;
                Some(VolumeWriter::create(path, dims, geometry, f32, &options)?)
            }
        };
        Ok(Self {
            writer,
            writing: Duration::ZERO,
            range: None,
            picture: args.slice.map(|slice| Plane {
                slice,
                dims,
                geometry: *geometry,
                samples: Vec::new(),
            }),
        })
    }

    fn take(&mut self, slab: &Slab<'_>) -> anyhow::Result<()> {
        let finite = slab.distances.iter().filter(|value| value.is_finite());
        self.range = finite.fold(self.range, |range, &value| {
            let [low, high] = range.unwrap_or([value, value]);
            Some([value.min(low), value.max(high)])
        });
        if let Some(plane) = &mut self.picture {
            plane.take(slab);
        }
        let start = Instant::now();
        if let Some(writer) = &mut self.writer {
            writer.append(slab.distances)?;
        }
        self.writing += start.elapsed();
        Ok(())
    }

    /// Writes what is left; the range, how long writing took, and what lies between two isolines.
    fn finish(
        self,
        args: &DistanceArgs,
    ) -> anyhow::Result<(Option<[f32; 2]>, Duration, Option<f32>)> {
        let drawn = match self.picture {
            Some(plane) => Some(plane.draw(args.size)?),
            None => None,
        };
        let start = Instant::now();
        if let Some(writer) = self.writer {
            writer.finish()?;
        }
        if let (Some(path), Some((picture, _))) = (&args.png, &drawn) {
            write_picture(path, picture)?;
        }
        let writing = self.writing + start.elapsed();
        Ok((self.range, writing, drawn.map(|(_, step)| step)))
    }
}

impl Plane {
    /// Keeps what a slab has of the plane.
    fn take(&mut self, slab: &Slab<'_>) {
        let [nx, ny, _] = self.dims;
        let index = self.slice.index;
        let planes = slab.distances.chunks(nx * ny).zip(slab.z.clone());
        for (plane, z) in planes {
            match self.slice.axis {
                0 => self.samples.extend(plane.iter().skip(index).step_by(nx)),
                1 => self.samples.extend(&plane[index * nx..(index + 1) * nx]),
                _ if z == index => self.samples.extend(plane),
                _ => {}
            }
        }
    }

    fn draw(self, longest_side: u32) -> anyhow::Result<(ferrovox::render::Picture, f32)> {
        let mut dims = self.dims;
        dims[self.slice.axis] = 1;
        let only = PlaneChoice {
            index: 0,
            ..self.slice
        };
        let volume = Volume::new(self.samples, dims, self.geometry)?;
        distance_slice::draw(&volume, only, None, longest_side)
    }
}
