//! Zarr, versions 2 and 3, with images of OME-NGFF, in a folder or a zip archive.
//!
//! Chunks are decoded when their planes are read. The format has no orientation: x, y and z are
//! those of the axes' names.

mod array;
mod axes;
mod blosc;
mod chunks;
mod codecs;
mod metadata;
mod store;
mod write;

pub(in crate::io) use store::is_zarr;
pub(in crate::io) use write::ZarrWriter;

use std::path::Path;

use serde_json::Value;

use crate::grid::Geometry;
use crate::io::source::decoded::DecodedPlanes;
use crate::io::source::{Remaining, Source};
use crate::io::volume::layout::Layout;
use crate::io::volume::length_unit::convert_to_first_unit;
use crate::io::volume::opened::OpenedVolume;
use crate::io::{
    ByteOrder, Compression, FileProblem, HeaderInfo, ReadOptions, SelectionProblem, VolumeFormat,
};
use array::Array;
use axes::{ArrayAxes, Level, Multiscale};
use chunks::{ChunkDecoder, plane_bytes};
use store::Store;

/// Largest size of metadata, in bytes.
const MAX_METADATA: u64 = 16 << 20;

/// Opens an archive.
pub(crate) fn open<'a>(
    source: Source<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let (Some(bytes), Remaining::Exactly(length)) = (source.positioned(), source.remaining())
    else {
        return Err(FileProblem::Unsupported {
            what: "a zip archive in a pipe".to_owned(),
            advice: "save it to a file",
        });
    };
    open_store(Store::open_zip(bytes, length)?, options)
}

/// Opens a folder.
pub(in crate::io) fn open_folder<'a>(
    folder: &Path,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    open_store(Store::open_folder(folder)?, options)
}

fn open_store<'a>(
    store: Store<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let mut notes = Vec::new();
    let (array, multiscale, level) = find_array(&store, options, &mut notes)?;
    let names: Vec<Option<String>> = match &multiscale {
        Some(found) if found.axes.len() == array.shape.len() => {
            found.axes.iter().map(|(name, _)| name.clone()).collect()
        }
        _ => array.dimension_names.clone(),
    };
    if array.shape.len() < 3 {
        return Err(unsupported(format!(
            "a Zarr array of {} axes",
            array.shape.len()
        )));
    }
    let axes = ArrayAxes::new(&names, &array);
    notes.extend(axes.note(&names));
    axes.check_chunks(&array)?;
    let (geometry, has_spacing, has_origin) =
        geometry(&axes, level.as_ref(), multiscale.as_ref(), &mut notes)?;
    let sizes: Vec<u64> = [axes.x, axes.y, axes.z]
        .iter()
        .chain(&axes.extra)
        .map(|axis| array.shape[*axis])
        .collect();
    let mut layout = Layout::new(&sizes, array.stored, ByteOrder::Little)?;
    if let Some(channel) = axes.channel {
        layout = layout.with_component_axis(3 + channel);
    }
    let mut header = HeaderInfo::new(VolumeFormat::Zarr, array.stored, ByteOrder::Little);
    header.version = Some(format!("Zarr {}", array.version));
    header.compression = array
        .codecs
        .iter()
        .find(|codec| **codec != codecs::Codec::Crc32c)
        .map_or(Compression::None, |codec| Compression::Named(codec.name()));
    (header.has_spacing, header.has_origin) = (has_spacing, has_origin);
    header.notes = notes;
    let bytes = plane_bytes(&array, &axes)?;
    let planes = sizes[2..].iter().product::<u64>();
    let planes = if bytes == 0 { 0 } else { planes };
    let decoder = ChunkDecoder {
        store,
        array,
        axes,
        indices: Default::default(),
    };
    let decoded = DecodedPlanes::new(decoder, bytes, planes);
    let source = Source::from_planes(decoded, false);
    Ok(OpenedVolume::new(source, layout, geometry, header))
}

