//! Which side of a level is solid.

/// On which side of the isovalue the solid is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// Where values are at least the isovalue: densities, images.
    #[default]
    Above,
    /// Where values are less than the isovalue: signed distances.
    Below,
}
