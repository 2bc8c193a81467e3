//! Reading the sites of a distance map.

use super::{
    DistanceInputError, DistanceJob, DistanceJobError, PointGrid, PointsOutside, SitesFrom,
    label_ranks::to_distinguishable,
};
use crate::{
    device::Device,
    distance::Method,
    grid::{
        AnyVolume, Geometry, GridError, Inside, Mask, Points, Sample, SamplePredicate, SampleType,
        SelectionPredicate, first_fraction, with_volume,
    },
    io::{ReadMaskError, VolumeFile, read_mask_by, read_points},
    memory::{self, OutOfMemory},
    pipeline::{
        PipelineError, VolumeSource, Warning, at, file_header::grid_like, level::ResolvedLevel,
        mask::StatedGrid, object_filter::clear_outside,
    },
};
use std::collections::BTreeSet;

/// The sites as read, on the grid of the map.
pub(super) enum SiteInput {
    Voxels(VoxelSites),
    Points(Points),
    /// A volume whose crossings of a level are the sites.
    Crossings {
        volume: AnyVolume,
        level: f32,
        inside: Inside,
    },
    Labels(LabelSites),
}

/// Labels whose other labels are the sites.
pub(super) struct LabelSites {
    pub labels: AnyVolume,
    /// The voxels whose label is not 0, for signed distances.
    pub inside: Option<Mask>,
}

/// Sites that are voxels.
pub(super) struct VoxelSites {
    /// The sites, or with `is_inside` the inside of a level whose surface voxels are the sites.
    pub mask: Mask,
    pub is_inside: bool,
    /// Voxel index of each point, if the sites were read as points.
    pub points: Option<Vec<u64>>,
}

impl SiteInput {
    pub fn dims(&self) -> [usize; 3] {
        match self {
            Self::Voxels(voxels) => voxels.mask.dims(),
            Self::Points(points) => points.dims(),
            Self::Crossings { volume, .. } => volume.dims(),
            Self::Labels(sites) => sites.labels.dims(),
        }
    }

    pub fn geometry(&self) -> &Geometry {
        match self {
            Self::Voxels(voxels) => voxels.mask.geometry(),
            Self::Points(points) => points.geometry(),
            Self::Crossings { volume, .. } => volume.geometry(),
            Self::Labels(sites) => sites.labels.geometry(),
        }
    }

    /// Returns the number of points outside the grid.
    pub fn outside(&self) -> u64 {
        match self {
            Self::Points(points) => points.outside().count,
            _ => 0,
        }
    }
}

/// Reads the sites. Points that all lie at voxel centres become voxels, unless the job selects a
/// method for points.
pub(super) fn read(
    job: &DistanceJob,
    level: Option<ResolvedLevel>,
    warnings: &mut Vec<Warning>,
) -> Result<SiteInput, PipelineError> {
    match &job.sites {
        SitesFrom::Mask => {
            let mask = read_site_mask(job, warnings, |sample: f64| sample != 0.0)?.0;
            Ok(voxel_sites(mask, false))
        }
        &SitesFrom::Level {
            inside, sub_voxel, ..
        } => match level {
            Some(level) => read_level_sites(job, level, inside, sub_voxel, warnings),
            None => Err(DistanceJobError::Conflict("the level is not resolved").into()),
        },
        SitesFrom::Labels { labels } => {
            let volume = read_labels(job, labels.as_deref(), warnings)?;
            let inside = match job.sign() {
                Some(_) => Some(nonzero_mask(&volume).map_err(job.input.error())?),
                None => None,
            };
            let labels =
                to_label_volume(volume).map_err(job.input.error::<DistanceInputError>())?;
            Ok(SiteInput::Labels(LabelSites { labels, inside }))
        }
        SitesFrom::Points { grid, strict } => read_point_sites(job, grid, *strict, warnings),
    }
}

/// Reads the sites of a level: surface voxels, or crossings on grid edges.
fn read_level_sites(
    job: &DistanceJob,
    level: ResolvedLevel,
    inside: Inside,
    sub_voxel: bool,
    warnings: &mut Vec<Warning>,
) -> Result<SiteInput, PipelineError> {
    let isovalue = to_f32_isovalue(&job.input, level.isovalue())?;
    if sub_voxel {
        let file = read_volume(job, warnings)?;
        let converted = level.kernel_volume(&job.input, &file.header, file.volume)?;
        warnings.extend(job.input.conversion(&file.header, converted.inexact));
        return Ok(SiteInput::Crossings {
            volume: converted.volume,
            level: converted.iso,
            inside,
        });
    }
    let (mask, conversion) = match level {
        // Samples that f32 may not represent are compared exactly.
        ResolvedLevel::Iso(exact_isovalue) => {
            let is_wide = is_wide(job.input.shape()?.1);
            read_site_mask(job, warnings, |sample: f64| match (is_wide, inside) {
                (true, Inside::Above) => sample >= exact_isovalue,
                (true, Inside::Below) => sample < exact_isovalue,
                _ => inside.contains(sample, isovalue),
            })?
        }
        ResolvedLevel::Selection(selection) => {
            let sites = SelectedSites {
                selection: selection.predicate(),
                is_inside: inside == Inside::Above,
            };
            read_site_mask(job, warnings, sites)?
        }
    };
    warnings.extend(conversion);
    Ok(voxel_sites(mask, true))
}

fn voxel_sites(mask: Mask, is_inside: bool) -> SiteInput {
    SiteInput::Voxels(VoxelSites {
        mask,
        is_inside,
        points: None,
    })
}

