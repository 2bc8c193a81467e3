"""Meshes of dask arrays, which dask schedules and keeps out of core.

Examples
--------
>>> import numpy as np, dask.array as da
>>> import ferrovox, ferrovox.dask
>>> x, y, z = np.ogrid[-8:8:17j, -8:8:17j, -8:8:17j]
>>> volume = np.float32(np.sqrt(x**2 + y**2 + z**2))
>>> mesh = ferrovox.dask.marching_cubes(da.from_array(volume, chunks=(5, 9, 6)), 5.0)
>>> expected = ferrovox.marching_cubes(volume, 5.0)
>>> all(np.array_equal(a, b) for a, b in zip(mesh, expected))
True
"""

from __future__ import annotations

from typing import Any

from dask.base import compute
from dask.delayed import delayed

from . import parts
from ._mesh import Mesh

__all__ = ["marching_cubes", "mesh_parts"]


def mesh_parts(volume: Any, level: float, *, mask: Any = None, **options: Any) -> list[Any]:
    """Return the parts of the mesh of a dask array as delayed meshes, one per chunk along axis 0.

    Counts all slabs, which reads the volume once, and reads it again when the parts are computed.

    Parameters
    ----------
    volume : dask.array.Array, shape (M, N, P)
        Samples, with any chunks. Each task holds the planes of a chunk along the first axis and one
        or two more on each side.
    level : float
        Isovalue.
    mask : dask.array.Array of bool, shape (M, N, P), optional
        Samples at which cells are meshed.
    **options
        Arguments of `ferrovox.marching_cubes`.
    """
    close = bool(options.get("close", False))
    slabs = parts.slabs(volume.shape, len(volume.chunks[0]), close=close)

    def call(function: Any, slab: parts.Slab, **arguments: Any) -> Any:
        planes = slice(*slab.planes)
        if mask is not None:
            arguments["mask"] = mask[planes]
        task = delayed(function, pure=True)
        return task(volume[planes], slab, volume.shape, level, **arguments, **options)

    counts = compute(*[call(parts.count_part, slab) for slab in slabs])
    total = tuple(sum(numbers) for numbers in zip(*counts, strict=True))
    before, delayed_meshes = (0, 0), []
    for slab, count in zip(slabs, counts, strict=True):
        delayed_meshes.append(call(parts.mesh_part, slab, before=before, total=total))
        before = (before[0] + count[0], before[1] + count[1])
    return delayed_meshes


def marching_cubes(volume: Any, level: float, *, mask: Any = None, **options: Any) -> Mesh:
    """Extract the isosurface of a dask array: `ferrovox.marching_cubes` of it, bit for bit.

    The arguments are those of `mesh_parts`.
    """
    delayed_meshes = mesh_parts(volume, level, mask=mask, **options)
    return parts.join(compute(*delayed_meshes))
