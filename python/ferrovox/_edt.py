"""Distances between labels, with the arguments of the package edt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from . import _ferrovox
from ._arrays import (
    ArrayLike,
    Device,
    as_array,
    as_host_array,
    check_dimensions,
    contiguous,
    device_name,
    device_type_error,
    grid_spacing,
    result_array,
    spacing_list,
)
from ._errors import FerrovoxError
from ._ferrovox import Array

__all__ = ["each", "edt", "edtsq", "sdf", "sdfsq"]


def edt(
    data: ArrayLike,
    anisotropy: float | Sequence[float] | None = None,
    black_border: bool = False,
    order: str = "K",
    parallel: int = 1,
    voxel_graph: ArrayLike | None = None,
    *,
    max_distance: float | None = None,
    device: Device = None,
) -> Any:
    """Compute the distance of each element to the nearest element with another label.

    The arguments up to `voxel_graph` are those of ``edt.edt``.

    Parameters
    ----------
    data : array_like
        Labels, of one to three dimensions; 0 is the background. Integers of 8 and 16 bits and
        ``float32`` are read in place; others are converted. An array of a CUDA device is read
        there, and the result stays there too; labels of 32 and 64 bits, squared distances and
        `black_border` take a copy through the host.
    anisotropy : float or sequence of float, optional
        Spacing along each axis; 1 by default.
    black_border : bool
        ``True`` if background surrounds the array.
    order, parallel
        Accepted for compatibility. The computation uses all threads; ``RAYON_NUM_THREADS`` limits
        their number.
    voxel_graph
        Not supported.
    max_distance : float, optional
        Distance at which the result is truncated.
    device : str or int, optional
        ``"cpu"``, ``"cuda:1"`` or 1. By default the device of the array.

    Returns
    -------
    ndarray of float32
        Distances; 0 for the background, infinite if there is no other label.

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> ferrovox.edt(np.array([5, 5, 5, 7, 7, 0]))
    array([3., 2., 1., 1., 1., 0.], dtype=float32)
    >>> ferrovox.edt(np.array([5, 5, 5, 7, 7, 0]), black_border=True)
    array([1., 2., 1., 1., 1., 0.], dtype=float32)
    """
    return _transform(data, anisotropy, black_border, voxel_graph, max_distance, device)


def edtsq(
    data: ArrayLike,
    anisotropy: float | Sequence[float] | None = None,
    black_border: bool = False,
    order: str = "K",
    parallel: int = 1,
    voxel_graph: ArrayLike | None = None,
    *,
    device: Device = None,
) -> Any:
    """Compute the squared distances of `edt`.

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> ferrovox.edtsq(np.array([5, 5, 5, 0]))
    array([9., 4., 1., 0.], dtype=float32)
    """
    return _transform(data, anisotropy, black_border, voxel_graph, None, device, squared=True)


def sdf(
    data: ArrayLike,
    anisotropy: float | Sequence[float] | None = None,
    black_border: bool = False,
    order: str = "K",
    parallel: int = 1,
    voxel_graph: ArrayLike | None = None,
    *,
    device: Device = None,
) -> Any:
    """Compute the distances of `edt`, with negative distances of the background to the labels.

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> ferrovox.sdf(np.array([5, 5, 0, 0]))
    array([ 2.,  1., -1., -2.], dtype=float32)
    """
    return _transform(data, anisotropy, black_border, voxel_graph, None, device, signed=True)


def sdfsq(
    data: ArrayLike,
    anisotropy: float | Sequence[float] | None = None,
    black_border: bool = False,
    order: str = "K",
    parallel: int = 1,
    voxel_graph: ArrayLike | None = None,
    *,
    device: Device = None,
) -> Any:
    """Compute the squared distances of `sdf`, with its signs.

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> ferrovox.sdfsq(np.array([5, 5, 0, 0]))
    array([ 4.,  1., -1., -4.], dtype=float32)
    """
    return _transform(
        data, anisotropy, black_border, voxel_graph, None, device, signed=True, squared=True
    )


def each(labels: ArrayLike, dt: ArrayLike, in_place: bool = False) -> Iterator[tuple[int, Any]]:
    """Iterate over the labels and the distance map of each, which is 0 elsewhere.

    Parameters
    ----------
    labels : array_like
        Labels; 0 is the background.
    dt : array_like
        Distance map of the labels.
    in_place : bool
        ``True`` to yield the same array each time, read-only, with the next map.

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> labels = np.array([5, 5, 7, 0])
    >>> for label, distances in ferrovox.each(labels, ferrovox.edt(labels)):
    ...     print(label, distances)
    5 [2. 1. 0. 0.]
    7 [0. 0. 1. 0.]
    """
    label_array, distances = as_host_array(labels, "labels"), as_host_array(dt, "dt")
    if label_array.shape != distances.shape:
        raise ValueError(
            f"labels has the shape {label_array.shape} and dt {distances.shape}; "
            "they must have the same shape"
        )
    flat_order: Literal["C", "F"] = "F" if label_array.flags.f_contiguous else "C"
    flat = label_array.reshape(-1, order=flat_order)
    values = distances.reshape(-1, order=flat_order)
    by_label = np.argsort(flat, kind="stable")
    ordered = flat[by_label]
    bounds = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1], True])
    if not ordered.size:
        return
    image = np.zeros(flat.shape, distances.dtype)
    for start, end in zip(bounds[:-1], bounds[1:], strict=True):
        label = ordered[start]
        if label == 0:
            continue
        if not in_place:
            image = np.zeros(flat.shape, distances.dtype)
        members = by_label[start:end]
        image[members] = values[members]
        result = image.reshape(label_array.shape, order=flat_order)
        if in_place:
            result.flags.writeable = False
        yield label.item(), result
        image[members] = 0


def _transform(
    data: ArrayLike,
    anisotropy: float | Sequence[float] | None,
    black_border: bool,
    voxel_graph: ArrayLike | None,
    max_distance: float | None,
    device: Device,
    *,
    squared: bool = False,
    signed: bool = False,
) -> Any:
    """Compute a distance map of labels."""
    if voxel_graph is not None:
        raise FerrovoxError("voxel_graph is not supported", "unsupported")
    array = as_array(data, "data")
    check_dimensions(array, "data", range(1, 4))
    if array.dtype == np.float16:
        if isinstance(array, Array):
            raise device_type_error(array, "data", "float32")
        array = array.astype(np.float32)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"data has elements of type {array.dtype}; use integers or real numbers")
    spacing = spacing_list(anisotropy, array.ndim, "anisotropy")
    array, is_reversed = contiguous(array, "data")
    options = {
        "spacing": grid_spacing(spacing, is_reversed),
        "black_border": bool(black_border),
        "squared": squared,
        "signed": signed,
        "max_distance": None if max_distance is None else float(max_distance),
        "device": device_name(device, array),
    }
    result = result_array(_ferrovox.label_distances(array, options))
    return result.T if is_reversed else result
