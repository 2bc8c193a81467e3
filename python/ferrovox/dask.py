"""Meshes, distance maps, skeletons and voxels of dask arrays, which dask schedules.

The results are those of the functions of `ferrovox` for the whole array, bit for bit, for any
chunks.

Examples
--------
>>> import numpy as np, dask.array as da
>>> import ferrovox, ferrovox.dask
>>> x, y, z = np.ogrid[-8:8:17j, -8:8:17j, -8:8:17j]
>>> volume = np.float32(np.sqrt(x**2 + y**2 + z**2))
>>> chunked = da.from_array(volume, chunks=(5, 9, 6))
>>> mesh = ferrovox.dask.marching_cubes(chunked, 5.0)
>>> expected = ferrovox.marching_cubes(volume, 5.0)
>>> all(np.array_equal(a, b) for a, b in zip(mesh, expected))
True
>>> distances = ferrovox.dask.distance_transform_edt(chunked > 3)
>>> np.array_equal(distances.compute(), ferrovox.distance_transform_edt(volume > 3))
True
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from dask import array as da
from dask.base import compute
from dask.delayed import delayed

from . import _skeleton, _voxelize, parts
from ._arrays import ArrayLike, Device
from ._mesh import Mesh, write_meshes

__all__ = [
    "distance_transform_edt",
    "marching_cubes",
    "mesh_parts",
    "save_mesh",
    "skeletonize",
    "voxelize",
]


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


def save_mesh(
    path: str | os.PathLike[str],
    volume: Any,
    level: float,
    *,
    mask: Any = None,
    parts_at_once: int = 4,
    **options: Any,
) -> tuple[int, int]:
    """Write the isosurface of a dask array to a file, and return the numbers of its elements.

    Parameters
    ----------
    path : str or path
        File, in the format of the extension, as `ferrovox.Mesh.save` writes it.
    volume, level, mask, **options
        Arguments of `mesh_parts`.
    parts_at_once : int
        Number of parts that are computed together and held by this process.

    Returns
    -------
    tuple of 2 ints
        Numbers of vertices and triangles.
    """
    delayed_meshes = mesh_parts(volume, level, mask=mask, **options)

    def meshes() -> Iterator[Mesh]:
        for first in range(0, len(delayed_meshes), parts_at_once):
            yield from compute(*delayed_meshes[first : first + parts_at_once])

    return write_meshes(path, meshes())


def distance_transform_edt(
    input: Any,
    sampling: float | Sequence[float] | None = None,
    return_distances: bool = True,
    return_indices: bool = False,
    *,
    float64_distances: bool = True,
    max_distance: float | None = None,
    device: Device = None,
) -> Any:
    """Compute the distances of a dask array: `ferrovox.distance_transform_edt`, bit for bit.

    Reads the array twice: once for the `parts.Envelope` of each slab along the first axis, and once
    for the distances, given the merged envelopes of the slabs below and above.

    Parameters
    ----------
    input : dask.array.Array
        Array of one to three dimensions, with any chunks. Each task holds the planes of a chunk
        along the first axis.
    sampling, return_distances, return_indices, float64_distances, max_distance, device
        Arguments of `ferrovox.distance_transform_edt`.

    Returns
    -------
    dask.array.Array or tuple of dask.array.Array
        Distances, indices, or both, with the chunks of the input.
    """
    if not (return_distances or return_indices):
        raise RuntimeError("at least one of return_distances/return_indices must be True")
    whole = input.rechunk(dict.fromkeys(range(1, input.ndim), -1))
    ends = np.cumsum(whole.chunks[0]).tolist()
    firsts = [0, *ends[:-1]]
    slabs = [delayed(whole[first:end]) for first, end in zip(firsts, ends, strict=True)]
    metric = {"sampling": sampling, "device": device}
    limit = None if return_indices else max_distance
    envelope = delayed(parts.envelope_part, pure=True)
    merge = delayed(parts.merge_envelopes, pure=True)
    envelopes = [
        envelope(slab, first_plane=first, max_distance=limit, **metric)
        for slab, first in zip(slabs, firsts, strict=True)
    ]
    below, above = [None], [None]
    for part, end in zip(envelopes[:-1], ends, strict=False):
        below.append(merge([below[-1], part], first=end))
    for part, first in zip(envelopes[:0:-1], firsts[:0:-1], strict=True):
        above.append(merge([above[-1], part], end=first))
    task = delayed(parts.distance_part, pure=True)
    found = [
        task(
            slab,
            *others,
            first_plane=first,
            return_distances=return_distances,
            return_indices=return_indices,
            float64_distances=float64_distances,
            max_distance=max_distance,
            **metric,
        )
        for slab, first, *others in zip(slabs, firsts, below, above[::-1], strict=True)
    ]

    def joined(blocks: list[Any], dtype: Any, leading: tuple[int, ...]) -> Any:
        shapes = [(*leading, depth, *input.shape[1:]) for depth in whole.chunks[0]]
        pairs = zip(blocks, shapes, strict=True)
        arrays = [da.from_delayed(block, shape, dtype) for block, shape in pairs]
        chunks = (*((size,) for size in leading), *input.chunks)
        return da.concatenate(arrays, axis=len(leading)).rechunk(chunks)

    both = return_distances and return_indices
    pick = delayed(operator.getitem, pure=True)
    results = []
    if return_distances:
        blocks = [pick(block, 0) for block in found] if both else found
        results.append(joined(blocks, np.float64 if float64_distances else np.float32, ()))
    if return_indices:
        blocks = [pick(block, 1) for block in found] if both else found
        results.append(joined(blocks, np.int32, (input.ndim,)))
    return tuple(results) if both else results[0]


def skeletonize(
    all_labels: Any,
    teasar_params: Mapping[str, float] = _skeleton.DEFAULT_TEASAR_PARAMS,
    anisotropy: Sequence[float] = (1, 1, 1),
    object_ids: Iterable[int] | None = None,
    dust_threshold: int = 1000,
    *,
    fill_holes: bool = False,
    centre: bool = True,
) -> dict[int, Any]:
    """Return the skeletons of the labels of a dask array as delayed skeletons.

    Finds the labels and their bounding boxes, which reads the array once. Each skeleton is computed
    from the bounding box of its label: a task needs memory for the box of its label.

    Parameters
    ----------
    all_labels : dask.array.Array of int
        Labels, of three dimensions; 0 is the background.
    teasar_params, anisotropy, object_ids, dust_threshold, fill_holes, centre
        Arguments of `ferrovox.skeletonize`.

    Returns
    -------
    dict of int to delayed Skeleton
        ``dask.compute`` of it returns the skeletons; ``None`` for labels without one.
    """
    firsts = [np.cumsum([0, *sides[:-1]]).tolist() for sides in all_labels.chunks]
    blocks = all_labels.to_delayed()
    find = delayed(_skeleton.label_boxes, pure=True)
    found = compute(
        *[
            find(blocks[index], [starts[i] for starts, i in zip(firsts, index, strict=True)])
            for index in np.ndindex(blocks.shape)
        ]
    )
    wanted = None if object_ids is None else {int(label) for label in object_ids}
    boxes: dict[int, npt.NDArray[np.int64]] = {}
    for label, box in (item for part in found for item in part.items()):
        if wanted is None or label in wanted:
            low, high = boxes.get(label, box)
            boxes[label] = np.array([np.minimum(low, box[0]), np.maximum(high, box[1])])
    task = delayed(_skeleton.skeletonize_box, pure=True)
    options = {"fill_holes": fill_holes, "centre": centre}
    skeletons = {}
    for label, box in sorted(boxes.items()):
        first, sides = _skeleton.with_margin(box, all_labels.shape)
        arguments = (teasar_params, anisotropy, dust_threshold)
        skeletons[label] = task(all_labels[sides], label, first, *arguments, **options)
    return skeletons


def voxelize(
    vertices: ArrayLike,
    faces: ArrayLike,
    *,
    spacing: float | Sequence[float],
    shape: Sequence[int] | None = None,
    chunks: Any = "auto",
    device: Device = None,
) -> _voxelize.Voxels:
    """Find the voxels inside a closed mesh: `ferrovox.voxelize`, whose mask is a dask array.

    Parameters
    ----------
    vertices, faces, spacing, shape, device
        Arguments of `ferrovox.voxelize`. The mesh is sent to every task.
    chunks
        Chunks of the mask, as for ``dask.array.zeros``. A task computes all chunks of a range of
        planes.
    """
    positions, corners = _voxelize.mesh_arrays(vertices, faces)
    counts, steps, origin = _voxelize.voxel_grid(positions, spacing, shape)
    sides = da.core.normalize_chunks(chunks, tuple(counts), dtype=bool)
    ends = np.cumsum(sides[0]).tolist()
    mesh = delayed((positions, corners))
    task = delayed(_voxelize.voxelize_planes, pure=True)
    slabs = [
        da.from_delayed(
            task(mesh[0], mesh[1], counts, (end - depth, end), steps, origin, device),
            (depth, *counts[1:]),
            bool,
        )
        for depth, end in zip(sides[0], ends, strict=True)
    ]
    mask = da.concatenate(slabs).rechunk(sides)
    return _voxelize.Voxels(mask, (origin[0], origin[1], origin[2]))
