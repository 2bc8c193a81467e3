"""Conversion of arguments: arrays, spacings and devices."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import _ferrovox
from ._errors import DimensionError
from ._ferrovox import Array

__all__ = ["ArrayLike", "Device", "SupportsDLPack"]


class SupportsDLPack(Protocol):
    """An array that shares its memory through DLPack."""

    def __dlpack__(
        self,
        *,
        stream: int | None = ...,
        max_version: tuple[int, int] | None = ...,
        dl_device: tuple[int, int] | None = ...,
        copy: bool | None = ...,
    ) -> Any:
        """Return the memory as a capsule."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return the kind and the number of the device."""


ArrayLike = npt.ArrayLike | SupportsDLPack
Device = str | int | None

#: Types of elements that kernels read without a conversion.
KERNEL_TYPES = frozenset("?bBhHf")


def as_array(array: ArrayLike, name: str, stream: int | None = None) -> Any:
    """Return an array of NumPy, or an `Array` if the memory is that of a CUDA device.

    Neither is a copy, if possible. An array of NumPy has the native byte order. Work on an `Array`
    waits for the work of its library, and for that of `stream`.
    """
    if isinstance(array, np.ndarray):
        result = array
    else:
        imported = _ferrovox.import_array(array, stream)
        if imported is not None:
            return imported
        if hasattr(array, "__dlpack__") and not hasattr(array, "__array_interface__"):
            result = np.from_dlpack(array)  # type: ignore[arg-type]
        else:
            result = np.asarray(array)
    if not result.dtype.isnative:
        result = result.astype(result.dtype.newbyteorder("="))
    return result


def as_host_array(array: ArrayLike, name: str) -> npt.NDArray[Any]:
    """Return an array of NumPy, which is a copy if the memory is that of a CUDA device."""
    result = as_array(array, name)
    return np.asarray(result.numpy() if isinstance(result, Array) else result)


def contiguous(array: Any, name: str) -> tuple[Any, bool]:
    """Return a C-contiguous array, and ``True`` if its axes are those of `array` reversed.

    C-contiguous and Fortran-contiguous arrays are not copied, unless their elements are unaligned.
    """
    if isinstance(array, Array):
        if array.is_contiguous_in("C"):
            return array, False
        if array.is_contiguous_in("F"):
            return array.T, True
        raise ValueError(
            f"{name} is not contiguous, on {array.device}; copy it there "
            "(.contiguous() in torch, ascontiguousarray in CuPy)"
        )
    if array.flags.aligned:
        if array.flags.c_contiguous:
            return array, False
        if array.flags.f_contiguous:
            return array.T, True
    return np.array(array, order="C"), False


def c_array(array: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """Return an aligned C-contiguous array of a type, without a copy if possible.

    Arrays that were sent to another process can be unaligned.
    """
    return np.require(array, dtype, ["C", "A"])


def kernel_array(array: Any, name: str) -> Any:
    """Return the array with elements that kernels read, converted to ``float32`` if necessary."""
    if array.dtype.char in KERNEL_TYPES:
        return array
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{name} has elements of type {array.dtype}; use real numbers")
    if isinstance(array, Array):
        raise device_type_error(array, name, "float32, or integers of 8 or 16 bits")
    return array.astype(np.float32)


def device_type_error(array: Array, name: str, allowed: str) -> TypeError:
    """Return the exception for elements that are not converted on a CUDA device."""
    return TypeError(
        f"{name} has elements of type {array.dtype}, on {array.device}; convert it there to {allowed}"
    )


def check_dimensions(array: Any, name: str, allowed: range) -> None:
    """Raise `DimensionError` for an unsupported number of axes."""
    if array.ndim not in allowed:
        first, last = allowed.start, allowed.stop - 1
        numbers = f"{first}" if first == last else f"{first} to {last}"
        raise DimensionError(f"{name} has {array.ndim} dimensions; it must have {numbers}")


def spacing_list(
    spacing: float | Sequence[float] | npt.NDArray[Any] | None, axes: int, name: str
) -> list[float]:
    """Return one positive spacing per axis."""
    if spacing is None:
        return [1.0] * axes
    if np.ndim(spacing) == 0:
        values = [float(spacing)] * axes  # type: ignore[arg-type]
    else:
        values = [float(value) for value in spacing]  # type: ignore[union-attr]
    if len(values) != axes:
        raise ValueError(
            f"{name} has {len(values)} numbers; give one, or one for each of {axes} axes"
        )
    if not all(0 < value < float("inf") for value in values):
        raise ValueError(f"{name} is {values}; give finite numbers greater than 0")
    return values


def grid_spacing(values: Sequence[float], is_reversed: bool) -> tuple[float, float, float]:
    """Return the spacing along x, y and z, where x is the last axis of a C-contiguous array."""
    along = list(values if is_reversed else values[::-1])
    # an axis of length one: its spacing has no effect, and should not change the unit
    along += [along[0] if along else 1.0] * (3 - len(along))
    return along[0], along[1], along[2]


def device_name(device: Device, *arrays: Any) -> str:
    """Return the name of the device that computes: by default that of the arrays."""
    if device is None and len(arrays) == 1:
        (array,) = arrays
        return array.device if isinstance(array, Array) else "cpu"
    places = {array.device for array in arrays if isinstance(array, Array)}
    if len(places) > 1:
        raise ValueError(f"the arrays are on different devices: {', '.join(sorted(places))}")
    place = places.pop() if places else None
    if device is None:
        return place or "cpu"
    if isinstance(device, str):
        name = "cuda:0" if device == "cuda" else device
    else:
        name = f"cuda:{operator.index(device)}"
    if place is not None and name != place:
        raise ValueError(f"the array is on {place}, and device is {name}; copy the array there")
    return name


def result_array(array: Any) -> Any:
    """Return a result of the extension module: as an array of NumPy, unless it is on a device."""
    if isinstance(array, Array) and array.device != "cpu":
        return array
    return np.asarray(array)
