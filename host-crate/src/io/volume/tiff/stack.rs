//! Meaning of the pages of a TIFF file: ImageJ's and OME's metadata.

use crate::io::FileProblem;
use crate::io::volume::tiff::{damaged, unsupported};
use crate::io::xml::{XmlPart, XmlParts, XmlTag};

/// Largest number of planes of a file.
const MAX_PLANES: u64 = 1 << 24;

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
        let unit = field("unit").map(|unit| unit.replace("\\u00B5", "µ"));
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
            spacing: [x.map(f64::recip), y.map(f64::recip), spacing],
            unit,
            software: Some("ImageJ"),
        })
    }

    /// Parses OME-XML. Only the first image is read; `components` is the number of interleaved
    /// components of a page, of which a channel consists.
    pub fn parse_ome(text: &str, components: u64) -> Result<(Self, u64), FileProblem> {
        let mut stack = None;
        let mut mappings = Vec::new();
        let mut images = 0;
        for part in XmlParts::new(text) {
            let XmlPart::Open(tag) = part else { continue };
            match tag.name {
                "Image" => images += 1,
                "Pixels" if images == 1 => stack = Some(Self::parse_pixels(&tag, components)?),
                "TiffData" if images == 1 => mappings.push(TiffData::parse(&tag)),
                "UUID" if images == 1 => {
                    if let Some(name) = tag.attribute("FileName") {
                        mappings
                            .iter_mut()
                            .rev()
                            .take(1)
                            .for_each(|it| it.file = Some(name.to_string()));
                    }
                }
                _ => {}
            }
        }
        let mut stack = stack.ok_or_else(|| damaged("the OME-XML has no pixels".to_owned()))?;
        let files: Vec<&String> = mappings.iter().filter_map(|it| it.file.as_ref()).collect();
        if files.iter().any(|file| *file != files[0]) {
            return Err(unsupported("an OME-TIFF of several files".to_owned()));
        }
        stack.apply(&mappings)?;
        Ok((stack, images))
    }

    fn parse_pixels(tag: &XmlTag<'_>, components: u64) -> Result<Self, FileProblem> {
        let size = |name: &str| {
            let size = tag.number::<u64>(name).unwrap_or(1);
            let is_valid = (1..=MAX_PLANES).contains(&size);
            is_valid
                .then_some(size)
                .ok_or_else(|| damaged(format!("the OME-XML has {name} {size}")))
        };
        let channels = size("SizeC")?;
        if channels % components != 0 {
            return Err(damaged(format!(
                "the OME-XML has {channels} channels in pages of {components} components"
            )));
        }
        let order = tag.attribute("DimensionOrder");
        let order = order.as_deref().unwrap_or("XYZCT");
        let sizes = [
            (PageAxis::Z, size("SizeZ")?),
            (PageAxis::Channel, channels / components),
            (PageAxis::Time, size("SizeT")?),
        ];
        let indices = match order {
            "XYZCT" => [0, 1, 2],
            "XYZTC" => [0, 2, 1],
            "XYCZT" => [1, 0, 2],
            "XYCTZ" => [1, 2, 0],
            "XYTZC" => [2, 0, 1],
            "XYTCZ" => [2, 1, 0],
            _ => return Err(damaged(format!("the OME-XML has the order {order:?}"))),
        };
        let planes = sizes
            .iter()
            .try_fold(1_u64, |all, (_, size)| all.checked_mul(*size));
        if planes.is_none_or(|planes| planes > MAX_PLANES) {
            return Err(damaged("the OME-XML has too many planes".to_owned()));
        }
        let spacing = ["PhysicalSizeX", "PhysicalSizeY", "PhysicalSizeZ"];
        let spacing = spacing.map(|name| {
            let length = tag.number::<f64>(name)?;
            (length.is_finite() && length > 0.0).then_some(length)
        });
        let unit = tag.attribute("PhysicalSizeXUnit");
        Ok(Self {
            axes: indices.map(|index| sizes[index]),
            pages: None,
            spacing,
            unit: Some(unit.map_or("µm".to_owned(), |unit| unit.into_owned())),
            software: Some("OME"),
        })
    }

    /// Assigns pages to planes as the elements `TiffData` state.
    fn apply(&mut self, mappings: &[TiffData]) -> Result<(), FileProblem> {
        let planes = self.planes();
        let mut pages: Vec<Option<u64>> = vec![None; planes as usize];
        let mut next = 0;
        for mapping in mappings {
            let mut plane = 0;
            let mut stride = 1;
            for (axis, size) in self.axes {
                let index = match axis {
                    PageAxis::Z => mapping.first[0],
                    PageAxis::Channel => mapping.first[1],
                    PageAxis::Time => mapping.first[2],
                };
                plane += index.min(size) * stride;
                stride *= size;
            }
            let page = mapping.page.unwrap_or(next);
            let is_single = mapping.page.is_some() || mapping.first != [0; 3];
            let count = mapping.count.unwrap_or(if is_single { 1 } else { planes });
            for k in 0..count.min(planes) {
                let slot = pages.get_mut((plane + k) as usize);
                *slot
                    .ok_or_else(|| damaged("the OME-XML maps planes out of range".to_owned()))? =
                    Some(page + k);
            }
            next = page + count;
        }
        if mappings.is_empty() {
            return Ok(());
        }
        let missing = pages.iter().filter(|page| page.is_none()).count();
        let pages: Option<Vec<u64>> = pages.into_iter().collect();
        let Some(pages) = pages else {
            return Err(damaged(format!(
                "the OME-XML has no pages for {missing} planes"
            )));
        };
        self.pages = Some(pages);
        Ok(())
    }
}

/// Pages of a range of planes.
struct TiffData {
    /// First z, channel and time.
    first: [u64; 3],
    page: Option<u64>,
    count: Option<u64>,
    file: Option<String>,
}

impl TiffData {
    fn parse(tag: &XmlTag<'_>) -> Self {
        let first = ["FirstZ", "FirstC", "FirstT"];
        let number = |name: &str| tag.number::<u64>(name).filter(|it| *it <= MAX_PLANES);
        Self {
            first: first.map(|name| number(name).unwrap_or(0)),
            page: number("IFD"),
            count: number("PlaneCount"),
            file: None,
        }
    }
}
