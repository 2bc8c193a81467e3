//! Result of a skeleton job.

use super::LocatedViolation;
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

/// Result of a skeleton job.
#[derive(Clone, Debug)]
pub struct SkeletonOutcome {
    /// One skeleton per label, in ascending order of labels; a single entry for an object without
    /// labels.
    pub labels: Vec<LabelOutcome>,
    /// Number of voxels of the object's grid along x, y and z.
    pub dims: [usize; 3],
    /// Geometry of the object's grid.
    pub geometry: Geometry,
    /// The isovalue, if the object was selected by one.
    pub iso: Option<f64>,
    /// Devices that took part; empty if only the host did.
    pub devices: Vec<Device>,
    /// Number of cycles that were cut in the last output in a tree format, summed over its files.
    pub cut_cycles: usize,
    /// Skeleton files that were written.
    pub written: Vec<PathBuf>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Duration of each stage of the job.
    pub timings: Timings,
    /// Duration of each stage of the extraction.
    pub stages: Vec<StageTime>,
}

/// Skeleton of one label.
#[derive(Clone, Debug)]
pub struct LabelOutcome {
    /// The label; 1 for an object that is not a label.
    pub label: i64,
    /// The skeleton, joined, pruned and merged as requested.
    pub skeleton: Skeleton,
    /// Number of branches that were pruned.
    pub pruned: usize,
    /// Number of gaps between components that were joined.
    pub joined: usize,
    /// Verification of the skeleton.
    pub checks: Checks,
}

/// Verification of a skeleton, before pruning and merging.
#[derive(Clone, Debug)]
pub enum Checks {
    /// Verification by [`Method::Medial`](super::Method::Medial): the properties of each component.
    Medial {
        /// One report per component of the object.
        components: Vec<ComponentReport>,
        /// Components that were skipped because they are small.
        dust: Dust,
        /// Violated properties, in the order of components; empty if the skeleton is certified.
        violations: Vec<LocatedViolation>,
    },
    /// Verification by [`Method::PotentialField`](super::Method::PotentialField): the critical
    /// points, compared with the Euler number. It shows whether all critical points were found, but
    /// does not certify the curves.
    PotentialField {
        /// Critical points and Euler number of each component of the object.
        certificates: Vec<Certificate>,
        /// Number of curves that connect parts of the skeleton which the force leaves apart.
        bridges: usize,
        /// Number of voxels of each class.
        counts: ClassCounts,
        /// Method by which the force field was computed; never [`FieldVariant::Auto`].
        variant: FieldVariant,
    },
}

impl LabelOutcome {
    /// Creates the outcome of the medial method.
    pub(super) fn from_medial(found: LabelSkeleton, label: i64) -> Self {
        let found = LabelSkeleton { label, ..found };
        let reports = found.components.iter().enumerate();
        let violations = reports.flat_map(|(component, report)| {
            let violations = report.violations.iter();
            violations.map(move |violation| (component, violation))
        });
        let violations = violations
            .map(|(component, violation)| LocatedViolation::new(&found, component, violation))
            .collect();
        Self {
            label,
            skeleton: found.skeleton,
            pruned: 0,
            joined: 0,
            checks: Checks::Medial {
                components: found.components,
                dust: found.dust,
                violations,
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
            joined: 0,
            checks: Checks::PotentialField {
                certificates: extraction.certificate,
                bridges: extraction.bridges,
                counts: extraction.counts,
                variant: extraction.variant,
            },
        };
        (outcome, extraction.timings, extraction.force_field)
    }

    /// Returns the violated properties; empty for the potential-field method.
    pub fn violations(&self) -> &[LocatedViolation] {
        match &self.checks {
            Checks::Medial { violations, .. } => violations,
            Checks::PotentialField { .. } => &[],
        }
    }

    /// Returns the reports of the components; empty for the potential-field method.
    pub fn components(&self) -> &[ComponentReport] {
        match &self.checks {
            Checks::Medial { components, .. } => components,
            Checks::PotentialField { .. } => &[],
        }
    }

    /// Returns the critical points and the Euler number of each component; empty for the medial
    /// method.
    pub fn certificates(&self) -> &[Certificate] {
        match &self.checks {
            Checks::PotentialField { certificates, .. } => certificates,
            Checks::Medial { .. } => &[],
        }
    }

    /// Returns `true` if no property of any component is violated, no branch was pruned (voxels
    /// that only pruned branches covered become uncovered) and no gap was joined (its edge leaves
    /// the object). Returns `None` for the potential-field method, which certifies nothing.
    pub fn is_certified(&self) -> Option<bool> {
        match &self.checks {
            Checks::Medial { violations, .. } => {
                Some(violations.is_empty() && self.pruned == 0 && self.joined == 0)
            }
            Checks::PotentialField { .. } => None,
        }
    }
}

impl SkeletonOutcome {
    /// Returns `true` if the skeletons of all labels are certified; see
    /// [`LabelOutcome::is_certified`].
    pub fn is_certified(&self) -> Option<bool> {
        let labels = self.labels.iter().map(LabelOutcome::is_certified);
        labels.reduce(|one, other| Some(one? && other?)).flatten()
    }

    /// Returns the number of branches that were pruned.
    pub fn pruned(&self) -> usize {
        self.labels.iter().map(|label| label.pruned).sum()
    }

