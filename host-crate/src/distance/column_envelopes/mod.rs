//! Distance maps in parts, as functions of ranges of planes: for programs that distribute a volume
//! over processes or machines.
//!
//! The voxels of a part depend on sites outside of it. Of these, [`ColumnEnvelopes`] hold the ones
//! that matter: for each column of voxels along z the lower envelope of the parabolas "squared
//! distance to the nearest site of a plane, plus the squared distance to the plane" (Felzenszwalb
//! and Huttenlocher 2012). Envelopes are computed per part, merged in any order, and are an
//! argument of [`transform_part`].

mod candidate;
mod part;
mod stacks;

use super::{
    DistanceError, DistanceParams, NearestIndices, NoSites, Sites, separable::CostUnit, transform,
};
use crate::{
    device::Stream,
    grid::{DeviceMask, Geometry, kernel_grid},
    memory::{ExtendOrUnwind, catch_out_of_memory, with_capacity_or_unwind},
    parallel,
};
use candidate::{Candidate, ColumnCost, ColumnWeights, Columns};
pub use part::{MapPart, transform_part};
use stacks::{CHUNK, EnvelopeStacks, push};
use std::ops::{Bound, RangeBounds};

/// Purpose of allocations.
const PURPOSE: &str = "the envelopes of a distance map";

/// Lower envelopes of the sites of some planes: for each column of voxels along z, the sites that
/// are nearest to a position in other planes of the column, in order of their planes.
///
/// [`merged`](Self::merged) is associative and commutative, so the envelopes of parts are combined
/// in any order. A column of a typical volume has one to three sites, of 8 bytes each.
///
/// ```
/// use ferrovox::device::Device;
/// use ferrovox::distance::{ColumnEnvelopes, DistanceParams, transform_part};
/// use ferrovox::grid::{DeviceMask, Geometry};
///
/// let stream = Device::best().stream()?;
/// let (geometry, params) = (Geometry::default(), DistanceParams::default());
/// // planes 0 to 2 and 3 to 4 of a volume with one column, whose site is in plane 1
/// let first = DeviceMask::upload(&stream, &[0, 1, 0], [1, 1, 3], geometry)?;
/// let second = DeviceMask::upload(&stream, &[0, 0], [1, 1, 2], geometry)?;
/// let below = ColumnEnvelopes::from_sites(&stream, &first, 0, None)?;
/// let part = transform_part(&stream, &second, 3, Some(&below), &params)?;
/// assert_eq!(part.distances, [2.0, 3.0]);
/// assert_eq!(part.nearest, [1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnEnvelopes {
    /// Number of columns along x and y.
    dims: [usize; 2],
    geometry: Geometry,
    /// For each column, the index after its last site in `sites`.
    ends: Vec<u32>,
    /// Linear indices of the sites in the volume, x fastest.
    sites: Vec<u64>,
}

impl ColumnEnvelopes {
    /// Computes the envelopes of the sites of a part, whose first plane is `first_plane` of the
    /// volume, as far as they are nearest to positions in planes of other parts. With a maximum
    /// distance in world units, sites that are farther from a column are omitted.
    ///
    /// Time and temporary memory are proportional to the voxels of the part.
    ///
    /// # Errors
    /// [`DistanceError::PartOblique`] on oblique grids, [`DistanceError::InvalidMaxDistance`],
    /// [`DistanceError::PartTooLarge`], and errors of the device.
    pub fn from_sites(
        stream: &Stream,
        sites: &DeviceMask,
        first_plane: usize,
        max_distance: Option<f64>,
    ) -> Result<Self, DistanceError> {
        let [nx, ny, nz] = sites.dims();
        let (geometry, dims) = (*sites.geometry(), [nx, ny]);
        check_part(dims, &geometry, first_plane + nz)?;
        let params = DistanceParams {
            max_distance,
            nearest: true,
            no_sites: NoSites::Infinity,
            ..DistanceParams::default()
        };
        params.check()?;
        let planes = PlaneSites {
            stream,
            sites,
            first_plane,
            params,
        };
        catch_out_of_memory(PURPOSE, || match weights(dims, &geometry)? {
            ColumnWeights::Integer(weights) => planes.envelopes(columns(dims, weights)),
            ColumnWeights::Rounded(weights) => planes.envelopes(columns(dims, weights)),
        })
    }

