//! Output paths with the placeholder `{label}`.

use std::path::{Path, PathBuf};

const PLACEHOLDER: &str = "{label}";

/// Returns `true` if a path contains the placeholder.
pub(crate) fn has_placeholder(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains(PLACEHOLDER))
}

/// Expands a path to one file per label, or to the path itself if it has no placeholder.
pub(crate) fn expand(output: &Path, labels: &[i64]) -> Vec<PathBuf> {
    match output.to_str() {
        Some(text) if text.contains(PLACEHOLDER) => labels
            .iter()
            .map(|label| text.replace(PLACEHOLDER, &label.to_string()).into())
            .collect(),
        _ => vec![output.to_owned()],
    }
}
