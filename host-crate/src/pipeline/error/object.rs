//! Why an object has no skeleton.

use crate::grid::Selection;

/// Why there is no object, or nothing else.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// A volume with a dim of 0.
    #[error("the volume has no samples")]
    NoSamples,
    /// A list of no labels.
    #[error("the list of labels is empty: name one at least")]
    NoLabels,
    /// No voxel is of it.
    #[error("there is no object: {}", nothing(*selection, *range))]
    Nothing {
        /// Which samples it should be.
        selection: Selection,
        /// The least and the greatest finite sample.
        range: Option<[f64; 2]>,
    },
    /// A threshold that leaves nothing out.
    #[error(
        "all of the volume is object: every sample is {selection} ({}); give a {} threshold",
        samples(*range),
        match selection { Selection::Below(_) => "lower", _ => "higher" }
    )]
    Everything {
        /// Which samples it is.
        selection: Selection,
        /// The least and the greatest finite sample.
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
