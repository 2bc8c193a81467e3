//! Parameters of the potential-field method.

use super::multipole_params::MultipoleParams;
use crate::skeleton::{SkeletonError, error::EXPONENTS};

/// Level of the skeleton hierarchy (Cornea et al. 2005); each level includes the previous ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hierarchy {
    /// The core skeleton: curves between critical points.
    Core,
    /// Adds curves that start where the divergence of the force's direction is low.
    #[default]
    Divergence,
    /// Adds curves that start where convex parts of the surface protrude from the skeleton.
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

/// Neighbourhood that decides which voxels are on the surface; surface voxels are the sources of
/// the force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SurfaceNeighbours {
    /// Object voxels with an exterior voxel across one of their six faces. Gives a thin surface and
    /// a longer core; also the choice of the program that Zhao et al. (2016) build on.
    #[default]
    Faces,
    /// Object voxels with an exterior voxel among their 26 neighbours (Zhao et al. 2016).
    Corners,
}

impl SurfaceNeighbours {
    /// All neighbourhoods.
    pub const ALL: [SurfaceNeighbours; 2] = [SurfaceNeighbours::Faces, SurfaceNeighbours::Corners];

    /// Returns the name of the neighbourhood on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SurfaceNeighbours::Faces => "faces",
            SurfaceNeighbours::Corners => "corners",
        }
    }
}

/// Precision in which forces are accumulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `f32` accumulation: faster, but directions are inaccurate where the forces nearly cancel,
    /// far from the surface.
    F32,
    /// `f64` accumulation: directions are accurate wherever the force does not vanish.
    #[default]
    Accurate,
}

impl Precision {
    /// All precisions.
    pub const ALL: [Precision; 2] = [Precision::F32, Precision::Accurate];

    /// Returns the name of the precision on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Accurate => "accurate",
        }
    }
}

/// Method for the force at boundary voxels, which are adjacent to the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoundaryForce {
    /// Computed from the sources, as at all other voxels.
    #[default]
    Exact,
    /// Mean of the forces at those of the 26 neighbours that have one (Zhao et al. 2016).
    Mean,
}

impl BoundaryForce {
    /// All methods.
    pub const ALL: [BoundaryForce; 2] = [BoundaryForce::Exact, BoundaryForce::Mean];

    /// Returns the name of the method on the command line.
    pub fn name(self) -> &'static str {
        match self {
            BoundaryForce::Exact => "exact",
            BoundaryForce::Mean => "mean",
        }
    }
}

/// Method by which the force field is computed. Results agree up to rounding. For anisotropic or
/// oblique voxels, [`Tuned`](Self::Tuned) replaces the other all-pairs variants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldVariant {
    /// All pairs; sources are read from global memory.
    Simple,
    /// All pairs; sources are read from constant memory, 64 KB at a time.
    Constant,
    /// All pairs; sources are staged in tiles in shared memory.
    Shared,
    /// Fastest all-pairs variant.
    Tuned,
    /// Fast multipole method: time linear in the number of voxels, with an error bound and exact
    /// sums where the bound is too large ([`MultipoleParams`]). Always as precise as
    /// [`Precision::Accurate`].
    Multipole,
    /// The faster of [`Tuned`](Self::Tuned) and [`Multipole`](Self::Multipole) for the number of
    /// pairs.
    #[default]
    Auto,
}

impl FieldVariant {
    /// All variants.
    pub const ALL: [FieldVariant; 6] = [
        FieldVariant::Simple,
        FieldVariant::Constant,
        FieldVariant::Shared,
        FieldVariant::Tuned,
        FieldVariant::Multipole,
        FieldVariant::Auto,
    ];

    /// Returns the name of the variant on the command line.
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

/// Parameters of the potential-field method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Exponent of the distance in the force law, from 2 to 9. With larger exponents distant parts
    /// of the surface matter less, and the core is shorter.
    ///
    /// With 2 (Newton's law) no point attracts from all sides; the curves of Zhao et al. (2016)
    /// need at least 3. Odd exponents need no square root.
    pub exponent: f64,
    /// Level of the hierarchy up to which curves are added.
    pub hierarchy: Hierarchy,
    /// Threshold for [`Hierarchy::Divergence`], from 0 to 1: curves start where the divergence of
    /// the force's direction is at most its minimum plus this fraction of its range. Minima below
    /// −2, the value on a line, count as −2.
    pub divergence: f64,
    /// Threshold for [`Hierarchy::Curvature`], not negative: minimum significance of its curves.
    /// The significance is the length beyond the radius of the solid where the curve meets the
    /// skeleton, divided by this radius: 0 on the surface of a ball or tube, 0.73 at the corner of
    /// a cube.
    pub significance: f64,
    /// `true` to fill the cavities of the solid before the extraction.
    pub fill_cavities: bool,
    /// Neighbourhood that decides which voxels are on the surface.
    pub surface: SurfaceNeighbours,
    /// Precision in which forces are accumulated.
    pub precision: Precision,
    /// Method for the force at boundary voxels.
    pub boundary: BoundaryForce,
    /// Method by which the force field is computed.
    pub variant: FieldVariant,
    /// Accuracy of [`FieldVariant::Multipole`].
    pub multipole: MultipoleParams,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            exponent: 6.0,
            hierarchy: Hierarchy::default(),
            divergence: 0.2,
            significance: 0.3,
            fill_cavities: false,
            surface: SurfaceNeighbours::default(),
            precision: Precision::default(),
            boundary: BoundaryForce::default(),
            variant: FieldVariant::default(),
            multipole: MultipoleParams::default(),
        }
    }
}

impl Params {
    /// Checks that all parameters are in range.
    ///
    /// # Errors
    /// [`SkeletonError::Exponent`], [`SkeletonError::Fraction`], [`SkeletonError::Significance`],
    /// [`SkeletonError::Multipole`].
    pub fn check(&self) -> Result<(), SkeletonError> {
        let [min, max] = EXPONENTS;
        if !(min..=max).contains(&self.exponent) {
            return Err(SkeletonError::Exponent {
                found: self.exponent,
            });
        }
        self.multipole.check()?;
        if !(0.0..=1.0).contains(&self.divergence) {
            return Err(SkeletonError::Fraction {
                name: "divergence",
                found: self.divergence,
            });
        }
        if !(self.significance >= 0.0 && self.significance.is_finite()) {
            return Err(SkeletonError::Significance {
                name: "significance",
                found: self.significance,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_range_parameters_are_rejected_by_name() {
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
            "the fraction for divergence is 1.5; choose a value from 0 to 1"
        );
        for significance in [f64::NAN, -0.1, f64::INFINITY] {
            let error = Params {
                significance,
                ..params
            };
            let error = error.check().unwrap_err().to_string();
            assert!(error.starts_with("the significance is "), "{error}");
        }
    }
}
