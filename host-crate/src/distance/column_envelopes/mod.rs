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
mod plane_range;
mod plane_sites;
mod stacks;

use super::{DistanceError, DistanceParams, NoSites, separable::CostUnit};
use crate::{
    device::Stream,
    grid::{DeviceMask, Geometry, kernel_grid},
    memory::{ExtendOrUnwind, catch_out_of_memory, with_capacity_or_unwind},
    parallel,
};
use candidate::{Candidate, ColumnCost, ColumnWeights, Columns};
pub use part::{MapPart, transform_part};
use plane_range::PlaneRange;
use plane_sites::PlaneSites;
use stacks::{CHUNK, push};
use std::ops::RangeBounds;

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
