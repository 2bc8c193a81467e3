//! Names of outputs in which `{label}` stands for a label.

use std::path::{Path, PathBuf};

const LABEL: &str = "{label}";

/// Whether a name has a place for the label.
pub(crate) fn has_label(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains(LABEL))
}

/// The files that an output stands for: one for each label, or one.
pub(crate) fn files_of(output: &Path, labels: &[i64]) -> Vec<PathBuf> {
    match output.to_str() {
        Some(text) if text.contains(LABEL) => labels
            .iter()
            .map(|label| text.replace(LABEL, &label.to_string()).into())
            .collect(),
        _ => vec![output.to_owned()],
    }
}
