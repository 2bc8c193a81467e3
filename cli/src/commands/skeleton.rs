//! `ferrovox skeleton`.

use super::{
    skeleton_input::{self, Object},
    skeleton_json::json,
    skeleton_report::{SkeletonRun, readable},
};
use crate::{args::SkeletonArgs, on_device::upload, phases::Phases, terminal};
use anyhow::Context;
use ferrovox::{
    device::{Device, Stream},
    grid::AnyDeviceVolume,
    io::{write_field, write_skeleton},
    monitor::Progress,
    pipeline::{
        paths::{self, OutputKind},
        write_picture,
    },
    render::{self, Picture, RenderParams, SkeletonStyle},
    skeleton::{self, Execution, Prune, Skeleton},
    with_device_volume,
};

/// Reads the volume, makes the skeleton of the object in it, writes it, and says what it is like.
pub fn run(args: &SkeletonArgs) -> anyhow::Result<()> {
    let name = args.input.name();
    let params = args.params();
    params.check()?;
    let object = Object::of(args)?;
    check_outputs(args)?;
    let devices = args.device.open()?;
    let streams: Result<Vec<Stream>, _> = devices.iter().map(Device::stream).collect();
    let streams = streams?;
    let execution = Execution::on(&streams)?;
    let stream = execution.first();
    let mut phases = Phases::new(5);
    let volume = phases.run("read", || skeleton_input::read(args))?;
    let mask = phases.run("object", || -> anyhow::Result<_> {
        let on_device = upload(stream, &volume).with_context(|| name.clone())?;
        let mask = object.mask(stream, &on_device)?;
        object.check(&name, &volume, mask.count(stream)?)?;
        Ok(mask)
    })?;
    let bar = phases.progress();
    let tell = |progress: Progress| bar.part("force field", progress.fraction(), progress.left());
    let execution = match bar.is_seen() {
        true => execution.on_progress(&tell),
        false => execution,
    };
    let (mut made, field) = phases
        .run("skeleton", || {
            skeleton::skeleton_on_devices(execution, &mask, &params)
        })
        .with_context(|| name.clone())?;
    let pruned = match args.prune {
        Some(limit) => made.skeleton.prune(Prune::Length(limit))?,
        None => 0,
    };
    if args.merge {
        made.skeleton.merge_chains();
    }
    let picture = match args.png {
        Some(_) => Some(phases.run("draw", || {
            let (solid, iso) = skeleton_input::drawn(object, volume, stream, &mask)?;
            draw(args, stream, &solid, iso, &made.skeleton)
        })?),
        None => None,
    };
    let cut_cycles = phases.run("write", || -> anyhow::Result<_> {
        let mut cut_cycles = 0;
        for path in &args.output {
            let written = write_skeleton(path, &made.skeleton)?;
            if written.cut_cycles > 0 {
                cut_cycles = written.cut_cycles;
                terminal::note(&format!(
                    "{}: {cut_cycles} cycles were cut, since the format has trees only",
                    path.display()
                ));
            }
        }
        if let Some(path) = &args.field {
            write_field(path, mask.dims(), field.vectors(stream)?)?;
        }
        if let (Some(path), Some(picture)) = (&args.png, &picture) {
            write_picture(path, picture)?;
        }
        Ok(cut_cycles)
    })?;
    let (phase_times, total) = phases.finish();
    let run = SkeletonRun {
        args,
        dims: mask.dims(),
        spacing: mask.geometry().spacing().into(),
        made,
        pruned,
        cut_cycles,
        devices,
        phase_times,
        total,
    };
    if let Some(note) = run.unbalanced() {
        terminal::warning(&format!("{name}: {note}"));
    }
    match args.json {
        true => terminal::print_json(&json(&run)),
        false => terminal::print(&readable(&run)),
    }
}

fn check_outputs(args: &SkeletonArgs) -> anyhow::Result<()> {
    let skeletons = args.output.iter().map(|path| (path, OutputKind::Skeleton));
    let field = args.field.iter().map(|path| (path, OutputKind::Field));
    let picture = args.png.iter().map(|path| (path, OutputKind::Picture));
    let outputs = skeletons.chain(field).chain(picture);
    let outputs: Vec<_> = outputs.map(|(path, kind)| (path.as_path(), kind)).collect();
    Ok(paths::check(&[&args.input.volume], &outputs)?)
}

fn draw(
    args: &SkeletonArgs,
    stream: &Stream,
    solid: &AnyDeviceVolume,
    iso: f32,
    skeleton: &Skeleton,
) -> anyhow::Result<Picture> {
    let params = RenderParams {
        iso,
        view: args.view,
        width: args.size.width,
        height: args.size.height,
        ..RenderParams::default()
    };
    let shorter = args.size.width.min(args.size.height);
    let style = SkeletonStyle {
        width: (shorter as f32 / 200.0).max(1.5),
        ..SkeletonStyle::default()
    };
    Ok(
        with_device_volume!(solid, volume => render::skeleton(stream, volume, skeleton, &params, &style))?,
    )
}
