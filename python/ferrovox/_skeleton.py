"""Curve skeletons, with the arguments of kimimaro."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _ferrovox
from ._arrays import (
    ArrayLike,
    as_host_array,
    c_array,
    check_dimensions,
    contiguous,
    result_array,
    spacing_list,
)
from ._errors import FerrovoxError
from ._notebook import MAX_PAGE_ELEMENTS, PICTURE_SIZE, frame
from ._progress import progress_callback

__all__ = ["DEFAULT_TEASAR_PARAMS", "Skeleton", "skeletonize"]

#: Parameters that `skeletonize` uses by default, those of kimimaro.
DEFAULT_TEASAR_PARAMS: Mapping[str, float] = {"scale": 1.5, "const": 300}


class Skeleton:
    """A curve skeleton, with the attributes of ``osteoid.Skeleton``.

    Attributes
    ----------
    id : int
        Label of the object.
    vertices : ndarray of float32, shape (V, 3)
        Positions, in the units of the anisotropy.
    edges : ndarray of uint32, shape (E, 2)
        Pairs of vertices.
    radii : ndarray of float32, shape (V,)
        Distance of each vertex to the surface.
    space : str
        ``"physical"``.
    certified : bool
        ``True`` if the properties of all components were verified: connected, with one cycle for
        each tunnel, inside the object.
    report : list of dict
        Measures and violated properties of each component.
    anisotropy : tuple of 3 floats
        Spacing of the array.
    """

    def __init__(
        self,
        id: int,
        vertices: npt.NDArray[np.float32],
        edges: npt.NDArray[np.uint32],
        radii: npt.NDArray[np.float32],
        space: str = "physical",
        certified: bool = False,
        report: list[dict[str, Any]] | None = None,
        anisotropy: Sequence[float] = (1, 1, 1),
    ) -> None:
        self.id = id
        self.vertices = vertices
        self.edges = edges
        self.radii = radii
        self.space = space
        self.certified = certified
        self.report = report or []
        self.anisotropy = tuple(float(step) for step in anisotropy)

    @property
    def radius(self) -> npt.NDArray[np.float32]:
        """Distance of each vertex to the surface."""
        return self.radii

    def __repr__(self) -> str:
        return (
            f"<ferrovox.Skeleton {self.id}: {len(self.vertices)} vertices, "
            f"{len(self.edges)} edges, {'certified' if self.certified else 'not certified'}>"
        )

    def _arrays(self) -> tuple[Any, Any, Any]:
        """Return the arrays as the extension module reads them."""
        return (
            c_array(self.vertices, np.float32),
            c_array(self.edges, np.uint32),
            c_array(self.radii, np.float32),
        )

    def _repr_png_(self) -> bytes:
        """Draw the skeleton, for notebooks."""
        return _ferrovox.skeleton_picture(*self._arrays(), PICTURE_SIZE)

    def _repr_html_(self) -> str | None:
        """Return a viewer of the skeleton in a frame, for notebooks; ``None`` for large ones."""
        if not 0 < len(self.vertices) <= MAX_PAGE_ELEMENTS:
            return None
        return frame(_ferrovox.skeleton_page(*self._arrays(), f"skeleton {self.id}"))

    def cable_length(self) -> float:
        """Return the total length of the edges."""
        segments = self.vertices[self.edges[:, 0]] - self.vertices[self.edges[:, 1]]
        return float(np.linalg.norm(segments.astype(float), axis=1).sum())

    def to_networkx(self) -> Any:
        """Return the skeleton as a ``networkx.Graph``.

        Nodes have the attributes ``position`` and ``radius``, edges ``length``.
        """
        import networkx

        graph = networkx.Graph()
        for node, (position, radius) in enumerate(zip(self.vertices, self.radii, strict=True)):
            graph.add_node(node, position=tuple(map(float, position)), radius=float(radius))
        for a, b in self.edges.tolist():
            length = np.linalg.norm(self.vertices[a].astype(float) - self.vertices[b])
            graph.add_edge(a, b, length=float(length))
        return graph

    def to_osteoid(self) -> Any:
        """Return the skeleton as an ``osteoid.Skeleton``, as kimimaro returns it.

        Adjacent vertices in one voxel are merged: ``kimimaro.cross_sectional_area`` rounds vertices
        to voxels, and fails if neighbours coincide.
        """
        import osteoid

        steps = np.array(self.anisotropy, np.float32)
        voxels = (self.vertices / steps).round().astype(int)
        parents = list(range(len(voxels)))

        def root(vertex: int) -> int:
            while parents[vertex] != vertex:
                parents[vertex] = parents[parents[vertex]]
                vertex = parents[vertex]
            return vertex

        is_short = (voxels[self.edges[:, 0]] == voxels[self.edges[:, 1]]).all(axis=1)
        for first, second in self.edges[is_short].tolist():
            low, high = sorted((root(first), root(second)))
            parents[high] = low
        kept, numbers = np.unique([root(vertex) for vertex in parents], return_inverse=True)
        kept = kept.astype(int)
        edges = np.sort(numbers.astype(np.uint32)[self.edges], axis=1)
        edges = np.unique(edges[edges[:, 0] != edges[:, 1]], axis=0)
        return osteoid.Skeleton(
            self.vertices[kept], edges, radii=self.radii[kept], segid=self.id, space=self.space
        )

    def to_swc(self) -> str:
        """Return the skeleton in the SWC format.

        SWC describes trees: each component is a tree from its first vertex, and the last edge of
        each cycle is omitted.
        """
        neighbours: list[list[int]] = [[] for _ in self.vertices]
        for a, b in self.edges.tolist():
            neighbours[a].append(b)
            neighbours[b].append(a)
        numbers = [0] * len(neighbours)
        lines = ["# ferrovox: n T x y z R P"]
        count = 0
        for root in range(len(neighbours)):
            stack = [(root, -1)]
            while stack:
                vertex, parent = stack.pop()
                if numbers[vertex]:
                    continue
                count += 1
                numbers[vertex] = count
                x, y, z = self.vertices[vertex].tolist()
                radius = float(self.radii[vertex])
                lines.append(f"{count} 0 {x:.9g} {y:.9g} {z:.9g} {radius:.9g} {parent}")
                stack += [(other, count) for other in reversed(neighbours[vertex])]
        return "\n".join(lines) + "\n"


def skeletonize(
    all_labels: ArrayLike,
    teasar_params: Mapping[str, float] = DEFAULT_TEASAR_PARAMS,
    anisotropy: Sequence[float] = (1, 1, 1),
    object_ids: Iterable[int] | None = None,
    dust_threshold: int = 1000,
    progress: bool | Callable[[float], None] = True,
    fix_branching: bool = True,
    in_place: bool = False,
    fix_borders: bool = True,
    parallel: int = 1,
    parallel_chunk_size: int = 100,
    extra_targets_before: Sequence[Sequence[int]] = (),
    extra_targets_after: Sequence[Sequence[int]] = (),
    fill_holes: bool = False,
    fix_avocados: bool = False,
    voxel_graph: ArrayLike | None = None,
    *,
    centre: bool = True,
    spacing: float | None = None,
) -> dict[int, Skeleton]:
    """Extract the curve skeletons of all labels of an array.

    The arguments up to `voxel_graph` are those of ``kimimaro.skeletonize``. The curves are those of
    the medial method of ferrovox with the coverage rule of TEASAR: one connected graph per
    26-connected component, with one cycle for each tunnel.

    Parameters
    ----------
    all_labels : array_like of int
        Labels, of two or three dimensions; 0 is the background.
    teasar_params : mapping
        ``scale`` and ``const``: every element of an object is within ``scale * radius + const`` of
        the skeleton. Other parameters of kimimaro have no effect.
    anisotropy : sequence of float
        Spacing along each axis.
    object_ids : iterable of int, optional
        Labels that get a skeleton; all by default.
    dust_threshold : int
        Components of at most this many elements get no skeleton.
    progress : bool or callable
        A function that takes the finished fraction, or ``True`` to show a bar with tqdm, if that
        is installed.
    fix_branching, in_place, fix_borders, parallel, parallel_chunk_size
        Accepted for compatibility, without effect. The computation uses all threads.
    fill_holes : bool
        ``True`` to fill the cavities of each label first, and other labels in them.
    extra_targets_before, extra_targets_after, fix_avocados, voxel_graph
        Not supported.
    centre : bool
        ``False`` for curves through the centres of voxels.
    spacing : float, optional
        Not supported yet.

    Returns
    -------
    dict of int to Skeleton

    Examples
    --------
    >>> import numpy as np, ferrovox
    >>> labels = np.zeros((40, 9, 9), np.uint32); labels[2:38, 3:6, 3:6] = 7
    >>> skeletons = ferrovox.skeletonize(labels, {"scale": 1.5, "const": 4}, dust_threshold=100,
    ...                                  progress=False)
    >>> skeletons[7].certified, round(skeletons[7].cable_length())
    (True, 35)
    """
    unsupported = {
        "extra_targets_before": len(extra_targets_before) > 0,
        "extra_targets_after": len(extra_targets_after) > 0,
        "fix_avocados": fix_avocados,
        "voxel_graph": voxel_graph is not None,
        "spacing": spacing is not None,
    }
    for name, is_used in unsupported.items():
        if is_used:
            raise FerrovoxError(f"{name} is not supported", "unsupported")
    if not fill_holes:
        params = (teasar_params, anisotropy, object_ids, dust_threshold)
        return _skeletonize(all_labels, *params, progress=progress, centre=centre)
    labels = as_host_array(all_labels, "all_labels")
    check_dimensions(labels, "all_labels", range(1, 4))
    labels = labels.reshape(*labels.shape, *[1] * (3 - labels.ndim))
    boxes = label_boxes(labels, (0, 0, 0))
    wanted = boxes if object_ids is None else [label for label in object_ids if label in boxes]
    skeletons = {}
    with progress_callback(progress, "skeletons") as callback:
        for number, label in enumerate(wanted):
            first, sides = with_margin(boxes[label], labels.shape)
            arguments = (teasar_params, anisotropy, dust_threshold)
            found = skeletonize_box(
                labels[sides], label, first, *arguments, fill_holes=True, centre=centre
            )
            if found is not None:
                skeletons[label] = found
            if callback is not None:
                callback((number + 1) / len(wanted))
    return skeletons


def _skeletonize(
    all_labels: ArrayLike,
    teasar_params: Mapping[str, float],
    anisotropy: Sequence[float],
    object_ids: Iterable[int] | None,
    dust_threshold: int,
    *,
    progress: bool | Callable[[float], None] = False,
    centre: bool = True,
    first: Sequence[int] = (0, 0, 0),
) -> dict[int, Skeleton]:
    """Extract skeletons of an array that begins at an index of a volume."""
    labels = as_host_array(all_labels, "all_labels")
    check_dimensions(labels, "all_labels", range(1, 4))
    if labels.dtype.kind not in "iub":
        raise TypeError(f"all_labels has elements of type {labels.dtype}; use integers")
    while labels.ndim < 3:
        labels = labels[..., np.newaxis]
    if labels.dtype.kind == "u" and labels.dtype.itemsize > 2:
        if labels.dtype.itemsize == 8 and labels.size and labels.max() > np.iinfo(np.int64).max:
            raise ValueError(f"a label is {labels.max()}; labels must be less than 2**63")
        labels = labels.astype(np.int64)
    steps = spacing_list(list(anisotropy) + [1] * (3 - len(anisotropy)), 3, "anisotropy")
    labels, is_reversed = contiguous(labels, "all_labels")
    axes = np.diag(steps).tolist()
    options = {
        "axes": axes if is_reversed else axes[::-1],
        "scale": float(teasar_params.get("scale", DEFAULT_TEASAR_PARAMS["scale"])),
        "constant": float(teasar_params.get("const", DEFAULT_TEASAR_PARAMS["const"])),
        "dust": int(dust_threshold) + 1,
        "labels": None if object_ids is None else [int(label) for label in object_ids],
        "centre": bool(centre),
        "first": list(first) if is_reversed else list(first)[::-1],
    }
    if options["labels"] == []:
        return {}
    with progress_callback(progress, "skeletons") as callback:
        found = _ferrovox.skeletonize(labels, options, callback)
    skeletons = {}
    for item in found:
        skeletons[item["label"]] = Skeleton(
            item["label"],
            result_array(item["vertices"]),
            result_array(item["edges"]),
            result_array(item["radii"]),
            "physical",
            item["certified"],
            item["report"],
            steps,
        )
    return skeletons


def label_boxes(
    labels: npt.NDArray[Any], first: Sequence[int]
) -> dict[int, npt.NDArray[np.int64]]:
    """Return the first index and the end of the box of each label other than 0."""
    positions = np.argwhere(labels)
    if not len(positions):
        return {}
    found, inverse = np.unique(labels[labels != 0], return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    starts = np.searchsorted(inverse[order], np.arange(len(found)))
    low = np.minimum.reduceat(positions[order], starts) + first
    high = np.maximum.reduceat(positions[order], starts) + first + 1
    return {int(label): np.array(box) for label, *box in zip(found, low, high, strict=True)}


def with_margin(
    box: npt.NDArray[np.int64], shape: Sequence[int]
) -> tuple[list[int], tuple[slice, ...]]:
    """Return the first index and the slices of a box with a margin inside the array.

    The object in it ends at the box only where it ends at the array.
    """
    low, high = np.maximum(box[0] - 1, 0).tolist(), np.minimum(box[1] + 1, shape).tolist()
    return low, tuple(slice(*side) for side in zip(low, high, strict=True))


def skeletonize_box(
    box: npt.NDArray[Any],
    label: int,
    first: Sequence[int],
    teasar_params: Mapping[str, float],
    anisotropy: Sequence[float],
    dust_threshold: int,
    *,
    fill_holes: bool = False,
    centre: bool = True,
) -> Skeleton | None:
    """Return the skeleton of a label in a box of a volume, whose first index is given."""
    mask = c_array(np.asarray(box) == label)
    if fill_holes:
        mask |= np.asarray(result_array(_ferrovox.enclosed(mask))).view(np.bool_)
    params = (teasar_params, anisotropy, None, dust_threshold)
    skeleton = _skeletonize(mask, *params, first=first, centre=centre).get(1)
    if skeleton is not None:
        skeleton.id = label
    return skeleton
