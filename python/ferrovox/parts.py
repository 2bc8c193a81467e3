"""Parts of meshes and distance maps, for programs that distribute a volume over machines.

A volume is divided into slabs along its first axis. Each slab is first counted and then meshed,
given the sums of the counts; both are functions of the slab alone, in any order and on any machine.
The concatenation of the parts is the mesh of the whole volume, bit for bit.

For distance maps, each part is first reduced to an `Envelope`: the zeros that can be nearest to an
element of another part. Envelopes are merged by ``|``, in any order. The distances of a part follow
from its planes and the envelopes of the parts below and above.

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

>>> image = volume > 3
>>> first, second = image[:9], image[9:]
>>> above = parts.envelope_part(second, first_plane=9)
>>> distances = parts.distance_part(first, None, above, first_plane=0)
>>> np.array_equal(distances, ferrovox.distance_transform_edt(image)[:9])
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _ferrovox
from ._arrays import (
    KERNEL_TYPES,
    ArrayLike,
    Device,
    as_array,
    as_host_array,
    c_array,
    check_dimensions,
    device_name,
    kernel_array,
    result_array,
    spacing_list,
)
from ._ferrovox import Array
from ._isosurface import join, mesh_from_surface, surface_options
from ._mesh import Mesh

__all__ = [
    "Envelope",
    "Slab",
    "count_part",
    "distance_part",
    "envelope_part",
    "join",
    "mesh_part",
    "slabs",
]


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


def _arguments(
    planes: ArrayLike, slab: Slab, shape: Sequence[int], level: float, options: dict[str, Any]
) -> tuple[Any, Any, dict[str, Any], dict[str, Any]]:
    """Return the arguments of the extension module."""
    samples = as_array(planes, "planes")
    check_dimensions(samples, "planes", range(3, 4))
    mask = options.pop("mask", None)
    if mask is not None:
        mask = c_array(as_host_array(mask, "mask"), bool)
        if mask.shape != samples.shape:
            raise ValueError(
                f"mask has the shape {mask.shape} and planes {samples.shape}; "
                "they must have the same shape"
            )
    depth, height, width = (int(side) for side in shape)
    part = {"dims": (width, height, depth), "first_plane": slab.planes[0], "cells": slab.cells}
    samples = kernel_array(samples, "planes")
    if isinstance(samples, Array):
        if not samples.is_contiguous_in("C"):
            raise ValueError(f"planes is not in C order, on {samples.device}; copy it there")
        options.setdefault("values", False)
        options["device"] = device_name(options.get("device"), samples)
    else:
        samples = c_array(samples)
    checked = surface_options(level, has_mask=mask is not None, **options)
    return samples, mask, part, checked


@dataclass(frozen=True, eq=False)
class Envelope:
    """The zeros of some planes that can be nearest to an element of other planes.

    Envelopes can be pickled. ``a | b`` has the zeros of both; merging is associative and
    commutative.

    Attributes
    ----------
    ends : ndarray of uint32
        For each column along the first axis, the index after its last zero in `sites`.
    sites : ndarray of uint64
        Indices of the zeros in the flattened volume, in order of their planes.
    shape : tuple of 2 ints
        Shape of a plane.
    spacing : tuple of 3 floats
        Spacing along the last, the middle and the first axis.
    """

    ends: npt.NDArray[np.uint32]
    sites: npt.NDArray[np.uint64]
    shape: tuple[int, int]
    spacing: tuple[float, float, float]

    def __or__(self, other: Envelope) -> Envelope:
        return merge_envelopes([self, other])

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return int(self.ends.nbytes + self.sites.nbytes)

    def lists(self) -> dict[str, Any]:
        """Return the arguments of the extension module."""
        height, width = self.shape
        return {
            "ends": c_array(self.ends, np.uint32),
            "sites": c_array(self.sites, np.uint64),
            "dims": (width, height),
            "spacing": self.spacing,
        }


def merge_envelopes(
    envelopes: Sequence[Envelope | None], first: int | None = None, end: int | None = None
) -> Envelope:
    """Merge envelopes, and omit zeros that are nearest to no plane from `first` to before `end`."""
    given = [envelope for envelope in envelopes if envelope is not None]
    found = _ferrovox.merge_envelopes([envelope.lists() for envelope in given], first, end)
    ends, sites = (result_array(array) for array in found)
    return Envelope(ends, sites, given[0].shape, given[0].spacing)


def envelope_part(
    planes: ArrayLike,
    *,
    first_plane: int,
    sampling: float | Sequence[float] | None = None,
    max_distance: float | None = None,
    device: Device = None,
) -> Envelope:
    """Find the zeros of some planes that can be nearest to an element of other planes.

    Parameters
    ----------
    planes : array_like
        Planes ``volume[first_plane:end]`` of an array of one to three dimensions.
    first_plane : int
        Index of the first plane along the first axis.
    sampling, max_distance, device
        Arguments of `ferrovox.distance_transform_edt`.
    """
    samples, along = _planes(planes, sampling)
    maximum = None if max_distance is None else float(max_distance)
    name = device_name(device)
    found = _ferrovox.envelope_part(samples, int(first_plane), along, maximum, name)
    ends, sites = (result_array(array) for array in found)
    return Envelope(ends, sites, (samples.shape[1], samples.shape[2]), along)


def distance_part(
    planes: ArrayLike,
    below: Envelope | None,
    above: Envelope | None,
    *,
    first_plane: int,
    sampling: float | Sequence[float] | None = None,
    return_distances: bool = True,
    return_indices: bool = False,
    float64_distances: bool = True,
    max_distance: float | None = None,
    device: Device = None,
) -> Any:
    """Compute some planes of `ferrovox.distance_transform_edt` of an array, bit for bit.

    Parameters
    ----------
    planes : array_like
        Planes ``volume[first_plane:end]`` of an array of one to three dimensions.
    below, above : Envelope or None
        Merged envelopes of the planes before `first_plane` and of those from ``end`` on.
    first_plane : int
        Index of the first plane along the first axis.
    sampling, return_distances, return_indices, float64_distances, max_distance, device
        Arguments of `ferrovox.distance_transform_edt`.

    Returns
    -------
    ndarray or tuple of ndarray
        Distances, indices in the whole array, or both.
    """
    array = np.atleast_1d(as_host_array(planes, "planes"))
    samples, along = _planes(array, sampling)
    maximum = None if max_distance is None else float(max_distance)
    others = [envelope for envelope in (below, above) if envelope is not None]
    outside = merge_envelopes(others).lists() if others else None
    # as in `distance_transform_edt`: only distances in 64 bits, or without indices, are truncated
    # by the transform
    is_double = return_indices or (
        float64_distances and any(value != 1 for value in along)
    )
    limit = None if is_double else maximum
    found = _ferrovox.distance_part(
        samples,
        int(first_plane),
        outside,
        along,
        limit,
        bool(is_double or float64_distances),
        bool(return_indices),
        device_name(device),
    )
    results: list[npt.NDArray[Any]] = []
    if return_distances:
        distances = result_array(found[0]).reshape(array.shape)
        if maximum is not None:
            np.minimum(distances, maximum, out=distances)
        results.append(distances if float64_distances else distances.astype(np.float32, copy=False))
    if found[1] is not None:
        axes = {1: [0], 2: [0, 2], 3: [0, 1, 2]}[array.ndim]
        results.append(result_array(found[1])[axes].reshape(array.ndim, *array.shape))
    return results[0] if len(results) == 1 else tuple(results)


def _planes(
    planes: ArrayLike, sampling: float | Sequence[float] | None
) -> tuple[npt.NDArray[Any], tuple[float, float, float]]:
    """Return planes as an array of three axes, and the spacing from the last axis to the first."""
    array = np.atleast_1d(as_host_array(planes, "planes"))
    check_dimensions(array, "planes", range(1, 4))
    if array.dtype.char not in KERNEL_TYPES:
        array = array != 0
    steps = spacing_list(sampling, array.ndim, "sampling")
    last = steps[-1]
    if array.ndim == 1:
        array, steps = array[:, np.newaxis, np.newaxis], [last, last, last]
    elif array.ndim == 2:
        array, steps = array[:, np.newaxis, :], [steps[0], last, last]
    return c_array(array), (steps[2], steps[1], steps[0])