    /// Creates envelopes from the lists of [`ends`](Self::ends) and [`sites`](Self::sites), for
    /// `dims` columns along x and y with the spacing of `geometry`.
    ///
    /// # Errors
    /// [`DistanceError::InvalidEnvelopes`] if the lists are not those of that many columns.
    pub fn from_lists(
        dims: [usize; 2],
        geometry: Geometry,
        ends: Vec<u32>,
        sites: Vec<u64>,
    ) -> Result<Self, DistanceError> {
        check_part(dims, &geometry, 0)?;
        let columns = dims[0] * dims[1];
        let max_site = (u64::from(u32::MAX) + 1).saturating_mul(columns as u64);
        let is_valid = ends.len() == columns
            && ends.is_sorted()
            && ends.last().copied().unwrap_or(0) as usize == sites.len()
            && sites.iter().all(|&site| site < max_site);
        if !is_valid {
            return Err(DistanceError::InvalidEnvelopes {
                columns: ends.len(),
                sites: sites.len(),
                dims,
            });
        }
        Ok(Self {
            dims,
            geometry,
            ends,
            sites,
        })
    }

    /// Returns the number of columns along x and y.
    pub fn dims(&self) -> [usize; 2] {
        self.dims
    }

    /// Returns the index after the last site of each column in [`sites`](Self::sites), x fastest.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// Returns the linear indices of the sites in the volume (x fastest), column by column and in
    /// order of their planes.
    pub fn sites(&self) -> &[u64] {
        &self.sites
    }

    /// Returns the envelopes of the sites of both.
    ///
    /// # Errors
    /// [`DistanceError::EnvelopeMismatch`] if numbers of columns or spacings differ;
    /// [`DistanceError::PartTooLarge`] if the result has 2³² sites or more.
    pub fn merged(&self, other: &Self) -> Result<Self, DistanceError> {
        self.check_columns(other.dims, &other.geometry)?;
        self.rebuilt(Some(other), PlaneRange::default())
    }

    /// Returns the envelopes of the sites that are nearest to a position in a range of planes.
    ///
    /// # Errors
    /// [`DistanceError::Device`] if the memory of the host does not suffice.
    pub fn restricted(&self, planes: impl RangeBounds<usize>) -> Result<Self, DistanceError> {
        self.rebuilt(None, PlaneRange::new(planes))
    }

    /// Merges the envelopes with others, and omits sites that are nearest to no position in a
    /// range.
    fn rebuilt(&self, other: Option<&Self>, range: PlaneRange) -> Result<Self, DistanceError> {
        catch_out_of_memory(PURPOSE, || match weights(self.dims, &self.geometry)? {
            ColumnWeights::Integer(weights) => self.rebuild(other, range, weights),
            ColumnWeights::Rounded(weights) => self.rebuild(other, range, weights),
        })
    }

    fn rebuild<C: ColumnCost>(
        &self,
        other: Option<&Self>,
        range: PlaneRange,
        weights: [C; 3],
    ) -> Result<Self, DistanceError> {
        let columns = columns(self.dims, weights);
        let chunks = parallel::map_ranges(columns.count, CHUNK, |chunk| {
            let (mut counts, mut sites) = (with_capacity_or_unwind(chunk.len()), Vec::new());
            let mut envelope = Vec::new();
            for column in chunk {
                self.merge_column(other, &columns, column, &mut envelope);
                let needed = range.trim(&envelope, weights[2]);
                counts.push(needed.len() as u32);
                sites.extend_or_unwind(needed.iter().map(|&candidate| columns.site(candidate)));
            }
            (counts, sites)
        });
        Self::from_chunks(self.dims, self.geometry, chunks)
    }

    /// Sets `envelope` to that of a column, merged with the envelope of others.
    fn merge_column<C: ColumnCost>(
        &self,
        other: Option<&Self>,
        columns: &Columns<C>,
        column: usize,
        envelope: &mut Vec<Candidate<C>>,
    ) {
        envelope.clear();
        let candidates = |envelopes: &Self| {
            let sites = envelopes.column(column).to_vec();
            sites
                .into_iter()
                .map(|site| columns.site_candidate(column, site))
        };
        let mut first = candidates(self).peekable();
        let mut second = other.into_iter().flat_map(candidates).peekable();
        loop {
            let next = match (first.peek(), second.peek()) {
                (Some(a), Some(b)) if a.z == b.z => {
                    // the nearer one, which is the first on ties
                    let is_first = (a.cost, a.in_plane) <= (b.cost, b.in_plane);
                    let pair = (first.next(), second.next());
                    if is_first { pair.0 } else { pair.1 }
                }
                (Some(a), Some(b)) if b.z < a.z => second.next(),
                (Some(_), _) => first.next(),
                (None, _) => second.next(),
            };
            let Some(candidate) = next else { break };
            push(envelope, candidate, columns.weights[2]);
        }
    }

