//! Meaning of the pages of a TIFF file, with the metadata of ImageJ.

use crate::io::FileProblem;
use crate::io::volume::length_unit::convert_to_first_unit;
use crate::io::volume::tiff::damaged;

/// Largest number of planes of a file.
pub(super) const MAX_PLANES: u64 = 1 << 22;

/// Axis along which pages follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageAxis {
    Z,
    Channel,
    Time,
}

/// Arrangement of the planes, and spacing of the samples.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    /// Axes of the planes with their sizes, fastest first.
    pub axes: [(PageAxis, u64); 3],
    /// Page of every plane, if the pages are not in the order of the planes.
    pub pages: Option<Vec<u64>>,
    pub spacing: [Option<f64>; 3],
    /// Unit of the spacing.
    pub unit: Option<String>,
    /// Software whose metadata describe the stack.
    pub software: Option<&'static str>,
}

impl Stack {
    /// Returns the stack of pages without metadata: all pages are planes along z.
    pub fn from_pages(pages: u64) -> Self {
        Self {
            axes: [
                (PageAxis::Z, pages),
                (PageAxis::Channel, 1),
                (PageAxis::Time, 1),
            ],
            pages: None,
            spacing: [None; 3],
            unit: None,
            software: None,
        }
    }

    /// Returns the size along an axis.
    pub fn size(&self, axis: PageAxis) -> u64 {
        let found = self.axes.iter().find(|(known, _)| *known == axis);
        found.map_or(1, |(_, size)| *size)
    }

    /// Returns the number of planes.
    pub fn planes(&self) -> u64 {
        self.axes.iter().map(|(_, size)| size).product()
    }

    /// Returns the index of the page of a plane.
    pub fn page(&self, z: u64, channel: u64, time: u64) -> u64 {
        let (mut plane, mut stride) = (0, 1);
        for (axis, size) in self.axes {
            let index = match axis {
                PageAxis::Z => z,
                PageAxis::Channel => channel,
                PageAxis::Time => time,
            };
            plane += index * stride;
            stride *= size;
        }
        match &self.pages {
            Some(pages) => pages[plane as usize],
            None => plane,
        }
    }

    /// Parses the description that ImageJ writes into the first page; `None` if it has no counts.
    /// Planes are in the order channel, slice, frame.
    pub fn parse_imagej(text: &str, resolution: [Option<f64>; 2]) -> Result<Self, FileProblem> {
        let field = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once('='));
            lines
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.trim())
        };
        let count = |name: &str| -> Result<Option<u64>, FileProblem> {
            let Some(text) = field(name) else {
                return Ok(None);
            };
            let number = text.parse().ok().filter(|it| (1..=MAX_PLANES).contains(it));
            number
                .map(Some)
                .ok_or_else(|| damaged(format!("ImageJ's {name} is {text:?}")))
        };
        let (channels, slices, frames) = (count("channels")?, count("slices")?, count("frames")?);
        let images = count("images")?.unwrap_or(1);
        let [channels, frames] = [channels, frames].map(|it| it.unwrap_or(1));
        let slices = slices.unwrap_or_else(|| (images / channels.saturating_mul(frames)).max(1));
        let planes = channels
            .checked_mul(slices)
            .and_then(|it| it.checked_mul(frames));
        if planes != Some(images) {
            return Err(damaged(format!(
                "ImageJ states {images} images, but {channels} channels, {slices} slices and {frames} frames"
            )));
        }
        let spacing = field("spacing").and_then(|it| it.parse::<f64>().ok());
        let spacing = spacing.map(f64::abs).filter(|it| *it > 0.0);
        let name = |name: &str| field(name).map(|unit| unit.replace("\\u00B5", "µ"));
        let unit = name("unit");
        // Without a unit the resolution is that of a screen.
        let has_unit = unit.is_some();
        let [x, y] = resolution.map(|it| it.filter(|it| has_unit && *it > 0.0 && it.is_finite()));
        Ok(Self {
            axes: [
                (PageAxis::Channel, channels),
                (PageAxis::Z, slices),
                (PageAxis::Time, frames),
            ],
            pages: None,
            spacing: convert_to_first_unit(
                [x.map(f64::recip), y.map(f64::recip), spacing],
                [unit.clone(), name("yunit"), name("zunit")],
            )
            .map_err(damaged)?,
            unit,
            software: Some("ImageJ"),
        })
    }
}
