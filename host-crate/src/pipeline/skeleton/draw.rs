//! A picture of skeletons over their objects.

use super::{Made, PictureJob};
use crate::{
    device::Stream,
    graph::Skeleton,
    memory::CollectOrUnwind,
    pipeline::{PipelineError, Problem, at},
    render::{self, Picture, RenderParams, SkeletonStyle},
    with_device_volume,
};
use std::path::Path;

/// Draws the skeletons over their objects, with curves as wide as is seen in a picture of that
/// size.
pub fn draw(
    wanted: &PictureJob,
    stream: &Stream,
    made: &mut Made,
    path: &Path,
) -> Result<Picture, PipelineError> {
    let mut drawn = || -> Result<Picture, Problem> {
        let (solid, iso) = made.object.solid(stream)?;
        let params = RenderParams {
            iso,
            view: wanted.view,
            width: wanted.width,
            height: wanted.height,
            ..RenderParams::default()
        };
        let shorter = wanted.width.min(wanted.height);
        let style = SkeletonStyle {
            width: (shorter as f32 / 200.0).max(1.5),
            colours: wanted.colours,
            tubes: wanted.tubes,
            ..SkeletonStyle::default()
        };
        let labels = made.labels.iter();
        let skeletons: Vec<(i64, &Skeleton)> = labels
            .map(|it| (it.label, &it.skeleton))
            .collect_or_unwind();
        Ok(
            with_device_volume!(&solid, volume => render::skeletons(stream, volume, &skeletons, &params, &style))?,
        )
    };
    drawn().map_err(at(path))
}
