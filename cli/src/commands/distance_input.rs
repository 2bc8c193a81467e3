//! What `ferrovox distance` measures distances to.

use super::mesh::tell_conversion;
use crate::{
    args::DistanceArgs,
    input::{by, where_not_zero},
    terminal,
};
use anyhow::Context;
use ferrovox::{
    grid::{AnyVolume, Geometry, Sample, Volume},
    io::{ReadOptions, VolumeReader, read_points},
};
use nalgebra::Point3;

/// What was read, with the grid that the map will have.
pub struct Input {
    pub name: String,
    pub dims: [usize; 3],
    pub geometry: Geometry,
    pub content: Content,
}

pub enum Content {
    /// 1 where there is a site.
    Mask(Volume<u8>),
    /// A volume with the level that is the surface.
    Level(AnyVolume, f32),
    /// A volume of labels.
    Labels(AnyVolume),
    /// Points in voxels, and how many are outside the volume.
    Points(Vec<[f32; 3]>, u64),
}

impl Input {
    pub fn outside(&self) -> u64 {
        match self.content {
            Content::Points(_, outside) => outside,
            _ => 0,
        }
    }
}

/// Reads the input.
pub fn read(args: &DistanceArgs) -> anyhow::Result<Input> {
    if args.points {
        return points(args);
    }
    let name = args.input.name();
    let level = level(args)?;
    let file = args.input.read()?;
    args.input.tell_notes(&file.header);
    let volume = file.volume;
    let (dims, geometry) = (volume.dims(), *volume.geometry());
    let stored = file.header.stored_type.to_string();
    let content = if args.mask {
        Content::Mask(where_not_zero(&volume).with_context(|| name.clone())?)
    } else if let Some(level) = level {
        Content::Level(converted(args, volume, &stored), level)
    } else {
        Content::Labels(labels(&name, volume)?)
    };
    Ok(Input {
        name,
        dims,
        geometry,
        content,
    })
}

/// The level, as samples are compared with it.
pub fn level(args: &DistanceArgs) -> anyhow::Result<Option<f32>> {
    let Some(level) = args.level else {
        return Ok(None);
    };
    let rounded = level as f32;
    anyhow::ensure!(
        rounded.is_finite(),
        "{}: the level is {level}; give --level a finite number within the range of f32",
        args.input.name()
    );
    Ok(Some(rounded))
}

fn converted(args: &DistanceArgs, volume: AnyVolume, stored: &str) -> AnyVolume {
    let sample_type = volume.sample_type();
    let (volume, inexact) = volume.into_kernel_type();
    tell_conversion(&args.input, stored, sample_type.name(), inexact);
    volume
}

/// Labels are whole numbers, and must stay apart from each other.
fn labels(name: &str, volume: AnyVolume) -> anyhow::Result<AnyVolume> {
    let stored = volume.sample_type();
    let other = match &volume {
        AnyVolume::F32(volume) => first_fraction(volume),
        AnyVolume::F64(volume) => first_fraction(volume),
        _ => None,
    };
    if let Some((index, value)) = other {
        let [nx, ny, _] = volume.dims();
        anyhow::bail!(
            "{name}: voxel ({}, {}, {}) is {value}: labels are whole numbers; measure to a --level of such a volume",
            index % nx,
            index / nx % ny,
            index / (nx * ny)
        );
    }
    let (volume, inexact) = volume.into_kernel_type();
    anyhow::ensure!(
        inexact == 0,
        "{name}: {inexact} labels of {stored} are no exact numbers of f32, so that different labels could become one; \
         renumber them from 0"
    );
    Ok(volume)
}

/// The first sample that is no whole number.
fn first_fraction<T: Sample>(volume: &Volume<T>) -> Option<(usize, f64)> {
    let values = volume.samples().iter().map(|sample| sample.to_f64());
    values.enumerate().find(|(_, value)| value.fract() != 0.0)
}

fn points(args: &DistanceArgs) -> anyhow::Result<Input> {
    let name = args.input.name();
    let points = read_points(&args.input.volume)?;
    let (dims, geometry) = grid(args)?;
    let mut outside = 0;
    let mut first_outside = None;
    let mut in_voxels = Vec::with_capacity(points.len());
    for (number, point) in points.iter().enumerate() {
        let at = geometry.world_to_index(Point3::from(*point));
        let is_inside = (0..3).all(|k| at[k] >= -0.5 && at[k] <= dims[k] as f64 - 0.5);
        if !is_inside {
            outside += 1;
            first_outside.get_or_insert((number, point));
        }
        let at = [at.x as f32, at.y as f32, at.z as f32];
        anyhow::ensure!(
            at.iter().all(|coordinate| coordinate.is_finite()),
            "{name}: point {number} is at {point:?}, which is farther away than numbers of f32 reach"
        );
        in_voxels.push(at);
    }
    if let Some((number, at)) = first_outside {
        let what = format!(
            "{name}: {outside} of {} points are outside the volume of {} voxels, first point {number} at {at:?}",
            points.len(),
            by(dims)
        );
        anyhow::ensure!(!args.strict, "{what}; without --strict they count");
        terminal::note(&format!("{what}; they count"));
    }
    Ok(Input {
        name,
        dims,
        geometry,
        content: Content::Points(in_voxels, outside),
    })
}

/// The grid of `--like` or `--grid`. (One of them is given.)
fn grid(args: &DistanceArgs) -> anyhow::Result<([usize; 3], Geometry)> {
    let Some(like) = &args.like else {
        let dims = args.grid.unwrap_or([0; 3]);
        anyhow::ensure!(
            dims.iter().all(|&n| n > 0),
            "--grid {}: a map of no voxels; give three numbers from 1",
            by(dims)
        );
        let geometry = args.input.geometry(Geometry::default())?;
        return Ok((dims, geometry.unwrap_or_default()));
    };
    let volume = VolumeReader::open(like, &ReadOptions::default())?;
    let geometry = args.input.geometry(*volume.geometry())?;
    Ok((volume.dims(), geometry.unwrap_or(*volume.geometry())))
}
