//! Meshes as files.

use crate::{call::run, error::Failure, host_array::HostArray};
use ferrovox::{
    io::{FileProblem, MeshWriteOptions, MeshWriter},
    mesh::{TriangleMesh, Triangles},
    nalgebra::Vector3,
};
use pyo3::prelude::*;
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// Writer of a mesh that is appended piece by piece. The file appears when it is finished.
#[pyclass(frozen, name = "MeshWriter", module = "ferrovox")]
pub(crate) struct PythonMeshWriter {
    /// `None` after the end.
    writer: Mutex<Option<MeshWriter>>,
}

/// Arrays of a mesh.
pub(crate) struct MeshArrays<'py> {
    vertices: HostArray<'py>,
    normals: Option<HostArray<'py>>,
    faces: HostArray<'py>,
}

impl<'py> MeshArrays<'py> {
    pub fn new(
        vertices: &Bound<'py, PyAny>,
        normals: Option<&Bound<'py, PyAny>>,
        faces: &Bound<'py, PyAny>,
    ) -> PyResult<Self> {
        Ok(Self {
            vertices: HostArray::new(vertices)?,
            normals: normals.map(HostArray::new).transpose()?,
            faces: HostArray::new(faces)?,
        })
    }

    fn positions(&self) -> PyResult<&[[f32; 3]]> {
        Ok(self.vertices.elements::<f32>()?.as_chunks().0)
    }

    fn normals(&self) -> PyResult<Option<&[[f32; 3]]>> {
        match &self.normals {
            Some(normals) => Ok(Some(normals.elements::<f32>()?.as_chunks().0)),
            None => Ok(None),
        }
    }

    /// Copies the mesh.
    pub fn mesh(&self) -> PyResult<TriangleMesh> {
        let triangles = if self.faces.typestr.ends_with('8') {
            Triangles::U64(self.faces.elements::<u64>()?.as_chunks().0.to_vec())
        } else {
            Triangles::U32(self.faces.elements::<u32>()?.as_chunks().0.to_vec())
        };
        Ok(TriangleMesh {
            vertices: self.positions()?.to_vec(),
            normals: self.normals()?.map(<[_]>::to_vec),
            triangles,
            ..TriangleMesh::default()
        })
    }
}

/// Turns the triangles and the normals of a mesh outwards, judged by its volume and by the
/// direction of most normals from its centre. Meshes of objects below the level have inward ones.
pub(crate) fn turn_outwards(mesh: &mut TriangleMesh) {
    let sum: Vector3<f64> = mesh
        .vertices
        .iter()
        .map(|p| Vector3::from(p.map(f64::from)))
        .sum();
    let centre = sum / mesh.vertices.len().max(1) as f64;
    let from_centre = |p: [f32; 3]| Vector3::from(p.map(f64::from)) - centre;
    let outward =
        |(&p, &n): (&[f32; 3], &[f32; 3])| from_centre(p).dot(&Vector3::from(n.map(f64::from)));
    if let Some(normals) = &mut mesh.normals
        && mesh
            .vertices
            .iter()
            .zip(&*normals)
            .map(outward)
            .sum::<f64>()
            < 0.0
    {
        for component in normals.as_flattened_mut() {
            *component = -*component;
        }
    }
    let corner = |vertex: u64| mesh.vertices.get(vertex as usize).copied().map(from_centre);
    let volume = |triangle: [u64; 3]| {
        let [Some(a), Some(b), Some(c)] = triangle.map(corner) else {
            return 0.0;
        };
        a.dot(&b.cross(&c))
    };
    if mesh.triangles.iter().map(volume).sum::<f64>() < 0.0 {
        match &mut mesh.triangles {
            Triangles::U32(triangles) => triangles.iter_mut().for_each(|it| it.swap(1, 2)),
            Triangles::U64(triangles) => triangles.iter_mut().for_each(|it| it.swap(1, 2)),
        }
    }
}

#[pymethods]
impl PythonMeshWriter {
    /// Creates a writer in the format of the extension. Each piece has normals if `normals` is
    /// true.
    #[new]
    fn new(path: PathBuf, normals: bool) -> PyResult<Self> {
        let options = MeshWriteOptions {
            normals,
            space: None,
            ..MeshWriteOptions::default()
        };
        let writer = MeshWriter::create(path, &options).map_err(Failure::from)?;
        Ok(Self {
            writer: Mutex::new(Some(writer)),
        })
    }

    /// Sets the position that vertices are relative to, before any piece. Returns false if the
    /// format has none.
    fn set_origin(&self, origin: [f64; 3]) -> PyResult<bool> {
        self.with_writer(|writer| match writer.set_origin(origin) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.problem, FileProblem::LocalOrigin { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        })
    }

    /// Appends vertices and triangles, whose indices count from the first vertex of the file.
    fn append(
        &self,
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        normals: Option<&Bound<'_, PyAny>>,
        faces: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let arrays = MeshArrays::new(vertices, normals, faces)?;
        let (positions, normals) = (arrays.positions()?, arrays.normals()?);
        if arrays.faces.typestr.ends_with('8') {
            let faces = arrays.faces.elements::<u64>()?.as_chunks::<3>().0;
            run(py, None, |_| {
                self.with_writer(|writer| Ok(writer.append(positions, normals, faces)?))
            })
        } else {
            let faces = arrays.faces.elements::<u32>()?.as_chunks::<3>().0;
            run(py, None, |_| {
                self.with_writer(|writer| Ok(writer.append(positions, normals, faces)?))
            })
        }
    }

    /// Completes the file, and returns its numbers of vertices and triangles.
    fn finish(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        run(py, None, |_| {
            let writer = self.lock().take().ok_or_else(finished)?;
            let counts = writer.finish()?;
            Ok((counts.vertices, counts.triangles))
        })
    }
}

impl PythonMeshWriter {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<MeshWriter>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_writer<R, E: From<Failure>>(
        &self,
        work: impl FnOnce(&mut MeshWriter) -> Result<R, Failure>,
    ) -> Result<R, E> {
        let mut guard = self.lock();
        let writer = guard.as_mut().ok_or_else(|| E::from(finished()))?;
        work(writer).map_err(E::from)
    }
}

fn finished() -> Failure {
    Failure::invalid("the mesh file is finished; create another writer".to_owned())
}
