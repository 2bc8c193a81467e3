"""Voxelization of meshes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _ferrovox
from ._arrays import (
    ArrayLike,
    Device,
    as_host_array,
    c_array,
    device_name,
    result_array,
    spacing_list,
)

__all__ = ["Voxels", "voxelize"]


class Voxels(NamedTuple):
    """Voxels of a mesh.

    Attributes
    ----------
    mask : ndarray of bool, shape (M, N, P)
        ``True`` for voxels whose centre is inside the mesh.
    origin : tuple of 3 floats
        Position of the centre of the first voxel.
    """

    mask: Any
    origin: tuple[float, float, float]


def voxelize(
    vertices: ArrayLike,
    faces: ArrayLike,
    *,
    spacing: float | Sequence[float],
    shape: Sequence[int] | None = None,
    device: Device = None,
) -> Voxels:
    """Find the voxels whose centre is inside a closed mesh.

    Parameters
    ----------
    vertices : array_like, shape (V, 3)
        Positions, along the axes of the result.
    faces : array_like of int, shape (F, 3)
        Indices of the vertices of each triangle, with any orientation.
    spacing : float or sequence of 3 floats
        Size of a voxel along each axis.
    shape : sequence of 3 ints, optional
        Number of voxels along each axis, the first of which is at the origin, as for
        `marching_cubes`. By default the grid encloses the mesh.
    device : str or int, optional
        ``"cpu"``, ``"cuda:1"`` or 1.

    Returns
    -------
    Voxels
        The mask, and the position of the centre of the first voxel.

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> solid = np.zeros((9, 9, 9), bool); solid[2:7, 3:6, 1:8] = True
    >>> mesh = ferrovox.marching_cubes(solid, 0.5)
    >>> voxels = ferrovox.voxelize(mesh.vertices, mesh.faces, spacing=1, shape=solid.shape)
    >>> bool((voxels.mask == solid).all()), voxels.origin
    (True, (0.0, 0.0, 0.0))
    """
    positions, corners = mesh_arrays(vertices, faces)
    counts, steps, origin = voxel_grid(positions, spacing, shape)
    planes = (0, counts[0])
    mask = voxelize_planes(positions, corners, counts, planes, steps, origin, device)
    return Voxels(mask, (origin[0], origin[1], origin[2]))


def mesh_arrays(
    vertices: ArrayLike, faces: ArrayLike
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
    """Check vertices and faces, and return them as the extension module reads them."""
    positions = c_array(as_host_array(vertices, "vertices"), np.float32)
    corners = as_host_array(faces, "faces")
    if positions.ndim != 2 or positions.shape[1] != 3:
        raise ValueError(f"vertices has the shape {positions.shape}; it must be (V, 3)")
    if corners.ndim != 2 or corners.shape[1] != 3 or corners.dtype.kind not in "iu":
        raise ValueError(
            f"faces has the shape {corners.shape} and type {corners.dtype}; "
            "it must be (F, 3) integers"
        )
    if corners.size and not 0 <= corners.min() <= corners.max() < len(positions):
        raise ValueError(
            f"faces has indices from {corners.min()} to {corners.max()}; "
            f"there are {len(positions)} vertices"
        )
    return positions, c_array(corners, np.uint32)


def voxel_grid(
    positions: npt.NDArray[np.float32],
    spacing: float | Sequence[float],
    shape: Sequence[int] | None,
) -> tuple[list[int], list[float], list[float]]:
    """Return shape, spacing and origin of a grid, by default one that encloses the positions."""
    steps = spacing_list(spacing, 3, "spacing")
    if shape is not None:
        if len(shape) != 3 or min(shape) < 0:
            raise ValueError(f"shape is {tuple(shape)}; give three numbers, 0 or more")
        counts, origin = [int(count) for count in shape], [0.0, 0.0, 0.0]
    else:
        if not len(positions) or not np.isfinite(positions).all():
            raise ValueError("vertices must be finite, and at least one")
        low = positions.min(axis=0).astype(float)
        high = positions.max(axis=0).astype(float)
        across = np.ceil((high - low) / steps * (1 - 1e-12)).astype(int)
        counts = [max(int(count), 1) + 2 for count in across]
        middle = 0.5 * (low + high)
        origin = [
            float(middle[axis] - 0.5 * (counts[axis] - 1) * steps[axis]) for axis in range(3)
        ]
    return counts, steps, origin


def voxelize_planes(
    positions: npt.NDArray[np.float32],
    corners: npt.NDArray[np.uint32],
    shape: list[int],
    planes: tuple[int, int],
    spacing: list[float],
    origin: list[float],
    device: Device,
) -> npt.NDArray[np.bool_]:
    """Return the voxels of a range of planes of a grid."""
    name = device_name(device)
    voxels = _ferrovox.voxelize(positions, corners, shape, planes, spacing, origin, name)
    mask: npt.NDArray[np.bool_] = result_array(voxels).view(np.bool_)
    return mask
