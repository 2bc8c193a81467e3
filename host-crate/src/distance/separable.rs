//! The exact map, one axis after the other.

pub(super) mod hulls;
pub(super) mod lines;
pub(super) mod parts;
pub(super) mod weights;

use super::{DistanceError, DistanceMap, DistanceParams, Nearest, NoSites};
use crate::device::{Buffer, DeviceError, Element, Stream};
use crate::grid::DeviceMask;
use cuda_std::ViewMut;
use ferrovox_kernels::{
    distance::separable::{
        AcrossRows, Cost, Far, Layout, Lines, SiteAt, Words, distances_along, least_from_rows,
        nearest_along, sites_from_rows,
    },
    sample::Count,
};
use hulls::Hulls;
use lines::Along;
use parts::Part;
pub(super) use parts::Parts;
pub(super) use weights::{Number, Unit, Weights, integer_weights};

pub(super) fn map(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    if params.no_sites == NoSites::Error && sites.count(stream)? == 0 {
        return Err(DistanceError::NoSites);
    }
    let voxels = sites.grid.samples() as usize;
    let mut map = empty_map(stream, sites, params)?;
    if voxels == 0 {
        return Ok(map);
    }
    let unit = Unit::of(sites.grid, &sites.geometry, params);
    if let Some(hulls) = Hulls::choose(stream.device(), sites.grid, &unit, params) {
        hulls.fill(stream, sites, &mut map)?;
        return Ok(map);
    }
    match unit.weights {
        Weights::U32(weights) => fill(stream, sites, params, (&unit, weights), &mut map),
        Weights::U64(weights) => fill(stream, sites, params, (&unit, weights), &mut map),
        Weights::F64(weights) => fill(stream, sites, params, (&unit, weights), &mut map),
    }?;
    Ok(map)
}

/// The map that `Hulls` makes on this device, whatever the device; none where they are not for it.
/// A narrow band is made in segments of lines if that is wanted. For tests.
///
/// # Errors
/// Errors of the device.
pub fn map_by_hulls(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
    in_segments: bool,
) -> Result<Option<DistanceMap>, DistanceError> {
    let unit = Unit::of(sites.grid, &sites.geometry, params);
    let Some(hulls) = Hulls::of(sites.grid, &unit, params) else {
        return Ok(None);
    };
    let hulls = hulls.in_segments(in_segments);
    let mut map = empty_map(stream, sites, params)?;
    hulls.fill(stream, sites, &mut map)?;
    Ok(Some(map))
}