    /// Returns the sites of a column.
    fn column(&self, column: usize) -> &[u64] {
        let start = column.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.sites[start as usize..self.ends[column] as usize]
    }

    /// Concatenates the numbers of sites and the sites of chunks of columns.
    fn from_chunks(
        dims: [usize; 2],
        geometry: Geometry,
        chunks: Vec<(Vec<u32>, Vec<u64>)>,
    ) -> Result<Self, DistanceError> {
        let total: usize = chunks.iter().map(|(_, sites)| sites.len()).sum();
        if total > u32::MAX as usize {
            return Err(DistanceError::PartTooLarge { dims });
        }
        let mut ends = with_capacity_or_unwind(dims[0] * dims[1]);
        let mut all_sites = with_capacity_or_unwind(total);
        let mut end = 0;
        for (counts, sites) in chunks {
            ends.extend(counts.into_iter().map(|count| {
                end += count;
                end
            }));
            all_sites.extend(sites);
        }
        Ok(Self {
            dims,
            geometry,
            ends,
            sites: all_sites,
        })
    }

    /// Checks that columns and spacing are those of the envelopes.
    fn check_columns(&self, dims: [usize; 2], geometry: &Geometry) -> Result<(), DistanceError> {
        let spacing = |geometry: &Geometry| -> [f64; 3] { geometry.spacing().into() };
        if self.dims == dims && spacing(&self.geometry) == spacing(geometry) {
            return Ok(());
        }
        Err(DistanceError::EnvelopeMismatch {
            dims: [self.dims, dims],
            spacing: [spacing(&self.geometry), spacing(geometry)],
        })
    }
}

/// First and last plane of the positions to which distances are needed.
#[derive(Clone, Copy, Debug, Default)]
struct PlaneRange {
    first: Option<u32>,
    last: Option<u32>,
}

impl PlaneRange {
    fn new(planes: impl RangeBounds<usize>) -> Self {
        Self {
            first: match planes.start_bound() {
                Bound::Included(&first) => Some(first as u32),
                Bound::Excluded(&before) => Some(before as u32 + 1),
                Bound::Unbounded => None,
            },
            last: match planes.end_bound() {
                Bound::Included(&last) => Some(last as u32),
                Bound::Excluded(&end) => Some((end as u32).saturating_sub(1)),
                Bound::Unbounded => None,
            },
        }
    }

    /// Returns the candidates of an envelope that can be nearest to a position in the range.
    fn trim<C: ColumnCost>(self, envelope: &[Candidate<C>], weight: C) -> &[Candidate<C>] {
        let mut needed = envelope;
        if let Some(first) = self.first {
            while let [before, after, ..] = needed
                && after
                    .cost_at(first, weight)
                    .is_certainly_less(before.cost_at(first, weight))
            {
                needed = &needed[1..];
            }
        }
        if let Some(last) = self.last {
            while let [.., before, after] = needed
                && before
                    .cost_at(last, weight)
                    .is_certainly_less(after.cost_at(last, weight))
            {
                needed = &needed[..needed.len() - 1];
            }
        }
        needed
    }
}

/// Sites of a part whose envelopes are computed plane by plane.
struct PlaneSites<'a> {
    stream: &'a Stream,
    sites: &'a DeviceMask,
    first_plane: usize,
    params: DistanceParams,
}

