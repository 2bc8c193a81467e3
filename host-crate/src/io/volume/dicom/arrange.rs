//! Arrangement of the frames of a series in space.

use std::cmp::Ordering;

use nalgebra::Vector3;

use crate::grid::Geometry;
use crate::io::volume::axes::complete_axes;
use crate::io::volume::dicom::damaged;
use crate::io::volume::dicom::image::Frame;
use crate::io::{FileProblem, SelectionProblem};

/// Largest distance of a frame from its position in the grid, as a part of the spacing.
const POSITION_TOLERANCE: f64 = 0.01;
/// Distance of frames that counts as none, as a part of the spacing.
const SAME_POSITION: f64 = 0.01;
/// Largest number of missing positions that a message lists.
const MAX_LISTED: usize = 8;

/// Note about a series without a distance of its samples.
const NO_SPACING: &str = "the file has no valid PixelSpacing; it is taken as 1";

/// Frames of a series in the order of their planes and volumes, and their grid.
pub(super) struct Arrangement<'a> {
    /// Frames of all volumes, those of a volume by position.
    pub frames: Vec<Frame<'a>>,
    /// Frames that the planes of a volume come from, as indices within the volume.
    pub planes: Vec<PlaneFrames>,
    pub volumes: usize,
    pub geometry: Geometry,
    pub has_spacing: bool,
    pub has_origin: bool,
    pub notes: Vec<String>,
}

/// Frames that a plane comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PlaneFrames {
    /// A frame.
    Stored(usize),
    /// A missing plane between a frame and the next one, at this fraction of their distance.
    Between(usize, f64),
}

/// Sorts the frames by position along the normal of the slices, and frames at one position by
/// time, echo, acquisition and instance. Missing planes are an error unless gaps are filled.
pub(super) fn arrange(
    frames: Vec<Frame<'_>>,
    fills_gaps: bool,
) -> Result<Arrangement<'_>, FileProblem> {
    let missing = frames.iter().filter(|it| it.position.is_none()).count();
    if (1..frames.len()).contains(&missing) {
        return Err(damaged(format!(
            "{missing} of {} images of the series have no valid ImagePositionPatient; remove them, or \
             repair the attribute",
            frames.len()
        )));
    }
    let positions: Option<Vec<Vector3<f64>>> = frames.iter().map(|it| it.position).collect();
    let directions = frames.first().and_then(|it| it.directions);
    match (positions, directions) {
        (Some(positions), Some(directions)) => {
            arrange_by_position(frames, &positions, directions, fills_gaps)
        }
        _ => arrange_by_order(frames),
    }
}

