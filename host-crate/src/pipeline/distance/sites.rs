//! What distances are measured to, as it is read.

use super::{
    DistanceInputError, DistanceJob, DistanceJobError, PointGrid, PointsOutside, SitesFrom,
    long_labels::told_apart,
};
use crate::{
    distance::Method,
    grid::{AnyVolume, Geometry, Inside, Mask, Points, first_fraction},
    io::{ReadMaskError, ReadOptions, VolumeFile, VolumeReader, read_mask, read_points},
    memory,
    pipeline::{
        PipelineError, VolumeSource, Warning, at, kernel_volume::is_wide, level::ResolvedLevel,
        source::notes_of,
    },
};

/// What was read, on the grid that the map will have.
pub(super) enum Found {
    Voxels(Voxels),
    Points(Points),
    /// A volume whose crossings of a level are the sites.
    Crossings {
        volume: AnyVolume,
        level: f32,
        inside: Inside,
    },
    Labels(AnyVolume),
}

/// Sites that are voxels.
pub(super) struct Voxels {
    /// The sites, or what is inside the level, whose surface they are.
    pub mask: Mask,
    pub is_inside: bool,
    /// The points whose voxels these are, and the voxel of each.
    pub points: Option<(Points, Vec<u64>)>,
}

impl Found {
    pub fn dims(&self) -> [usize; 3] {
        match self {
            Self::Voxels(voxels) => voxels.mask.dims(),
            Self::Points(points) => points.dims(),
            Self::Crossings { volume, .. } | Self::Labels(volume) => volume.dims(),
        }
    }

    pub fn geometry(&self) -> &Geometry {
        match self {
            Self::Voxels(voxels) => voxels.mask.geometry(),
            Self::Points(points) => points.geometry(),
            Self::Crossings { volume, .. } | Self::Labels(volume) => volume.geometry(),
        }
    }

    /// Points outside the grid.
    pub fn outside(&self) -> u64 {
        match self {
            Self::Points(points) => points.outside().count,
            _ => 0,
        }
    }
}

/// Reads the sites. Points that all are at centres of voxels become these, unless a method is asked
/// for that takes points.
pub(super) fn read(
    job: &DistanceJob,
    level: Option<ResolvedLevel>,
    warnings: &mut Vec<Warning>,
) -> Result<Found, PipelineError> {
    match &job.sites {
        SitesFrom::Mask => {
            let mask = read_bits(job, warnings, |sample, _| sample != 0.0)?.0;
            Ok(voxels(mask, false))
        }
        &SitesFrom::Level {
            inside, sub_voxel, ..
        } => match level {
            Some(level) => level_sites(job, level, inside, sub_voxel, warnings),
            None => Err(DistanceJobError::Conflict("the level is not resolved").into()),
        },
        SitesFrom::Labels => {
            let volume = read_volume(job, warnings)?.volume;
            Ok(Found::Labels(
                labels(volume).map_err(job.input.error::<DistanceInputError>())?,
            ))
        }
        SitesFrom::Points { grid, strict } => points(job, grid, *strict, warnings),
    }
}

/// Reads the sites of a level: voxels of the surface, or points on grid edges.
fn level_sites(
    job: &DistanceJob,
    level: ResolvedLevel,
    inside: Inside,
    sub_voxel: bool,
    warnings: &mut Vec<Warning>,
) -> Result<Found, PipelineError> {
    let rounded = finite(&job.input, level.isovalue())?;
    if sub_voxel {
        let file = read_volume(job, warnings)?;
        let converted = level.kernel_volume(&job.input, &file.header, file.volume)?;
        warnings.extend(job.input.conversion(&file.header, converted.inexact));
        return Ok(Found::Crossings {
            volume: converted.volume,
            level: converted.iso,
            inside,
        });
    }
    let (mask, conversion) = match level {
        // integers that f32 may not represent are compared exactly
        ResolvedLevel::Iso(iso) => {
            read_bits(job, warnings, |sample, is_wide| match (is_wide, inside) {
                (true, Inside::Above) => sample >= iso,
                (true, Inside::Below) => sample < iso,
                _ => inside.holds(sample, rounded),
            })?
        }
        ResolvedLevel::Selection(selection) => {
            let is_selected = selection.predicate(job.input.open()?.sample_type());
            read_bits(job, warnings, |sample, _| {
                is_selected(sample) == (inside == Inside::Above)
            })?
        }
    };
    warnings.extend(conversion);
    Ok(voxels(mask, true))
}

fn voxels(mask: Mask, is_inside: bool) -> Found {
    Found::Voxels(Voxels {
        mask,
        is_inside,
        points: None,
    })
}

