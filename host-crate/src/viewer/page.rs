//! Construction and output of pages.

use super::{
    bytes::{gzip, write_base64},
    mesh_code::{MAX_VERTICES, MeshCode},
    scene::{Scene, SceneItem, ScenePlane},
    skeleton_code::SkeletonCode,
    volume_code::{VolumeCode, VolumeWindow},
};
use crate::{
    error::ErrorKind,
    graph::Skeleton,
    grid::AnyVolume,
    memory::{OutOfMemory, catch_out_of_memory},
    mesh::TriangleMesh,
};
use std::io::{self, Write};

/// Maximum size of a page in bytes: browsers and mail servers handle it.
pub const MAX_BYTES: usize = 100_000_000;

/// Size of the viewer's own code, rounded up.
const CODE_BYTES: usize = 100_000;

const HTML: &str = include_str!("html/page.html");

/// Parts that replace the placeholders `/*NAME*/` of the page.
const PARTS: [(&str, &str); 13] = [
    ("style.css", include_str!("html/style.css")),
    ("mesh.vert", include_str!("html/mesh.vert")),
    ("mesh.frag", include_str!("html/mesh.frag")),
    ("line.vert", include_str!("html/line.vert")),
    ("line.frag", include_str!("html/line.frag")),
    ("slice.vert", include_str!("html/slice.vert")),
    ("slice.frag", include_str!("html/slice.frag")),
    ("decode.js", include_str!("html/decode.js")),
    ("camera.js", include_str!("html/camera.js")),
    ("renderer.js", include_str!("html/renderer.js")),
    ("overlay.js", include_str!("html/overlay.js")),
    ("panel.js", include_str!("html/panel.js")),
    ("main.js", include_str!("html/main.js")),
];

/// Error of a page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// A mesh has too many vertices for the code of a page.
    #[error(
        "{name} has {vertices} vertices, and a page shows at most {MAX_VERTICES} per surface; simplify the mesh"
    )]
    Vertices {
        /// Name of the surface.
        name: String,
        /// Number of vertices.
        vertices: usize,
    },
    /// The page would be too large to open.
    #[error(
        "the page would have {megabytes} MB, and browsers open pages of up to {} MB reliably; show fewer or smaller files",
        MAX_BYTES / 1_000_000
    )]
    Size {
        /// Size of the page in units of 10^6 bytes.
        megabytes: usize,
    },
    /// The memory of the host is insufficient.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The data cannot be compressed.
    #[error("cannot compress the data of the page: {0}")]
    Compression(#[from] io::Error),
}

impl PageError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Memory(_) => ErrorKind::Memory,
            Self::Compression(_) => ErrorKind::Io,
            _ => ErrorKind::InvalidArgument,
        }
    }
}

/// Name and colour of a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceStyle {
    /// Name in the list of the page.
    pub name: String,
    /// Red, green and blue in sRGB.
    pub color: [u8; 3],
    /// `true` for one of the labels of a segmentation.
    pub is_label: bool,
}

impl SurfaceStyle {
    /// Creates the style of a surface that is not a label.
    pub fn new(name: impl Into<String>, color: [u8; 3]) -> Self {
        Self {
            name: name.into(),
            color,
            is_label: false,
        }
    }
}

/// Colours of a volume's slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapScale {
    /// Grey values. Air around the object is transparent.
    #[default]
    Gray,
    /// Colours with a colour bar, for distance maps.
    Colors,
}

/// Name and appearance of a volume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeStyle {
    /// Name in the list of the page.
    pub name: String,
    /// Isovalue whose contour is drawn on the slices.
    pub iso: Option<f64>,
    /// Colours of the slices.
    pub scale: MapScale,
}

/// A page under construction.
#[derive(Debug)]
pub struct Page {
    scene: Scene,
    /// Compressed data of the items.
    data: Vec<Vec<u8>>,
}

impl Page {
    /// Creates an empty page. The axes are named X, Y and Z, and lengths have no unit.
    pub fn new(title: impl Into<String>) -> Self {
        let scene = Scene {
            title: title.into(),
            generator: concat!("ferrovox ", env!("CARGO_PKG_VERSION")),
            letters: [["−X", "X"], ["−Y", "Y"], ["−Z", "Z"]],
            ..Scene::default()
        };
        let data = Vec::new();
        Self { scene, data }
    }

