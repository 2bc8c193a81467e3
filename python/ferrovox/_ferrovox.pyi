"""Types of the extension module."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Array",
    "MeshWriter",
    "__version__",
    "count_part",
    "device_ids",
    "distance_part",
    "distances_to_zero",
    "enclosed",
    "envelope_part",
    "exclusive_scan",
    "extract",
    "extract_part",
    "feature_transform",
    "import_array",
    "last_duration",
    "label_distances",
    "merge_envelopes",
    "mesh_page",
    "mesh_picture",
    "occupancy",
    "release_cached_memory",
    "skeleton_page",
    "skeleton_picture",
    "skeletonize",
    "slabs",
    "voxelize",
]

__version__: str

@final
class Array:
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def device(self) -> str: ...
    @property
    def T(self) -> Array: ...
    def is_contiguous_in(self, order: str) -> bool: ...
    def ravel(self) -> Array: ...
    def numpy(self) -> npt.NDArray[Any]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> Any: ...

@final
class MeshWriter:
    def __new__(cls, path: Any, normals: bool) -> MeshWriter: ...
    def set_origin(self, origin: tuple[float, float, float]) -> bool: ...
    def append(self, vertices: Any, normals: Any, faces: Any) -> None: ...
    def finish(self) -> tuple[int, int]: ...

def mesh_picture(vertices: Any, normals: Any, faces: Any, size: tuple[int, int]) -> bytes: ...
def mesh_page(vertices: Any, normals: Any, faces: Any, title: str) -> str: ...
def skeleton_picture(vertices: Any, edges: Any, radii: Any, size: tuple[int, int]) -> bytes: ...
def skeleton_page(vertices: Any, edges: Any, radii: Any, title: str) -> str: ...
def device_ids() -> list[str]: ...
def import_array(array: Any, stream: int | None = None) -> Array | None: ...
def last_duration() -> float: ...
def release_cached_memory() -> None: ...
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
    progress: Callable[[float], None] | None,
) -> Array: ...
def envelope_part(
    planes: Any,
    first_plane: int,
    spacing: tuple[float, float, float],
    max_distance: float | None,
    device: str,
) -> tuple[Array, Array]: ...
def merge_envelopes(
    envelopes: list[dict[str, Any]], first: int | None, end: int | None
) -> tuple[Array, Array]: ...
def distance_part(
    planes: Any,
    first_plane: int,
    outside: dict[str, Any] | None,
    spacing: tuple[float, float, float],
    max_distance: float | None,
    double: bool,
    with_indices: bool,
    device: str,
) -> tuple[Array, Array | None]: ...
def feature_transform(
    input: Any,
    spacing: tuple[float, float, float],
    selection: tuple[bool, bool],
    max_distance: float | None,
    double: bool,
    device: str,
    progress: Callable[[float], None] | None,
) -> tuple[Array | None, Array | None]: ...
def label_distances(labels: Any, options: dict[str, Any]) -> Array: ...
def occupancy(
    registers: int, threads: int, gpu: str | None, static_shared: int, dynamic_shared: int
) -> tuple[int, int, float, list[str]]: ...
def exclusive_scan(
    array: Any, op: str, initial: Any, dtype: str, return_total: bool, device: str
) -> tuple[Array, Any]: ...
def skeletonize(
    labels: Any, options: dict[str, Any], progress: Callable[[float], None] | None
) -> list[dict[str, Any]]: ...
def enclosed(mask: Any) -> Array: ...
def voxelize(
    vertices: Any,
    faces: Any,
    shape: list[int],
    planes: tuple[int, int],
    spacing: list[float],
    origin: list[float],
    device: str,
) -> Array: ...
