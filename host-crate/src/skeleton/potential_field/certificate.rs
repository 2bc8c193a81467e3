//! Completeness certificate of the critical points.

use crate::skeleton::{NodeKind, Skeleton};
use serde::Serialize;

/// Critical points of a solid, compared with its Euler characteristic.
///
/// The force points inwards everywhere on the surface. By the Poincaré–Hopf theorem, the critical
/// points, counted with the sign of their index, therefore add up to the solid's Euler
/// characteristic: attracting − saddles of index 1 + saddles of index 2 − repelling. If they do
/// not, some have not been found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Certificate {
    /// Number of attracting points.
    pub attracting: u64,
    /// Number of saddles from which the force diverges along one direction and its opposite.
    pub saddles_index1: u64,
    /// Number of saddles from which the force diverges in a plane.
    pub saddles_index2: u64,
    /// Number of repelling points; 0 for exponents above 2.
    pub repelling: u64,
    /// Euler characteristic of the solid: components − tunnels + cavities.
    pub euler_solid: i64,
}

impl Certificate {
    /// Counts the critical points among `kinds`, for a solid of the given Euler characteristic.
    /// Other kinds are ignored.
    pub fn from_kinds(kinds: impl IntoIterator<Item = NodeKind>, euler_solid: i64) -> Self {
        let mut certificate = Self {
            euler_solid,
            ..Self::default()
        };
        for kind in kinds {
            match kind {
                NodeKind::Attracting => certificate.attracting += 1,
                NodeKind::Saddle { index: 1 } => certificate.saddles_index1 += 1,
                NodeKind::Saddle { .. } => certificate.saddles_index2 += 1,
                NodeKind::Repelling => certificate.repelling += 1,
                NodeKind::Junction | NodeKind::End => (),
            }
        }
        certificate
    }

    /// Adds up the certificates of several solids. Sums may balance even if their parts do not.
    pub fn sum<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let parts = parts.into_iter();
        parts.fold(Self::default(), |sum, part| Self {
            attracting: sum.attracting + part.attracting,
            saddles_index1: sum.saddles_index1 + part.saddles_index1,
            saddles_index2: sum.saddles_index2 + part.saddles_index2,
            repelling: sum.repelling + part.repelling,
            euler_solid: sum.euler_solid + part.euler_solid,
        })
    }

    /// Returns attracting − saddles of index 1 + saddles of index 2 − repelling.
    pub fn balance(&self) -> i64 {
        let count = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        count(self.attracting) - count(self.saddles_index1) + count(self.saddles_index2)
            - count(self.repelling)
    }

    /// Returns `true` if the balance equals the solid's Euler characteristic.
    pub fn is_balanced(&self) -> bool {
        self.balance() == self.euler_solid
    }
}

impl Skeleton {
    /// Returns the certificate of one component, or of all if `component` is `None`, given the
    /// Euler characteristic of the solid. It is only meaningful as long as no critical point has
    /// been merged or pruned.
    pub fn certificate(&self, component: Option<u32>, euler_solid: i64) -> Certificate {
        let nodes = self.nodes.iter();
        let nodes =
            nodes.filter(|node| component.is_none_or(|component| node.component == component));
        Certificate::from_kinds(nodes.map(|node| node.kind), euler_solid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balance_is_compared_with_the_euler_characteristic() {
        let saddle = |index| NodeKind::Saddle { index };
        // a torus: as many saddles as attracting points
        let torus = [NodeKind::Attracting, saddle(1), NodeKind::End].repeat(4);
        assert!(Certificate::from_kinds(torus.clone(), 0).is_balanced());
        assert!(!Certificate::from_kinds(torus, 1).is_balanced());
        let kinds = [
            NodeKind::Attracting,
            saddle(2),
            NodeKind::Repelling,
            NodeKind::Junction,
        ];
        let certificate = Certificate::from_kinds(kinds, 1);
        assert_eq!(
            (certificate.balance(), certificate.is_balanced()),
            (1, true)
        );
        assert_eq!(
            Certificate {
                attracting: 1,
                saddles_index2: 1,
                repelling: 1,
                euler_solid: 1,
                ..Certificate::default()
            },
            certificate
        );
    }
}
