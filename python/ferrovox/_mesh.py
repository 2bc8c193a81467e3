"""Meshes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _ferrovox
from ._arrays import c_array
from ._notebook import MAX_PAGE_ELEMENTS, PICTURE_SIZE, frame

__all__ = ["Mesh"]


class Mesh(tuple[Any, Any, Any, Any]):
    """A triangle mesh, which unpacks into four arrays as scikit-image returns them.

    Attributes
    ----------
    vertices : ndarray of float32, shape (V, 3)
        Positions.
    faces : ndarray of int32 or int64, shape (F, 3)
        Indices of the vertices of each triangle.
    normals : ndarray of float32, shape (V, 3), or None
        Unit normals.
    values : ndarray of float32, shape (V,), or None
        Largest range of samples in a cell around each vertex.
    report : dict of str to int
        ``non_finite_cells``: number of cells without triangles because of a NaN or an infinite
        sample.

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> volume = np.zeros((4, 4, 4)); volume[1:3, 1:3, 1:3] = 1
    >>> mesh = ferrovox.marching_cubes(volume, 0.5)
    >>> vertices, faces, normals, values = mesh
    >>> vertices is mesh.vertices, faces.shape
    (True, (44, 3))
    """

    report: dict[str, int]

    def __new__(
        cls,
        vertices: Any,
        faces: Any,
        normals: Any = None,
        values: Any = None,
        report: dict[str, int] | None = None,
    ) -> Mesh:
        mesh = super().__new__(cls, (vertices, faces, normals, values))
        mesh.report = report or {}
        return mesh

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self, self.report)

    @property
    def vertices(self) -> Any:
        """Positions."""
        return self[0]

    @property
    def faces(self) -> Any:
        """Indices of the vertices of each triangle."""
        return self[1]

    @property
    def normals(self) -> Any:
        """Unit normals, or ``None``."""
        return self[2]

    @property
    def values(self) -> Any:
        """Largest range of samples in a cell around each vertex, or ``None``."""
        return self[3]

    def __repr__(self) -> str:
        return f"<ferrovox.Mesh: {len(self.vertices)} vertices, {len(self.faces)} triangles>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the mesh to a file, in the format of the extension.

        The formats are those of the command ``ferrovox mesh``, such as ``.ply``, ``.stl``,
        ``.obj``, ``.vtp`` and ``.glb``. The file appears once it is complete.
        """
        write_meshes(path, [self])

    def _repr_png_(self) -> bytes:
        """Draw the mesh, for notebooks."""
        return _ferrovox.mesh_picture(*local_arrays(self), PICTURE_SIZE)

    def _repr_html_(self) -> str | None:
        """Return a viewer of the mesh in a frame, for notebooks; ``None`` for large meshes."""
        if not 0 < len(self.faces) <= MAX_PAGE_ELEMENTS:
            return None
        return frame(_ferrovox.mesh_page(*local_arrays(self), "mesh"))

    def to_trimesh(self) -> Any:
        """Return the mesh as a ``trimesh.Trimesh``, with the same vertices in the same order."""
        import trimesh

        return trimesh.Trimesh(
            vertices=self.vertices,
            faces=self.faces,
            vertex_normals=self.normals,
            process=False,
        )

    def to_pyvista(self) -> Any:
        """Return the mesh as a ``pyvista.PolyData``, with the arrays ``Normals`` and ``values``."""
        import pyvista

        mesh = pyvista.PolyData.from_regular_faces(self.vertices, self.faces)
        if self.normals is not None:
            mesh.point_data.active_normals = self.normals
        if self.values is not None:
            mesh.point_data["values"] = self.values
        return mesh

    def to_meshio(self) -> Any:
        """Return the mesh as a ``meshio.Mesh``, which writes many file formats."""
        import meshio

        data: dict[str, npt.NDArray[Any]] = {}
        if self.normals is not None:
            data["normals"] = self.normals
        if self.values is not None:
            data["values"] = self.values
        return meshio.Mesh(self.vertices, [("triangle", self.faces)], point_data=data)


def local_arrays(
    mesh: Mesh, origin: npt.NDArray[Any] | None = None
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32] | None, npt.NDArray[Any]]:
    """Return the arrays of a mesh as the extension module reads them, relative to an origin."""
    positions = np.asarray(mesh.vertices)
    if origin is not None:
        positions = positions - origin
    normals = None if mesh.normals is None else c_array(mesh.normals, np.float32)
    return c_array(positions, np.float32), normals, c_array(mesh.faces)


def write_meshes(path: str | os.PathLike[str], meshes: Iterable[Mesh]) -> tuple[int, int]:
    """Write the parts of a mesh to one file, of which one is in memory at a time.

    Returns the numbers of vertices and triangles.
    """
    writer = origin = None
    for mesh in meshes:
        if writer is None:
            writer = _ferrovox.MeshWriter(path, mesh.normals is not None)
            if mesh.vertices.dtype == np.float64 and len(mesh.vertices):
                # positions in 64 bits are stored relative to a whole number
                origin = np.round(mesh.vertices[0])
                x, y, z = origin.tolist()
                origin = origin if writer.set_origin((x, y, z)) else None
        writer.append(*local_arrays(mesh, origin))
    if writer is None:
        raise ValueError("there are no meshes to write")
    return writer.finish()
