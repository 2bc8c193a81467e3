//! Errors of the selection of a part of a file.

/// Selection of a volume, a component or planes that a file does not have or that is missing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionProblem {
    /// The file has several volumes, and none was selected.
    #[error("the file holds {count} volumes; select one from 0 to {}", count - 1)]
    SeveralVolumes {
        /// Number of volumes.
        count: u64,
    },
    /// The selected volume does not exist.
    #[error("the file has no volume {index}; it holds {count}, counted from 0")]
    NoSuchVolume {
        /// Selected volume, 0-based.
        index: u64,
        /// Number of volumes.
        count: u64,
    },
    /// The samples have several components, and none was selected.
    #[error("each sample has {count} components; select one from 0 to {}", count - 1)]
    SeveralComponents {
        /// Number of components.
        count: u64,
    },
    /// The selected component does not exist.
    #[error("the samples have no component {index}; each has {count}, counted from 0")]
    NoSuchComponent {
        /// Selected component, 0-based.
        index: u64,
        /// Number of components.
        count: u64,
    },
    /// The requested planes do not exist.
    #[error("the volume has no planes {start}..{end}; it has {count}, counted from 0")]
    NoSuchPlanes {
        /// First requested plane.
        start: usize,
        /// Plane after the last requested one.
        end: usize,
        /// Number of planes.
        count: usize,
    },
}
