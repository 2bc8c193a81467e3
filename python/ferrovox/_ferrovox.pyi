"""Types of the extension module."""

from collections.abc import Callable
from typing import Any, final

__all__ = [
    "Array",
    "__version__",
    "count_part",
    "device_ids",
    "distances_to_zero",
    "exclusive_scan",
    "extract",
    "extract_part",
    "feature_transform",
    "label_distances",
    "occupancy",
    "skeletonize",
    "slabs",
    "voxelize",
]

__version__: str

@final
class Array:
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

def device_ids() -> list[str]: ...
def extract(volume: Any, mask: Any, options: dict[str, Any]) -> dict[str, Any]: ...
def slabs(
    dims: tuple[int, int, int], count: int, close: bool
) -> list[tuple[tuple[int, int], tuple[int, int]]]: ...
def count_part(
    planes: Any, mask: Any, part: dict[str, Any], options: dict[str, Any]
) -> tuple[int, int]: ...
def extract_part(
    planes: Any,
    mask: Any,
    part: dict[str, Any],
    options: dict[str, Any],
    before: tuple[int, int],
    total: tuple[int, int],
) -> dict[str, Any]: ...
def distances_to_zero(
    input: Any,
    spacing: tuple[float, float, float],
    max_distance: float | None,
    double: bool,
    device: str,
) -> Array: ...
def feature_transform(
    input: Any,
    spacing: tuple[float, float, float],
    with_distances: bool,
    with_indices: bool,
    device: str,
) -> tuple[Array | None, Array | None]: ...
def label_distances(labels: Any, options: dict[str, Any]) -> Array: ...
def occupancy(
    registers: int, threads: int, gpu: str | None, static_shared: int, dynamic_shared: int
) -> tuple[int, int, float, list[str]]: ...
def exclusive_scan(
    array: Any, op: str, initial: Any, dtype: str, device: str
) -> tuple[Array, Any]: ...
def skeletonize(
    labels: Any, options: dict[str, Any], progress: Callable[[float], None] | None
) -> list[dict[str, Any]]: ...
def voxelize(
    vertices: Any,
    faces: Any,
    shape: list[int],
    spacing: list[float],
    origin: list[float],
    device: str,
) -> Array: ...
