//! Distances within a part, to the sites of the part and those of envelopes.

use super::{
    ColumnEnvelopes, PURPOSE, PlaneRange,
    candidate::{Candidate, ColumnCost, ColumnWeights, Columns},
    check_part, columns,
    plane_sites::download_nearest,
    stacks::CHUNK,
    weights,
};
use crate::{
    device::Stream,
    distance::{
        DistanceError, DistanceParams, Method, NoSites, Sites, separable::CostUnit, transform,
    },
    grid::{DeviceMask, kernel_grid},
    memory::{ExtendOrUnwind, catch_out_of_memory, with_capacity_or_unwind},
    parallel,
};

/// Part of a distance map on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct MapPart {
    /// Distance of each voxel in world units, x fastest.
    pub distances: Vec<f32>,
    /// Linear index in the volume of the nearest site of each voxel; `u64::MAX` if there is none
    /// within the maximum distance.
    pub nearest: Vec<u64>,
}

/// Relative margin by which distances rounded to `f32` are less than another distance.
const MARGIN: f64 = 1e-5;

/// Computes a part of a distance map, whose first plane is `first_plane` of the volume. `outside`
/// holds the sites of other parts.
///
/// The result is that part of the map of [`transform`] with the sites of all parts, bit for bit, if
/// the squared spacings have a common unit; otherwise, distances to sites that are equally near
/// can be rounded differently.
///
/// # Errors
/// [`DistanceError::PartOblique`] on oblique grids, [`DistanceError::SlabsUnsupported`] for methods
/// other than [`Method::Separable`], [`DistanceError::EnvelopeMismatch`],
/// [`DistanceError::PartTooLarge`], and the errors of [`transform`]. Without sites, distances are
/// infinite or the maximum distance.
pub fn transform_part(
    stream: &Stream,
    sites: &DeviceMask,
    first_plane: usize,
    outside: Option<&ColumnEnvelopes>,
    params: &DistanceParams,
) -> Result<MapPart, DistanceError> {
    let [nx, ny, nz] = sites.dims();
    let (dims, geometry) = ([nx, ny], sites.geometry());
    check_part(dims, geometry, first_plane + nz)?;
    if params.method != Method::Separable {
        let method = params.method;
        return Err(DistanceError::SlabsUnsupported { method });
    }
    if let Some(outside) = outside {
        outside.check_columns(dims, geometry)?;
    }
    let within = DistanceParams {
        nearest: true,
        no_sites: NoSites::Infinity,
        ..*params
    };
    catch_out_of_memory(PURPOSE, || {
        let map = transform(stream, Sites::Voxels(sites), &within)?;
        let mut part = MapPart {
            distances: stream.download(&map.distances)?,
            nearest: download_nearest(stream, map.nearest)?,
        };
        let first_site = (first_plane * nx * ny) as u64;
        parallel::for_each_chunk_mut(&mut part.nearest, parallel::CHUNK_LEN, |_, chunk| {
            for index in chunk.iter_mut().filter(|index| **index != u64::MAX) {
                *index += first_site;
            }
        });
        if let Some(outside) = outside
            && !part.nearest.is_empty()
        {
            let planes = PartPlanes {
                first_plane,
                count: nz,
                params,
                outside,
                spacing: geometry.spacing().z,
                unit: CostUnit::for_grid(kernel_grid(sites.dims())?, geometry, params),
            };
            match weights(dims, geometry)? {
                ColumnWeights::Integer(weights) => planes.merge(columns(dims, weights), &mut part),
                ColumnWeights::Rounded(weights) => planes.merge(columns(dims, weights), &mut part),
            }
        }
        Ok(part)
    })
}

/// Planes of a part, and the sites outside of them.
struct PartPlanes<'a> {
    first_plane: usize,
    count: usize,
    params: &'a DistanceParams,
    outside: &'a ColumnEnvelopes,
    /// Distance between planes.
    spacing: f64,
    unit: CostUnit,
}

