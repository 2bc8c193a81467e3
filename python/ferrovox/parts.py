"""Parts of meshes, for programs that distribute a volume over processes or machines.

A volume is divided into slabs along its first axis. Each slab is first counted and then meshed,
given the sums of the counts; both are functions of the slab alone, in any order and on any machine.
The concatenation of the parts is the mesh of the whole volume, bit for bit.

Examples
--------
>>> import numpy as np, ferrovox
>>> from ferrovox import parts
>>> x, y, z = np.ogrid[-8:8:17j, -8:8:17j, -8:8:17j]
>>> volume = np.float32(np.sqrt(x**2 + y**2 + z**2))
>>> slabs = parts.slabs(volume.shape, 3)
>>> planes = [volume[slice(*slab.planes)] for slab in slabs]
>>> counts = [parts.count_part(a, s, volume.shape, 5.0) for a, s in zip(planes, slabs)]
>>> total = tuple(map(sum, zip(*counts)))
>>> before = (0, 0)
>>> meshes = []
>>> for a, s, count in zip(planes, slabs, counts):
...     meshes.append(parts.mesh_part(a, s, volume.shape, 5.0, before=before, total=total))
...     before = (before[0] + count[0], before[1] + count[1])
>>> mesh = parts.join(meshes)
>>> expected = ferrovox.marching_cubes(volume, 5.0)
>>> all(np.array_equal(a, b) for a, b in zip(mesh, expected))
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _ferrovox
from ._arrays import ArrayLike, as_array, check_dimensions, kernel_array
from ._isosurface import mesh_from_surface, surface_options
from ._mesh import Mesh

__all__ = ["Slab", "count_part", "join", "mesh_part", "slabs"]


class Slab(NamedTuple):
    """Slab of a volume along its first axis.

    Attributes
    ----------
    cells : tuple of 2 ints
        First plane of cells, and the plane after the last.
    planes : tuple of 2 ints
        First plane of samples that the cells depend on, and the plane after the last.
    """

    cells: tuple[int, int]
    planes: tuple[int, int]


def slabs(shape: Sequence[int], count: int, *, close: bool = False) -> list[Slab]:
    """Divide a volume into slabs with about equal numbers of planes.

    Parameters
    ----------
    shape : sequence of 3 ints
        Shape of the volume.
    count : int
        Number of slabs; there are fewer if there are fewer planes.
    close : bool
        Argument of `ferrovox.marching_cubes`.
    """
    depth, height, width = (int(side) for side in shape)
    found = _ferrovox.slabs((width, height, depth), int(count), bool(close))
    return [Slab(cells, planes) for cells, planes in found]


def count_part(
    planes: ArrayLike, slab: Slab, shape: Sequence[int], level: float, **options: Any
) -> tuple[int, int]:
    """Count the vertices and triangles of a part.

    Parameters
    ----------
    planes : array_like
        Samples ``volume[slice(*slab.planes)]``.
    slab : Slab
        Slab of the volume.
    shape : sequence of 3 ints
        Shape of the volume.
    level : float
        Isovalue.
    **options
        Arguments of `ferrovox.marching_cubes`, where `mask` has the planes of the slab too.
    """
    arguments = _arguments(planes, slab, shape, level, options)
    return _ferrovox.count_part(*arguments)


def mesh_part(
    planes: ArrayLike,
    slab: Slab,
    shape: Sequence[int],
    level: float,
    *,
    before: tuple[int, int],
    total: tuple[int, int],
    **options: Any,
) -> Mesh:
    """Extract a part of the mesh, whose indices count from the first vertex of the whole mesh.

    Parameters
    ----------
    planes, slab, shape, level, **options
        Arguments of `count_part`.
    before : tuple of 2 ints
        Numbers of vertices and triangles of all slabs before this one.
    total : tuple of 2 ints
        Numbers of vertices and triangles of all slabs.
    """
    arguments = _arguments(planes, slab, shape, level, options)
    return mesh_from_surface(_ferrovox.extract_part(*arguments, before, total))


def join(meshes: Iterable[Mesh]) -> Mesh:
    """Concatenate the parts of a mesh, in the order of their slabs."""
    parts = list(meshes)
    if not parts:
        raise ValueError("there are no parts to join")

    def joined(index: int) -> npt.NDArray[Any] | None:
        arrays = [part[index] for part in parts]
        return None if arrays[0] is None else np.concatenate(arrays)

    report = {
        name: sum(part.report.get(name, 0) for part in parts) for name in parts[0].report
    }
    return Mesh(joined(0), joined(1), joined(2), joined(3), report)


def _arguments(
    planes: ArrayLike, slab: Slab, shape: Sequence[int], level: float, options: dict[str, Any]
) -> tuple[Any, Any, dict[str, Any], dict[str, Any]]:
    """Return the arguments of the extension module."""
    samples = as_array(planes, "planes")
    check_dimensions(samples, "planes", range(3, 4))
    mask = options.pop("mask", None)
    if mask is not None:
        mask = np.ascontiguousarray(as_array(mask, "mask"), bool)
        if mask.shape != samples.shape:
            raise ValueError(
                f"mask has the shape {mask.shape} and planes {samples.shape}; "
                "they must have the same shape"
            )
    depth, height, width = (int(side) for side in shape)
    part = {"dims": (width, height, depth), "first_plane": slab.planes[0], "cells": slab.cells}
    checked = surface_options(level, has_mask=mask is not None, **options)
    return np.ascontiguousarray(kernel_array(samples)), mask, part, checked