/// Rounds the isovalue to f32. Fails if it is out of range.
fn to_f32_isovalue(input: &VolumeSource, level: f64) -> Result<f32, PipelineError> {
    match level as f32 {
        isovalue if isovalue.is_finite() => Ok(isovalue),
        _ => Err(input.error()(DistanceInputError::NonFiniteLevel { level })),
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

/// Reads a label volume; labels that are not listed, and those outside of the mask, become 0.
fn read_labels(
    job: &DistanceJob,
    listed: Option<&[i64]>,
    warnings: &mut Vec<Warning>,
) -> Result<AnyVolume, PipelineError> {
    let (VolumeFile { mut volume, header }, file_grid) = job.input.read_with_file_grid()?;
    warnings.extend(job.input.notes(&header));
    let grid = StatedGrid::new(&job.input, &header, file_grid)?;
    if let Some(mask) = job.filter.read_mask(&grid, warnings)? {
        clear_outside(&mut volume, &mask);
    }
    if let Some(listed) = listed {
        let listed: BTreeSet<i64> = listed.iter().copied().collect();
        let kept = volume.try_where_label(|label| label.is_none_or(|it| listed.contains(&it)));
        clear_outside(
            &mut volume,
            &kept.map_err(job.input.error::<OutOfMemory>())?,
        );
    }
    Ok(volume)
}

/// Voxels inside or outside of a selection.
struct SelectedSites {
    selection: SelectionPredicate,
    is_inside: bool,
}

impl SamplePredicate for SelectedSites {
    fn accepts<T: Sample>(&self, sample: T) -> bool {
        self.selection.accepts(sample) == self.is_inside
    }
}

/// Returns `true` for types whose samples are compared exactly.
fn is_wide(samples: SampleType) -> bool {
    matches!(samples, SampleType::I32 | SampleType::I64 | SampleType::F64)
}

/// Reads the mask of sites in ranges of planes, and returns it with a warning about inexact
/// samples, if any.
fn read_site_mask(
    job: &DistanceJob,
    warnings: &mut Vec<Warning>,
    is_site: impl SamplePredicate,
) -> Result<(Mask, Option<Warning>), PipelineError> {
    let (mut reader, file_grid) = job.input.open_with_file_grid()?;
    let header = reader.header().clone();
    let is_wide = is_wide(reader.sample_type());
    warnings.extend(job.input.notes(&header));
    let geometry = job.input.geometry(reader.geometry())?;
    let read = read_mask_by(&mut reader, &is_site);
    let (mask, inexact) = read.map_err(|error| match error {
        ReadMaskError::File(error) => error.into(),
        ReadMaskError::Grid(error) => job.input.error()(error),
    })?;
    let mask = match geometry {
        Some(geometry) => mask.with_geometry(geometry),
        None => mask,
    };
    let grid = StatedGrid::new(&job.input, &header, file_grid)?;
    let kept = job.filter.read_mask(&grid, warnings)?;
    let device = job.devices.first().cloned().unwrap_or_else(Device::cpu);
    let mask = job
        .filter
        .apply(mask, kept.as_ref(), &device, &job.input.path)?;
    let inexact = if is_wide { 0 } else { inexact };
    let conversion = job.input.conversion(&header, inexact);
    Ok((mask, conversion))
}

/// Returns the mask of the samples that are not zero.
fn nonzero_mask(volume: &AnyVolume) -> Result<Mask, GridError> {
    let mut mask = Mask::new(volume.dims(), *volume.geometry())?;
    with_volume!(volume, volume => mask.set_planes(0, volume.samples(), |sample| sample != 0.0));
    Ok(mask)
}

/// Checks that labels are integers, and converts them to a sample type of the kernels that keeps
/// them distinct.
fn to_label_volume(volume: AnyVolume) -> Result<AnyVolume, DistanceInputError> {
    let dims = volume.dims();
    let fraction = match &volume {
        AnyVolume::F32(volume) => first_fraction(volume.samples(), dims),
        AnyVolume::F64(volume) => first_fraction(volume.samples(), dims),
        _ => None,
    };
    if let Some((voxel, value)) = fraction {
        return Err(DistanceInputError::NonIntegerLabel { voxel, value });
    }
    to_distinguishable(volume)
}

fn read_point_sites(
    job: &DistanceJob,
    grid: &PointGrid,
    strict: bool,
    warnings: &mut Vec<Warning>,
) -> Result<SiteInput, PipelineError> {
    let path = &job.input.path;
    let read = read_points(path)?;
    let (dims, geometry) = point_grid(job, grid, warnings)?;
    let world_points = memory::try_collect("points", read.iter().copied().map(Into::into));
    let world_points = world_points.map_err(at(path))?;
    let points = Points::from_world(&world_points, dims, geometry).map_err(job.input.error())?;
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
            return Err(job.input.error()(DistanceInputError::PointsOutside(
                Box::new(outside),
            )));
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
            Ok(SiteInput::Voxels(VoxelSites {
                mask,
                is_inside: false,
                points: Some(voxels),
            }))
        }
        _ => Ok(SiteInput::Points(points)),
    }
}

/// Returns the grid of a map of points. The spacing and origin of the job's input override those of
/// a reference volume.
fn point_grid(
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
            let (dims, file_geometry) = grid_like(like, warnings)?;
            let geometry = job.input.geometry(&file_geometry)?;
            Ok((dims, geometry.unwrap_or(file_geometry)))
        }
    }
}
