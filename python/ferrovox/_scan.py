"""Prefix scans."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _ferrovox
from ._arrays import (
    ArrayLike,
    Device,
    as_array,
    contiguous,
    device_name,
    device_type_error,
    result_array,
)
from ._ferrovox import Array

__all__ = ["exclusive_scan"]

#: Types of elements and sums that the extension module adds up without a conversion.
_DIRECT = {("?", "I"), ("B", "I"), ("H", "I"), ("?", "L"), ("B", "L"), ("H", "L"), ("I", "L")}


def exclusive_scan(
    array: ArrayLike,
    *,
    op: Literal["sum", "min", "max"] = "sum",
    initial: Any = None,
    dtype: npt.DTypeLike | None = None,
    out: Any = None,
    return_total: bool = False,
    device: Device = None,
    stream: int | None = None,
) -> Any:
    """Compute the sum, minimum or maximum of all elements before each element.

    Parameters
    ----------
    array : array_like
        Elements; arrays of several dimensions are flattened in C order, as by ``numpy.cumsum``.
        An array of a CUDA device is read there, and the result stays there too.
    op : {"sum", "min", "max"}
        Operator.
    initial : number, optional
        Value before the first element; the identity of the operator by default.
    dtype : dtype, optional
        Type of the result: by default that of the elements, or 64 bits for sums of narrower
        integers. Sums of integers wrap around.
    out : ndarray, optional
        Array for the result.
    return_total : bool
        ``True`` to return the value of all elements too, which is copied from the device.
    device : str or int, optional
        ``"cpu"``, ``"cuda:1"`` or 1. By default the device of the array.
    stream : int, optional
        Handle of a CUDA stream whose work the computation waits for. By default it waits for the
        current stream of the array's library.

    Returns
    -------
    ndarray, or tuple of ndarray and number

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> ferrovox.exclusive_scan(np.array([3, 1, 4, 1, 5]), return_total=True)
    (array([0, 3, 4, 8, 9]), 14)
    """
    elements: Any = as_array(array, "array", stream)
    on_device = isinstance(elements, Array)
    elements = elements.ravel() if on_device else np.ravel(elements)
    wanted = None if dtype is None else np.dtype(dtype)
    request = (elements.dtype, wanted, op)
    choice = _choices.get(request)
    if choice is None:
        choice = _choices[request] = _choose_type(*request)
    result_type, type_string, converts = choice
    if converts:
        if on_device:
            raise device_type_error(elements, "array", f"{result_type}")
        elements = elements.astype(result_type, copy=False)
    elements, _ = contiguous(elements, "array")
    sums, total = _ferrovox.exclusive_scan(
        elements, op, initial, type_string, bool(return_total), device_name(device, elements)
    )
    result = result_array(sums)
    if out is not None:
        if out.size != result.size:
            raise ValueError(f"out has {out.size} elements; it must have {result.size}")
        out.reshape(-1)[...] = result
        result = out
    return (result, total) if return_total else result


#: Results of `_choose_type` by its arguments.
_choices: dict[
    tuple[np.dtype[Any], np.dtype[Any] | None, str], tuple[np.dtype[Any], str, bool]
] = {}


def _choose_type(
    source: np.dtype[Any], dtype: np.dtype[Any] | None, op: str
) -> tuple[np.dtype[Any], str, bool]:
    """Return the type of the result, its name, and whether elements must be converted to it."""
    if op not in ("sum", "min", "max"):
        raise ValueError(f"op is {op!r}; use 'sum', 'min' or 'max'")
    if source.kind not in "iufb":
        raise TypeError(f"array has elements of type {source}; use real numbers")
    result_type = np.dtype(_default_type(source, op)) if dtype is None else dtype
    if result_type.char in "qQ":
        result_type = np.dtype(np.int64 if result_type.char == "q" else np.uint64)
    if result_type.str not in ("<u4", "<i4", "<u8", "<i8", "<f4", "<f8"):
        raise TypeError(f"dtype is {result_type}; use 32 or 64 bits")
    is_direct = op == "sum" and (source.char, result_type.char) in _DIRECT
    return result_type, result_type.str, not is_direct and source != result_type


def _default_type(elements: np.dtype[Any], op: str) -> npt.DTypeLike:
    """Return the type of a result by that of the elements."""
    if elements.kind == "f":
        return np.float32 if elements.itemsize < 4 else elements
    if op == "sum":
        return np.int64 if elements.kind in "ib" else np.uint64
    if elements.itemsize < 4:
        return np.int32 if elements.kind == "i" else np.uint32
    return elements