/// Candidates of all columns.
struct OutsideCandidates<C> {
    /// For each column, the index after its last candidate.
    ends: Vec<u32>,
    candidates: Vec<Candidate<C>>,
}

impl<C> OutsideCandidates<C> {
    fn column(&self, column: usize) -> &[Candidate<C>] {
        let start = column.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.candidates[start as usize..self.ends[column] as usize]
    }
}

impl PartPlanes<'_> {
    /// Replaces nearest sites by sites outside of the part that are nearer.
    fn merge<C: ColumnCost>(&self, columns: Columns<C>, part: &mut MapPart) {
        let outside = self.candidates(&columns);
        if outside.candidates.is_empty() {
            return;
        }
        let limit = self.max_cost::<C>();
        let lists = (&mut part.distances[..], &mut part.nearest[..]);
        parallel::for_each_chunk_pair_mut(lists, parallel::CHUNK_LEN, |start, chunks| {
            let (distances, nearest) = chunks;
            for (offset, (distance, nearest)) in distances.iter_mut().zip(nearest).enumerate() {
                let (plane, column) = (
                    (start + offset) / columns.count,
                    (start + offset) % columns.count,
                );
                if f64::from(*distance) < self.border_distance(plane) {
                    continue;
                }
                let z = (self.first_plane + plane) as u32;
                let key = |candidate: &Candidate<C>| {
                    (
                        candidate.cost_at(z, columns.weights[2]),
                        columns.site(*candidate),
                    )
                };
                let mut best =
                    (*nearest != u64::MAX).then(|| key(&columns.site_candidate(column, *nearest)));
                for candidate in outside.column(column) {
                    let other = key(candidate);
                    let is_nearer = best.is_none_or(|best| other < best);
                    if is_nearer && limit.is_none_or(|limit| other.0 <= limit) {
                        best = Some(other);
                        *distance = self.distance(other.0);
                        *nearest = other.1;
                    }
                }
            }
        });
    }

    /// Returns the candidates that can be nearest to a position in the planes of the part.
    fn candidates<C: ColumnCost>(&self, columns: &Columns<C>) -> OutsideCandidates<C> {
        let end = self.first_plane + self.count;
        let range = PlaneRange::new(self.first_plane..end);
        let chunks = parallel::map_ranges(columns.count, CHUNK, |chunk| {
            let (mut counts, mut candidates) = (Vec::new(), Vec::new());
            let mut envelope = Vec::new();
            for column in chunk {
                self.outside
                    .merge_column(None, columns, column, &mut envelope);
                let needed = range.trim(&envelope, columns.weights[2]);
                counts.push_or_unwind(needed.len() as u32);
                candidates.extend_or_unwind(needed.iter().copied());
            }
            (counts, candidates)
        });
        let total = chunks.iter().map(|(_, candidates)| candidates.len()).sum();
        let mut outside = OutsideCandidates {
            ends: with_capacity_or_unwind(columns.count),
            candidates: with_capacity_or_unwind(total),
        };
        let mut end = 0;
        for (counts, candidates) in chunks {
            outside.ends.extend(counts.into_iter().map(|count| {
                end += count;
                end
            }));
            outside.candidates.extend(candidates);
        }
        outside
    }

    /// Returns a distance that is less than those of a plane's voxels to all sites outside.
    fn border_distance(&self, plane: usize) -> f64 {
        let steps = (plane + 1).min(self.count - plane);
        steps as f64 * self.spacing * (1.0 - MARGIN)
    }

    /// Returns the largest squared distance within the maximum distance.
    fn max_cost<C: ColumnCost>(&self) -> Option<C> {
        let max_distance = self.params.max_distance?;
        let limit = if C::IS_INTEGER {
            (max_distance / self.unit.conversion.unit).powi(2).floor()
        } else {
            max_distance * max_distance
        };
        Some(C::from_cost(limit))
    }

    /// Converts a squared distance to a distance.
    fn distance<C: ColumnCost>(&self, cost: C) -> f32 {
        let conversion = self.unit.conversion;
        cost.root(conversion.unit).min(conversion.max_distance)
    }
}
