//! `ferrovox skeleton`.

use super::{
    skeleton_json::json,
    skeleton_report::{SkeletonRun, readable},
};
use crate::{args::SkeletonArgs, terminal, watch::watched};
use ferrovox::{
    grid::Selection,
    pipeline::skeleton::{self, ObjectSource, PictureJob, SkeletonJob},
};

/// Makes the skeleton of the object in a volume, and says what it is like.
pub fn run(args: &SkeletonArgs) -> anyhow::Result<()> {
    args.params().check()?;
    let job = job(args)?;
    let made = watched(|monitor| skeleton::run(&job, monitor))?;
    terminal::warnings(&made.warnings);
    let devices = &job.devices;
    let run = SkeletonRun {
        args,
        devices,
        made: &made,
    };
    match args.json {
        true => terminal::print_json(&json(&run)),
        false => terminal::print(&readable(&run)),
    }
}

fn job(args: &SkeletonArgs) -> anyhow::Result<SkeletonJob> {
    let object = ObjectSource::Volume {
        source: args.input.source().into(),
        voxels: match (args.threshold, args.label) {
            (Some(threshold), _) => Selection::AtLeast(threshold),
            (_, Some(label)) => Selection::Label(label),
            _ => Selection::NotZero,
        },
    };
    Ok(SkeletonJob {
        params: args.params(),
        prune: args.prune,
        merge: args.merge,
        outputs: args.output.clone(),
        field: args.field.clone(),
        picture: args.png.clone().map(|path| PictureJob {
            path,
            view: args.view,
            width: args.size.width,
            height: args.size.height,
        }),
        ..SkeletonJob::new(object, args.device.open()?)
    })
}
