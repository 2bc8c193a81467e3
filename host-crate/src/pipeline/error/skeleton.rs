//! What a skeleton job cannot have.

/// What a job asks for that cannot be done, whatever the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonJobError {
    /// A force field of a method that has none.
    #[error("the file of forces goes with the method core: other methods make no force field")]
    FieldOfWhole,
    /// Several labels by the published method.
    #[error(
        "the method core makes the skeleton of one object; choose one label, or the method whole"
    )]
    LabelsOfCore,
    /// Cavities of labels.
    #[error(
        "cavities are filled of one object, and a cavity of a label may be another label; choose one label, or do not fill"
    )]
    FilledLabels,
}