/// The level, as samples are compared with it.
fn finite(input: &VolumeSource, level: f64) -> Result<f32, PipelineError> {
    match level as f32 {
        rounded if rounded.is_finite() => Ok(rounded),
        _ => Err(input.error()(DistanceInputError::Level { level })),
    }
}

fn read_volume(
    job: &DistanceJob,
    warnings: &mut Vec<Warning>,
) -> Result<VolumeFile, PipelineError> {
    let file = job.input.read()?;
    warnings.extend(job.input.notes(&file.header));
    Ok(file)
}

/// Reads a bit of each sample, some planes at a time, and the warning about samples that were
/// rounded for that. `is_site` is also told whether samples are [wide](is_wide) integers.
fn read_bits(
    job: &DistanceJob,
    warnings: &mut Vec<Warning>,
    is_site: impl Fn(f64, bool) -> bool + Sync,
) -> Result<(Mask, Option<Warning>), PipelineError> {
    let mut reader = job.input.open()?;
    let header = reader.header().clone();
    let is_wide = is_wide(&header, reader.sample_type());
    warnings.extend(job.input.notes(&header));
    let geometry = job.input.geometry(reader.geometry())?;
    let read = read_mask(&mut reader, |sample| is_site(sample, is_wide));
    let (mask, inexact) = read.map_err(|error| match error {
        ReadMaskError::File(error) => error.into(),
        ReadMaskError::Grid(error) => job.input.error()(error),
    })?;
    let mask = match geometry {
        Some(geometry) => mask.with_geometry(geometry),
        None => mask,
    };
    let inexact = if is_wide { 0 } else { inexact };
    let conversion = job.input.conversion(&header, inexact);
    Ok((mask, conversion))
}

/// Labels are whole numbers, and must stay apart from each other.
fn labels(volume: AnyVolume) -> Result<AnyVolume, DistanceInputError> {
    let dims = volume.dims();
    let fraction = match &volume {
        AnyVolume::F32(volume) => first_fraction(volume.samples(), dims),
        AnyVolume::F64(volume) => first_fraction(volume.samples(), dims),
        _ => None,
    };
    if let Some((voxel, value)) = fraction {
        return Err(DistanceInputError::Fraction { voxel, value });
    }
    told_apart(volume)
}

fn points(
    job: &DistanceJob,
    grid: &PointGrid,
    strict: bool,
    warnings: &mut Vec<Warning>,
) -> Result<Found, PipelineError> {
    let path = &job.input.path;
    let read = read_points(path)?;
    let (dims, geometry) = grid_of(job, grid, warnings)?;
    let in_world = memory::try_collect("points", read.iter().copied().map(Into::into));
    let in_world = in_world.map_err(at(path))?;
    let points = Points::from_world(&in_world, dims, geometry).map_err(job.input.error())?;
    let outside = points.outside();
    if let Some(first) = outside.first {
        let outside = PointsOutside {
            count: outside.count,
            all: read.len(),
            dims,
            first,
            at: read[first],
        };
        if strict {
            return Err(job.input.error()(DistanceInputError::Outside(Box::new(
                outside,
            ))));
        }
        let path = path.clone();
        warnings.push(Warning::Outside { path, outside });
    }
    let may_be_voxels = matches!(job.method, None | Some(Method::Separable));
    let voxels = points.try_voxels().map_err(at(path))?;
    match voxels.filter(|_| may_be_voxels) {
        Some(voxels) if !voxels.is_empty() => {
            job.check_slabs()?;
            let mask = Mask::from_indices(&voxels, dims, geometry).map_err(job.input.error())?;
            Ok(Found::Voxels(Voxels {
                mask,
                is_inside: false,
                points: Some((points, voxels)),
            }))
        }
        _ => Ok(Found::Points(points)),
    }
}

/// The grid of a map of points. The source's spacing and origin stand in for a volume's.
fn grid_of(
    job: &DistanceJob,
    grid: &PointGrid,
    warnings: &mut Vec<Warning>,
) -> Result<([usize; 3], Geometry), PipelineError> {
    match grid {
        &PointGrid::Dims(dims) if dims.contains(&0) => {
            Err(DistanceJobError::EmptyGrid { dims }.into())
        }
        &PointGrid::Dims(dims) => {
            let geometry = job.input.geometry(&Geometry::default())?;
            Ok((dims, geometry.unwrap_or_default()))
        }
        PointGrid::Like(like) => {
            let volume = VolumeReader::open(like, &ReadOptions::default())?;
            warnings.extend(notes_of(like, volume.header()));
            let geometry = job.input.geometry(volume.geometry())?;
            Ok((volume.dims(), geometry.unwrap_or(*volume.geometry())))
        }
    }
}
