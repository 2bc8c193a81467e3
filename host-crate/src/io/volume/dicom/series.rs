//! Grouping of the frames of DICOM files to series, and their arrangement in space.

use std::cmp::Ordering;

use nalgebra::Vector3;

use crate::grid::Geometry;
use crate::io::volume::axes::complete_axes;
use crate::io::volume::dicom::image::{Frame, Image};
use crate::io::volume::dicom::pixel_format::PixelFormat;
use crate::io::{FileProblem, SelectionProblem, SeriesSelector};

/// Largest difference of the directions of two frames of a volume.
const DIRECTION_TOLERANCE: f64 = 1e-3;
/// Largest distance of a frame from its position in the grid, as a part of the spacing.
const POSITION_TOLERANCE: f64 = 0.01;
/// Distance of frames that counts as none, as a part of the spacing.
const SAME_POSITION: f64 = 0.01;
/// Largest number of missing positions that an error lists.
const MAX_LISTED: usize = 8;

/// Frames of one series with the same size, encoding and orientation.
pub(super) struct Series<'a> {
    pub uid: String,
    pub number: i64,
    pub description: String,
    pub modality: String,
    pub is_localizer: bool,
    pub format: PixelFormat,
    pub frames: Vec<Frame<'a>>,
}

impl Series<'_> {
    /// Returns the description of the series in a list.
    fn summary(&self) -> String {
        let mut text = self.modality.clone();
        if !self.description.is_empty() {
            text += &format!(" {:?}", self.description);
        }
        format!(
            "{}, {} x {} x {}, {}",
            text.trim(),
            self.format.columns,
            self.format.rows,
            self.frames.len(),
            self.uid
        )
    }
}

/// Sorts the frames of all images into series. Images of one series with another size, encoding or
/// orientation make another series of the same UID.
pub(super) fn group(images: Vec<Image<'_>>) -> Vec<Series<'_>> {
    let mut found: Vec<Series<'_>> = Vec::new();
    for image in images {
        for frame in image.frames {
            let fits = |series: &&mut Series<'_>| {
                series.uid == image.series
                    && series.is_localizer == image.is_localizer
                    && can_combine(&series.format, &image.format)
                    && series
                        .frames
                        .first()
                        .is_none_or(|other| is_parallel(other, &frame))
            };
            match found.iter_mut().find(fits) {
                Some(series) => series.frames.push(frame),
                None => found.push(Series {
                    uid: image.series.clone(),
                    number: image.series_number,
                    description: image.description.clone(),
                    modality: image.modality.clone(),
                    is_localizer: image.is_localizer,
                    format: image.format.clone(),
                    frames: vec![frame],
                }),
            }
        }
    }
    // Larger parts of a series come first.
    found.sort_by(|a, b| {
        let key = |it: &Series<'_>| (it.number, it.uid.clone());
        key(a)
            .cmp(&key(b))
            .then(b.frames.len().cmp(&a.frames.len()))
    });
    found
}

fn can_combine(a: &PixelFormat, b: &PixelFormat) -> bool {
    a.rows == b.rows && a == b
}

fn is_parallel(a: &Frame<'_>, b: &Frame<'_>) -> bool {
    let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-3 * a.abs();
    let directions = match (a.directions, b.directions) {
        (Some(a), Some(b)) => a
            .iter()
            .zip(&b)
            .all(|(a, b)| (a - b).norm() < DIRECTION_TOLERANCE),
        (None, None) => true,
        _ => false,
    };
    let spacing = match (a.spacing, b.spacing) {
        (Some(a), Some(b)) => is_near(a[0], b[0]) && is_near(a[1], b[1]),
        (None, None) => true,
        _ => false,
    };
    directions && spacing
}

/// Selects a series, and returns notes about those that are skipped.
pub(super) fn select<'a>(
    mut all: Vec<Series<'a>>,
    selector: Option<&SeriesSelector>,
) -> Result<(Series<'a>, Vec<String>), FileProblem> {
    let mut notes = Vec::new();
    if selector.is_none() && all.iter().any(|it| !it.is_localizer) {
        let localizers = all.extract_if(.., |it| it.is_localizer);
        for localizer in localizers.collect::<Vec<_>>() {
            notes.push(format!(
                "a localizer is skipped: {}; select it with --series to read it",
                localizer.summary()
            ));
        }
    }
    let matching: Vec<usize> = match selector {
        None => (0..all.len()).collect(),
        Some(selector) => matching(&all, selector),
    };
    let list = |series: &mut dyn Iterator<Item = &Series<'_>>| {
        let entries = series.enumerate();
        let entries = entries.map(|(index, it)| format!("{}: {}", index + 1, it.summary()));
        entries.collect::<Vec<_>>().join("; ")
    };
    match matching[..] {
        [only] => Ok((all.swap_remove(only), notes)),
        [] => {
            let selector = selector.map(ToString::to_string).unwrap_or_default();
            let list = list(&mut all.iter());
            Err(SelectionProblem::NoSuchSeries { selector, list }.into())
        }
        _ => {
            let list = list(&mut all.iter());
            let count = matching.len();
            Err(SelectionProblem::SeveralSeries { count, list }.into())
        }
    }
}

