//! What a map is to have.

use cuda_std::KernelType;

/// What is asked for: a kernel is compiled for each.
pub trait Goal: KernelType {
    /// Whether only what is [within](Within) counts: places beyond are left out, and parts of a
    /// volume without any of the others are left at once.
    const BOUNDED: bool;

    /// Whether the nearest sites are asked for; of several the one with the smallest index.
    const NEAREST: bool;

    /// Whether blocks have [segments](super::segment) of lines: for bounds of up to a chunk. Then
    /// it is bounded, and not of labels.
    const SEGMENTED: bool;

    /// Whether what is sought is the nearest voxel of another label. The [`changes`](super::labels)
    /// along lines are asked too then.
    const LABELS: bool;
}

/// Distances to the nearest sites, however far.
#[derive(Clone, Copy, Debug)]
pub struct Distances;

/// Distances up to a bound.
#[derive(Clone, Copy, Debug)]
pub struct BoundedDistances;

/// Distances up to a bound of at most [`NARROW`](super::segment::NARROW) voxels along a line.
#[derive(Clone, Copy, Debug)]
pub struct NarrowBand;

/// Distances up to a bound, which may be beyond all, and the sites.
#[derive(Clone, Copy, Debug)]
pub struct NearestSites;

/// Distances up to a bound, which may be beyond all, to the nearest voxel of another label.
#[derive(Clone, Copy, Debug)]
pub struct ToOtherLabels;

macro_rules! goals {
    ($($goal:ident $bounded:literal $segmented:literal $nearest:literal $labels:literal)+) => {
        $(
            impl KernelType for $goal {
                const NAME: &'static str = stringify!($goal);
            }

            impl Goal for $goal {
                const BOUNDED: bool = $bounded;
                const SEGMENTED: bool = $segmented;
                const NEAREST: bool = $nearest;
                const LABELS: bool = $labels;
            }

            const _: () = {
                assert!($bounded || !$segmented, "segments leave out what is beyond a bound");
                assert!(!($segmented && $labels), "changes of labels are kept for whole lines");
            };
        )+
    };
}

goals!(
    Distances false false false false
    BoundedDistances true false false false
    NarrowBand true true false false
    NearestSites true false true false
    ToOtherLabels true false false true
);

/// What counts in a pass.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Within {
    /// The largest cost of a place: of the first pass a distance along x, of the second a squared
    /// distance in the plane.
    pub cost: u32,
    /// The largest distance along the pass's lines, in voxels.
    pub apart: u32,
    /// The largest squared distance; in the last pass, if no nearest sites are asked for, the
    /// largest whose distance in 32 bits is not beyond the bound.
    pub squared: u32,
}

impl Within {
    /// Squared distances of up to `squared`, of the two passes, in voxels that are cubes.
    pub fn cubes(squared: u64) -> [Self; 2] {
        let squared = squared.min(u64::from(super::NONE) - 1) as u32;
        let along_y = Self {
            cost: squared.isqrt(),
            apart: squared.isqrt(),
            squared,
        };
        [
            along_y,
            Self {
                cost: squared,
                ..along_y
            },
        ]
    }
}
