//! Positions in compressed data.

/// Position in a gzip file, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// Start of a block.
    Block(usize),
    /// Start of a member.
    Member(usize),
    /// End of the file.
    End(usize),
}

impl Position {
    /// Returns the index of the bit.
    pub fn bit(self) -> usize {
        match self {
            Self::Block(bit) | Self::Member(bit) | Self::End(bit) => bit,
        }
    }

    /// Returns the position `bits` bits earlier.
    pub fn before(self, bits: usize) -> Self {
        match self {
            Self::Block(bit) => Self::Block(bit - bits),
            Self::Member(bit) => Self::Member(bit - bits),
            Self::End(bit) => Self::End(bit - bits),
        }
    }

    /// Returns the position `bits` bits later.
    pub fn after(self, bits: usize) -> Self {
        match self {
            Self::Block(bit) => Self::Block(bit + bits),
            Self::Member(bit) => Self::Member(bit + bits),
            Self::End(bit) => Self::End(bit + bits),
        }
    }
}
