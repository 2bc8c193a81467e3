//! `ferrovox distance`.

use super::{
    distance_compare,
    distance_input::{self, Input},
    distance_map::{self, Made},
    distance_report::{DistanceRun, json, readable},
    distance_slabs, distance_slice, distance_squared,
    mesh::usage,
};
use crate::{
    args::{DistanceArgs, SampleName},
    phases::Phases,
    terminal,
};
use ferrovox::{
    device::Device,
    distance::DistanceParams,
    grid::AnyVolume,
    io::{VolumeWriteOptions, write_volume},
    pipeline::{
        paths::{self, OutputKind},
        write_picture,
    },
};

/// Reads the sites, makes the map, writes it, and says what it is.
pub fn run(args: &DistanceArgs) -> anyhow::Result<()> {
    refuse_conflicts(args);
    check_outputs(args)?;
    let devices = args.device.open()?;
    if let Some(folder) = &args.compare {
        return distance_compare::run(args, folder, &devices);
    }
    let run = match distance_slabs::is_wanted(args, &devices) {
        true => distance_slabs::make(args, &devices)?,
        false => make(args, &devices)?,
    };
    if args.json {
        terminal::print_json(&json(&run))
    } else {
        terminal::print(&readable(&run))
    }
}

/// Arguments that exclude each other. Does not return if there are any.
fn refuse_conflicts(args: &DistanceArgs) {
    let whole_numbers = args.dtype != SampleName::F32;
    if args.points && args.like.is_none() && args.grid.is_none() {
        usage(
            "--points needs the grid of the map: give --like VOLUME, or --grid NXxNYxNZ with --spacing",
        );
    }
    // clap asks for no argument that conflicts with one that is there
    if args.sub_voxel && args.level.is_none() {
        usage("--sub-voxel goes with --level");
    }
    if !args.points && (args.like.is_some() || args.grid.is_some() || args.strict) {
        usage("--like, --grid and --strict go with --points");
    }
    if args.signed && (args.points || args.labels) {
        usage("--signed goes with --mask and --level: points and labels have no inside");
    }
    if args.signed && whole_numbers {
        usage("--signed does not go with --dtype u16 or u32: squares have no sign");
    }
    if whole_numbers && (args.points || args.sub_voxel) {
        usage(
            "--dtype u16 or u32 goes with sites that are voxels: of others the squared distances are no whole numbers",
        );
    }
    if args.slice.is_some() && args.png.is_none() && args.compare.is_none() {
        usage("--slice says which plane is drawn: give --png FILE.png with it");
    }
    if args.labels && args.nearest.is_some() {
        usage("--nearest does not go with --labels");
    }
}

fn check_outputs(args: &DistanceArgs) -> anyhow::Result<()> {
    let volumes = args.output.iter().chain(&args.nearest);
    let volumes = volumes.map(|path| (path.as_path(), OutputKind::Volume));
    let picture = args.png.iter();
    let picture = picture.map(|path| (path.as_path(), OutputKind::Picture));
    let outputs: Vec<_> = volumes.chain(picture).collect();
    let inputs = [&args.input.volume].into_iter().chain(&args.like);
    let inputs: Vec<_> = inputs.map(|path| path.as_path()).collect();
    Ok(paths::check(&inputs, &outputs)?)
}

/// What the library is asked for.
pub fn params(args: &DistanceArgs) -> DistanceParams {
    DistanceParams {
        method: args.method(),
        max_distance: args.max_distance,
        nearest: args.nearest.is_some(),
        memory: args.memory,
        ..DistanceParams::default()
    }
}

fn make<'a>(args: &'a DistanceArgs, devices: &[Device]) -> anyhow::Result<DistanceRun<'a>> {
    let mut phases = Phases::new(6);
    let input = phases.run("read", || distance_input::read(args))?;
    if let Some(slice) = args.slice {
        distance_slice::check(slice, input.dims)?;
    }
    let mut params = params(args);
    if args.dtype != SampleName::F32 {
        distance_squared::check(&input.name, &input.geometry, params.max_distance)?;
        params.nearest |= distance_squared::needs_nearest(&input, &params);
    }
    let made = distance_map::make(&mut phases, args, devices, &input, &params)?;
    let picture = match args.slice {
        Some(slice) => Some(phases.run("draw", || {
            distance_slice::draw(&made.distances, slice, None, args.size)
        })?),
        None => None,
    };
    let range = made.range();
    let outputs = outputs(args, &input, &made)?;
    let (sites, peaks) = (made.sites, made.peaks);
    phases.run("write", || -> anyhow::Result<()> {
        for (path, volume, options) in outputs {
            write_volume(path, &volume, &options)?;
        }
        match (&args.png, &picture) {
            (Some(path), Some((picture, _))) => Ok(write_picture(path, picture)?),
            _ => Ok(()),
        }
    })?;
    let (phase_times, total) = phases.finish();
    Ok(DistanceRun {
        args,
        dims: input.dims,
        spacing: input.geometry.spacing().into(),
        outside: input.outside(),
        sites,
        range,
        isoline_step: picture.map(|(_, step)| step),
        devices: devices.to_vec(),
        peaks,
        phase_times,
        total,
    })
}

type Output<'a> = (&'a std::path::Path, AnyVolume, VolumeWriteOptions);

/// The volumes to write: everything that can be wrong with them is found out before the first is.
fn outputs<'a>(
    args: &'a DistanceArgs,
    input: &Input,
    made: &Made,
) -> anyhow::Result<Vec<Output<'a>>> {
    let mut outputs = Vec::new();
    let plain = VolumeWriteOptions::default();
    if let Some(path) = &args.output {
        let (volume, unsigned) = match args.dtype {
            SampleName::F32 => (made.distances.clone().into(), false),
            _ => distance_squared::squares(args, input, made)?,
        };
        outputs.push((
            path.as_path(),
            volume,
            VolumeWriteOptions { unsigned, ..plain },
        ));
    }
    if let (Some(path), Some(nearest)) = (&args.nearest, &made.nearest) {
        let volume = nearest.to_volume(input.dims, input.geometry)?;
        outputs.push((path.as_path(), volume, plain));
    }
    Ok(outputs)
}
