//! Compute capability: the architecture version of a GPU, which selects the allocation rules.

use std::fmt;

/// A compute capability, such as 9.0.
///
/// ```
/// use occupancy::ComputeCapability;
///
/// let hopper: ComputeCapability = "9.0".parse()?;
/// assert_eq!(hopper, ComputeCapability::new(9, 0));
/// assert_eq!("sm_120a".parse(), Ok(ComputeCapability::new(12, 0)));
/// assert!(hopper.is_supported());
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComputeCapability {
    /// Major version: the GPU generation; 9 is Hopper.
    pub major: u8,
    /// Minor version: the variant within the generation.
    pub minor: u8,
}

impl ComputeCapability {
    /// Creates the capability `major.minor`, supported or not.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// Returns `major * 10 + minor`, as in `sm_90`.
    pub const fn number(self) -> u32 {
        self.major as u32 * 10 + self.minor as u32
    }
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
