//! Compute capabilities: the version of a GPU's multiprocessor, on which the rules depend.

use std::fmt;

/// A compute capability, such as 9.0.
///
/// ```
/// use occupancy::ComputeCapability;
///
/// let hopper: ComputeCapability = "9.0".parse()?;
/// assert_eq!(hopper, ComputeCapability::new(9, 0));
/// assert_eq!("sm_120a".parse(), Ok(ComputeCapability::new(12, 0)));
/// assert!(hopper.is_known());
/// # Ok::<(), occupancy::OccupancyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComputeCapability {
    /// The generation: 9 is Hopper.
    pub major: u8,
    /// The member of the generation.
    pub minor: u8,
}

impl ComputeCapability {
    /// The capability `major.minor`, whether there is one or not.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// The capability as `sm_90` writes it: times ten.
    pub const fn number(self) -> u32 {
        self.major as u32 * 10 + self.minor as u32
    }
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
