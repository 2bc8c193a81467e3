//! `ferrovox render`.

use super::mesh::{iso, tell_conversion};
use crate::{args::RenderArgs, on_device::upload, output, phases::Phases, terminal};
use anyhow::Context;
use ferrovox::{
    render::{self, RenderParams},
    with_device_volume,
};

/// Reads the volume, draws its isosurface, writes the picture.
pub fn run(args: &RenderArgs) -> anyhow::Result<()> {
    let name = args.input.name();
    let params = RenderParams {
        iso: iso(&args.surface, &name)?,
        inside: args.surface.inside.into(),
        view: args.view,
        width: args.size.width,
        height: args.size.height,
        ..RenderParams::default()
    };
    output::check_picture_path(&args.output)?;
    let device = args.device.device.open()?;
    let stream = device.stream()?;

    let mut phases = Phases::new(4);
    let file = phases.run("read", || args.input.read())?;
    args.input.tell_notes(&file.header);
    let sample_type = file.volume.sample_type();
    let (volume, inexact) = file.volume.into_kernel_type();
    tell_conversion(
        &args.input,
        &file.header.stored_type.to_string(),
        sample_type.name(),
        inexact,
    );
    let volume = volume.crop_to_solid(params.iso, params.inside);
    let on_device = phases
        .run("upload", || upload(&stream, &volume))
        .with_context(|| name.clone())?;
    let picture = phases
        .run("draw", || with_device_volume!(&on_device, volume => render::isosurface(&stream, volume, &params)))
        .with_context(|| name.clone())?;
    phases.run("write", || output::write_picture(&args.output, &picture))?;
    let (times, total) = phases.finish();
    let times: Vec<String> = times
        .iter()
        .map(|(phase, time)| format!("{phase} {time:.1}"))
        .collect();
    terminal::print(&format!(
        "picture   {}: {} x {} pixels\ndevice    {device}\nms        {total:.1}: {}\n",
        args.output.display(),
        picture.width(),
        picture.height(),
        times.join(", ")
    ))
}
