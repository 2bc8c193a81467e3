//! Surfaces of a picture, and their upload.

use super::RenderJob;
use crate::{
    device::{DeviceError, Stream},
    isosurface::DeviceMesh,
    memory,
    mesh::TriangleMesh,
    pipeline::scene_content::COLORS,
    render::{RenderError, RenderParams, Scene, Surface},
};

/// Purpose of the allocations of surfaces, quoted in errors.
const SURFACES: &str = "the surfaces of a picture";

/// Surface that was read or extracted.
pub(super) struct LoadedSurface {
    pub mesh: SurfaceMesh,
    /// Linear colours of the vertices, of labels or of values.
    pub vertex_colours: Option<Vec<[f32; 3]>>,
}

/// Mesh on the device or on the host.
pub(super) enum SurfaceMesh {
    Device(Box<DeviceMesh>),
    Host(TriangleMesh),
}

/// Uploads surfaces, unless there is only one, which is on the device.
pub(super) fn upload_scene<'a>(
    mut surfaces: Vec<LoadedSurface>,
    has_skeletons: bool,
    job: &RenderJob,
    stream: &Stream,
) -> Result<Scene<'a>, RenderError> {
    let picture = &job.picture;
    let colour = |index: usize, count: usize| {
        let default = if count == 1 {
            RenderParams::default().surface
        } else {
            to_linear(COLORS[index % COLORS.len()])
        };
        picture.colours.get(index).copied().unwrap_or(default)
    };
    let opacity = |index: usize| picture.opacity(index, has_skeletons);
    if surfaces.len() == 1
        && let Some(surface) = surfaces.pop()
    {
        match surface {
            LoadedSurface {
                mesh: SurfaceMesh::Device(mesh),
                vertex_colours: None,
            } => return Scene::from_device_mesh(stream, *mesh, colour(0, 1), opacity(0)),
            other => surfaces.push(other),
        }
    }
    for surface in &mut surfaces {
        surface.download(stream)?;
    }
    let count = surfaces.len();
    let list = surfaces.iter().enumerate().filter_map(|(index, surface)| {
        let SurfaceMesh::Host(mesh) = &surface.mesh else {
            return None;
        };
        Some(Surface {
            mesh,
            colour: colour(index, count),
            vertex_colours: surface.vertex_colours.as_deref(),
            opacity: opacity(index),
        })
    });
    Scene::upload(stream, &list.collect::<Vec<_>>())
}

impl LoadedSurface {
    /// Downloads a mesh that is on the device.
    pub fn download(&mut self, stream: &Stream) -> Result<(), DeviceError> {
        if let SurfaceMesh::Device(mesh) = &self.mesh {
            self.mesh = SurfaceMesh::Host(mesh.download(stream)?);
        }
        Ok(())
    }
}

/// Surfaces of labels as one mesh with colours.
pub(super) struct LabelSurfaces {
    pub mesh: TriangleMesh,
    pub triangles: Vec<[u32; 3]>,
    pub colours: Vec<[f32; 3]>,
}

impl LabelSurfaces {
    /// Adds the surface of a label in a linear colour.
    pub fn append(&mut self, part: &TriangleMesh, colour: [f32; 3]) -> Result<(), RenderError> {
        let before = self.mesh.vertices.len();
        let corners = part.triangles.to_u32().ok_or(RenderError::Triangles)?;
        let end = before + part.vertices.len();
        let Ok(before) = u32::try_from(before).and_then(|at| u32::try_from(end).map(|_| at)) else {
            return Err(RenderError::Triangles);
        };
        memory::try_extend(SURFACES, &mut self.mesh.vertices, &part.vertices)?;
        memory::try_reserve_amortized(SURFACES, &mut self.colours, part.vertices.len())?;
        self.colours.resize(end, colour);
        memory::try_reserve_amortized(SURFACES, &mut self.triangles, corners.len())?;
        let moved = corners.iter().map(|it| it.map(|corner| corner + before));
        self.triangles.extend(moved);
        Ok(())
    }
}

/// Converts an sRGB colour to linear channels from 0 to 1, with the transfer curve of pictures.
pub(super) fn to_linear(color: [u8; 3]) -> [f32; 3] {
    color.map(|channel| (f32::from(channel) / 255.0).powi(2))
}