    /// Returns the number of gaps that were joined.
    pub fn joined(&self) -> usize {
        self.labels.iter().map(|label| label.joined).sum()
    }

    /// Returns the violated properties of all labels.
    pub fn violations(&self) -> impl Iterator<Item = &LocatedViolation> {
        self.labels.iter().flat_map(LabelOutcome::violations)
    }

    /// Returns the sums of critical points and Euler numbers over all components, or `None` for the
    /// medial method. The sums can balance even if those of single components do not.
    pub fn total_certificate(&self) -> Option<Certificate> {
        let is_potential_field =
            |label: &LabelOutcome| matches!(label.checks, Checks::PotentialField { .. });
        let parts = self.labels.iter().flat_map(LabelOutcome::certificates);
        self.labels
            .iter()
            .any(is_potential_field)
            .then(|| Certificate::sum(parts))
    }

    /// Returns the method by which the force field was computed, or `None` for the medial method.
    pub fn variant(&self) -> Option<FieldVariant> {
        self.labels.iter().find_map(|label| match label.checks {
            Checks::PotentialField { variant, .. } => Some(variant),
            Checks::Medial { .. } => None,
        })
    }

    /// Returns the number of components whose critical points do not add up to their Euler number;
    /// 0 for the medial method.
    pub fn unbalanced_components(&self) -> usize {
        let all = self.labels.iter().flat_map(LabelOutcome::certificates);
        all.filter(|certificate| !certificate.is_balanced()).count()
    }

    /// Returns the warnings that follow from the checks.
    pub(super) fn check_warnings(&self, path: &Path) -> Vec<Warning> {
        let path = || path.to_owned();
        let mut warnings = Vec::new();
        let unbalanced = self.unbalanced_components();
        if unbalanced > 0 {
            warnings.push(Warning::Unbalanced {
                path: path(),
                count: unbalanced,
                all: self
                    .labels
                    .iter()
                    .map(|label| label.certificates().len())
                    .sum(),
            });
        }
        if let Some(first) = self.violations().next() {
            let mut uncertified: Vec<_> = self
                .violations()
                .map(|violation| (violation.label, violation.component))
                .collect_or_unwind();
            uncertified.dedup();
            warnings.push(Warning::NotCertified {
                path: path(),
                components: uncertified.len(),
                all: self
                    .labels
                    .iter()
                    .map(|label| label.components().len())
                    .sum(),
                first: first.to_string(),
            });
        }
        let is_medial = self.is_certified().is_some();
        if let (true, count @ 1..) = (is_medial, self.pruned()) {
            warnings.push(Warning::PrunedCover {
                path: path(),
                count,
            });
        }
        if let (true, count @ 1..) = (is_medial, self.joined()) {
            warnings.push(Warning::JoinedGaps {
                path: path(),
                count,
            });
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{graph::Edge, skeleton::medial::Violation};
    use nalgebra::Point3;

    /// Creates a label with two components, of which the second has two violations.
    fn label() -> LabelOutcome {
        let component = |violations| ComponentReport {
            first_voxel: [2, 0, 0],
            voxels: 9,
            tunnels: 1,
            filled_tunnels: 0,
            cavities: 0,
            cycle_rank: 1,
            is_centred: true,
            uncovered: None,
            violations,
        };
        let edge = Edge {
            nodes: [0, 0],
            points: vec![Point3::new(1.0, 2.0, 3.0), Point3::new(1.0, 2.0, 3.0)],
            radii: vec![1.0; 2],
            section_areas: Vec::new(),
            level: 0,
        };
        let skeleton = LabelSkeleton {
            label: 1,
            skeleton: Skeleton {
                edges: vec![edge],
                geometry: Geometry::from_spacing([0.5, 0.5, 2.0], [100.0, 0.0, 0.0]).unwrap(),
                ..Skeleton::default()
            },
            components: vec![
                component(Vec::new()),
                component(vec![
                    Violation::CycleCount {
                        cycles: 2,
                        tunnels: 1,
                    },
                    Violation::ZeroLength {
                        edge: 0,
                        segment: 0,
                    },
                ]),
            ],
            dust: Dust::default(),
        };
        LabelOutcome::from_medial(skeleton, 7)
    }

    #[test]
    fn defects_have_world_positions() {
        let outcome = SkeletonOutcome {
            labels: vec![label()],
            dims: [4; 3],
            geometry: Geometry::default(),
            iso: None,
            devices: Vec::new(),
            cut_cycles: 0,
            written: Vec::new(),
            warnings: Vec::new(),
            timings: Timings::default(),
            stages: Vec::new(),
        };
        let texts: Vec<_> = outcome.violations().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "cycles: 2 cycles for 1 tunnels, at (101, 0, 0)",
                "zero-length: a segment has length zero, at (100.5, 1, 6)"
            ]
        );
        assert_eq!(
            (outcome.is_certified(), outcome.total_certificate()),
            (Some(false), None)
        );
        let warnings = outcome.check_warnings("a.nii".as_ref());
        assert_eq!(
            warnings[0].to_string(),
            "a.nii: the skeletons of 1 of 2 components are not certified: cycles: 2 cycles for 1 tunnels, at (101, 0, 0)"
        );
    }
}