/// Finds the array of the hierarchy: the root, or a resolution level of the first image.
fn find_array(
    store: &Store<'_>,
    options: &ReadOptions,
    notes: &mut Vec<String>,
) -> Result<(Array, Option<Multiscale>, Option<Level>), FileProblem> {
    if let Some(array) = Array::read(store, "")? {
        return Ok((array, None, None));
    }
    let mut prefix = String::new();
    let mut multiscale = Multiscale::parse(&attributes(store, "")?);
    if multiscale.is_none() {
        // bioformats2raw writes one group per image.
        prefix = "0/".to_owned();
        multiscale = Multiscale::parse(&attributes(store, &prefix)?);
        if multiscale.is_some() {
            notes.push(
                "the first image, 0, is read; name the folder of another to read it".to_owned(),
            );
        }
    }
    let Some(mut multiscale) = multiscale else {
        // A group with a single array of the usual name.
        return match Array::read(store, "0")? {
            Some(array) => Ok((array, None, None)),
            None => Err(damaged(
                "there is neither an array nor an image of OME; name the folder of an array"
                    .to_owned(),
            )),
        };
    };
    let count = multiscale.levels.len();
    let index = options.scale_level.unwrap_or(0);
    if index >= count {
        return Err(SelectionProblem::NoSuchScaleLevel { index, count }.into());
    }
    if count > 1 && options.scale_level.is_none() {
        notes.push(format!(
            "the image has {count} resolution levels; the finest is read, --scale-level selects another"
        ));
    }
    let level = multiscale.levels.swap_remove(index);
    let path = format!("{prefix}{}", level.path);
    let array = Array::read(store, &path)?;
    let array = array.ok_or_else(|| damaged(format!("there is no array {path:?}")))?;
    Ok((array, Some(multiscale), Some(level)))
}

/// Returns the attributes of a group of either version.
fn attributes(store: &Store<'_>, prefix: &str) -> Result<Value, FileProblem> {
    if let Some(bytes) = store.read(&format!("{prefix}zarr.json"), MAX_METADATA)? {
        return Ok(parse_json("zarr.json", &bytes)?["attributes"].take());
    }
    match store.read(&format!("{prefix}.zattrs"), MAX_METADATA)? {
        Some(bytes) => parse_json(".zattrs", &bytes),
        None => Ok(Value::Null),
    }
}

/// Returns the grid of a resolution level, and whether spacing and origin are stated.
fn geometry(
    axes: &ArrayAxes,
    level: Option<&Level>,
    multiscale: Option<&Multiscale>,
    notes: &mut Vec<String>,
) -> Result<(Geometry, bool, bool), FileProblem> {
    let spatial = [axes.x, axes.y, axes.z];
    let get = |list: Option<&Vec<f64>>, default: f64| {
        spatial.map(|axis| {
            list.and_then(|list| list.get(axis))
                .copied()
                .unwrap_or(default)
        })
    };
    let scale = level
        .map(|level| &level.scale)
        .filter(|list| !list.is_empty());
    let translation = level
        .map(|level| &level.translation)
        .filter(|list| !list.is_empty());
    if scale.is_none() {
        notes.push(
            "the array has no spacing; it is taken as 1, pass --spacing to state it".to_owned(),
        );
    }
    // An axis of another name, as of times, that is taken for z has no length.
    let units = [0, 1, 2].map(|index| {
        let (name, unit) = multiscale?.axes.get(spatial[index])?;
        let is_named = name
            .as_deref()?
            .eq_ignore_ascii_case(["x", "y", "z"][index]);
        unit.clone().filter(|_| is_named)
    });
    if let (Some(unit), true) = (&units[0], scale.is_some())
        && unit != "millimeter"
    {
        notes.push(format!("lengths in {unit}s are used as they are"));
    }
    let convert = |lengths: [f64; 3]| {
        let converted = convert_to_first_unit(lengths.map(Some), units.clone());
        converted.map(|it| it.map(Option::unwrap_or_default))
    };
    let spacing = convert(get(scale, 1.0)).map_err(damaged)?;
    let origin = convert(get(translation, 0.0)).map_err(damaged)?;
    if let Some(length) = spacing.iter().find(|it| **it <= 0.0 || !it.is_finite()) {
        return Err(damaged(format!("the scale along an axis is {length}")));
    }
    let geometry = Geometry::from_spacing(spacing, origin)?;
    Ok((geometry, scale.is_some(), translation.is_some()))
}

fn parse_json(name: &str, bytes: &[u8]) -> Result<Value, FileProblem> {
    serde_json::from_slice(bytes).map_err(|error| damaged(format!("{name}: {error}")))
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Zarr,
        problem,
    }
}

fn unsupported(what: String) -> FileProblem {
    FileProblem::Unsupported {
        what,
        advice: "save it with numbers of up to 64 bits, and with blosc, zstd, gzip or no compression",
    }
}
