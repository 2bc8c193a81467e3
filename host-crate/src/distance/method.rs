//! Methods of computing distance maps.

/// Method of computing a distance map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Exact, for voxel sites: one axis at a time, in integer arithmetic if the spacing allows it.
    /// On oblique grids ([`Geometry::shear`](crate::grid::Geometry::shear)), a tree search per
    /// brick of voxels.
    #[default]
    Separable,
    /// Method of the distance map article: exact up to 36 voxels from the sites and estimated
    /// beyond, for arbitrary sites.
    Cubes,
    /// Exact, for arbitrary sites: bricks of voxels are compared with the sites that can be nearest
    /// to one of their voxels, which are found with buckets of 32 × 32 × 32 voxels.
    Bucketed,
    /// Exact, for arbitrary sites: compares every voxel with every site. The reference.
    BruteForce,
    /// Sum of the distances along the axes (Manhattan distance), for comparison.
    CityBlock,
    /// Maximum of the distances along the axes (Chebyshev distance), for comparison.
    Chessboard,
    /// Propagation of the nearest site from voxel to voxel, for comparison.
    CenterPoint,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 7] = [
        Method::Separable,
        Method::Cubes,
        Method::Bucketed,
        Method::BruteForce,
        Method::CityBlock,
        Method::Chessboard,
        Method::CenterPoint,
    ];

    /// Returns the name of the method on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Separable => "separable",
            Method::Cubes => "cubes",
            Method::Bucketed => "bucketed",
            Method::BruteForce => "brute-force",
            Method::CityBlock => "city-block",
            Method::Chessboard => "chessboard",
            Method::CenterPoint => "center-point",
        }
    }
}
