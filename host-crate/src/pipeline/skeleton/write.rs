//! Writing of skeleton files: one for all labels, or one per label.

use super::{LabelOutcome, ObjectSource, SkeletonJob};
use crate::{
    graph::Skeleton,
    io::{FileError, FileGroup},
    memory::{CollectOrUnwind, ExtendOrUnwind},
    pipeline::{
        Warning,
        label_paths::{expand, has_placeholder},
    },
};
use std::path::PathBuf;

/// Files that were written.
#[derive(Default)]
pub struct WrittenFiles {
    /// Paths of the files.
    pub files: Vec<PathBuf>,
    /// Number of cycles cut in the last output in a tree format.
    pub cut_cycles: usize,
}

impl SkeletonJob {
    /// Writes the skeletons to all outputs.
    pub(super) fn write_skeletons(
        &self,
        group: &mut FileGroup,
        labels: &[LabelOutcome],
        warnings: &mut Vec<Warning>,
    ) -> Result<WrittenFiles, FileError> {
        let all: Vec<(i64, &Skeleton)> = labels
            .iter()
            .map(|label| (label.label, &label.skeleton))
            .collect_or_unwind();
        let numbers: Vec<i64> = labels.iter().map(|label| label.label).collect_or_unwind();
        let has_labels = matches!(self.object, ObjectSource::Labels { .. });
        let mut written = WrittenFiles::default();
        for output in &self.outputs {
            let mut cut = 0;
            if has_placeholder(output) || !has_labels {
                let files = expand(output, &numbers);
                for (file, (_, skeleton)) in files.into_iter().zip(&all) {
                    cut += group.write_skeleton(&file, skeleton)?.cut_cycles;
                    written.files.push_or_unwind(file);
                }
            } else {
                cut = group.write_skeletons(output, &all)?.cut_cycles;
                written.files.push_or_unwind(output.clone());
            }
            if cut > 0 {
                written.cut_cycles = cut;
                warnings.push_or_unwind(Warning::CutCycles {
                    path: output.clone(),
                    count: cut,
                });
            }
        }
        Ok(written)
    }
}
