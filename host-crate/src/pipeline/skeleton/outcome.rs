//! What a job made.

use super::Defect;
use crate::{
    device::Device,
    graph::Skeleton,
    grid::Geometry,
    memory::CollectOrUnwind,
    monitor::StageTime,
    pipeline::{Timings, Warning},
    skeleton::{
        medial::{ComponentReport, Dust, LabelSkeleton},
        potential_field::{Certificate, ClassCounts, Extraction, FieldVariant, field::ForceField},
    },
};
use std::path::{Path, PathBuf};

/// What was made.
#[derive(Clone, Debug)]
pub struct SkeletonOutcome {
    /// The skeleton of each label, in ascending order; of an object without labels one.
    pub labels: Vec<LabelOutcome>,
    /// Voxels of the object's grid along x, y and z.
    pub dims: [usize; 3],
    /// Where the grid lies in the world.
    pub geometry: Geometry,
    /// The devices that worked on it; none where the host did.
    pub devices: Vec<Device>,
    /// Cycles that the last of the files that are trees lacks; of files for each label, all of them
    /// together.
    pub cut_cycles: usize,
    /// The skeleton files that were written.
    pub written: Vec<PathBuf>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// How long each stage took.
    pub timings: Timings,
    /// How long each stage of making the skeletons took.
    pub stages: Vec<StageTime>,
}

/// The skeleton of a label.
#[derive(Clone, Debug)]
pub struct LabelOutcome {
    /// The label; 1 for an object that is not a label.
    pub label: i64,
    /// Its skeleton, pruned and merged as asked.
    pub skeleton: Skeleton,
    /// Branches that were pruned away.
    pub pruned: usize,
    /// What is known of it.
    pub checks: Checks,
}

/// What is known of a skeleton. It was found out before the skeleton was pruned or merged.
#[derive(Clone, Debug)]
pub enum Checks {
    /// Of [`Method::Medial`](super::Method::Medial): the properties of each component.
    Medial {
        /// What is known of each component of the object.
        components: Vec<ComponentReport>,
        /// Components that were too small for a skeleton.
        dust: Dust,
        /// What does not hold, in the order of components. The skeleton is certified if there is
        /// nothing.
        defects: Vec<Defect>,
    },
    /// Of [`Method::PotentialField`](super::Method::PotentialField): the count of critical points, which says whether
    /// they were found, and nothing of the curves.
    PotentialField {
        /// The critical points of each component of the object beside its Euler number.
        index: Vec<Certificate>,
        /// Curves that join what the force leaves apart.
        bridges: usize,
        /// How many voxels there are of each class.
        counts: ClassCounts,
        /// How the force field was made: never [`FieldVariant::Auto`].
        variant: FieldVariant,
    },
}

impl LabelOutcome {
    /// Creates the outcome of the medial method.
    pub(super) fn from_medial(found: LabelSkeleton, label: i64) -> Self {
        let found = LabelSkeleton { label, ..found };
        let reports = found.components.iter().enumerate();
        let defects = reports.flat_map(|(component, report)| {
            let failures = report.failures.iter();
            failures.map(move |failure| (component, failure))
        });
        let defects = defects
            .map(|(component, failure)| Defect::of(&found, component, failure))
            .collect();
        Self {
            label,
            skeleton: found.skeleton,
            pruned: 0,
            checks: Checks::Medial {
                components: found.components,
                dust: found.dust,
                defects,
            },
        }
    }

    /// Creates the outcome of the potential-field method; also returns the duration of its stages
    /// and the force field.
    pub(super) fn from_potential_field(
        extraction: Extraction,
        label: i64,
    ) -> (Self, Vec<StageTime>, ForceField) {
        let outcome = Self {
            label,
            skeleton: extraction.skeleton,
            pruned: 0,
            checks: Checks::PotentialField {
                index: extraction.certificate,
                bridges: extraction.bridges,
                counts: extraction.counts,
                variant: extraction.variant,
            },
        };
        (outcome, extraction.timings, extraction.force_field)
    }

    /// What does not hold of the skeleton; nothing by the published method, which does not say.
    pub fn defects(&self) -> &[Defect] {
        match &self.checks {
            Checks::Medial { defects, .. } => defects,
            Checks::PotentialField { .. } => &[],
        }
    }

    /// What is known of each component; nothing by the published method.
    pub fn components(&self) -> &[ComponentReport] {
        match &self.checks {
            Checks::Medial { components, .. } => components,
            Checks::PotentialField { .. } => &[],
        }
    }

    /// The critical points of each component beside its Euler number; nothing by the method for
    /// whole objects.
    pub fn index(&self) -> &[Certificate] {
        match &self.checks {
            Checks::PotentialField { index, .. } => index,
            Checks::Medial { .. } => &[],
        }
    }

    /// Whether all properties hold of all components. `None` by the published method: nothing is
    /// known. Where branches were pruned they do not: what only these covered is not covered.
    pub fn certified(&self) -> Option<bool> {
        match &self.checks {
            Checks::Medial { defects, .. } => Some(defects.is_empty() && self.pruned == 0),
            Checks::PotentialField { .. } => None,
        }
    }
}

