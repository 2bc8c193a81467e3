//! The exact map, one axis after the other.

mod lines;
mod weights;

use super::{DistanceError, DistanceMap, DistanceParams, Nearest, NoSites, SiteMask};
use crate::device::{Buffer, DeviceError, Element, Launch, Stream};
use cuda_std::ViewMut;
use ferrovox_kernels::{
    distance::separable::{
        AcrossRows, Cost, FAR, Layout, Lines, NUMBERS, SiteAt, Words, distances_along,
        least_from_rows, nearest_along, nearest_in_rows, sites_from_rows,
    },
    grid::Grid,
    sample::Count,
};
use lines::Along;
pub(super) use weights::{Number, Unit, Weights, integer_weights};

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
    let unit = Unit::of(sites.geometry.spacing().into(), sites.dims(), params);
    let bits = (&sites.bits, sites.grid);
    match unit.weights {
        Weights::U32(weights) => Parts::new(stream, bits, &unit, weights).fill(params, &mut map),
        Weights::U64(weights) => Parts::new(stream, bits, &unit, weights).fill(params, &mut map),
        Weights::F64(weights) => Parts::new(stream, bits, &unit, weights).fill(params, &mut map),
    }?;
    Ok(map)
}

/// A map that is made in parts: some words of all rows at a time, which is all that is held besides the sites and the map.
pub(super) struct Parts<'a, C> {
    stream: &'a Stream,
    bits: &'a Buffer<u32>,
    grid: Grid,
    unit: &'a Unit,
    weights: [C; 3],
}

