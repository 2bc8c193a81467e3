//! Errors of the selection of an object.

use crate::grid::{Selection, format_label};

/// An error of the selection of an object.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The volume has a dim of 0.
    #[error("the volume has no samples")]
    NoSamples,
    /// The list of labels is empty.
    #[error("the list of labels is empty: name one at least")]
    NoLabels,
    /// The selected label does not fit in 64 bits with a sign.
    #[error(
        "the label is {label:.0}: labels must be at least -2^63 and less than 2^63; renumber them"
    )]
    LabelTooLarge {
        /// The label.
        label: f64,
    },
    /// A mask has no voxels.
    #[error("every sample of the mask is 0; give another mask")]
    EmptyMask,
    /// The mask excludes all voxels of the object.
    #[error("no voxel of the object is within the mask; give another mask or level")]
    OutsideMask,
    /// Labels are to be filtered like one object.
    #[error(
        "labels are measured as they are; select one label to fill cavities or keep the largest component"
    )]
    LabelFilter,
    /// The object has no voxels or no surface.
    #[error("there is nothing to measure distances to; give another level")]
    NoTarget,
    /// No voxel is selected.
    #[error("there is no object: {}", nothing(*selection, *range))]
    Nothing {
        /// The selection.
        selection: Selection,
        /// Minimum and maximum of the finite samples.
        range: Option<[f64; 2]>,
    },
    /// A threshold selects all voxels.
    #[error(
        "all of the volume is object: every sample is {selection} ({}); give a {} threshold",
        samples(*range),
        match selection { Selection::Below(_) => "lower", _ => "higher" }
    )]
    Everything {
        /// The selection.
        selection: Selection,
        /// Minimum and maximum of the finite samples.
        range: Option<[f64; 2]>,
    },
}

fn samples(range: Option<[f64; 2]>) -> String {
    match range {
        Some([least, most]) => format!("samples are from {least} to {most}"),
        None => "no sample is a finite number".to_owned(),
    }
}

fn nothing(selection: Selection, range: Option<[f64; 2]>) -> String {
    let samples = samples(range);
    match selection {
        Selection::NotZero => "every sample is 0".to_owned(),
        Selection::Label(label) => {
            let label = format_label(label);
            format!("no sample is {label} ({samples}); give another label")
        }
        Selection::WideLabel(label) => {
            format!("no sample is {label} ({samples}); give another label")
        }
        Selection::AtLeast(_) => {
            format!("no sample is {selection} ({samples}); give a lower threshold")
        }
        Selection::Below(_) => {
            format!("no sample is {selection} ({samples}); give a higher threshold")
        }
        Selection::Range(_) => format!("no sample is {selection} ({samples}); give another range"),
    }
}