impl PlaneSites<'_> {
    fn envelopes<C: ColumnCost>(
        &self,
        columns: Columns<C>,
    ) -> Result<ColumnEnvelopes, DistanceError> {
        let [nx, ny, nz] = self.sites.dims();
        let chunk_count = columns.count.div_ceil(CHUNK);
        let mut stacks = parallel::map(chunk_count, |chunk| {
            EnvelopeStacks::new(CHUNK.min(columns.count - chunk * CHUNK))
        });
        let words = self.sites.download(self.stream)?;
        let words_per_plane = words.len() / nz.max(1);
        let occupied = words.chunks(words_per_plane.max(1)).enumerate();
        for (plane, words) in occupied.filter(|(_, words)| words.iter().any(|&word| word != 0)) {
            let nearest = self.nearest_in_plane(words, [nx, ny, 1])?;
            let z = (self.first_plane + plane) as u32;
            parallel::for_each_mut(&mut stacks, |chunk, stacks| {
                let first = chunk * CHUNK;
                let columns_of_chunk = nearest.iter().enumerate().skip(first).take(CHUNK);
                for (column, &site) in columns_of_chunk.filter(|(_, site)| **site != u64::MAX) {
                    let candidate = columns.candidate(column, z, site as u32);
                    stacks.push(column - first, candidate, columns.weights[2]);
                }
            });
        }
        let (first, end) = (self.first_plane, self.first_plane + nz);
        let (before, after) = (PlaneRange::new(..first), PlaneRange::new(end..));
        let chunks = parallel::map(chunk_count, |chunk| {
            let (mut counts, mut sites) = (Vec::new(), Vec::new());
            let mut envelope = Vec::new();
            for column in 0..CHUNK.min(columns.count - chunk * CHUNK) {
                stacks[chunk].copy_column(column, &mut envelope);
                let first_needed = if first > 0 {
                    before.trim(&envelope, columns.weights[2]).len()
                } else {
                    0
                };
                let last_needed = after.trim(&envelope, columns.weights[2]).len();
                let skipped = first_needed..first_needed.max(envelope.len() - last_needed);
                envelope.drain(skipped);
                counts.push_or_unwind(envelope.len() as u32);
                sites.extend_or_unwind(envelope.iter().map(|&candidate| columns.site(candidate)));
            }
            (counts, sites)
        });
        ColumnEnvelopes::from_chunks([nx, ny], *self.sites.geometry(), chunks)
    }

    /// Returns the index of the nearest site within a plane for each voxel of the plane.
    fn nearest_in_plane(&self, words: &[u32], dims: [usize; 3]) -> Result<Vec<u64>, DistanceError> {
        let geometry = *self.sites.geometry();
        let plane = DeviceMask::from_words(self.stream, words, dims, geometry)?;
        let map = transform(self.stream, Sites::Voxels(&plane), &self.params)?;
        download_nearest(self.stream, map.nearest)
    }
}

/// Copies indices of nearest sites to the host; `u64::MAX` if there is none.
fn download_nearest(
    stream: &Stream,
    nearest: Option<NearestIndices>,
) -> Result<Vec<u64>, DistanceError> {
    Ok(match nearest {
        Some(NearestIndices::U32(nearest)) => {
            let narrow = stream.download(&nearest)?;
            let widen = |&index: &u32| match index {
                u32::MAX => u64::MAX,
                index => index.into(),
            };
            parallel::collect(narrow.len(), parallel::CHUNK_LEN, |range, list| {
                list.extend_or_unwind(narrow[range].iter().map(widen));
            })
        }
        Some(NearestIndices::U64(nearest)) => stream.download(&nearest)?,
        None => Vec::new(),
    })
}

/// Checks that a part has orthogonal axes and indices that are represented.
fn check_part(dims: [usize; 2], geometry: &Geometry, planes: usize) -> Result<(), DistanceError> {
    if let Some(shear) = geometry.shear() {
        return Err(DistanceError::PartOblique { shear });
    }
    let voxels = dims[0].checked_mul(dims[1]);
    if voxels.is_none_or(|voxels| voxels > u32::MAX as usize) || planes > u32::MAX as usize {
        return Err(DistanceError::PartTooLarge { dims });
    }
    Ok(())
}

/// Returns the weights of squared distances.
fn weights(dims: [usize; 2], geometry: &Geometry) -> Result<ColumnWeights, DistanceError> {
    let grid = kernel_grid([dims[0], dims[1], 1])?;
    let unit = CostUnit::for_grid(grid, geometry, &DistanceParams::default());
    Ok(ColumnWeights::new(&unit))
}

fn columns<C>(dims: [usize; 2], weights: [C; 3]) -> Columns<C> {
    Columns {
        nx: dims[0] as u32,
        count: dims[0] * dims[1],
        weights,
    }
}
