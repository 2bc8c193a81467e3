//! From the options of `ferrovox skeleton` to a method.

use crate::{
    args::{LevelsName, SkeletonArgs},
    usage::refuse,
};
use ferrovox::{
    pipeline::skeleton::Method,
    skeleton::{
        medial,
        potential_field::{self, Hierarchy},
    },
};

/// How skeletons are made.
///
/// # Errors
/// A usage error for options that the method does not have.
pub fn method(args: &SkeletonArgs) -> anyhow::Result<Method> {
    refuse_conflicts(args)?;
    match args.levels {
        LevelsName::Core => Ok(Method::PotentialField(published(args))),
        LevelsName::Whole => Ok(Method::Medial(whole(args))),
        LevelsName::Detail => Ok(Method::Medial(medial::Params {
            detail: Some(
                args.curvature
                    .unwrap_or(potential_field::Params::default().curvature),
            ),
            ..whole(args)
        })),
    }
}

fn whole(args: &SkeletonArgs) -> medial::Params {
    let default = medial::Params::default();
    medial::Params {
        scale: args.scale.unwrap_or(default.scale),
        constant: args.constant.unwrap_or(default.constant),
        dust: args.dust.unwrap_or(default.dust),
        ..default
    }
}

fn published(args: &SkeletonArgs) -> potential_field::Params {
    let default = potential_field::Params::default();
    potential_field::Params {
        exponent: args.exponent.unwrap_or(default.exponent),
        hierarchy: match (args.divergence, args.curvature) {
            (_, Some(_)) => Hierarchy::Curvature,
            (Some(_), None) => Hierarchy::Divergence,
            (None, None) => Hierarchy::Core,
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

const OF_CORE: &str = "is of the published method: give --levels core with it";
const COVERS_NOTHING: &str = "does not go with --levels core: the published method covers nothing";

/// Refuses options of another method.
fn refuse_conflicts(args: &SkeletonArgs) -> anyhow::Result<()> {
    let is_core = args.levels == LevelsName::Core;
    let is_other = !is_core;
    let is_whole = args.levels == LevelsName::Whole;
    // with what it is refused, and why
    let options = [
        (is_other, args.exponent.is_some(), "--exponent", OF_CORE),
        (is_other, args.divergence.is_some(), "--divergence", OF_CORE),
        (
            is_whole,
            args.curvature.is_some(),
            "--curvature",
            "goes with --levels detail, and with --levels core",
        ),
        (is_other, args.surface.is_some(), "--surface", OF_CORE),
        (is_other, args.precision.is_some(), "--precision", OF_CORE),
        (is_other, args.boundary.is_some(), "--boundary", OF_CORE),
        (is_other, args.variant.is_some(), "--variant", OF_CORE),
        (
            is_other,
            args.field.is_some(),
            "--field",
            "is of the published method, which alone has a force for each voxel: give --levels core with it",
        ),
        (is_core, args.scale.is_some(), "--scale", COVERS_NOTHING),
        (is_core, args.constant.is_some(), "--const", COVERS_NOTHING),
        (
            is_core,
            args.dust.is_some(),
            "--dust",
            "does not go with --levels core: every component has a skeleton there",
        ),
        (
            is_core,
            args.labels.is_some(),
            "--labels",
            "does not go with --levels core: name one --label",
        ),
        (
            is_core,
            args.require_certified,
            "--require-certified",
            "does not go with --levels core: the published method is certified by nothing",
        ),
    ];
    refuse(&options.map(|(is_refused, is_given, option, why)| {
        (is_refused && is_given, format!("{option} {why}"))
    }))
}
