//! The interface of a skeleton format.

use super::SkeletonWriteReport;
use crate::graph::Skeleton;
use crate::io::FileProblem;
use crate::io::source::Source;
use std::io::{self, Write};

/// Properties of a skeleton format.
#[derive(Debug)]
pub(super) struct SkeletonFormatInfo {
    /// Short name, for messages.
    pub name: &'static str,
    /// File name extension, without a dot and in lower case.
    pub extension: &'static str,
    /// Reads a skeleton from the start of a file; `None` if the format is only written.
    pub reader: Option<SkeletonReader>,
}

pub(super) type SkeletonReader = fn(Source<'_>) -> Result<Skeleton, FileProblem>;

/// Encoder of a skeleton format.
pub(super) trait SkeletonEncoder: Sync {
    /// Returns the properties of the format.
    fn info(&self) -> &'static SkeletonFormatInfo;

    /// Writes valid skeletons.
    fn write(
        &self,
        content: SkeletonContent<'_>,
        out: &mut dyn Write,
    ) -> io::Result<SkeletonWriteReport>;
}

/// Contents of a skeleton file.
#[derive(Clone, Copy)]
pub(super) enum SkeletonContent<'a> {
    /// One skeleton without a label.
    Single(&'a Skeleton),
    /// One skeleton per label.
    Labels(&'a [(i64, &'a Skeleton)]),
}

impl<'a> SkeletonContent<'a> {
    /// Returns every skeleton with its label, if it has one.
    pub fn skeletons(self) -> impl Iterator<Item = (Option<i64>, &'a Skeleton)> {
        let (single, labels) = match self {
            Self::Single(skeleton) => (Some((None, skeleton)), &[][..]),
            Self::Labels(labels) => (None, labels),
        };
        single.into_iter().chain(
            labels
                .iter()
                .map(|&(label, skeleton)| (Some(label), skeleton)),
        )
    }
}
