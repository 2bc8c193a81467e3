//! Whether all critical points have been found.

use crate::skeleton::{NodeKind, Skeleton};
use serde::Serialize;

/// The critical points of a solid beside its Euler number.
///
/// The force points inwards all over the surface. So by the theorem of Poincaré and Hopf, the
/// critical points, counted with the sign of their index, add up to the solid's Euler number:
/// attracting − saddles of index 1 + saddles of index 2 − repelling. If they do not, some have not
/// been found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Certificate {
    /// Attracting points.
    pub attracting: u64,
    /// Saddles that the force leaves along one direction, and its opposite.
    pub saddles_index1: u64,
    /// Saddles that the force leaves in a plane.
    pub saddles_index2: u64,
    /// Repelling points: none where the exponent is above 2.
    pub repelling: u64,
    /// The Euler number of the solid: pieces − tunnels + cavities.
    pub euler_solid: i64,
}

impl Certificate {
    /// The critical points of these kinds, beside the Euler number of their solid. Kinds that are
    /// not critical are passed over.
    pub fn from_kinds(kinds: impl IntoIterator<Item = NodeKind>, euler_solid: i64) -> Self {
        let mut counted = Self {
            euler_solid,
            ..Self::default()
        };
        for kind in kinds {
            match kind {
                NodeKind::Attracting => counted.attracting += 1,
                NodeKind::Saddle { index: 1 } => counted.saddles_index1 += 1,
                NodeKind::Saddle { .. } => counted.saddles_index2 += 1,
                NodeKind::Repelling => counted.repelling += 1,
                NodeKind::Junction | NodeKind::End => (),
            }
        }
        counted
    }

    /// That of several solids together. Sums may balance where their parts do not.
    pub fn sum<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let parts = parts.into_iter();
        parts.fold(Self::default(), |sum, next| Self {
            attracting: sum.attracting + next.attracting,
            saddles_index1: sum.saddles_index1 + next.saddles_index1,
            saddles_index2: sum.saddles_index2 + next.saddles_index2,
            repelling: sum.repelling + next.repelling,
            euler_solid: sum.euler_solid + next.euler_solid,
        })
    }

    /// attracting − saddles of index 1 + saddles of index 2 − repelling.
    pub fn balance(&self) -> i64 {
        let count = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        count(self.attracting) - count(self.saddles_index1) + count(self.saddles_index2)
            - count(self.repelling)
    }

    /// Returns `true` if the index sum equals the Euler number of the solid.
    pub fn is_balanced(&self) -> bool {
        self.balance() == self.euler_solid
    }
}

impl Skeleton {
    /// The certificate of one component, or of all, beside the Euler number of the solid. It is
    /// that of the whole solid only as long as no critical point has been merged or pruned away.
    pub fn certificate(&self, component: Option<u32>, euler_solid: i64) -> Certificate {
        let nodes = self.nodes.iter();
        let nodes = nodes.filter(|node| component.is_none_or(|wanted| node.component == wanted));
        Certificate::from_kinds(nodes.map(|node| node.kind), euler_solid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_balance_or_do_not() {
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
