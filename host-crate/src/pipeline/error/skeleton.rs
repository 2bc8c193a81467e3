//! Errors of contradictory skeleton jobs.

/// Contradiction in a skeleton job, independent of the input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonJobError {
    /// A force field is requested from the medial method.
    #[error("the medial method has no force field to write; select the potential-field method")]
    FieldNeedsPotentialField,
    /// Several labels are requested from the potential-field method.
    #[error(
        "the potential-field method extracts one object at a time; select one label, or the medial method"
    )]
    LabelsNeedMedial,
    /// Cavities of labels are to be filled, or their largest components selected.
    #[error(
        "labels are extracted as they are: a cavity may contain another label; select one label to fill cavities or keep the largest component"
    )]
    FillLabels,
}
