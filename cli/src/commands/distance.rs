//! Command `ferrovox distance`.

use super::{
    distance_comparison::{BANDS, comparison_json, comparison_table},
    distance_report::{json, text_report},
};
use crate::{
    args::{DistanceArgs, SampleName, SignName},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::run_monitored,
};
use ferrovox::pipeline::VolumeSource;
use ferrovox::pipeline::distance::{
    Comparison, DistanceJob, PlanePicture, PointGrid, SitesFrom, compare, run as compute,
};

/// Computes the map, or compares the methods, and prints a report.
pub fn run(args: &DistanceArgs, terminal: &Terminal) -> anyhow::Result<()> {
    check_conflicts(args)?;
    if let Some(points) = &args.at {
        return super::point_distances::run(args, points, terminal);
    }
    let distance_job = build_job(args)?;
    if let Some(folder) = &args.compare {
        let comparison = Comparison {
            folder: folder.clone(),
            plane: args.slice,
            longest_side: args.size,
            bands: BANDS.to_vec(),
        };
        let outcome = run_monitored(terminal, |monitor| {
            compare(&distance_job, &comparison, monitor)
        })?;
        return terminal.report(
            &remarks(&outcome.warnings),
            || comparison_json(args, &outcome),
            || comparison_table(args, &outcome),
        );
    }
    let outcome = run_monitored(terminal, |monitor| compute(&distance_job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &distance_job, &outcome),
        || text_report(args, &distance_job, &outcome),
    )
}

/// Rejects conflicting options.
fn check_conflicts(args: &DistanceArgs) -> anyhow::Result<()> {
    let is_squared = args.dtype != SampleName::F32;
    let object = &args.input.object;
    let has_labels = object.labels.is_some();
    let has_filter = object.mask.is_some() || object.largest || object.fill_cavities;
    let has_sites = args.nonzero || args.points || has_labels;
    let has_level = !object.iso.is_empty() || object.label.is_some();
    refuse(&[
        (
            !has_sites && !has_level && args.at.is_none(),
            "no sites: give --iso VALUE, --label LABEL, --nonzero, --labels or --points",
        ),
        (
            args.points && args.like.is_none() && args.grid.is_none(),
            "--points requires the grid of the map; add --like VOLUME, or --grid NXxNYxNZ with --spacing",
        ),
        // clap does not enforce requirements on arguments that conflict with a given one.
        (
            args.sub_voxel && args.input.object.iso.is_empty(),
            "--sub-voxel requires --iso",
        ),
        (
            (args.sub_voxel || args.points) && has_filter,
            "--mask, --largest and --fill-cavities concern voxels, but --points and --sub-voxel place the sites elsewhere; \
             omit them",
        ),
        (
            args.points && args.input.object.crop.is_some(),
            "--crop keeps a part of a volume, but --points reads points; give the grid of the map to --grid",
        ),
        (
            args.points && (object.resample.is_some() || object.smooth_volume.is_some()),
            "--resample and --smooth-volume change the samples of a volume, but --points reads points; omit them",
        ),
        (
            has_labels && (args.input.object.largest || args.input.object.fill_cavities),
            "--labels measures labels as they are; give one label to --label, or omit --largest and --fill-cavities",
        ),
        (
            !args.points && (args.like.is_some() || args.grid.is_some() || args.strict),
            "--like, --grid and --strict require --points",
        ),
        (
            args.signed.is_some() && args.points,
            "--signed requires --iso, --label, --nonzero or --labels, because points have no inside",
        ),
        (
            matches!(args.signed, Some(Some(_))) && args.sub_voxel,
            "--signed=CONVENTION requires voxels as sites; with --sub-voxel, use --signed alone",
        ),
        (
            has_labels
                && matches!(
                    args.signed,
                    Some(Some(SignName::Surface | SignName::Enclosed))
                ),
            "--labels supports only --signed=opposite: distances to the nearest voxel with another label",
        ),
        (
            args.signed.is_some() && is_squared,
            "--signed cannot be combined with --dtype u16 or u32, because squared distances have no sign",
        ),
        (
            is_squared && (args.points || args.sub_voxel),
            "--dtype u16 or u32 requires voxels as sites, because other squared distances are not integers",
        ),
        (
            args.slice.is_some() && args.png.is_none() && args.compare.is_none(),
            "--slice selects the plane of a picture; add --png FILE.png",
        ),
        (
            has_labels && args.nearest.is_some(),
            "--nearest is not available with --labels; measure to one label at a time",
        ),
    ])
}

fn build_job(args: &DistanceArgs) -> anyhow::Result<DistanceJob> {
    let object = &args.input.object;
    let sites = match (object.level(&args.input.name())?, &object.labels) {
        (Some(level), _) => SitesFrom::Level {
            level,
            inside: object.inside.into(),
            sub_voxel: args.sub_voxel,
        },
        (None, Some(list)) => SitesFrom::Labels {
            labels: list.listed(),
        },
        (None, None) if args.points => SitesFrom::Points {
            grid: match &args.like {
                Some(volume) => PointGrid::Like(volume.clone()),
                None => PointGrid::Dims(args.grid.unwrap_or_default()),
            },
            strict: args.strict,
        },
        (None, None) => SitesFrom::Mask,
    };
    let picture = args.slice.zip(args.png.clone());
    let devices = args.device.open()?;
    let input = VolumeSource {
        round_samples: args.round_samples,
        ..args.input.source()?
    };
    Ok(DistanceJob {
        input: input.filter_device(devices.first()),
        sites,
        filter: args.input.filter()?,
        method: args.method.map(Into::into),
        signed: args.signed.is_some(),
        sign_convention: args.signed.flatten().map(Into::into),
        max_distance: args.max_distance,
        samples: args.dtype.into(),
        output: args.output.clone(),
        nearest: args.nearest.clone(),
        picture: picture.map(|(plane, path)| PlanePicture {
            path,
            plane,
            longest_side: args.size,
        }),
        devices,
        memory: object.memory,
    })
}
