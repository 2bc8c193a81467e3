//! What a map is to have.

use cuda_std::KernelType;

/// What is asked for: a kernel is compiled for each.
pub trait Goal: KernelType {
    /// Whether only what is [within](Within) counts: places beyond are left out, and parts of a volume without any of the others are left at once.
    const BOUNDED: bool;

    /// Whether the nearest sites are asked for; of several the one with the smallest index.
    const NEAREST: bool;
}

/// Distances to the nearest sites, however far.
#[derive(Clone, Copy, Debug)]
pub struct Distances;

/// Distances up to a bound.
#[derive(Clone, Copy, Debug)]
pub struct BoundedDistances;

/// Distances up to a bound, which may be beyond all, and the sites.
#[derive(Clone, Copy, Debug)]
pub struct NearestSites;

macro_rules! goals {
    ($($goal:ident $bounded:literal $nearest:literal)+) => {
        $(
            impl KernelType for $goal {
                const NAME: &'static str = stringify!($goal);
            }

            impl Goal for $goal {
                const BOUNDED: bool = $bounded;
                const NEAREST: bool = $nearest;
            }
        )+
    };
}

goals!(
    Distances false false
    BoundedDistances true false
    NearestSites true true
);

/// What counts, in voxels.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within {
    /// The largest distance along an axis.
    pub along: u32,
    /// The largest squared distance.
    pub squared: u32,
}

impl Within {
    /// Squared distances of up to `squared`.
    pub fn squared(squared: u64) -> Self {
        let squared = squared.min(u64::from(super::NONE) - 1) as u32;
        Self {
            along: squared.isqrt(),
            squared,
        }
    }
}
