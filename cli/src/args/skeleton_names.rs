//! Names that options of `ferrovox skeleton` take.

use clap::ValueEnum;
use ferrovox::{
    render::ColourBy,
    skeleton::potential_field::{BoundaryForce, FieldVariant, Precision, SurfaceNeighbours},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelsName {
    /// The method as published: curves between the critical points of a force
    #[value(alias = "0")]
    Core,
    /// Curves round each tunnel and into each branch
    #[value(alias = "1")]
    Whole,
    /// And curves to where the surface is strongly curved
    #[value(alias = "2")]
    Detail,
}

impl LevelsName {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Whole => "whole",
            Self::Detail => "detail",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourName {
    /// The distance to the surface, from dark blue to orange
    Radius,
    /// The label
    Label,
    /// The level of the hierarchy: red, blue, green
    Level,
    /// The component of the object
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
    /// An exterior voxel across a face
    Faces,
    /// An exterior voxel among the 26 neighbours
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
    F32,
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
    Exact,
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
    /// From global memory
    Simple,
    /// From constant memory
    Constant,
    /// From shared memory
    Shared,
    /// The quickest way known to compare all pairs
    Tuned,
    /// What is far by series: in time linear in the voxels, exact where the bound of the error does
    /// not suffice
    #[value(alias = "tree")]
    Multipole,
    /// The quicker one of tuned and multipole
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
