//! Meaning of the pages of an OME-TIFF file, from its OME-XML.

use super::stack::{MAX_PLANES, PageAxis, Stack};
use super::{damaged, unsupported};
use crate::io::FileProblem;
use crate::io::volume::length_unit::convert_to_first_unit;
use crate::io::xml::{XmlPart, XmlParts, XmlTag};

/// Parses OME-XML, and returns the stack of its first image and the number of images. `components`
/// is the number of interleaved components of a page, of which a channel consists, and `pages` the
/// number of pages.
pub(super) fn parse(text: &str, components: u64, pages: u64) -> Result<(Stack, u64), FileProblem> {
    let mut stack = None;
    let mut mappings = Vec::new();
    let mut images = 0;
    for part in XmlParts::new(text) {
        let XmlPart::Open(tag) = part else { continue };
        match tag.name {
            "Image" => images += 1,
            "Pixels" if images == 1 => stack = Some(parse_pixels(&tag, components)?),
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
    let planes = stack.planes();
    if planes > pages {
        return Err(damaged(format!(
            "the OME-XML describes {planes} planes, but there are {pages} pages"
        )));
    }
    stack.pages = map_pages(&stack, &mappings)?;
    Ok((stack, images))
}

fn parse_pixels(tag: &XmlTag<'_>, components: u64) -> Result<Stack, FileProblem> {
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
    let units = ["X", "Y", "Z"].map(|axis| {
        let unit = tag.attribute(&format!("PhysicalSize{axis}Unit"));
        Some(unit.map_or("µm".to_owned(), |unit| unit.into_owned()))
    });
    let spacing = convert_to_first_unit(spacing, units.clone()).map_err(damaged)?;
    let [unit, ..] = units;
    Ok(Stack {
        axes: indices.map(|index| sizes[index]),
        pages: None,
        spacing,
        unit,
        software: Some("OME"),
    })
}

/// Returns the page of every plane as the elements `TiffData` state; `None` if there are none, and
/// pages are in the order of the planes.
fn map_pages(stack: &Stack, mappings: &[TiffData]) -> Result<Option<Vec<u64>>, FileProblem> {
    if mappings.is_empty() {
        return Ok(None);
    }
    let planes = stack.planes();
    let mut pages: Vec<Option<u64>> = vec![None; planes as usize];
    let mut next = 0;
    for mapping in mappings {
        let mut plane = 0;
        let mut stride = 1;
        for (axis, size) in stack.axes {
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
            let slot =
                slot.ok_or_else(|| damaged("the OME-XML maps planes out of range".to_owned()))?;
            if slot.replace(page + k).is_some() {
                return Err(damaged(format!(
                    "the OME-XML maps plane {} twice",
                    plane + k
                )));
            }
        }
        next = page + count;
    }
    let missing = pages.iter().filter(|page| page.is_none()).count();
    let pages: Option<Vec<u64>> = pages.into_iter().collect();
    let pages =
        pages.ok_or_else(|| damaged(format!("the OME-XML has no pages for {missing} planes")))?;
    Ok(Some(pages))
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
