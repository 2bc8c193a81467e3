//! Grouping of the frames of DICOM files to series, and selection of a series.

use crate::io::volume::dicom::image::{Frame, Image};
use crate::io::volume::dicom::pixel_format::PixelFormat;
use crate::io::{FileProblem, SelectionProblem, SeriesSelector};

/// Largest difference of the directions of two frames of a volume.
const DIRECTION_TOLERANCE: f64 = 1e-3;

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