/// Returns the indices of the series that a selector names: by number in the list, by UID, or by a
/// part of the description or the modality.
fn matching(all: &[Series<'_>], selector: &SeriesSelector) -> Vec<usize> {
    let text = selector.0.as_str();
    if let Some(index) = text.parse::<usize>().ok().and_then(|it| it.checked_sub(1)) {
        return (index < all.len()).then_some(index).into_iter().collect();
    }
    let find = |is_match: &dyn Fn(&Series<'_>) -> bool| {
        let found = all.iter().enumerate().filter(|(_, it)| is_match(it));
        found.map(|(index, _)| index).collect::<Vec<_>>()
    };
    let by_uid = find(&|it| it.uid == text);
    if !by_uid.is_empty() {
        return by_uid;
    }
    let text = text.to_lowercase();
    find(&|it| it.description.to_lowercase().contains(&text) || it.modality.to_lowercase() == text)
}

/// Frames of a series in the order of their planes and volumes, and their grid.
pub(super) struct Arrangement<'a> {
    /// Frames of all volumes, those of a volume by position.
    pub frames: Vec<Frame<'a>>,
    pub planes: usize,
    pub volumes: usize,
    pub geometry: Geometry,
    pub has_spacing: bool,
    pub has_origin: bool,
    pub notes: Vec<String>,
}

/// Sorts the frames by position along the normal of the slices, and frames at one position by
/// time, echo, acquisition and instance.
pub(super) fn arrange(frames: Vec<Frame<'_>>) -> Result<Arrangement<'_>, FileProblem> {
    let positions: Option<Vec<Vector3<f64>>> = frames.iter().map(|it| it.position).collect();
    let directions = frames.first().and_then(|it| it.directions);
    match (positions, directions) {
        (Some(positions), Some([x, y])) => arrange_by_position(frames, &positions, [x, y]),
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
        notes.push("the file has no PixelSpacing; it is taken as 1".to_owned());
    }
    let [x, y] = spacing.unwrap_or([1.0; 2]);
    let spacing_known = spacing.is_some();
    let steps = [
        to_ras(Vector3::x()) * x,
        to_ras(Vector3::y()) * y,
        Vector3::z() * thickness.unwrap_or(1.0),
    ];
    let (planes, volumes) = (frames.len(), 1);
    Ok(Arrangement {
        geometry: Geometry::new(complete_axes(&steps), Vector3::zeros())?,
        frames,
        planes,
        volumes,
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
    let count = planes.len();
    let step = match planes.last() {
        Some((_, last)) if count > 1 => {
            check_regular(&planes, &mut notes)?;
            (last[0].position.unwrap_or_default() - origin) / (count - 1) as f64
        }
        _ => {
            let thickness = first.thickness;
            if thickness.is_none() {
                notes.push("the file has no slice thickness; it is taken as 1".to_owned());
            }
            normal * thickness.unwrap_or(1.0)
        }
    };
    check_straight(&planes, origin, step, &mut notes)?;
    let spacing = first.spacing;
    if spacing.is_none() {
        notes.push("the file has no PixelSpacing; it is taken as 1".to_owned());
    }
    let [dx, dy] = spacing.unwrap_or([1.0; 2]);
    let steps = [to_ras(x * dx), to_ras(y * dy), to_ras(step)];
    let geometry = Geometry::new(complete_axes(&steps), to_ras(origin))?;
    Ok(Arrangement {
        frames: by_volume(planes, volumes),
        planes: count,
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

/// Checks that planes are missing nowhere and have equal distances.
fn check_regular(planes: &[Plane<'_>], notes: &mut Vec<String>) -> Result<(), FileProblem> {
    let mut gaps: Vec<f64> = planes.windows(2).map(|it| it[1].0 - it[0].0).collect();
    gaps.sort_by(f64::total_cmp);
    let spacing = gaps[gaps.len() / 2];
    let mut missing = Vec::new();
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
        for k in 1..count as u64 {
            if missing.len() <= MAX_LISTED {
                missing.push(pair[0].0 + k as f64 * spacing);
            }
        }
    }
    if missing.is_empty() {
        if deviation > 1e-4 {
            notes.push(format!(
                "distances of slices differ by up to {:.2} % of {spacing:.4}",
                100.0 * deviation
            ));
        }
        return Ok(());
    }
    let listed = missing.iter().take(MAX_LISTED);
    let mut text: Vec<String> = listed.map(|it| format!("{it:.2}")).collect();
    if missing.len() > MAX_LISTED {
        text.push("more".to_owned());
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
    origin: Vector3<f64>,
    step: Vector3<f64>,
    notes: &mut Vec<String>,
) -> Result<(), FileProblem> {
    let mut worst = 0.0_f64;
    for (index, (_, frames)) in planes.iter().enumerate() {
        for frame in frames {
            let expected = origin + step * index as f64;
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
