//! The command `ferrovox skeleton`.

use super::{
    skeleton_json::json,
    skeleton_method::method,
    skeleton_report::{SkeletonRun, readable},
};
use crate::{
    args::{SkeletonArgs, SkeletonMethodName},
    numbers::LabelList,
    terminal::{Terminal, remarks},
    watch::run_monitored,
};
use ferrovox::{
    device::Device,
    grid::Inside,
    pipeline::{
        Level,
        skeleton::{self, Method, ObjectSource, PictureJob, SkeletonJob},
    },
};

/// Extracts the skeleton of the object in a volume, or of each label, and reports on it.
pub fn run(args: &SkeletonArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let method = method(args)?;
    method.check()?;
    let job = job(args, method)?;
    let outcome = run_monitored(terminal, |monitor| skeleton::run(&job, monitor))?;
    // an empty list means that only the CPU was used
    let cpu = [Device::cpu()];
    let devices = if outcome.devices.is_empty() {
        &cpu[..]
    } else {
        &outcome.devices
    };
    let run = SkeletonRun {
        args,
        method: &job.method,
        devices,
        outcome: &outcome,
    };
    let remarks = remarks(&outcome.warnings);
    if args.require_certified && outcome.is_certified() == Some(false) {
        let problem = format!(
            "{}: the skeleton is not certified, as --require-certified demands",
            args.input.name()
        );
        return terminal.report_failed(&remarks, problem, || json(&run), || readable(&run));
    }
    terminal.report(&remarks, || json(&run), || readable(&run))
}

fn job(args: &SkeletonArgs, method: Method) -> anyhow::Result<SkeletonJob> {
    let source = Box::new(args.input.source());
    let object = match (&args.labels, args.iso, args.label) {
        (Some(list), _, _) => ObjectSource::Labels {
            source,
            labels: match list {
                LabelList::All => None,
                LabelList::Listed(labels) => Some(labels.clone()),
            },
        },
        (None, Some(threshold), _) => ObjectSource::Volume {
            source,
            level: Level::Iso(threshold),
            inside: Inside::Above,
        },
        (None, None, Some(label)) => ObjectSource::Volume {
            source,
            level: Level::Label(label),
            inside: Inside::Above,
        },
        (None, None, None) => ObjectSource::Volume {
            source,
            level: Level::NonZero,
            inside: Inside::Above,
        },
    };
    let needs_device = args.selected_method() == SkeletonMethodName::PotentialField
        || args.png.is_some()
        || args.fill_cavities;
    Ok(SkeletonJob {
        method,
        fill_cavities: args.fill_cavities,
        prune: args.prune_criterion(),
        join: args.join,
        merge: args.merge,
        outputs: args.output.clone(),
        field: args.field.clone(),
        picture: args.png.clone().map(|path| PictureJob {
            path,
            view: args.view,
            width: args.size.width,
            height: args.size.height,
            colours: args.colour.map(Into::into),
            tubes: args.tubes,
        }),
        ..SkeletonJob::new(object, args.device.open_if(needs_device)?)
    })
}
