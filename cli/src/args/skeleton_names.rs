//! Values of the options of `ferrovox skeleton`.

use clap::ValueEnum;
use ferrovox::{
    render::ColourBy,
    skeleton::potential_field::{
        BoundaryForce, FieldVariant, Hierarchy, Precision, SurfaceNeighbours,
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SkeletonMethodName {
    /// Shortest paths along the medial axis, certified: one cycle per tunnel, one curve per branch
    Medial,
    /// Curves between the critical points of a force field (Cornea et al. 2005)
    PotentialField,
}

impl SkeletonMethodName {
    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Medial => "medial",
            Self::PotentialField => "potential-field",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum HierarchyName {
    /// Curves between critical points
    Core,
    /// Adds curves from points where the divergence of the force is low
    Divergence,
    /// Adds curves from convex parts of the surface
    Curvature,
}

impl From<HierarchyName> for Hierarchy {
    fn from(name: HierarchyName) -> Self {
        match name {
            HierarchyName::Core => Self::Core,
            HierarchyName::Divergence => Self::Divergence,
            HierarchyName::Curvature => Self::Curvature,
        }
    }
}

/// Values of the former option `--levels`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelsName {
    /// The potential-field method
    #[value(alias = "0")]
    Core,
    /// The medial method
    #[value(alias = "1")]
    Whole,
    /// The medial method with `--detail 0.6`
    #[value(alias = "2")]
    Detail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourName {
    /// Distance to the surface, from dark blue to orange
    Radius,
    /// Label
    Label,
    /// Hierarchy level: red, blue, green
    Level,
    /// Connected component of the object
    Component,
}

impl From<ColourName> for ColourBy {
    fn from(name: ColourName) -> Self {
        match name {
            ColourName::Radius => Self::Radius,
            ColourName::Label => Self::Label,
            ColourName::Level => Self::Level,
            ColourName::Component => Self::Component,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SurfaceName {
    /// Object voxels with an exterior 6-neighbour
    Faces,
    /// Object voxels with an exterior 26-neighbour
    Corners,
}

impl From<SurfaceName> for SurfaceNeighbours {
    fn from(name: SurfaceName) -> Self {
        match name {
            SurfaceName::Faces => Self::Faces,
            SurfaceName::Corners => Self::Corners,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionName {
    /// Sums in f32
    F32,
    /// Sums whose directions are accurate everywhere
    Accurate,
}

impl From<PrecisionName> for Precision {
    fn from(name: PrecisionName) -> Self {
        match name {
            PrecisionName::F32 => Self::F32,
            PrecisionName::Accurate => Self::Accurate,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BoundaryName {
    /// Computed like everywhere else
    Exact,
    /// Mean of the forces at the 26 neighbours
    Mean,
}

impl From<BoundaryName> for BoundaryForce {
    fn from(name: BoundaryName) -> Self {
        match name {
            BoundaryName::Exact => Self::Exact,
            BoundaryName::Mean => Self::Mean,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VariantName {
    /// All pairs, sources in global memory
    Simple,
    /// All pairs, sources in constant memory
    Constant,
    /// All pairs, sources in shared memory
    Shared,
    /// All pairs, fastest implementation
    Tuned,
    /// Multipole expansions of distant sources, in linear time; exact where the error bound is
    /// exceeded
    #[value(alias = "tree")]
    Multipole,
    /// The faster of tuned and multipole
    Auto,
}

impl From<VariantName> for FieldVariant {
    fn from(name: VariantName) -> Self {
        match name {
            VariantName::Simple => Self::Simple,
            VariantName::Constant => Self::Constant,
            VariantName::Shared => Self::Shared,
            VariantName::Tuned => Self::Tuned,
            VariantName::Multipole => Self::Multipole,
            VariantName::Auto => Self::Auto,
        }
    }
}