impl<'a, C: Cost + Number + Element> Parts<'a, C> {
    /// Parts of the map whose sites are the bits.
    pub fn new(
        stream: &'a Stream,
        (bits, grid): (&'a Buffer<u32>, Grid),
        unit: &'a Unit,
        weights: [C; 3],
    ) -> Self {
        Self {
            stream,
            bits,
            grid,
            unit,
            weights,
        }
    }

    /// Makes all parts.
    fn fill(&self, params: &DistanceParams, map: &mut DistanceMap) -> Result<(), DistanceError> {
        let grid = self.grid;
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
        let grid = self.grid;
        let rows = u64::from(grid.ny) * u64::from(grid.nz);
        let columns = u64::from(words * 32).min(grid.nx.into());
        let of_voxel = size_of::<C>() + if with_sites { 4 } else { 0 };
        rows * (u64::from(words * NUMBERS) * 4 + columns * of_voxel as u64)
    }

    /// What is known of these words of each row.
    fn near(&self, words: Words) -> Result<Buffer<u32>, DeviceError> {
        let grid = self.grid;
        let rows = u64::from(grid.ny) * u64::from(grid.nz);
        let numbers = rows * u64::from(words.count) * u64::from(NUMBERS);
        let mut near = self.stream.alloc(numbers as usize)?;
        let launch = Launch::warp_pieces(rows);
        // SAFETY: there are as many words as rows have, and room for the numbers of those that are wanted.
        unsafe {
            let args = (self.bits.view(), grid, words, near.view_mut());
            self.stream.launch::<nearest_in_rows>(launch, args)?;
        }
        Ok(near)
    }

    /// The first voxel of each row that is in these words, and how many are.
    fn columns(&self, words: Words) -> [u64; 2] {
        let first = u64::from(words.first) * 32;
        let rest = u64::from(self.grid.nx) - first;
        [first, rest.min(u64::from(words.count) * 32)]
    }

    fn across(&self, words: Words) -> AcrossRows<C> {
        AcrossRows {
            weight: self.weights[0],
            words: words.count,
            first_word: words.first,
            most: self.unit.most_along(0).min(FAR - 1),
            rows: self.grid.ny,
        }
    }

    fn along(&self, axis: usize) -> Result<Along<C>, DistanceError> {
        let len = [self.grid.nx, self.grid.ny, self.grid.nz][axis];
        let name = ['x', 'y', 'z'][axis];
        Along::new(
            self.stream,
            self.unit.axis(&self.weights, axis, len),
            len,
            name,
        )
    }

    /// The lines along y of some columns, and where their voxels are in a part of nothing else.
    fn in_planes(&self, columns: u64) -> (Lines, Layout) {
        let lines = Lines {
            columns,
            batches: self.grid.nz.into(),
        };
        let layout = Layout {
            along: columns,
            batch: columns * u64::from(self.grid.ny),
        };
        (lines, layout)
    }

    /// The lines along z of some columns, and where their voxels are in rows of `nx` voxels.
    fn across_planes(&self, columns: u64, nx: u64) -> (Lines, Layout) {
        let lines = Lines {
            columns,
            batches: self.grid.ny.into(),
        };
        let layout = Layout {
            along: nx * u64::from(self.grid.ny),
            batch: nx,
        };
        (lines, layout)
    }

    fn voxels(&self, columns: u64) -> usize {
        (columns * u64::from(self.grid.ny) * u64::from(self.grid.nz)) as usize
    }

    /// The distances of these words' voxels, with those of a row next to one another.
    pub fn distances(&self, words: Words) -> Result<Buffer<f32>, DistanceError> {
        let [_, columns] = self.columns(words);
        let squared = self.squared(words)?;
        let mut distances = self.stream.alloc(self.voxels(columns))?;
        self.roots(words, &squared, columns, distances.view_mut())?;
        Ok(distances)
    }

    /// Squared distances in planes.
    fn squared(&self, words: Words) -> Result<Buffer<C>, DistanceError> {
        let near = self.near(words)?;
        let [_, columns] = self.columns(words);
        let (lines, layout) = self.in_planes(columns);
        let (launch, tiling, axis) = self.along(1)?.launch(lines);
        let mut squared = self.stream.alloc::<C>(self.voxels(columns))?;
        // SAFETY: there is an element for each voxel of the part, and blocks have room for a tile.
        unsafe {
            let (near, across, squared) = (near.view(), self.across(words), squared.view_mut());
            let args = (near, across, lines, tiling, axis, layout, squared);
            self.stream.launch::<least_from_rows<C>>(launch, args)?;
        }
        Ok(squared)
    }

    /// Distances of those in planes, into rows of `nx` voxels, from the part's first column on.
    fn roots(
        &self,
        words: Words,
        squared: &Buffer<C>,
        nx: u64,
        distances: ViewMut<'_, f32>,
    ) -> Result<(), DistanceError> {
        let [_, columns] = self.columns(words);
        let (lines, from) = self.across_planes(columns, columns);
        let (_, to) = self.across_planes(columns, nx);
        let (launch, tiling, axis) = self.along(2)?.launch(lines);
        // SAFETY: there is an element for each voxel of the part, distances are in rows of so many, and blocks have room for a tile.
        unsafe {
            let (squared, far) = (squared.view(), self.unit.far);
            let args = (squared, lines, tiling, axis, [from, to], far, distances);
            Ok(self.stream.launch::<distances_along<C>>(launch, args)?)
        }
    }

    fn fill_words(&self, words: Words, map: &mut DistanceMap) -> Result<(), DistanceError> {
        let [first_x, columns] = self.columns(words);
        let nx = u64::from(self.grid.nx);
        let distances = from(map.distances.view_mut(), first_x);
        match &mut map.nearest {
            None => {
                let squared = self.squared(words)?;
                self.roots(words, &squared, nx, distances)
            }
            Some(nearest) => {
                let near = self.near(words)?;
                let (squared, ys) = self.squared_and_rows(words, &near)?;
                let (rows, part) = self.across_planes(columns, columns);
                let (_, whole) = self.across_planes(columns, nx);
                let last = LastAxis {
                    squared: &squared,
                    ys: &ys,
                    near: &near,
                    across: self.across(words),
                    site: SiteAt {
                        grid: self.grid,
                        zero: 0,
                    },
                    rows,
                    along: &self.along(2)?,
                    layouts: [part, whole],
                    far: self.unit.far,
                };
                // SAFETY: distances begin with the part's first column, and both have an element for each voxel.
                let done = unsafe {
                    match nearest {
                        Nearest::U32(nearest) => {
                            last.nearest(self.stream, distances, from(nearest.view_mut(), first_x))
                        }
                        Nearest::U64(nearest) => {
                            last.nearest(self.stream, distances, from(nearest.view_mut(), first_x))
                        }
                    }
                };
                Ok(done?)
            }
        }
    }

    /// Squared distances in planes, and in which row the site is.
    fn squared_and_rows(
        &self,
        words: Words,
        near: &Buffer<u32>,
    ) -> Result<(Buffer<C>, Buffer<u32>), DistanceError> {
        let [_, columns] = self.columns(words);
        let (lines, layout) = self.in_planes(columns);
        let (launch, tiling, axis) = self.along(1)?.launch(lines);
        let mut squared = self.stream.alloc::<C>(self.voxels(columns))?;
        let mut ys = self.stream.alloc::<u32>(self.voxels(columns))?;
        // SAFETY: there is an element for each voxel of the part, and blocks have room for a tile.
        unsafe {
            let args = (
                near.view(),
                self.across(words),
                lines,
                tiling,
                axis,
                layout,
                squared.view_mut(),
                ys.view_mut(),
            );
            self.stream.launch::<sites_from_rows<C>>(launch, args)?;
        }
        Ok((squared, ys))
    }
}

/// The elements from one on.
fn from<T: Element>(view: ViewMut<'_, T>, first: u64) -> ViewMut<'_, T> {
    let rest = view.len() - first as usize;
    view.slice(first as usize, rest)
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
    /// `distances` and `nearest` begin with the part's first column; all have an element for each voxel.
    unsafe fn nearest<I: Count + Element>(
        &self,
        stream: &Stream,
        distances: ViewMut<'_, f32>,
        nearest: ViewMut<'_, I>,
    ) -> Result<(), DeviceError> {
        let (launch, tiling, axis) = self.along.launch(self.rows);
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
