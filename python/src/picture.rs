//! Pictures and pages of meshes and skeletons.

use crate::{
    call::run,
    error::Failure,
    host_array::HostArray,
    mesh_file::{MeshArrays, turn_outwards},
};
use ferrovox::{
    graph::{Edge, Node, NodeKind, Skeleton},
    nalgebra::Point3,
    render::{RenderParams, Scene, SkeletonStyle, Surface, ViewDirection},
    viewer::{Page, SurfaceStyle},
};
use pyo3::{prelude::*, types::PyBytes};

/// Linear colour of surfaces.
const SURFACE: [f32; 3] = [0.85, 0.72, 0.62];
/// Colour of surfaces in sRGB.
const SURFACE_SRGB: [u8; 3] = [237, 221, 206];

/// Draws a mesh, and returns the bytes of a PNG file.
#[pyfunction]
pub(crate) fn mesh_picture<'py>(
    py: Python<'py>,
    vertices: &Bound<'py, PyAny>,
    normals: Option<&Bound<'py, PyAny>>,
    faces: &Bound<'py, PyAny>,
    size: (u32, u32),
) -> PyResult<Bound<'py, PyBytes>> {
    let mut mesh = MeshArrays::new(vertices, normals, faces)?.mesh()?;
    let png = run(py, None, |call| {
        turn_outwards(&mut mesh);
        let stream = call.stream("cpu")?;
        let scene = Scene::upload(&stream, &[Surface::new(&mesh, SURFACE)])?;
        draw(&scene, &stream, size)
    })?;
    Ok(PyBytes::new(py, &png))
}

/// Draws a skeleton as tubes, and returns the bytes of a PNG file.
#[pyfunction]
pub(crate) fn skeleton_picture<'py>(
    py: Python<'py>,
    vertices: &Bound<'py, PyAny>,
    edges: &Bound<'py, PyAny>,
    radii: &Bound<'py, PyAny>,
    size: (u32, u32),
) -> PyResult<Bound<'py, PyBytes>> {
    let skeleton = skeleton_from_arrays(vertices, edges, radii)?;
    let png = run(py, None, |call| {
        let stream = call.stream("cpu")?;
        let skeletons = [(0, &skeleton)];
        let scene = Scene::upload(&stream, &[])?;
        let scene = scene.skeletons(&skeletons, SkeletonStyle::default());
        draw(&scene, &stream, size)
    })?;
    Ok(PyBytes::new(py, &png))
}

fn draw(
    scene: &Scene<'_>,
    stream: &ferrovox::device::Stream,
    (width, height): (u32, u32),
) -> Result<Vec<u8>, Failure> {
    let params = RenderParams {
        width,
        height,
        transparent: true,
        view: ViewDirection::default(),
        ..RenderParams::default()
    };
    let mut png = Vec::new();
    let picture = scene.draw(stream, &params)?;
    picture.write_png(&mut png).map_err(unexpected)?;
    Ok(png)
}

/// Returns a self-contained page that shows a mesh.
#[pyfunction]
pub(crate) fn mesh_page(
    py: Python<'_>,
    vertices: &Bound<'_, PyAny>,
    normals: Option<&Bound<'_, PyAny>>,
    faces: &Bound<'_, PyAny>,
    title: &str,
) -> PyResult<String> {
    let mut mesh = MeshArrays::new(vertices, normals, faces)?.mesh()?;
    run(py, None, |_| {
        turn_outwards(&mut mesh);
        let mut page = Page::new(title);
        page.add_mesh(&mesh, &SurfaceStyle::new(title, SURFACE_SRGB))?;
        page_text(&page)
    })
}

/// Returns a self-contained page that shows a skeleton.
#[pyfunction]
pub(crate) fn skeleton_page(
    py: Python<'_>,
    vertices: &Bound<'_, PyAny>,
    edges: &Bound<'_, PyAny>,
    radii: &Bound<'_, PyAny>,
    title: &str,
) -> PyResult<String> {
    let skeleton = skeleton_from_arrays(vertices, edges, radii)?;
    run(py, None, |_| {
        let mut page = Page::new(title);
        page.add_skeleton(&skeleton, title)?;
        page_text(&page)
    })
}

fn page_text(page: &Page) -> Result<String, Failure> {
    let mut html = Vec::new();
    page.write(&mut html).map_err(unexpected)?;
    String::from_utf8(html).map_err(unexpected)
}

/// Creates the failure of an operation that only fails because of a mistake of the library.
fn unexpected(error: impl std::fmt::Display) -> Failure {
    Failure::internal(error.to_string())
}

/// Creates a skeleton whose nodes are the ends and junctions of the segments.
fn skeleton_from_arrays(
    vertices: &Bound<'_, PyAny>,
    edges: &Bound<'_, PyAny>,
    radii: &Bound<'_, PyAny>,
) -> PyResult<Skeleton> {
    let (vertices, edges) = (HostArray::new(vertices)?, HostArray::new(edges)?);
    let radii = HostArray::new(radii)?;
    let (positions, radii) = (vertices.elements::<f32>()?, radii.elements::<f32>()?);
    let nodes = positions.as_chunks().0.iter().zip(radii);
    let nodes = nodes.map(|(&position, &radius): (&[f32; 3], _)| Node {
        kind: NodeKind::Junction,
        position: Point3::from(position.map(f64::from)),
        eigenvalues: None,
        radius: radius.into(),
        component: 0,
    });
    let nodes: Vec<Node> = nodes.collect();
    let segments = edges.elements::<u32>()?.as_chunks().0.iter();
    let segments = segments.map(|ends: &[u32; 2]| {
        let [first, second] = ends.map(|end| nodes.get(end as usize));
        let nodes = first.zip(second).ok_or_else(|| {
            let count = nodes.len();
            Failure::invalid(format!(
                "an edge joins {ends:?}, but there are {count} vertices"
            ))
        })?;
        Ok::<_, Failure>(Edge {
            nodes: ends.map(|end| end as usize),
            points: vec![nodes.0.position, nodes.1.position],
            radii: vec![nodes.0.radius, nodes.1.radius],
            section_areas: Vec::new(),
            level: 0,
        })
    });
    let mut skeleton = Skeleton {
        edges: segments.collect::<Result<_, _>>()?,
        nodes,
        ..Skeleton::default()
    };
    skeleton.merge_chains();
    Ok(skeleton)
}
