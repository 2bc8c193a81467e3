//! How distance maps are made.

/// How the map is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Exact, for sites that are voxels: one axis after the other, in integers where the spacing
    /// allows it. Where axes are not at right angles
    /// ([`Geometry::shear`](crate::grid::Geometry::shear)) a search brick by brick.
    #[default]
    Separable,
    /// The distance map article's: exact up to 36 voxels from the sites, an estimate beyond, for
    /// sites anywhere.
    Cubes,
    /// Exact, for sites anywhere: bricks of voxels against the sites that can be the nearest of one
    /// of them, which are found by way of buckets, cubes of 32 x 32 x 32 voxels.
    Bucketed,
    /// Every voxel against every site, for sites anywhere: the reference.
    BruteForce,
    /// Steps along the axes, for comparison.
    CityBlock,
    /// The longest of the steps along the axes, for comparison.
    Chessboard,
    /// Propagation of the nearest known site from voxel to voxel, for comparison.
    CenterPoint,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 7] = [
        Method::Separable,
        Method::Cubes,
        Method::Bucketed,
        Method::BruteForce,
        Method::CityBlock,
        Method::Chessboard,
        Method::CenterPoint,
    ];

    /// The method's name, as the command line takes it.
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
