//! Formatting of sizes, paths and bytes in error messages.

use std::path::PathBuf;

/// A number of bytes: exact, or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteCount {
    /// Exactly this many.
    Exactly(u64),
    /// At most this many, because of the length of compressed data.
    AtMost(u64),
    /// At least this many, because reading stopped there.
    AtLeast(u64),
}

impl std::fmt::Display for ByteCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exactly(bytes) => write!(f, "{bytes}"),
            Self::AtMost(bytes) => write!(f, "at most {bytes}"),
            Self::AtLeast(bytes) => write!(f, "at least {bytes}"),
        }
    }
}

/// Formats sizes as `3 x 4 x 5`.
pub(super) fn join_sizes(sizes: &[u64]) -> String {
    sizes
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(" x ")
}

/// Formats a list of paths.
pub(super) fn list_paths(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    names.join(", ")
}

/// Formats the first bytes of a file: as text if they are printable, otherwise in hexadecimal.
pub(crate) fn show_bytes(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    let shown = &bytes[..bytes.len().min(8)];
    if shown
        .iter()
        .all(|byte| byte.is_ascii_graphic() || *byte == b' ')
    {
        format!("{:?}", String::from_utf8_lossy(shown))
    } else {
        shown
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .join(" ")
    }
}
