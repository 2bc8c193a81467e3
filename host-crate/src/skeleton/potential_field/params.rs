//! What can be chosen.

use super::tree_params::MultipoleParams;
use crate::skeleton::{SkeletonError, error::EXPONENTS};

/// Level of the skeleton hierarchy (Cornea et al. 2005); each level includes the previous ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hierarchy {
    /// The core skeleton: curves between critical points.
    Core,
    /// Adds curves that start where the divergence of the force's direction is low.
    #[default]
    Divergence,
    /// Adds curves that start where the surface is strongly curved.
    Curvature,
}

impl Hierarchy {
    /// All levels, from the fewest curves to the most.
    pub const ALL: [Hierarchy; 3] = [Hierarchy::Core, Hierarchy::Divergence, Hierarchy::Curvature];

    /// Returns the name of the level on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Hierarchy::Core => "core",
            Hierarchy::Divergence => "divergence",
            Hierarchy::Curvature => "curvature",
        }
    }
}

/// Which voxels are the surface, from which the force comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SurfaceNeighbours {
    /// Voxels of the object with an exterior voxel across one of their six faces: a thin layer. The
    /// core is longer with it; the program that Zhao et al. (2016) build on takes it.
    #[default]
    Faces,
    /// Those with an exterior voxel among their 26 neighbours, as Zhao et al. (2016) have it.
    Corners,
}

impl SurfaceNeighbours {
    /// Both.
    pub const ALL: [SurfaceNeighbours; 2] = [SurfaceNeighbours::Faces, SurfaceNeighbours::Corners];

    /// The name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            SurfaceNeighbours::Faces => "faces",
            SurfaceNeighbours::Corners => "corners",
        }
    }
}

/// How precisely forces are added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// In f32: faster, and directions are wrong where the forces nearly cancel, far from the
    /// surface.
    F32,
    /// So that directions are right wherever there is a direction.
    #[default]
    Accurate,
}

impl Precision {
    /// Both.
    pub const ALL: [Precision; 2] = [Precision::F32, Precision::Accurate];

    /// The name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Accurate => "accurate",
        }
    }
}

/// How the force at boundary voxels, next to the surface, is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoundaryForce {
    /// As anywhere.
    #[default]
    Exact,
    /// As Zhao et al. (2016) have it: the mean of the forces at those of the 26 neighbours that
    /// have one.
    Mean,
}

impl BoundaryForce {
    /// Both.
    pub const ALL: [BoundaryForce; 2] = [BoundaryForce::Exact, BoundaryForce::Mean];

    /// The name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            BoundaryForce::Exact => "exact",
            BoundaryForce::Mean => "mean",
        }
    }
}

/// How sources are brought to the voxels that they act on. The result is the same up to the
/// rounding of sums. Where voxels are no cubes, [`Tuned`](Self::Tuned) takes the place of the
/// others that compare all pairs, with lengths of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldVariant {
    /// From global memory.
    Simple,
    /// From constant memory, in pieces of 64 KB.
    Constant,
    /// From shared memory, in tiles.
    Shared,
    /// The quickest way known to compare all pairs.
    Tuned,
    /// What is far by series over bricks of voxels: in time linear in the voxels, with a bound of
    /// the error, and exact where that does not suffice ([`MultipoleParams`]). Always as precise as
    /// [`Precision::Accurate`].
    Multipole,
    /// The quicker one of [`Tuned`](Self::Tuned) and [`Multipole`](Self::Multipole), by the number of pairs.
    #[default]
    Auto,
}

impl FieldVariant {
    /// All of them.
    pub const ALL: [FieldVariant; 6] = [
        FieldVariant::Simple,
        FieldVariant::Constant,
        FieldVariant::Shared,
        FieldVariant::Tuned,
        FieldVariant::Multipole,
        FieldVariant::Auto,
    ];

    /// The name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            FieldVariant::Simple => "simple",
            FieldVariant::Constant => "constant",
            FieldVariant::Shared => "shared",
            FieldVariant::Tuned => "tuned",
            FieldVariant::Multipole => "multipole",
            FieldVariant::Auto => "auto",
        }
    }
}

/// The parameters of a skeleton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The force falls with this power of the distance: from 2 to 9. The more it is, the less far
    /// parts of the surface count, and the shorter is the core.
    ///
    /// With 2, Newton's law, no point can attract from all sides; the curves of Zhao et al. (2016)
    /// need 3 at least. Odd ones need no square root.
    pub exponent: f64,
    /// Level of the hierarchy up to which curves are added.
    pub hierarchy: Hierarchy,
    /// For [`Hierarchy::Divergence`]: curves start where the divergence of the force's direction is below its least
    /// value and this fraction of its range. From 0 to 1. A least value below -2, which is that of
    /// a line, counts as -2.
    pub divergence: f64,
    /// For [`Hierarchy::Curvature`]: curves start at this fraction of the boundary voxels, those of the highest
    /// curvature. From 0 to 1.
    pub curvature: f64,
    /// Cavities are filled first.
    pub fill: bool,
    /// Which voxels are the surface.
    pub surface: SurfaceNeighbours,
    /// How precisely forces are added up.
    pub precision: Precision,
    /// How the force next to the surface is found.
    pub boundary: BoundaryForce,
    /// How sources are brought to the voxels that they act on.
    pub variant: FieldVariant,
    /// How precise [`FieldVariant::Multipole`] is.
    pub multipole: MultipoleParams,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            exponent: 6.0,
            hierarchy: Hierarchy::default(),
            divergence: 0.2,
            curvature: 0.05,
            fill: false,
            surface: SurfaceNeighbours::default(),
            precision: Precision::default(),
            boundary: BoundaryForce::default(),
            variant: FieldVariant::default(),
            multipole: MultipoleParams::default(),
        }
    }
}

impl Params {
    /// Refuses numbers out of their range.
    ///
    /// # Errors
    /// [`SkeletonError::Exponent`], [`SkeletonError::Fraction`], [`SkeletonError::Multipole`].
    pub fn check(&self) -> Result<(), SkeletonError> {
        let [least, most] = EXPONENTS;
        if !(least..=most).contains(&self.exponent) {
            return Err(SkeletonError::Exponent {
                found: self.exponent,
            });
        }
        self.multipole.check()?;
        let fractions = [
            ("divergence", self.divergence),
            ("curvature", self.curvature),
        ];
        for (name, found) in fractions {
            if !(0.0..=1.0).contains(&found) {
                return Err(SkeletonError::Fraction { name, found });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        let params = Params::default();
        assert!(params.check().is_ok());
        for exponent in [1.99, f64::NAN, f64::INFINITY, 9.5, -6.0] {
            let error = Params { exponent, ..params }.check().unwrap_err();
            assert!(matches!(error, SkeletonError::Exponent { .. }), "{error}");
        }
        for exponent in [2.0, 2.5, 9.0] {
            assert!(Params { exponent, ..params }.check().is_ok());
        }
        let divergence = Params {
            divergence: 1.5,
            ..params
        };
        assert_eq!(
            divergence.check().unwrap_err().to_string(),
            "the fraction for divergence is 1.5: it must be from 0 to 1"
        );
        let curvature = Params {
            curvature: f64::NAN,
            ..params
        };
        assert!(curvature.check().is_err());
    }
}
