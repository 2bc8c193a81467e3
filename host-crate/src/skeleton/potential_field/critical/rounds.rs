//! Searches for critical points, until all have been found.

use super::{Density, Search, candidates, with_neighbours};
use crate::{
    memory::{CollectOrUnwind, ExtendOrUnwind, copy_or_unwind, filled_or_unwind},
    skeleton::{
        NodeKind, SkeletonError,
        potential_field::{Certificate, context::Context},
    },
};
use nalgebra::Point3;

/// A later round of the search for critical points begins at no more places than the voxels inside
/// by this. From a place it takes up to 40 steps with derivatives in `f64`, as much work as the
/// field of about a hundred voxels: so a round takes no more than a few times as long as the field.
const LATER_SHARE: u64 = 16;

/// And where there are few voxels, at no more than this.
const MIN_LATER: u64 = 1 << 14;

impl Context<'_> {
    /// Finds the critical points: in the cells where there may be one, and, as long as they do not
    /// add up to the Euler number of their component, more densely there, and around them and what
    /// was found.
    pub(in crate::skeleton) fn critical_points(
        &self,
    ) -> Result<(Search, Vec<Certificate>), SkeletonError> {
        let cells: Vec<[i64; 3]> = candidates(self.stream, self.field)?
            .into_iter()
            .map(|cell| cell.map(|at| at as i64))
            .collect_or_unwind();
        let mut search = Search::default();
        let mut certificate = Vec::new();
        let inside = self.classes.counts.boundary + self.classes.counts.interior;
        let most = (inside / LATER_SHARE).max(MIN_LATER);
        let rounds = [(false, 1), (false, 2), (false, 3), (true, 2), (true, 4)];
        for (around, along) in rounds {
            let mut wanted = copy_or_unwind(&cells);
            if around {
                // forces of the same sign at all corners may hide an attracting point beside a
                // saddle that was found from elsewhere
                wanted.extend_or_unwind(search.cells());
            }
            if !certificate.is_empty() {
                let unbalanced = |cell: &[i64; 3]| {
                    let corner = Point3::from(cell.map(|at| at as f64));
                    let piece = self.piece_of(&corner) as usize;
                    !Certificate::is_balanced(&certificate[piece])
                };
                wanted.retain(unbalanced);
            }
            if around {
                wanted = with_neighbours(&wanted);
                wanted.retain(|&cell| self.inside.has_all_corners(cell));
            }
            let places = wanted.len() as u64 * u64::from(along).pow(3);
            if !certificate.is_empty() && places > most {
                break;
            }
            let forces = (self.stream, self.sources, self.params.exponent);
            search.search(forces, &wanted, Density(along), |at| {
                self.inside.is_in_cell(at)
            })?;
            certificate = self.certificates(&search);
            if certificate.iter().all(Certificate::is_balanced) {
                break;
            }
        }
        search.sort();
        Ok((search, certificate))
    }

    fn certificates(&self, search: &Search) -> Vec<Certificate> {
        let mut kinds: Vec<Vec<NodeKind>> = filled_or_unwind(Vec::new(), self.pieces.count());
        for point in &search.points {
            kinds[self.piece_of(&point.position) as usize].push_or_unwind(point.kind);
        }
        let euler = self.pieces.euler_numbers();
        let pairs = kinds.into_iter().zip(euler);
        pairs
            .map(|(kinds, &euler)| Certificate::from_kinds(kinds, euler))
            .collect_or_unwind()
    }
}
