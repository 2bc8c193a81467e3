//! The command `ferrovox skeleton`.

use super::{
    skeleton_json::json,
    skeleton_method::method,
    skeleton_report::{SkeletonRun, readable},
};
use crate::{
    args::{SkeletonArgs, SkeletonMethodName},
    terminal::{Terminal, remarks},
    watch::run_monitored,
};
use ferrovox::{
    device::Device,
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
    let selected = &args.input.object;
    let filter = args.input.filter()?;
    let needs_device = args.selected_method() == SkeletonMethodName::PotentialField
        || args.png.is_some()
        || filter.needs_device()
        || selected.resample.is_some()
        || selected.smooth_volume.is_some();
    let devices = args.device.open_if(needs_device)?;
    let source = Box::new(args.input.source()?.filter_device(devices.first()));
    let object = match (&selected.labels, selected.level(&args.input.name())?) {
        (Some(list), _) => ObjectSource::Labels {
            source,
            labels: list.listed(),
        },
        (None, level) => ObjectSource::Volume {
            source,
            level: level.unwrap_or(Level::NonZero),
            inside: selected.inside.into(),
        },
    };
    Ok(SkeletonJob {
        method,
        filter,
        prune: args.edits.prune_criterion(),
        join: args.edits.join,
        merge: args.edits.merge,
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
        ..SkeletonJob::new(object, devices)
    })
}
