//! Search for critical points until the certificate balances.

use super::{Density, Search, candidate_cells, with_neighbours};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind, filled_or_unwind},
    skeleton::{
        NodeKind, SkeletonError,
        potential_field::{Certificate, context::Context},
    },
};
use nalgebra::Point3;

/// Minimum number of voxels with a force per starting point, in all passes but the first. A Newton
/// iteration takes up to 40 steps with derivatives in `f64`, as much work as the force at about a
/// hundred voxels, so this limits a pass to a few times the duration of the force field.
const VOXELS_PER_START: u64 = 16;

/// Number of starting points up to which a pass is never skipped, for small solids.
const MIN_STARTS: u64 = 1 << 14;

impl Context<'_> {
    /// Finds the critical points, starting from the candidate cells. The search is repeated for
    /// components whose critical points do not add up to the Euler characteristic: first with more
    /// starting points per cell, then also in the cells around the candidates and the points found.
    pub(in crate::skeleton) fn critical_points(
        &self,
    ) -> Result<(Search, Vec<Certificate>), SkeletonError> {
        let cells: Vec<[i64; 3]> = candidate_cells(self.stream, self.field)?
            .into_iter()
            .map(|cell| cell.map(|at| at as i64))
            .collect_or_unwind();
        let mut search = Search::default();
        let mut certificates = Vec::new();
        let inside = self.classes.counts.boundary + self.classes.counts.interior;
        let max_starts = (inside / VOXELS_PER_START).max(MIN_STARTS);
        let passes = [(false, 1), (false, 2), (false, 3), (true, 2), (true, 4)];
        for (with_surroundings, density) in passes {
            let mut pass_cells = copy_or_unwind(&cells);
            if with_surroundings {
                // forces of the same sign at all corners may hide an attracting point next to a
                // saddle that was found from another cell
                pass_cells.extend_or_unwind(search.cells());
            }
            if !certificates.is_empty() {
                let unbalanced = |cell: &[i64; 3]| {
                    let corner = Point3::from(cell.map(|at| at as f64));
                    let component = self.containing_component(&corner) as usize;
                    !Certificate::is_balanced(&certificates[component])
                };
                pass_cells.retain(unbalanced);
            }
            if with_surroundings {
                pass_cells = with_neighbours(&pass_cells);
                pass_cells.retain(|&cell| self.inside.has_all_corners(cell));
            }
            let starts = pass_cells.len() as u64 * u64::from(density).pow(3);
            if !certificates.is_empty() && starts > max_starts {
                break;
            }
            let forces = (self.stream, self.sources, self.params.exponent);
            search.search(forces, &pass_cells, Density(density), |point| {
                self.inside.is_in_cell(point)
            })?;
            certificates = self.certificates(&search);
            if certificates.iter().all(Certificate::is_balanced) {
                break;
            }
        }
        search.sort();
        Ok((search, certificates))
    }

    fn certificates(&self, search: &Search) -> Vec<Certificate> {
        let mut kinds: Vec<Vec<NodeKind>> = filled_or_unwind(Vec::new(), self.components.count());
        for point in &search.points {
            kinds[self.containing_component(&point.position) as usize].push_or_unwind(point.kind);
        }
        let euler = self.components.euler_numbers();
        let pairs = kinds.into_iter().zip(euler);
        pairs
            .map(|(kinds, &euler)| Certificate::from_kinds(kinds, euler))
            .collect_or_unwind()
    }
}
