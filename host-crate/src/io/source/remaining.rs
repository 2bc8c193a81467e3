//! Bounds on the number of remaining bytes.

use crate::io::ByteCount;

/// Knowledge of the number of bytes that remain in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remaining {
    /// Exactly this many: a regular file or memory.
    Exactly(u64),
    /// At most this many: compressed data.
    AtMost(u64),
    /// Unknown: a pipe.
    Unknown,
}

impl Remaining {
    /// Returns the number of bytes if it is certainly less than `needed`.
    pub fn fewer_than(self, needed: u64) -> Option<ByteCount> {
        match self {
            Self::Exactly(left) if left < needed => Some(ByteCount::Exactly(left)),
            Self::AtMost(left) if left < needed => Some(ByteCount::AtMost(left)),
            _ => None,
        }
    }

    /// Returns what remains after `bytes` bytes have been consumed.
    pub(super) fn after_consuming(self, bytes: u64) -> Self {
        match self {
            Self::Exactly(left) => Self::Exactly(left.saturating_sub(bytes)),
            Self::AtMost(left) => Self::AtMost(left.saturating_sub(bytes)),
            Self::Unknown => Self::Unknown,
        }
    }
}
