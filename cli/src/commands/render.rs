//! `ferrovox render`.

use super::{mesh::iso, mesh_report::in_milliseconds};
use crate::{args::RenderArgs, phases::milliseconds, terminal, watch::watched};
use ferrovox::{
    pipeline::render::{self, RenderJob},
    render::RenderParams,
};

/// Reads the volume, draws its isosurface, writes the picture.
pub fn run(args: &RenderArgs) -> anyhow::Result<()> {
    let job = RenderJob {
        volume: args.input.source(),
        output: args.output.clone(),
        params: RenderParams {
            iso: iso(&args.surface, &args.input.name())?,
            inside: args.surface.inside.into(),
            view: args.view,
            width: args.size.width,
            height: args.size.height,
            ..RenderParams::default()
        },
        device: args.device.device.open()?,
    };
    let outcome = watched(|monitor| render::run(&job, monitor))?;
    terminal::warnings(&outcome.warnings);
    let times: Vec<String> = in_milliseconds(&outcome.timings.stages)
        .iter()
        .map(|(stage, time)| format!("{stage} {time:.1}"))
        .collect();
    let [width, height] = outcome.size;
    terminal::print(&format!(
        "picture   {}: {width} x {height} pixels\ndevice    {}\nms        {:.1}: {}\n",
        args.output.display(),
        job.device,
        milliseconds(outcome.timings.total),
        times.join(", ")
    ))
}