impl SkeletonOutcome {
    /// Whether all properties hold of all components of all labels; see
    /// [`LabelOutcome::certified`].
    pub fn certified(&self) -> Option<bool> {
        let labels = self.labels.iter().map(LabelOutcome::certified);
        labels.reduce(|one, other| Some(one? && other?)).flatten()
    }

    /// Branches that were pruned away.
    pub fn pruned(&self) -> usize {
        self.labels.iter().map(|label| label.pruned).sum()
    }

    /// What does not hold, of all labels.
    pub fn defects(&self) -> impl Iterator<Item = &Defect> {
        self.labels.iter().flat_map(LabelOutcome::defects)
    }

    /// The critical points of all components together beside their Euler numbers, by the published
    /// method. Sums may balance where their parts do not.
    pub fn index(&self) -> Option<Certificate> {
        let is_core = |label: &LabelOutcome| matches!(label.checks, Checks::PotentialField { .. });
        let parts = self.labels.iter().flat_map(LabelOutcome::index);
        self.labels
            .iter()
            .any(is_core)
            .then(|| Certificate::sum(parts))
    }

    /// How the force field was made, by the published method.
    pub fn variant(&self) -> Option<FieldVariant> {
        self.labels.iter().find_map(|label| match label.checks {
            Checks::PotentialField { variant, .. } => Some(variant),
            Checks::Medial { .. } => None,
        })
    }

    /// Components whose critical points do not add up to their Euler number, by the published
    /// method.
    pub fn unbalanced(&self) -> usize {
        let all = self.labels.iter().flat_map(LabelOutcome::index);
        all.filter(|index| !index.is_balanced()).count()
    }

    /// What a caller should know of the checks.
    pub(super) fn doubts(&self, path: &Path) -> Vec<Warning> {
        let path = || path.to_owned();
        let mut doubts = Vec::new();
        let unbalanced = self.unbalanced();
        if unbalanced > 0 {
            doubts.push(Warning::Unbalanced {
                path: path(),
                count: unbalanced,
                all: self.labels.iter().map(|label| label.index().len()).sum(),
            });
        }
        if let Some(first) = self.defects().next() {
            let mut bad: Vec<_> = self
                .defects()
                .map(|it| (it.label, it.component))
                .collect_or_unwind();
            bad.dedup();
            doubts.push(Warning::NotCertified {
                path: path(),
                components: bad.len(),
                all: self.labels.iter().map(|it| it.components().len()).sum(),
                first: first.to_string(),
            });
        }
        let is_whole = self.certified().is_some();
        if let (true, count @ 1..) = (is_whole, self.pruned()) {
            doubts.push(Warning::PrunedCover {
                path: path(),
                count,
            });
        }
        doubts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{graph::Edge, skeleton::medial::Failure};
    use nalgebra::Point3;

    /// A label with two components, of which the second has two defects.
    fn label() -> LabelOutcome {
        let component = |failures| ComponentReport {
            first: [2, 0, 0],
            voxels: 9,
            tunnels: 1,
            cavities: 0,
            rank: 1,
            centred: true,
            failures,
        };
        let edge = Edge {
            nodes: [0, 0],
            points: vec![Point3::new(1.0, 2.0, 3.0), Point3::new(1.0, 2.0, 3.0)],
            radii: vec![1.0; 2],
            level: 0,
        };
        let found = LabelSkeleton {
            label: 1,
            skeleton: Skeleton {
                edges: vec![edge],
                geometry: Geometry::from_spacing([0.5, 0.5, 2.0], [100.0, 0.0, 0.0]).unwrap(),
                ..Skeleton::default()
            },
            components: vec![
                component(Vec::new()),
                component(vec![
                    Failure::Cycles {
                        found: 2,
                        expected: 1,
                    },
                    Failure::ZeroLength {
                        edge: 0,
                        segment: 0,
                    },
                ]),
            ],
            dust: Dust::default(),
        };
        LabelOutcome::from_medial(found, 7)
    }

    #[test]
    fn defects_have_places_in_the_world() {
        let outcome = SkeletonOutcome {
            labels: vec![label()],
            dims: [4; 3],
            geometry: Geometry::default(),
            devices: Vec::new(),
            cut_cycles: 0,
            written: Vec::new(),
            warnings: Vec::new(),
            timings: Timings::default(),
            stages: Vec::new(),
        };
        let said: Vec<_> = outcome.defects().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "cycles: 2 cycles for 1 tunnels, at (101, 0, 0)",
                "zero-length: a segment has no length, at (100.5, 1, 6)"
            ]
        );
        assert_eq!((outcome.certified(), outcome.index()), (Some(false), None));
        let warnings = outcome.doubts("a.nii".as_ref());
        assert_eq!(
            warnings[0].to_string(),
            "a.nii: the skeletons of 1 of 2 components are not certified: cycles: 2 cycles for 1 tunnels, at (101, 0, 0)"
        );
    }
}
