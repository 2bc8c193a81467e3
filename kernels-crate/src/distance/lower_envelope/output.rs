//! Outputs of the lower-envelope kernels.

use cuda_std::KernelType;

/// Selects what a kernel computes. Each implementation is compiled separately.
pub trait DistanceOutput: KernelType + Copy {
    /// Number of neighbouring scanlines per block: 32, or 16 for scanlines so long that otherwise
    /// only one block would fit on a multiprocessor. 16 excludes `TRUNCATED`.
    const SCANLINES: u32;

    /// Distances are truncated at a [bound](PassBound): candidates beyond it are dropped, and parts
    /// of the volume without candidates in range return early.
    const TRUNCATED: bool;

    /// The feature transform is computed too: the index of the nearest site, the smallest index on
    /// ties.
    const NEAREST_SITE: bool;

    /// Blocks process [segments](super::segment) of lines, for bounds of at most one chunk.
    /// Requires `TRUNCATED` and excludes `LABELS`.
    const SEGMENTED: bool;

    /// Distances refer to the nearest voxel with another label; the [label changes](super::labels)
    /// along lines are read too.
    const LABELS: bool;
}

/// Unbounded distances to the nearest sites.
#[derive(Clone, Copy, Debug)]
pub struct Distances;

/// Unbounded distances to the nearest sites, for long scanlines: 16 instead of 32 per block.
#[derive(Clone, Copy, Debug)]
pub struct LongDistances;

/// Distances truncated at a bound.
#[derive(Clone, Copy, Debug)]
pub struct TruncatedDistances;

/// Distances truncated at a bound of at most [`MAX_NARROW_BOUND`](super::segment::MAX_NARROW_BOUND)
/// voxels along a line.
#[derive(Clone, Copy, Debug)]
pub struct NarrowBand;

/// Distances and nearest sites, truncated at a bound, which may exceed all distances.
#[derive(Clone, Copy, Debug)]
pub struct NearestSites;

/// Distances to the nearest voxel with another label, truncated at a bound, which may exceed all
/// distances.
#[derive(Clone, Copy, Debug)]
pub struct LabelDistances;

macro_rules! distance_outputs {
    ($($output:ident $scanlines:literal $truncated:literal $segmented:literal $nearest_site:literal $labels:literal)+) => {
        $(
            impl KernelType for $output {
                const NAME: &'static str = stringify!($output);
            }

            impl DistanceOutput for $output {
                const SCANLINES: u32 = $scanlines;
                const TRUNCATED: bool = $truncated;
                const SEGMENTED: bool = $segmented;
                const NEAREST_SITE: bool = $nearest_site;
                const LABELS: bool = $labels;
            }

            const _: () = {
                assert!($truncated || !$segmented, "segmented lines require truncation");
                assert!($scanlines == 32 || !$truncated, "truncation requires complete words");
                assert!(!($segmented && $labels), "label changes are not available per segment");
            };
        )+
    };
}

distance_outputs!(
    Distances 32 false false false false
    LongDistances 16 false false false false
    TruncatedDistances 32 true false false false
    NarrowBand 32 true true false false
    NearestSites 32 true false true false
    LabelDistances 32 true false false true
);

/// Bounds of a pass.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassBound {
    /// Largest cost of a candidate: in the first pass a distance along x, in the second a squared
    /// distance in the plane.
    pub max_cost: u32,
    /// Largest distance along the pass's scanlines, in voxels. Chunks farther from every candidate
    /// are skipped, and so are margin positions farther from their segment; individual candidates
    /// are not checked against it.
    pub max_step: u32,
    /// Largest squared distance within the bound; in the last pass without nearest sites, the
    /// largest whose distance, rounded to f32, does not exceed the maximum distance.
    pub max_squared: u32,
}

impl PassBound {
    /// Returns the bounds of both passes for squared distances up to `max_squared` and isotropic
    /// voxels.
    pub fn isotropic(max_squared: u64) -> [Self; 2] {
        let max_squared = max_squared.min(u64::from(super::NO_SITE_COST) - 1) as u32;
        let along_y = Self {
            max_cost: max_squared.isqrt(),
            max_step: max_squared.isqrt(),
            max_squared,
        };
        [
            along_y,
            Self {
                max_cost: max_squared,
                ..along_y
            },
        ]
    }
}
