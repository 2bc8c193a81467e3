//! `ferrovox skeleton`.

use super::{
    skeleton_json::json,
    skeleton_report::{SkeletonRun, readable},
};
use crate::{
    args::SkeletonArgs,
    terminal::{Terminal, remarks},
    watch::watched,
};
use ferrovox::{
    grid::Selection,
    pipeline::skeleton::{self, ObjectSource, PictureJob, SkeletonJob},
};

/// Makes the skeleton of the object in a volume, and says what it is like.
pub fn run(args: &SkeletonArgs, terminal: &Terminal) -> anyhow::Result<()> {
    args.params().check()?;
    let job = job(args)?;
    let made = watched(terminal, |monitor| skeleton::run(&job, monitor))?;
    let devices = &job.devices;
    let run = SkeletonRun {
        args,
        devices,
        made: &made,
    };
    terminal.report(&remarks(&made.warnings), || json(&run), || readable(&run))
}

fn job(args: &SkeletonArgs) -> anyhow::Result<SkeletonJob> {
    let object = ObjectSource::Volume {
        source: args.input.source().into(),
        voxels: match (args.iso, args.label) {
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
