//! Description of a page's contents, as JSON that the viewer reads.

use serde::Serialize;

/// Contents of a page without their data.
#[derive(Debug, Default, Serialize)]
pub(super) struct Scene {
    pub title: String,
    /// Program and version that wrote the page.
    pub generator: &'static str,
    /// Unit of lengths; empty if unknown.
    pub unit: String,
    /// Letters at the negative and the positive end of each world axis.
    pub letters: [[&'static str; 2]; 3],
    /// Remarks about the contents, such as a simplification.
    pub notes: Vec<String>,
    pub items: Vec<SceneItem>,
}

/// Object of a scene. `data` is the number of its block of bytes.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum SceneItem {
    Mesh {
        name: String,
        /// `true` for one of several labels, which the list groups.
        label: bool,
        color: [u8; 3],
        vertices: usize,
        triangles: usize,
        low: [f64; 3],
        high: [f64; 3],
        data: usize,
    },
    Skeleton {
        name: String,
        points: usize,
        lines: usize,
        /// Smallest and largest radius.
        radii: [f64; 2],
        data: usize,
    },
    Volume {
        name: String,
        dims: [usize; 3],
        /// Samples of the volume per sample of the page.
        reduction: [usize; 3],
        /// Affine map from sample indices to the world, by columns.
        to_world: Vec<f64>,
        window: [f64; 2],
        /// Values of contours.
        contours: Vec<f64>,
        /// `gray` or `map`.
        colors: &'static str,
        planes: Vec<ScenePlane>,
        data: usize,
    },
}

/// Plane at full resolution.
#[derive(Debug, Serialize)]
pub(super) struct ScenePlane {
    pub axis: usize,
    /// Position of the plane in sample indices of the reduced volume.
    pub position: f64,
    pub dims: [usize; 2],
}
