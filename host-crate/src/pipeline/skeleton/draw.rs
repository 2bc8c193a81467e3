//! Rendering of skeletons over their objects.

use super::{ExtractedSkeletons, PictureJob};
use crate::{
    device::Stream,
    graph::Skeleton,
    memory::CollectOrUnwind,
    pipeline::{PipelineError, Problem, at},
    render::{self, Picture, RenderParams, SkeletonStyle},
    with_device_volume,
};
use std::path::Path;

/// Renders the skeletons over their objects, with a line width proportional to the picture's size.
pub fn draw(
    picture: &PictureJob,
    stream: &Stream,
    extracted: &mut ExtractedSkeletons,
    path: &Path,
) -> Result<Picture, PipelineError> {
    let mut render = || -> Result<Picture, Problem> {
        let (solid, iso) = extracted.object.upload_rendered(stream)?;
        let params = RenderParams {
            iso,
            view: picture.view,
            width: picture.width,
            height: picture.height,
            ..RenderParams::default()
        };
        let shorter = picture.width.min(picture.height);
        let style = SkeletonStyle {
            width: (shorter as f32 / 200.0).max(1.5),
            colours: picture.colours,
            tubes: picture.tubes,
            ..SkeletonStyle::default()
        };
        let labels = extracted.labels.iter();
        let skeletons: Vec<(i64, &Skeleton)> = labels
            .map(|label| (label.label, &label.skeleton))
            .collect_or_unwind();
        Ok(
            with_device_volume!(&solid, volume => render::skeletons(stream, volume, &skeletons, &params, &style))?,
        )
    };
    render().map_err(at(path))
}