    /// Sets the unit of lengths, such as `mm`.
    pub fn set_unit(&mut self, unit: impl Into<String>) {
        self.scene.unit = unit.into();
    }

    /// Names the ends of the axes after the directions of a body in RAS coordinates: L and R, P and
    /// A, I and S.
    pub fn set_anatomical_axes(&mut self) {
        self.scene.letters = [["L", "R"], ["P", "A"], ["I", "S"]];
    }

    /// Adds a remark about the contents, which the page shows.
    pub fn add_note(&mut self, note: impl Into<String>) {
        self.scene.notes.push(note.into());
    }

    /// Returns the remarks about the contents, also those of reduced volumes.
    pub fn notes(&self) -> &[String] {
        &self.scene.notes
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.scene.items.len()
    }

    /// Returns `true` if the page shows nothing.
    pub fn is_empty(&self) -> bool {
        self.scene.items.is_empty()
    }

    /// Adds a surface. Normals that the mesh lacks are computed from its triangles. Linear in the
    /// size of the mesh; needs about 60 bytes per triangle.
    ///
    /// # Errors
    /// [`PageError::Vertices`] for more than 2^24 vertices, and [`PageError::Memory`].
    pub fn add_mesh(&mut self, mesh: &TriangleMesh, style: &SurfaceStyle) -> Result<(), PageError> {
        let too_many = || PageError::Vertices {
            name: style.name.clone(),
            vertices: mesh.vertices.len(),
        };
        if mesh.vertices.len() > MAX_VERTICES {
            return Err(too_many());
        }
        let triangles = mesh.triangles.to_u32().ok_or_else(too_many)?;
        let encode = || Ok::<_, OutOfMemory>(MeshCode::new(mesh, &triangles));
        let code = catch_out_of_memory("a surface of a page", encode)?;
        let data = self.add_data(&code.bytes)?;
        self.scene.items.push(SceneItem::Mesh {
            name: style.name.clone(),
            label: style.is_label,
            color: style.color,
            vertices: code.vertices,
            triangles: code.triangles,
            low: code.low,
            high: code.high,
            data,
        });
        Ok(())
    }

    /// Adds a skeleton, whose curves are coloured by radius. Nodes without curves are points.
    ///
    /// # Errors
    /// [`PageError::Memory`].
    pub fn add_skeleton(
        &mut self,
        skeleton: &Skeleton,
        name: impl Into<String>,
    ) -> Result<(), PageError> {
        let encode = || Ok::<_, OutOfMemory>(SkeletonCode::new(skeleton));
        let code = catch_out_of_memory("a skeleton of a page", encode)?;
        let data = self.add_data(&code.bytes)?;
        self.scene.items.push(SceneItem::Skeleton {
            name: name.into(),
            points: code.points,
            lines: code.lines,
            radii: code.radii,
            data,
        });
        Ok(())
    }

    /// Adds a volume, which is shown as three slices. A volume of more than 256 samples along an
    /// axis is reduced to means of blocks, and gets a note and three planes at full resolution.
    ///
    /// # Errors
    /// [`PageError::Memory`].
    pub fn add_volume(&mut self, volume: &AnyVolume, style: &VolumeStyle) -> Result<(), PageError> {
        let is_gray = style.scale == MapScale::Gray;
        let window = VolumeWindow {
            iso: style.iso,
            hides_air: is_gray,
        };
        let encode = || Ok::<_, OutOfMemory>(VolumeCode::new(volume, window));
        let code = catch_out_of_memory("a volume of a page", encode)?;
        let data = self.add_data(&code.bytes)?;
        if !code.planes.is_empty() {
            let [nx, ny, nz] = volume.dims();
            let [rx, ry, rz] = code.dims;
            self.scene.notes.push(format!(
                "{}: {nx} × {ny} × {nz} samples are shown as {rx} × {ry} × {rz}; the three central slices are complete",
                style.name
            ));
        }
        let plane = |plane: &super::volume_code::PlaneCode| {
            let by = code.reduction[plane.axis] as f64;
            ScenePlane {
                axis: plane.axis,
                position: (plane.index as f64 - (by - 1.0) / 2.0) / by,
                dims: plane.dims,
            }
        };
        self.scene.items.push(SceneItem::Volume {
            name: style.name.clone(),
            dims: code.dims,
            reduction: code.reduction,
            to_world: code.to_world.as_slice().to_vec(),
            window: code.window,
            contours: style.iso.into_iter().collect(),
            colors: if is_gray { "gray" } else { "map" },
            planes: code.planes.iter().map(plane).collect(),
            data,
        });
        Ok(())
    }

