//! From the options of `ferrovox skeleton` to a method.

use super::{LevelsName, SkeletonArgs};
use crate::usage::{UsageError, refuse};
use ferrovox::{
    pipeline::skeleton::Method,
    skeleton::{Levels, SkeletonParams, SkeletonizeParams},
};

impl SkeletonArgs {
    /// How skeletons are made.
    ///
    /// # Errors
    /// [`UsageError`] for options that the method does not have.
    pub fn method(&self) -> anyhow::Result<Method> {
        self.refuse_conflicts()?;
        match self.levels {
            LevelsName::Core => Ok(Method::Core(self.published())),
            LevelsName::Whole => Ok(Method::Whole(self.whole())),
            LevelsName::Detail => Ok(Method::Whole(detail(self.whole(), self.curvature)?)),
        }
    }

    fn whole(&self) -> SkeletonizeParams {
        let default = SkeletonizeParams::default();
        SkeletonizeParams {
            scale: self.scale.unwrap_or(default.scale),
            constant: self.constant.unwrap_or(default.constant),
            dust: self.dust.unwrap_or(default.dust),
            ..default
        }
    }

    fn published(&self) -> SkeletonParams {
        let default = SkeletonParams::default();
        SkeletonParams {
            exponent: self.exponent.unwrap_or(default.exponent),
            levels: match (self.divergence, self.curvature) {
                (_, Some(_)) => Levels::Two,
                (Some(_), None) => Levels::One,
                (None, None) => Levels::Core,
            },
            divergence: self.divergence.unwrap_or(default.divergence),
            curvature: self.curvature.unwrap_or(default.curvature),
            fill: self.fill_cavities,
            surface: self.surface.map_or(default.surface, Into::into),
            precision: self.precision.map_or(default.precision, Into::into),
            boundary: self.boundary.map_or(default.boundary, Into::into),
            variant: self.variant.map_or(default.variant, Into::into),
        }
    }

    /// Refuses options of another method.
    fn refuse_conflicts(&self) -> anyhow::Result<()> {
        let is_core = self.levels == LevelsName::Core;
        let of_core = |is_there: bool, problem| (is_there && !is_core, problem);
        let of_whole = |is_there: bool, problem| (is_there && is_core, problem);
        refuse(&[
            of_core(
                self.exponent.is_some(),
                "--exponent is of the published method: give --levels core with it",
            ),
            of_core(
                self.divergence.is_some(),
                "--divergence is of the published method: give --levels core with it",
            ),
            (
                self.curvature.is_some() && self.levels == LevelsName::Whole,
                "--curvature adds a level: give --levels core with it (the published method), or --levels detail",
            ),
            of_core(
                self.surface.is_some(),
                "--surface is of the published method: give --levels core with it",
            ),
            of_core(
                self.precision.is_some(),
                "--precision is of the published method: give --levels core with it",
            ),
            of_core(
                self.boundary.is_some(),
                "--boundary is of the published method: give --levels core with it",
            ),
            of_core(
                self.variant.is_some(),
                "--variant is of the published method: give --levels core with it",
            ),
            of_core(
                self.field.is_some(),
                "--field is of the published method, which alone has a force for each voxel: give --levels core with it",
            ),
            of_whole(
                self.scale.is_some(),
                "--scale does not go with --levels core: the published method covers nothing",
            ),
            of_whole(
                self.constant.is_some(),
                "--const does not go with --levels core: the published method covers nothing",
            ),
            of_whole(
                self.dust.is_some(),
                "--dust does not go with --levels core: every component has a skeleton there",
            ),
            of_whole(
                self.labels.is_some(),
                "--labels does not go with --levels core: name one --label",
            ),
            of_whole(
                self.require_certified,
                "--require-certified does not go with --levels core: the published method is certified by nothing",
            ),
        ])
    }
}

/// The parameters of `--levels detail`, with the fraction of the surface that gets branches.
fn detail(_params: SkeletonizeParams, _fraction: Option<f64>) -> anyhow::Result<SkeletonizeParams> {
    Err(UsageError(
        "--levels detail is not there yet: use --levels whole with a smaller --scale and --const for more branches, or --levels core with --curvature",
    )
    .into())
}
