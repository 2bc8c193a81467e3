"""Meshes."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

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