    fn add_data(&mut self, bytes: &[u8]) -> Result<usize, PageError> {
        let compressed = gzip(bytes).map_err(|error| match error.downcast::<OutOfMemory>() {
            Ok(error) => PageError::Memory(error),
            Err(error) => PageError::Compression(error),
        })?;
        self.data.push(compressed);
        Ok(self.data.len() - 1)
    }

    /// Returns the size of the page in bytes, accurate to 100 kB.
    pub fn size(&self) -> usize {
        let data = self.data.iter().map(|block| block.len().div_ceil(3) * 4);
        CODE_BYTES + data.sum::<usize>()
    }

    /// Fails if the page is larger than 100 MB.
    ///
    /// # Errors
    /// [`PageError::Size`].
    pub fn check_size(&self) -> Result<(), PageError> {
        let size = self.size();
        if size > MAX_BYTES {
            let megabytes = size.div_ceil(1_000_000);
            return Err(PageError::Size { megabytes });
        }
        Ok(())
    }

    /// Writes the page as HTML.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut rest = HTML;
        while let Some((before, after)) = rest.split_once("/*") {
            let (name, after) = after.split_once("*/").unwrap_or((after, ""));
            out.write_all(before.as_bytes())?;
            match PARTS.iter().find(|(part, _)| *part == name) {
                Some((_, text)) => out.write_all(text.as_bytes())?,
                None => self.write_part(out, name)?,
            }
            rest = after;
        }
        out.write_all(rest.as_bytes())
    }

    /// Writes a part that depends on the contents.
    fn write_part(&self, out: &mut impl Write, name: &str) -> io::Result<()> {
        match name {
            "title" => out.write_all(escape_html(&self.scene.title).as_bytes()),
            "scene" => {
                // `</script>` in a name must not end the element
                let json = serde_json::to_string(&self.scene)?;
                out.write_all(json.replace('<', "\\u003c").as_bytes())
            }
            "data" => {
                for (number, block) in self.data.iter().enumerate() {
                    write!(out, "<script type=\"text/plain\" id=\"data-{number}\">")?;
                    write_base64(out, block)?;
                    out.write_all(b"</script>\n")?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Replaces the characters that have a meaning in HTML.
fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Triangles;

    fn html(page: &Page) -> String {
        let mut bytes = Vec::new();
        page.write(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn page_contains_all_parts_and_escapes_names() {
        let mut page = Page::new("a <b> & c");
        let mesh = TriangleMesh {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: Triangles::U32(vec![[0, 1, 2]]),
            ..TriangleMesh::default()
        };
        let style = SurfaceStyle::new("</script><img>", [1, 2, 3]);
        page.add_mesh(&mesh, &style).unwrap();
        page.add_note("a note");
        let html = html(&page);
        assert!(html.contains("<title>a &lt;b&gt; &amp; c</title>"));
        assert!(!html.contains("</script><img>") && html.contains("\\u003c/script>"));
        assert!(html.contains("id=\"data-0\">H4sI"));
        for (name, text) in PARTS {
            assert!(html.contains(text), "{name}");
        }
        assert!(html.len() < CODE_BYTES && page.check_size().is_ok());
    }

    #[test]
    fn viewer_names_no_address() {
        for (name, text) in PARTS.iter().chain(&[("page.html", HTML)]) {
            for scheme in ["http:", "https:", "//cdn", "import("] {
                assert!(!text.contains(scheme), "{name} contains {scheme}");
            }
        }
    }

    #[test]
    fn error_of_a_large_page_states_its_size() {
        let mut page = Page::new("large");
        page.data.push(vec![0; 90_000_000]);
        let error = page.check_size().unwrap_err().to_string();
        assert!(error.contains("121") && error.contains("100 MB"), "{error}");
    }
}
