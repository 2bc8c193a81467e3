//! The exact map, one axis after the other.

mod lines;
mod weights;

use super::{DistanceError, DistanceMap, DistanceParams, Nearest, NoSites, SiteMask};
use crate::device::{Buffer, DeviceError, Element, Launch, Stream};
use ferrovox_kernels::{
    distance::separable::{
        AcrossRows, Cost, FAR, Layout, Lines, NUMBERS, SiteAt, Words, distances_along,
        least_from_rows, nearest_along, nearest_in_rows, sites_from_rows,
    },
    sample::Count,
};
use lines::Along;
pub(super) use weights::integer_weights;
use weights::{Number, Unit, Weights};

pub(super) fn map(
    stream: &Stream,
    sites: &SiteMask,
    params: &DistanceParams,
) -> Result<DistanceMap, DistanceError> {
    if params.no_sites == NoSites::Error && sites.count(stream)? == 0 {
        return Err(DistanceError::NoSites);
    }
    let voxels = sites.grid.samples() as usize;
    let mut map = DistanceMap {
        distances: stream.alloc(voxels)?,
        nearest: match (params.nearest, voxels < u32::MAX as usize) {
            (false, _) => None,
            (true, true) => Some(Nearest::U32(stream.alloc(voxels)?)),
            (true, false) => Some(Nearest::U64(stream.alloc(voxels)?)),
        },
        dims: sites.dims(),
        geometry: sites.geometry,
    };
    if voxels == 0 {
        return Ok(map);
    }
    let unit = Unit::of(sites, params);
    match unit.weights {
        Weights::U32(weights) => Parts::new(stream, sites, &unit, weights).fill(params, &mut map),
        Weights::U64(weights) => Parts::new(stream, sites, &unit, weights).fill(params, &mut map),
        Weights::F64(weights) => Parts::new(stream, sites, &unit, weights).fill(params, &mut map),
    }?;
    Ok(map)
}

/// A map that is made in parts: some words of all rows at a time, which is all that is held besides the sites and the map.
struct Parts<'a, C> {
    stream: &'a Stream,
    sites: &'a SiteMask,
    unit: &'a Unit,
    weights: [C; 3],
}

impl<'a, C: Cost + Number + Element> Parts<'a, C> {
    fn new(stream: &'a Stream, sites: &'a SiteMask, unit: &'a Unit, weights: [C; 3]) -> Self {
        Self {
            stream,
            sites,
            unit,
            weights,
        }
    }

    /// Makes all parts.
    fn fill(&self, params: &DistanceParams, map: &mut DistanceMap) -> Result<(), DistanceError> {
        let grid = self.sites.grid;
        let per_row = grid.nx.div_ceil(32);
        let count = match params.memory {
            None => per_row,
            Some(limit) => {
                let least = self.bytes_of_words(1, params.nearest);
                if limit < least {
                    return Err(DistanceError::Memory { limit, least });
                }
                u32::try_from(limit / least).unwrap_or(u32::MAX)
            }
        };
        let mut first = 0;
        while first < per_row {
            let words = Words {
                first,
                count: count.min(per_row - first),
            };
            self.fill_words(words, map)?;
            first += words.count;
        }
        Ok(())
    }

    /// Device memory for a part.
    fn bytes_of_words(&self, words: u32, with_sites: bool) -> u64 {
        let grid = self.sites.grid;
        let rows = u64::from(grid.ny) * u64::from(grid.nz);
        let columns = u64::from(words * 32).min(grid.nx.into());
        let of_voxel = size_of::<C>() + if with_sites { 4 } else { 0 };
        rows * (u64::from(words * NUMBERS) * 4 + columns * of_voxel as u64)
    }

    /// What is known of these words of each row.
    fn near(&self, words: Words) -> Result<Buffer<u32>, DeviceError> {
        let grid = self.sites.grid;
        let rows = u64::from(grid.ny) * u64::from(grid.nz);
        let numbers = rows * u64::from(words.count) * u64::from(NUMBERS);
        let mut near = self.stream.alloc(numbers as usize)?;
        let launch = Launch::warp_pieces(rows);
        // SAFETY: there are as many words as rows have, and room for the numbers of those that are wanted.
        unsafe {
            let args = (self.sites.bits.view(), grid, words, near.view_mut());
            self.stream.launch::<nearest_in_rows>(launch, args)?;
        }
        Ok(near)
    }

    fn fill_words(&self, words: Words, map: &mut DistanceMap) -> Result<(), DistanceError> {
        let (stream, grid) = (self.stream, self.sites.grid);
        let [nx, ny, nz] = [grid.nx, grid.ny, grid.nz].map(u64::from);
        let near = self.near(words)?;
        let first_x = u64::from(words.first) * 32;
        let columns = (u64::from(words.count) * 32).min(nx - first_x);
        let across = AcrossRows {
            weight: self.weights[0],
            words: words.count,
            first_word: words.first,
            most: self.unit.most_along(0).min(FAR - 1),
            rows: grid.ny,
        };
        let along_y = Along::new(
            stream,
            self.unit.axis(&self.weights, 1, grid.ny),
            grid.ny,
            'y',
        )?;
        let along_z = Along::new(
            stream,
            self.unit.axis(&self.weights, 2, grid.nz),
            grid.nz,
            'z',
        )?;
        let planes = Lines {
            columns,
            batches: nz,
        };
        let rows = Lines {
            columns,
            batches: ny,
        };
        let in_plane = Layout {
            along: columns,
            batch: columns * ny,
        };
        let layouts = [
            Layout {
                along: columns * ny,
                batch: columns,
            },
            Layout {
                along: nx * ny,
                batch: nx,
            },
        ];
        let voxels = (columns * ny * nz) as usize;
        let mut squared = stream.alloc::<C>(voxels)?;
        let far = self.unit.far;
        let distances = map.distances.view_mut();
        let rest = distances.len() - first_x as usize;
        let distances = distances.slice(first_x as usize, rest);
        // SAFETY: there is an element for each voxel of the part, those of the map begin with the part's first column, and blocks have room
        // for a tile.
        unsafe {
            let Some(nearest) = &mut map.nearest else {
                let (launch, tiling, axis) = along_y.launch(planes);
                let (near, squared_out) = (near.view(), squared.view_mut());
                let args = (near, across, planes, tiling, axis, in_plane, squared_out);
                stream.launch::<least_from_rows<C>>(launch, args)?;
                let (launch, tiling, axis) = along_z.launch(rows);
                let squared = squared.view();
                let args = (squared, rows, tiling, axis, layouts, far, distances);
                return Ok(stream.launch::<distances_along<C>>(launch, args)?);
            };
            let mut ys = stream.alloc::<u32>(voxels)?;
            let (launch, tiling, axis) = along_y.launch(planes);
            let (squared_out, ys_out) = (squared.view_mut(), ys.view_mut());
            let args = (
                near.view(),
                across,
                planes,
                tiling,
                axis,
                in_plane,
                squared_out,
                ys_out,
            );
            stream.launch::<sites_from_rows<C>>(launch, args)?;
            let last = LastAxis {
                squared: &squared,
                ys: &ys,
                near: &near,
                across,
                site: SiteAt { grid, zero: 0 },
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
    far: ferrovox_kernels::distance::separable::Far,
}

impl<C: Cost + Element> LastAxis<'_, C> {
    /// # Safety
    /// `distances` begin with the part's first column `first_x`; all have an element for each voxel.
    unsafe fn nearest<I: Count + Element>(
        &self,
        stream: &Stream,
        first_x: u64,
        distances: cuda_std::ViewMut<'_, f32>,
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
