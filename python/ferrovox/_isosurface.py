"""Isosurfaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _ferrovox
from ._arrays import (
    ArrayLike,
    Device,
    as_array,
    c_array,
    check_dimensions,
    contiguous,
    device_name,
    device_type_error,
    result_array,
    kernel_array,
    spacing_list,
)
from ._ferrovox import Array
from ._mesh import Mesh
from ._progress import progress_callback

__all__ = ["marching_cubes"]


def marching_cubes(
    volume: ArrayLike,
    level: float | None = None,
    *,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    gradient_direction: Literal["descent", "ascent"] = "descent",
    step_size: int = 1,
    allow_degenerate: bool = True,
    method: Literal["lewiner", "lorensen"] = "lewiner",
    mask: ArrayLike | None = None,
    mask_rule: Literal["corners", "skimage"] = "skimage",
    topology: Literal["trilinear", "separated"] | None = None,
    vertices: Literal["linear", "root"] = "linear",
    close: bool = False,
    normals: bool | Literal["gradient", "trilinear"] = True,
    values: bool | None = None,
    affine: npt.ArrayLike | None = None,
    faces_dtype: Literal["int32", "int64", "auto"] = "auto",
    device: Device = None,
    stream: int | None = None,
    progress: bool | Callable[[float], None] = False,
) -> Mesh:
    """Extract the isosurface of a volume as a mesh with shared vertices.

    The arguments up to `mask` are those of ``skimage.measure.marching_cubes``. The mesh is manifold
    and, inside the volume, closed; vertices are never closer to a sample than 1/1024 voxel, so no
    triangle is degenerate.

    Parameters
    ----------
    volume : array_like, shape (M, N, P)
        Samples. C-contiguous and Fortran-contiguous arrays of ``bool``, ``uint8``, ``int8``,
        ``uint16``, ``int16`` and ``float32`` are read in place, if they begin at a multiple of 16
        bytes, as arrays of NumPy do. Others are copied: to ``float32`` if they have another type,
        or to native byte order. An array of these types on a CUDA device is read there, and the
        arrays of the mesh stay there too.
    level : float, optional
        Isovalue; by default the middle between the smallest and the largest sample.
    spacing : sequence of 3 floats
        Distance between samples along each axis.
    gradient_direction : {"descent", "ascent"}
        ``"descent"`` if the object is above the level.
    step_size : int
        Number of samples per cell along each axis.
    allow_degenerate : bool
        Accepted for compatibility: there are no degenerate triangles.
    method : {"lewiner", "lorensen"}
        ``"lewiner"`` for the topology ``"trilinear"``, ``"lorensen"`` for ``"separated"``.
    mask : array_like of bool, shape (M, N, P), optional
        Samples at which cells are meshed.
    mask_rule : {"skimage", "corners"}
        ``"skimage"`` for cells whose corner with the largest indices is in the mask, ``"corners"``
        for cells whose corners all are.
    topology : {"trilinear", "separated"}, optional
        Resolution of ambiguous cells: as the trilinear interpolant, or with the samples above the
        level separated on ambiguous faces.
    vertices : {"linear", "root"}
        Interpolation along the edges of the grid: linear, or by the root of a cubic.
    close : bool
        ``True`` to close the surface at the boundary of the volume.
    normals : bool or {"gradient", "trilinear"}
        ``False`` for none; otherwise the gradient that they are computed from: central differences
        of the samples, or the trilinear interpolant.
    values : bool, optional
        ``False`` to omit the range of samples around each vertex: the largest difference of two
        corners of a cell. It is computed on the host, and therefore by default omitted for an
        array of a CUDA device.
    affine : array_like, shape (4, 4), optional
        Affine transform from indices to world coordinates, instead of `spacing`.
    faces_dtype : {"auto", "int32", "int64"}
        Type of the indices; ``"auto"`` for the narrowest that suffices.
    device : str or int, optional
        ``"cpu"``, ``"cuda:1"`` or 1. By default the device of the array.
    stream : int, optional
        Handle of a CUDA stream whose work the computation waits for. By default it waits for the
        current stream of the array's library.
    progress : bool or callable
        A function that takes the finished fraction, or ``True`` to show a bar with tqdm, if that
        is installed. The mesh is then extracted in parts and joined, with the same bits.

    Returns
    -------
    Mesh
        Unpacks into vertices, faces, normals and values.

    Raises
    ------
    ValueError
        If the level is outside of the data, an axis is shorter than two samples, or an argument is
        invalid.
    RuntimeError
        If there is no surface at a level within the data.

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> x, y, z = np.ogrid[-8:8:17j, -8:8:17j, -8:8:17j]
    >>> mesh = ferrovox.marching_cubes(np.sqrt(x**2 + y**2 + z**2), 5.0)
    >>> mesh
    <ferrovox.Mesh: 414 vertices, 824 triangles>
    >>> radii = np.linalg.norm(mesh.vertices - 8, axis=1)
    >>> bool(np.allclose(radii, 5, atol=0.05))
    True
    """
    samples = as_array(volume, "volume", stream)
    check_dimensions(samples, "volume", range(3, 4))
    step = int(step_size)
    if step < 1:
        raise ValueError(f"step_size is {step_size}; it must be at least one")
    mask_array: Any = None
    if mask is not None:
        mask_array = as_array(mask, "mask", stream)
        if mask_array.shape != samples.shape:
            raise ValueError(
                f"mask has the shape {mask_array.shape} and volume {samples.shape}; "
                "they must have the same shape"
            )
        if not isinstance(mask_array, Array):
            mask_array = np.asarray(mask_array, bool)
        elif mask_array.dtype.char not in "?B":
            raise device_type_error(mask_array, "mask", "bool")
        elif not isinstance(samples, Array):
            raise ValueError(f"mask is on {mask_array.device}, and volume on the host")
    on_device = isinstance(samples, Array)
    if step > 1 and on_device:
        raise ValueError(
            f"step_size is {step}; for a volume on {samples.device} it must be 1: select the "
            "samples there"
        )
    if step > 1:
        samples = samples[::step, ::step, ::step]
        if mask_array is not None:
            mask_array = mask_array[::step, ::step, ::step]
    if min(samples.shape) < 2 and not close or 0 in samples.shape:
        raise ValueError(f"volume has the shape {samples.shape}; it must be at least 2 x 2 x 2")
    samples, is_reversed = contiguous(kernel_array(samples, "volume"), "volume")
    if mask_array is not None:
        mask_array = mask_array.T if is_reversed else mask_array
        if not isinstance(mask_array, Array):
            mask_array = c_array(mask_array)
        elif not mask_array.is_contiguous_in("C"):
            raise ValueError("mask must be contiguous, in the same order as volume")
    options = surface_options(
        level,
        spacing=spacing,
        affine=affine,
        step=step,
        gradient_direction=gradient_direction,
        method=method,
        has_mask=mask_array is not None,
        mask_rule=mask_rule,
        topology=topology,
        vertices=vertices,
        close=close,
        normals=normals,
        values=not on_device if values is None else values,
        faces_dtype=faces_dtype,
        device=device_name(device, samples, mask_array),
        is_reversed=is_reversed,
    )
    with progress_callback(progress, "surface") as callback:
        # the extraction on a device takes milliseconds
        if callback is not None and not on_device:
            mesh = _extract_in_slabs(samples, mask_array, options, callback)
            if mesh is not None:
                return mesh
        return mesh_from_surface(_ferrovox.extract(samples, mask_array, options))


#: Number of slabs whose progress is reported.
REPORTED_SLABS = 24


def _extract_in_slabs(
    samples: npt.NDArray[Any],
    mask: npt.NDArray[Any] | None,
    options: dict[str, Any],
    progress: Callable[[float], None],
) -> Mesh | None:
    """Extract a mesh slab by slab; return ``None`` if there is none."""
    if options["level"] is None:
        finite = samples if samples.dtype.kind != "f" else samples[np.isfinite(samples)]
        if not finite.size:
            return None
        options = {**options, "level": 0.5 * (float(finite.min()) + float(finite.max()))}
    dims = samples.shape[::-1]
    slabs = _ferrovox.slabs(dims, REPORTED_SLABS, options["close"])
    parts: list[tuple[Any, Any, dict[str, Any], dict[str, Any]]] = []
    for cells, planes in slabs:
        place = {"dims": dims, "first_plane": planes[0], "cells": cells}
        masked = None if mask is None else mask[slice(*planes)]
        parts.append((samples[slice(*planes)], masked, place, options))
    counts = []
    for number, part in enumerate(parts):
        counts.append(_ferrovox.count_part(*part))
        progress((number + 1) / (2 * len(parts)))
    total = (sum(count[0] for count in counts), sum(count[1] for count in counts))
    if not total[1]:
        return None
    meshes, before = [], (0, 0)
    for number, (part, count) in enumerate(zip(parts, counts, strict=True)):
        meshes.append(mesh_from_surface(_ferrovox.extract_part(*part, before, total)))
        before = (before[0] + count[0], before[1] + count[1])
        progress((len(parts) + number + 1) / (2 * len(parts)))
    return join(meshes)


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


def surface_options(
    level: float | None,
    *,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    affine: npt.ArrayLike | None = None,
    step: int = 1,
    gradient_direction: str = "descent",
    method: str = "lewiner",
    has_mask: bool = False,
    mask_rule: str = "skimage",
    topology: str | None = None,
    vertices: str = "linear",
    close: bool = False,
    normals: bool | str = True,
    values: bool = True,
    faces_dtype: str = "auto",
    device: Device = None,
    is_reversed: bool = False,
) -> dict[str, Any]:
    """Check the arguments of `marching_cubes`, and convert them for the extension module."""
    if method not in ("lewiner", "lorensen"):
        raise ValueError(f"method is {method!r}; use 'lewiner' or 'lorensen'")
    if gradient_direction not in ("descent", "ascent"):
        raise ValueError(f"gradient_direction is {gradient_direction!r}; use 'descent' or 'ascent'")
    if mask_rule not in ("skimage", "corners"):
        raise ValueError(f"mask_rule is {mask_rule!r}; use 'skimage' or 'corners'")
    if topology not in (None, "trilinear", "separated"):
        raise ValueError(f"topology is {topology!r}; use 'trilinear' or 'separated'")
    if vertices not in ("linear", "root"):
        raise ValueError(f"vertices is {vertices!r}; use 'linear' or 'root'")
    if normals not in (False, True, "gradient", "trilinear"):
        raise ValueError(f"normals is {normals!r}; use False, 'gradient' or 'trilinear'")
    if faces_dtype not in ("auto", "int32", "int64"):
        raise ValueError(f"faces_dtype is {faces_dtype!r}; use 'auto', 'int32' or 'int64'")
    axes, origin = _geometry(spacing, affine, step)
    default_topology = "trilinear" if method == "lewiner" else "separated"
    return {
        "level": None if level is None else float(level),
        "axes": axes if is_reversed else axes[::-1],
        "origin": origin,
        "clockwise": gradient_direction == "descent",
        "trilinear": (topology or default_topology) == "trilinear",
        "cubic": vertices == "root",
        "close": bool(close),
        "normals": "gradient" if normals is True else normals or None,
        "mask_by_last_corner": has_mask and mask_rule == "skimage",
        "values": bool(values),
        "index_bits": {"auto": 0, "int32": 32, "int64": 64}[faces_dtype],
        "device": device_name(device),
    }


def mesh_from_surface(surface: dict[str, Any]) -> Mesh:
    """Return the mesh of the arrays of the extension module."""
    positions = result_array(surface["vertices"])
    if any(surface["origin"]):
        if isinstance(positions, Array):
            raise ValueError(
                f"the mesh needs the origin {surface['origin']} for positions of 32 bits, which "
                "arrays on a CUDA device lack; use a transform with a smaller translation"
            )
        positions = positions + np.array(surface["origin"])
    optional = (surface["normals"], surface["values"])
    normals, values = (None if it is None else result_array(it) for it in optional)
    report = {"non_finite_cells": surface["non_finite_cells"]}
    return Mesh(positions, result_array(surface["faces"]), normals, values, report)


def _geometry(
    spacing: Sequence[float], affine: npt.ArrayLike | None, step: int
) -> tuple[list[list[float]], list[float]]:
    """Return the step in the world along each axis, and the position of the first sample."""
    if affine is not None:
        matrix = np.asarray(affine, float)
        if matrix.shape != (4, 4) or not np.array_equal(matrix[3], (0, 0, 0, 1)):
            raise ValueError("affine must be a 4 x 4 matrix with the last row 0, 0, 0, 1")
        return (matrix[:3, :3].T * step).tolist(), matrix[:3, 3].tolist()
    if len(spacing) != 3:
        raise ValueError(f"spacing has {len(spacing)} numbers; it must have three")
    a, b, c = (step * value for value in spacing_list(spacing, 3, "spacing"))
    return [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]], [0.0, 0.0, 0.0]
