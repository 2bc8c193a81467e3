"""Distances to the zeros of an array, with the arguments of SciPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _ferrovox
from ._arrays import (
    KERNEL_TYPES,
    ArrayLike,
    Device,
    as_array,
    check_dimensions,
    contiguous,
    device_name,
    device_type_error,
    grid_spacing,
    result_array,
    spacing_list,
)
from ._ferrovox import Array
from ._progress import progress_callback

__all__ = ["distance_transform_edt"]


def distance_transform_edt(
    input: ArrayLike,
    sampling: float | Sequence[float] | None = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Any = None,
    indices: Any = None,
    *,
    float64_distances: bool | None = None,
    max_distance: float | None = None,
    device: Device = None,
    stream: int | None = None,
    progress: bool | Callable[[float], None] = False,
) -> Any:
    """Compute the exact Euclidean distance of each element to the nearest zero.

    The arguments up to `indices` are those of ``scipy.ndimage.distance_transform_edt``, for arrays
    of one to three dimensions. The 64-bit distances are those of SciPy, bit for bit with a
    sampling of 1. Of several nearest zeros, `indices` name the one that is first in memory; with
    other samplings, the distances to them may differ in the last bit.

    Parameters
    ----------
    input : array_like
        Elements that are zero are the background. Arrays of ``bool``, integers of 8 and 16 bits
        and ``float32`` are read in place; others are compared with zero first. An array of these
        types on a CUDA device is read there, and the results stay there too; indices and 64-bit
        distances are computed on the host and copied.
    sampling : float or sequence of float, optional
        Spacing along each axis; 1 by default.
    return_distances, return_indices : bool
        Results that are returned.
    distances : ndarray of float64, optional
        Array for the distances, which are not returned then.
    indices : ndarray of int32, optional
        Array for the indices, of shape ``(input.ndim,) + input.shape``.
    float64_distances : bool, optional
        ``False`` for distances in ``float32``, which take less memory and time. The default is
        ``True`` as in SciPy, and for an array of a CUDA device ``False`` as in CuPy.
    max_distance : float, optional
        Distance at which the result is truncated.
    device : str or int, optional
        ``"cpu"``, ``"cuda:1"`` or 1. By default the device of the array.
    stream : int, optional
        Handle of a CUDA stream whose work the computation waits for. By default it waits for the
        current stream of the array's library.
    progress : bool or callable
        A function that takes the finished fraction, or ``True`` to show a bar with tqdm, if that
        is installed.

    Returns
    -------
    ndarray or tuple of ndarray or None
        The distances, the indices, or both, unless arrays were given for them. Without a zero,
        distances are infinite and indices -1.

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> ferrovox.distance_transform_edt(np.array([0, 1, 1, 1, 0]))
    array([0., 1., 2., 1., 0.])
    >>> ferrovox.distance_transform_edt(np.array([0, 1, 1, 1]), return_indices=True)
    (array([0., 1., 2., 3.]), array([[0, 0, 0, 0]], dtype=int32))
    """
    return_distances, return_indices = bool(return_distances), bool(return_indices)
    has_distances = isinstance(distances, np.ndarray)
    has_indices = isinstance(indices, np.ndarray)
    problems = []
    if not return_distances and not return_indices:
        problems.append("at least one of return_distances/return_indices must be True")
    if has_distances and not return_distances:
        problems.append("return_distances must be True if distances is supplied")
    if has_indices and not return_indices:
        problems.append("return_indices must be True if indices is supplied")
    if problems:
        raise RuntimeError(", ".join(problems))
    array = as_array(input, "input", stream)
    on_device = isinstance(array, Array)
    if not on_device:
        array = np.atleast_1d(array)
    check_dimensions(array, "input", range(1, 4))
    if array.dtype.char not in KERNEL_TYPES:
        if on_device:
            raise device_type_error(array, "input", "bool (input != 0)")
        array = array != 0
    if float64_distances is None:
        float64_distances = not on_device
    if has_indices:
        _check_output(indices, (array.ndim, *array.shape), np.int32, "indices")
    if has_distances:
        _check_output(distances, array.shape, np.float64, "distances")
    spacing = spacing_list(sampling, array.ndim, "sampling")
    array, is_reversed = contiguous(array, "input")
    if on_device and is_reversed and return_indices:
        raise ValueError("indices of an array on a CUDA device need C order; copy the array")
    along = grid_spacing(spacing, is_reversed)
    name = device_name(device, array)
    maximum = None if max_distance is None else float(max_distance)
    double = bool(float64_distances)
    found_distances: Any = None
    found_indices: Any = None
    is_unit = all(value == 1 for value in spacing)
    with progress_callback(progress, "distances") as callback:
        if return_indices or (double and not is_unit):
            selection = (return_distances, return_indices)
            options = (selection, maximum, double, name, callback)
            found = _ferrovox.feature_transform(array, along, *options)
            found_distances, found_indices = (
                None if it is None else result_array(it) for it in found
            )
        else:
            found_distances = result_array(
                _ferrovox.distances_to_zero(array, along, maximum, double, name, callback)
            )
    results: list[Any] = []
    if found_distances is not None:
        if is_reversed:
            found_distances = found_distances.T
        if has_distances:
            distances[...] = found_distances
        else:
            results.append(found_distances)
    if found_indices is not None:
        if is_reversed:
            found_indices = found_indices[::-1].transpose(0, *range(array.ndim, 0, -1))
        if has_indices:
            indices[...] = found_indices
        else:
            results.append(found_indices)
    if len(results) == 2:
        return tuple(results)
    return results[0] if results else None


def _check_output(array: Any, shape: tuple[int, ...], dtype: Any, name: str) -> None:
    """Raise ``RuntimeError``, as SciPy does, if an array for a result does not fit."""
    if array.shape != shape:
        raise RuntimeError(f"{name} array has wrong shape: {array.shape} instead of {shape}")
    if array.dtype != dtype:
        raise RuntimeError(f"{name} array must be {np.dtype(dtype)}, not {array.dtype}")
