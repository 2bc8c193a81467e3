//! From the options of `ferrovox skeleton` to a method.

use crate::{
    args::{LevelsName, SkeletonArgs},
    usage::refuse,
};
use ferrovox::{
    pipeline::skeleton::Method,
    skeleton::{Levels, SkeletonParams, SkeletonizeParams},
};

/// How skeletons are made.
///
/// # Errors
/// A usage error for options that the method does not have.
pub fn method(args: &SkeletonArgs) -> anyhow::Result<Method> {
    refuse_conflicts(args)?;
    match args.levels {
        LevelsName::Core => Ok(Method::Core(published(args))),
        LevelsName::Whole => Ok(Method::Whole(whole(args))),
        LevelsName::Detail => Ok(Method::Whole(SkeletonizeParams {
            detail: Some(
                args.curvature
                    .unwrap_or(SkeletonParams::default().curvature),
            ),
            ..whole(args)
        })),
    }
}

fn whole(args: &SkeletonArgs) -> SkeletonizeParams {
    let default = SkeletonizeParams::default();
    SkeletonizeParams {
        scale: args.scale.unwrap_or(default.scale),
        constant: args.constant.unwrap_or(default.constant),
        dust: args.dust.unwrap_or(default.dust),
        ..default
    }
}

fn published(args: &SkeletonArgs) -> SkeletonParams {
    let default = SkeletonParams::default();
    SkeletonParams {
        exponent: args.exponent.unwrap_or(default.exponent),
        levels: match (args.divergence, args.curvature) {
            (_, Some(_)) => Levels::Two,
            (Some(_), None) => Levels::One,
            (None, None) => Levels::Core,
        },
        divergence: args.divergence.unwrap_or(default.divergence),
        curvature: args.curvature.unwrap_or(default.curvature),
        fill: args.fill_cavities,
        surface: args.surface.map_or(default.surface, Into::into),
        precision: args.precision.map_or(default.precision, Into::into),
        boundary: args.boundary.map_or(default.boundary, Into::into),
        variant: args.variant.map_or(default.variant, Into::into),
        ..default
    }
}

/// Refuses options of another method.
fn refuse_conflicts(args: &SkeletonArgs) -> anyhow::Result<()> {
    let is_core = args.levels == LevelsName::Core;
    let of_core = |is_there: bool, problem| (is_there && !is_core, problem);
    let of_whole = |is_there: bool, problem| (is_there && is_core, problem);
    refuse(&[
        of_core(
            args.exponent.is_some(),
            "--exponent is of the published method: give --levels core with it",
        ),
        of_core(
            args.divergence.is_some(),
            "--divergence is of the published method: give --levels core with it",
        ),
        (
            args.curvature.is_some() && args.levels == LevelsName::Whole,
            "--curvature goes with --levels detail, and with --levels core",
        ),
        of_core(
            args.surface.is_some(),
            "--surface is of the published method: give --levels core with it",
        ),
        of_core(
            args.precision.is_some(),
            "--precision is of the published method: give --levels core with it",
        ),
        of_core(
            args.boundary.is_some(),
            "--boundary is of the published method: give --levels core with it",
        ),
        of_core(
            args.variant.is_some(),
            "--variant is of the published method: give --levels core with it",
        ),
        of_core(
            args.field.is_some(),
            "--field is of the published method, which alone has a force for each voxel: give --levels core with it",
        ),
        of_whole(
            args.scale.is_some(),
            "--scale does not go with --levels core: the published method covers nothing",
        ),
        of_whole(
            args.constant.is_some(),
            "--const does not go with --levels core: the published method covers nothing",
        ),
        of_whole(
            args.dust.is_some(),
            "--dust does not go with --levels core: every component has a skeleton there",
        ),
        of_whole(
            args.labels.is_some(),
            "--labels does not go with --levels core: name one --label",
        ),
        of_whole(
            args.require_certified,
            "--require-certified does not go with --levels core: the published method is certified by nothing",
        ),
    ])
}
