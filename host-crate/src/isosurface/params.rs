//! What can be chosen.

/// On which side of the isovalue the solid is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inside {
    /// Where values are at least the isovalue: densities, images.
    #[default]
    Above,
    /// Where values are less than the isovalue: signed distances.
    Below,
}

/// How the mesh is made. Every method makes the same mesh, in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Every stage of the document as a kernel of its own.
    #[default]
    Staged,
}

impl Method {
    /// The method's name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Staged => "staged",
        }
    }
}

/// The width of vertex indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexWidth {
    /// 32 bits if they can number all vertices, else 64.
    #[default]
    Automatic,
    /// 32 bits, or an error.
    Bits32,
    /// 64 bits.
    Bits64,
}

/// What [`extract`](super::extract) is to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsosurfaceParams {
    /// The isovalue.
    pub iso: f32,
    /// Where the solid is.
    pub inside: Inside,
    /// Close the surface where the volume ends, as if it went on outside the solid. This works on a padded copy of the
    /// volume in `f32`.
    pub close: bool,
    /// Compute unit normals that point outside, from the gradient of the samples.
    pub normals: bool,
    /// How.
    pub method: Method,
    /// The width of vertex indices.
    pub index_width: IndexWidth,
}

impl Default for IsosurfaceParams {
    /// Isovalue 0, inside above, not closed, no normals.
    fn default() -> Self {
        Self {
            iso: 0.0,
            inside: Inside::Above,
            close: false,
            normals: false,
            method: Method::default(),
            index_width: IndexWidth::default(),
        }
    }
}
