"""Geometry from volumes: isosurfaces, distance maps, skeletons, voxels and scans.

The functions have the names and arguments of the packages that they can replace:

===================================  =========================================
function                             replaces
===================================  =========================================
`marching_cubes`                     ``skimage.measure.marching_cubes``
`distance_transform_edt`             ``scipy.ndimage.distance_transform_edt``
`edt`, `edtsq`, `sdf`, `each`        ``edt.edt``, …
`skeletonize`                        ``kimimaro.skeletonize``
`exclusive_scan`                     ``numpy.cumsum``, ``cub::DeviceScan``
`voxelize`                           ``trimesh.voxel``
`occupancy`, `devices`
===================================  =========================================

They run on all threads of the CPU or on an NVIDIA GPU (``device="cuda"``), with the same bits.
"""

from ._distance import distance_transform_edt
from ._edt import each, edt, edtsq, sdf, sdfsq
from ._errors import DeviceMemoryError, DimensionError, FerrovoxError
from ._ferrovox import Array, __version__, release_cached_memory
from ._isosurface import marching_cubes
from ._mesh import Mesh
from ._occupancy import Occupancy, devices, occupancy
from ._scan import exclusive_scan
from ._skeleton import DEFAULT_TEASAR_PARAMS, Skeleton, skeletonize
from ._voxelize import Voxels, voxelize

__all__ = [
    "DEFAULT_TEASAR_PARAMS",
    "Array",
    "DeviceMemoryError",
    "DimensionError",
    "FerrovoxError",
    "Mesh",
    "Occupancy",
    "Skeleton",
    "Voxels",
    "__version__",
    "devices",
    "distance_transform_edt",
    "each",
    "edt",
    "edtsq",
    "exclusive_scan",
    "marching_cubes",
    "occupancy",
    "release_cached_memory",
    "sdf",
    "sdfsq",
    "skeletonize",
    "voxelize",
]