/// Arranges frames without positions by their order.
fn arrange_by_order(mut frames: Vec<Frame<'_>>) -> Result<Arrangement<'_>, FileProblem> {
    frames.sort_by(|a, b| compare_order(&a.order, &b.order));
    let mut notes = Vec::new();
    let first = frames.first();
    let spacing = first.and_then(|it| it.spacing);
    let thickness = first.and_then(|it| it.thickness);
    if frames.len() > 1 {
        notes.push(
            "the images have no positions; they are taken in the order of their numbers".to_owned(),
        );
    }
    if spacing.is_none() {
        notes.push(NO_SPACING.to_owned());
    }
    let [x, y] = spacing.unwrap_or([1.0; 2]);
    let spacing_known = spacing.is_some();
    let steps = [
        to_ras(Vector3::x()) * x,
        to_ras(Vector3::y()) * y,
        Vector3::z() * thickness.unwrap_or(1.0),
    ];
    Ok(Arrangement {
        geometry: Geometry::new(complete_axes(&steps), Vector3::zeros())?,
        planes: (0..frames.len()).map(PlaneFrames::Stored).collect(),
        frames,
        volumes: 1,
        has_spacing: spacing_known,
        has_origin: false,
        notes,
    })
}

fn compare_order(a: &[f64; 6], b: &[f64; 6]) -> Ordering {
    let mut pairs = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    pairs.find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
}

fn arrange_by_position<'a>(
    frames: Vec<Frame<'a>>,
    positions: &[Vector3<f64>],
    [x, y]: [Vector3<f64>; 2],
    fills_gaps: bool,
) -> Result<Arrangement<'a>, FileProblem> {
    let normal = x.cross(&y).normalize();
    let mut sorted: Vec<(f64, Frame<'a>)> = positions
        .iter()
        .map(|position| normal.dot(position))
        .zip(frames)
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let planes = split_at_gaps(sorted);
    let volumes = planes.first().map_or(0, |(_, frames)| frames.len());
    if let Some((distance, frames)) = planes.iter().find(|(_, it)| it.len() != volumes) {
        return Err(SelectionProblem::UnevenSeries {
            position: *distance,
            found: frames.len(),
            expected: volumes,
        }
        .into());
    }
    let mut notes = Vec::new();
    let first = &planes[0].1[0];
    let origin = first.position.unwrap_or_default();
    let mut indices = vec![0];
    let step = match planes.last() {
        Some((_, last)) if planes.len() > 1 => {
            indices = plane_indices(&planes, fills_gaps, &mut notes)?;
            let steps = indices.last().map_or(1, |last| *last);
            (last[0].position.unwrap_or_default() - origin) / steps as f64
        }
        _ => {
            let thickness = first.thickness;
            if thickness.is_none() {
                notes.push("the file has no slice thickness; it is taken as 1".to_owned());
            }
            normal * thickness.unwrap_or(1.0)
        }
    };
    check_straight(&planes, &indices, origin, step, &mut notes)?;
    let spacing = first.spacing;
    if spacing.is_none() {
        notes.push(NO_SPACING.to_owned());
    }
    let [dx, dy] = spacing.unwrap_or([1.0; 2]);
    let steps = [to_ras(x * dx), to_ras(y * dy), to_ras(step)];
    let geometry = Geometry::new(complete_axes(&steps), to_ras(origin))?;
    Ok(Arrangement {
        frames: by_volume(planes, volumes),
        planes: with_missing(&indices),
        volumes,
        geometry,
        has_spacing: spacing.is_some(),
        has_origin: true,
        notes,
    })
}

/// Frames at one position, with its distance along the normal.
type Plane<'a> = (f64, Vec<Frame<'a>>);

