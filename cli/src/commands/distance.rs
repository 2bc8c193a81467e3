//! `ferrovox distance`.

use super::{
    distance_compared::{BANDS, compared_json, compared_table},
    distance_report::{json, readable},
};
use crate::{
    args::{DistanceArgs, SampleName},
    terminal::{Terminal, remarks},
    usage::refuse,
    watch::watched,
};
use ferrovox::pipeline::distance::{
    Comparison, DistanceJob, PlanePicture, PointGrid, SitesFrom, compare, run as make,
};
use ferrovox::pipeline::{Level, VolumeSource};

/// Makes the map, or compares the methods, and says what was made.
pub fn run(args: &DistanceArgs, terminal: &Terminal) -> anyhow::Result<()> {
    refuse_conflicts(args)?;
    let job = job(args)?;
    if let Some(folder) = &args.compare {
        let comparison = Comparison {
            folder: folder.clone(),
            plane: args.slice,
            longest_side: args.size,
            bands: BANDS.to_vec(),
        };
        let outcome = watched(terminal, |monitor| compare(&job, &comparison, monitor))?;
        return terminal.report(
            &remarks(&outcome.warnings),
            || compared_json(args, &outcome),
            || compared_table(args, &outcome),
        );
    }
    let outcome = watched(terminal, |monitor| make(&job, monitor))?;
    terminal.report(
        &remarks(&outcome.warnings),
        || json(args, &job, &outcome),
        || readable(args, &job, &outcome),
    )
}

/// Refuses options that exclude each other.
fn refuse_conflicts(args: &DistanceArgs) -> anyhow::Result<()> {
    let whole_numbers = args.dtype != SampleName::F32;
    refuse(&[
        (
            args.points && args.like.is_none() && args.grid.is_none(),
            "--points needs the grid of the map: give --like VOLUME, or --grid NXxNYxNZ with --spacing",
        ),
        // clap asks for no argument that conflicts with one that is there
        (
            args.sub_voxel && args.iso.is_none(),
            "--sub-voxel goes with --iso",
        ),
        (
            !args.points && (args.like.is_some() || args.grid.is_some() || args.strict),
            "--like, --grid and --strict go with --points",
        ),
        (
            args.signed && (args.points || args.labels),
            "--signed goes with --iso and --nonzero: points and labels have no inside",
        ),
        (
            args.signed && whole_numbers,
            "--signed does not go with --dtype u16 or u32: squares have no sign",
        ),
        (
            whole_numbers && (args.points || args.sub_voxel),
            "--dtype u16 or u32 goes with sites that are voxels: of others the squared distances are no whole numbers",
        ),
        (
            args.slice.is_some() && args.png.is_none() && args.compare.is_none(),
            "--slice says which plane is drawn: give --png FILE.png with it",
        ),
        (
            args.labels && args.nearest.is_some(),
            "--nearest does not go with --labels",
        ),
    ])
}

fn job(args: &DistanceArgs) -> anyhow::Result<DistanceJob> {
    let sites = match (args.iso, args.points) {
        (Some(iso), _) => SitesFrom::Level {
            level: Level::Iso(iso),
            inside: args.inside.into(),
            sub_voxel: args.sub_voxel,
        },
        (None, true) => SitesFrom::Points {
            grid: match &args.like {
                Some(volume) => PointGrid::Like(volume.clone()),
                None => PointGrid::Dims(args.grid.unwrap_or_default()),
            },
            strict: args.strict,
        },
        (None, false) if args.labels => SitesFrom::Labels,
        (None, false) => SitesFrom::Mask,
    };
    let picture = args.slice.zip(args.png.clone());
    Ok(DistanceJob {
        input: VolumeSource {
            round_samples: args.round_samples,
            ..args.input.source()
        },
        sites,
        method: args.method.map(Into::into),
        signed: args.signed,
        max_distance: args.max_distance,
        samples: args.dtype.into(),
        output: args.output.clone(),
        nearest: args.nearest.clone(),
        picture: picture.map(|(plane, path)| PlanePicture {
            path,
            plane,
            longest_side: args.size,
        }),
        devices: args.device.open()?,
        memory: args.memory,
    })
}
