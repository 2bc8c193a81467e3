//! Conversion of the options of `ferrovox skeleton` into a method with its parameters.

use crate::{
    args::{HierarchyName, LevelsName, SkeletonArgs, SkeletonMethodName},
    usage::refuse,
};
use ferrovox::{
    pipeline::skeleton::Method,
    skeleton::{
        medial::{self, BranchRule},
        potential_field::{self, Hierarchy},
    },
};

/// Returns the selected method with its parameters.
///
/// # Errors
/// A usage error for options that do not apply to the method.
pub fn method(args: &SkeletonArgs) -> anyhow::Result<Method> {
    refuse_conflicts(args)?;
    Ok(match args.selected_method() {
        SkeletonMethodName::Medial => Method::Medial(medial_params(args)),
        SkeletonMethodName::PotentialField => Method::PotentialField(potential_field_params(args)),
    })
}

fn medial_params(args: &SkeletonArgs) -> medial::Params {
    let default = medial::Params::default();
    let is_detailed = args.levels == Some(LevelsName::Detail);
    let detail = args.detail.or(is_detailed.then_some(DETAIL_SIGNIFICANCE));
    medial::Params {
        branches: branch_rule(args),
        dust: args.dust.unwrap_or(default.dust),
        fill_tunnels: args.fill_tunnels.unwrap_or(default.fill_tunnels),
        detail,
        ..default
    }
}

/// Significance of additional branches for the former option `--levels detail`.
const DETAIL_SIGNIFICANCE: f64 = 0.6;

/// Returns the rule for branches: coverage if one of its parameters is given, otherwise
/// significance.
fn branch_rule(args: &SkeletonArgs) -> BranchRule {
    let mut rule = if args.scale.is_some() || args.constant.is_some() {
        BranchRule::COVERAGE
    } else {
        BranchRule::SIGNIFICANCE
    };
    match &mut rule {
        BranchRule::Significance {
            min_significance,
            min_length,
        } => {
            *min_significance = args.significance.unwrap_or(*min_significance);
            *min_length = args.min_protrusion.unwrap_or(*min_length);
        }
        BranchRule::Coverage { scale, constant } => {
            *scale = args.scale.unwrap_or(*scale);
            *constant = args.constant.unwrap_or(*constant);
        }
    }
    rule
}

fn potential_field_params(args: &SkeletonArgs) -> potential_field::Params {
    let default = potential_field::Params::default();
    potential_field::Params {
        exponent: args.exponent.unwrap_or(default.exponent),
        hierarchy: args
            .hierarchy
            .map_or_else(|| implied_hierarchy(args), Into::into),
        divergence: args.divergence.unwrap_or(default.divergence),
        significance: args.significance.unwrap_or(default.significance),
        fill_cavities: args.input.object.fill_cavities,
        surface: args.surface.map_or(default.surface, Into::into),
        precision: args.precision.map_or(default.precision, Into::into),
        boundary: args.boundary.map_or(default.boundary, Into::into),
        variant: args.variant.map_or(default.variant, Into::into),
        ..default
    }
}

/// Returns the hierarchy level that the thresholds select without `--hierarchy`.
fn implied_hierarchy(args: &SkeletonArgs) -> Hierarchy {
    match (args.divergence, args.significance) {
        (_, Some(_)) => Hierarchy::Curvature,
        (Some(_), None) => Hierarchy::Divergence,
        (None, None) => Hierarchy::Core,
    }
}

/// Refuses options that do not apply to the selected method or hierarchy level.
fn refuse_conflicts(args: &SkeletonArgs) -> anyhow::Result<()> {
    let is_medial = args.selected_method() == SkeletonMethodName::Medial;
    let needs_potential_field = [
        ("--hierarchy", args.hierarchy.is_some()),
        ("--exponent", args.exponent.is_some()),
        ("--divergence", args.divergence.is_some()),
        ("--surface", args.surface.is_some()),
        ("--precision", args.precision.is_some()),
        ("--boundary", args.boundary.is_some()),
        ("--variant", args.variant.is_some()),
        ("--field", args.field.is_some()),
    ];
    let needs_medial = [
        ("--min-protrusion", args.min_protrusion.is_some()),
        ("--scale", args.scale.is_some()),
        ("--const", args.constant.is_some()),
        ("--detail", args.detail.is_some()),
        ("--dust", args.dust.is_some()),
        ("--fill-tunnels", args.fill_tunnels.is_some()),
        ("--require-certified", args.require_certified),
    ];
    let for_potential_field = needs_potential_field.iter().map(|&(option, is_given)| {
        let text = format!(
            "{option} applies to the potential-field method only; add --method potential-field"
        );
        (is_medial && is_given, text)
    });
    let for_medial = needs_medial.iter().map(|&(option, is_given)| {
        let text = format!(
            "{option} applies to the medial method only; omit it, or omit --method potential-field"
        );
        (!is_medial && is_given, text)
    });
    let others = [
        (
            !is_medial && args.input.object.labels.is_some(),
            "--labels applies to the medial method only; select one label with --label",
        ),
        (
            args.hierarchy == Some(HierarchyName::Core) && args.divergence.is_some(),
            "--divergence applies to the hierarchy levels divergence and curvature; omit --hierarchy core",
        ),
        (
            args.hierarchy
                .is_some_and(|level| level < HierarchyName::Curvature)
                && args.significance.is_some(),
            "--significance applies to the hierarchy level curvature; add --hierarchy curvature",
        ),
    ];
    let others = others.map(|(is_refused, text)| (is_refused, text.to_owned()));
    let problems: Vec<(bool, String)> = for_potential_field
        .chain(for_medial)
        .chain(others)
        .collect();
    refuse(&problems)
}