/// Groups sorted frames by position.
fn split_at_gaps(sorted: Vec<(f64, Frame<'_>)>) -> Vec<Plane<'_>> {
    let distances: Vec<f64> = sorted.iter().map(|(distance, _)| *distance).collect();
    let extent = distances.last().unwrap_or(&0.0) - distances.first().unwrap_or(&0.0);
    let mut gaps: Vec<f64> = distances.windows(2).map(|it| it[1] - it[0]).collect();
    // Rounded positions of one place differ by far less than a part of the mean distance.
    gaps.retain(|gap| *gap > 1e-3 * extent / distances.len() as f64);
    gaps.sort_by(f64::total_cmp);
    let spacing = gaps.get(gaps.len() / 2).copied().unwrap_or(f64::INFINITY);
    let mut planes: Vec<Plane<'_>> = Vec::new();
    for (distance, frame) in sorted {
        match planes.last_mut() {
            Some((last, frames)) if distance - *last <= SAME_POSITION * spacing => {
                frames.push(frame);
            }
            _ => planes.push((distance, vec![frame])),
        }
    }
    for (_, frames) in &mut planes {
        frames.sort_by(|a, b| compare_order(&a.order, &b.order));
    }
    planes
}

/// Returns the index of each plane in a grid of equal distances. Missing planes are an error unless
/// gaps are filled; at most as many are as there are planes.
fn plane_indices(
    planes: &[Plane<'_>],
    fills_gaps: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<usize>, FileProblem> {
    let mut gaps: Vec<f64> = planes.windows(2).map(|it| it[1].0 - it[0].0).collect();
    gaps.sort_by(f64::total_cmp);
    let spacing = gaps[gaps.len() / 2];
    let mut missing = Vec::new();
    let mut missing_count = 0.0;
    let mut indices = vec![0];
    let mut deviation = 0.0_f64;
    for pair in planes.windows(2) {
        let gap = (pair[1].0 - pair[0].0) / spacing;
        let count = gap.round();
        if count < 1.0 || (gap - count).abs() > 0.1 {
            return Err(SelectionProblem::IrregularSeries {
                spacing,
                from: pair[0].0,
                to: pair[1].0,
            }
            .into());
        }
        deviation = deviation.max((gap - count).abs());
        missing_count += count - 1.0;
        let left = MAX_LISTED + 1 - missing.len();
        missing.extend(
            (1..count as u64)
                .take(left)
                .map(|k| pair[0].0 + k as f64 * spacing),
        );
        let last: usize = indices.last().map_or(0, |last| *last);
        indices.push(last.saturating_add(count as usize));
    }
    if missing.is_empty() {
        if deviation > 1e-4 {
            notes.push(format!(
                "distances of slices differ by up to {:.2} % of {spacing:.4}",
                100.0 * deviation
            ));
        }
        return Ok(indices);
    }
    let listed = missing.iter().take(MAX_LISTED);
    let mut text: Vec<String> = listed.map(|it| format!("{it:.2}")).collect();
    if missing.len() > MAX_LISTED {
        text.push("more".to_owned());
    }
    if fills_gaps && missing_count <= planes.len() as f64 {
        notes.push(format!(
            "slices are missing at {} along the normal ({missing_count} in all); they are interpolated",
            text.join(", ")
        ));
        return Ok(indices);
    }
    Err(SelectionProblem::MissingSlices {
        positions: text.join(", "),
    }
    .into())
}

/// Checks that the positions lie on a line, along which the first samples of the planes are equally
/// spaced.
fn check_straight(
    planes: &[Plane<'_>],
    indices: &[usize],
    origin: Vector3<f64>,
    step: Vector3<f64>,
    notes: &mut Vec<String>,
) -> Result<(), FileProblem> {
    let mut worst = 0.0_f64;
    for (index, (_, frames)) in indices.iter().zip(planes) {
        for frame in frames {
            let expected = origin + step * *index as f64;
            let distance = (frame.position.unwrap_or_default() - expected).norm();
            worst = worst.max(distance / step.norm());
        }
    }
    if worst > 10.0 * POSITION_TOLERANCE {
        return Err(SelectionProblem::CrookedSeries { deviation: worst }.into());
    }
    if worst > POSITION_TOLERANCE / 10.0 {
        notes.push(format!(
            "positions of slices deviate from a regular grid by up to {:.2} % of their distance",
            100.0 * worst
        ));
    }
    Ok(())
}

/// Returns the frames of all planes from the indices of the planes that have one.
fn with_missing(indices: &[usize]) -> Vec<PlaneFrames> {
    let mut planes = vec![PlaneFrames::Stored(0)];
    for (frame, pair) in indices.windows(2).enumerate() {
        let steps = pair[1] - pair[0];
        let between = (1..steps).map(|k| PlaneFrames::Between(frame, k as f64 / steps as f64));
        planes.extend(between);
        planes.push(PlaneFrames::Stored(frame + 1));
    }
    planes
}

/// Reorders frames by volume first, then by plane.
fn by_volume(planes: Vec<Plane<'_>>, volumes: usize) -> Vec<Frame<'_>> {
    let mut columns: Vec<_> = planes
        .into_iter()
        .map(|(_, frames)| frames.into_iter())
        .collect();
    let mut ordered = Vec::new();
    for _ in 0..volumes {
        ordered.extend(columns.iter_mut().filter_map(Iterator::next));
    }
    ordered
}

/// Converts a vector from LPS to RAS.
fn to_ras(vector: Vector3<f64>) -> Vector3<f64> {
    Vector3::new(-vector.x, -vector.y, vector.z)
}