/// A map that is still to be filled.
fn empty_map(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<DistanceMap, DeviceError> {
    let voxels = sites.grid.samples() as usize;
    Ok(DistanceMap {
        distances: stream.alloc(voxels)?,
        nearest: match (params.nearest, voxels < u32::MAX as usize) {
            (false, _) => None,
            (true, true) => Some(Nearest::U32(stream.alloc(voxels)?)),
            (true, false) => Some(Nearest::U64(stream.alloc(voxels)?)),
        },
        dims: sites.dims(),
        geometry: sites.geometry,
    })
}

/// Makes all parts of a map.
fn fill<C: Cost + Number + Element>(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
    (unit, weights): (&Unit, [C; 3]),
    map: &mut DistanceMap,
) -> Result<(), DistanceError> {
    let parts = Parts {
        stream,
        grid: sites.grid,
        unit,
        weights,
    };
    let more = if params.nearest { 4 } else { 0 };
    parts.for_each(params.memory, 0, more, |part| parts.fill(sites, part, map))
}

impl<C: Cost + Number + Element> Parts<'_, C> {
    /// The least costs of a part in its planes, of sites that are voxels: a bit each.
    pub fn least_in_planes(
        &self,
        bits: &Buffer<u32>,
        part: Part,
    ) -> Result<Buffer<C>, DistanceError> {
        let near = self.near(bits.view(), part)?;
        let mut squared = self.stream.alloc::<C>(part.voxels())?;
        let lines = part.lines_along_y();
        let (launch, tiling, axis) = self.along_y()?.launch(lines);
        let args = (
            near.view(),
            self.across(part),
            lines,
            tiling,
            axis,
            part.along_y(),
            squared.view_mut(),
        );
        // SAFETY: there is an element for each voxel of the part, and blocks have room for a tile.
        unsafe { self.stream.launch::<least_from_rows<C>>(launch, args)? };
        Ok(squared)
    }

    /// The distances of a part, in the layout `to`, from least costs in its planes.
    fn roots(
        &self,
        squared: &Buffer<C>,
        part: Part,
        to: Layout,
        distances: ViewMut<'_, f32>,
    ) -> Result<(), DistanceError> {
        let lines = part.lines_along_z();
        let (launch, tiling, axis) = self.along_z()?.launch(lines);
        let (layouts, far) = ([part.along_z(), to], self.unit.far);
        let args = (squared.view(), lines, tiling, axis, layouts, far, distances);
        // SAFETY: there is an element for each voxel of the part, distances begin with the part's
        // first column, and blocks have room for a tile.
        Ok(unsafe { self.stream.launch::<distances_along<C>>(launch, args) }?)
    }

    /// The distances of a part alone, of sites that are voxels: a bit each.
    pub fn distances(
        &self,
        bits: &Buffer<u32>,
        words: Words,
    ) -> Result<Buffer<f32>, DistanceError> {
        let part = Part {
            grid: self.grid,
            words,
        };
        let squared = self.least_in_planes(bits, part)?;
        let mut distances = self.stream.alloc(part.voxels())?;
        self.roots(&squared, part, part.along_z(), distances.view_mut())?;
        Ok(distances)
    }

    fn fill(
        &self,
        sites: &DeviceMask,
        part: Part,
        map: &mut DistanceMap,
    ) -> Result<(), DistanceError> {
        let (stream, first_x) = (self.stream, part.first_x());
        let far = self.unit.far;
        let distances = map.distances.view_mut();
        let rest = distances.len() - first_x as usize;
        let distances = distances.slice(first_x as usize, rest);
        let Some(nearest) = &mut map.nearest else {
            let squared = self.least_in_planes(&sites.bits, part)?;
            return self.roots(&squared, part, part.along_z_of_whole(), distances);
        };
        let along_z = self.along_z()?;
        let rows = part.lines_along_z();
        let layouts = [part.along_z(), part.along_z_of_whole()];
        let near = self.near(sites.bits.view(), part)?;
        let across = self.across(part);
        let mut squared = stream.alloc::<C>(part.voxels())?;
        let mut ys = stream.alloc::<u32>(part.voxels())?;
        let planes = part.lines_along_y();
        let (launch, tiling, axis) = self.along_y()?.launch(planes);
        // SAFETY: as above.
        unsafe {
            let args = (
                near.view(),
                across,
                planes,
                tiling,
                axis,
                part.along_y(),
                squared.view_mut(),
                ys.view_mut(),
            );
            stream.launch::<sites_from_rows<C>>(launch, args)?;
            let last = LastAxis {
                squared: &squared,
                ys: &ys,
                near: &near,
                across,
                site: SiteAt {
                    grid: sites.grid,
                    zero: 0,
                },
                rows,
                along: &along_z,
                layouts,
                far,
            };
            Ok(match nearest {
                Nearest::U32(nearest) => last.nearest(stream, first_x, distances, nearest),
                Nearest::U64(nearest) => last.nearest(stream, first_x, distances, nearest),
            }?)
        }
    }
}

/// The last axis, if nearest sites are wanted.
struct LastAxis<'a, C> {
    squared: &'a Buffer<C>,
    ys: &'a Buffer<u32>,
    near: &'a Buffer<u32>,
    across: AcrossRows<C>,
    site: SiteAt,
    rows: Lines,
    along: &'a Along<C>,
    layouts: [Layout; 2],
    far: Far,
}

impl<C: Cost + Element> LastAxis<'_, C> {
    /// # Safety
    /// `distances` begin with the part's first column `first_x`; all have an element for each
    /// voxel.
    unsafe fn nearest<I: Count + Element>(
        &self,
        stream: &Stream,
        first_x: u64,
        distances: ViewMut<'_, f32>,
        nearest: &mut Buffer<I>,
    ) -> Result<(), DeviceError> {
        let (launch, tiling, axis) = self.along.launch(self.rows);
        let nearest = nearest.view_mut();
        let rest = nearest.len() - first_x as usize;
        let nearest = nearest.slice(first_x as usize, rest);
        let args = (
            self.squared.view(),
            self.ys.view(),
            self.near.view(),
            self.across,
            self.site,
            self.rows,
            tiling,
            axis,
            self.layouts,
            self.far,
            distances,
            nearest,
        );
        // SAFETY: the caller's promise, and blocks have room for a tile.
        unsafe { stream.launch::<nearest_along<C, I>>(launch, args) }
    }
}
