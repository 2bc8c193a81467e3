//! A picture of skeletons over their objects.

use super::{Made, PictureJob};
use crate::{
    device::Stream,
    graph::Skeleton,
    pipeline::{PipelineError, Problem, at},
    render::{self, Picture, RenderParams, SkeletonStyle},
    with_device_volume,
};
use std::{borrow::Cow, path::Path};

/// Draws the skeletons over their objects, with curves as wide as is seen in a picture of that size.
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
            ..SkeletonStyle::default()
        };
        let skeletons: Vec<&Skeleton> = made.labels.iter().map(|it| &it.skeleton).collect();
        let skeleton = joined(&skeletons);
        Ok(
            with_device_volume!(&solid, volume => render::skeleton(stream, volume, &skeleton, &params, &style))?,
        )
    };
    drawn().map_err(at(path))
}

/// All of them as one.
fn joined<'a>(skeletons: &[&'a Skeleton]) -> Cow<'a, Skeleton> {
    if let [one] = skeletons {
        return Cow::Borrowed(*one);
    }
    let mut all = Skeleton::default();
    for skeleton in skeletons {
        let first = all.nodes.len();
        all.geometry = skeleton.geometry;
        all.nodes.extend_from_slice(&skeleton.nodes);
        let edges = skeleton.edges.iter().cloned();
        all.edges.extend(edges.map(|mut edge| {
            edge.nodes = edge.nodes.map(|node| first + node);
            edge
        }));
    }
    Cow::Owned(all)
}
