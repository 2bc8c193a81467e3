"""Properties that hold for random arrays."""

import numpy as np
import pytest

import ferrovox

hypothesis = pytest.importorskip("hypothesis")
ndimage = pytest.importorskip("scipy.ndimage")
skimage_measure = pytest.importorskip("skimage.measure")
peer = pytest.importorskip("edt")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as arrays  # noqa: E402

settings.register_profile("ferrovox", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("ferrovox")

spacings = st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.0, 3.7])


@st.composite
def grids(draw, dtype, elements, max_dims=3, min_dims=1, min_side=1):
    """Return an array in C or Fortran order, and a spacing per axis."""
    sides = {"min_dims": min_dims, "max_dims": max_dims, "min_side": min_side, "max_side": 9}
    shape = draw(arrays.array_shapes(**sides))
    array = draw(arrays.arrays(dtype, shape, elements=elements))
    spacing = draw(st.tuples(*[spacings] * len(shape)))
    return np.asarray(array, order=draw(st.sampled_from("CF"))), spacing


@given(grids(bool, st.booleans()))
def test_distances_are_those_of_scipy(case):
    array, spacing = case
    array.flat[0] = False
    expected, _ = ndimage.distance_transform_edt(array, spacing, return_indices=True)
    distances, indices = ferrovox.distance_transform_edt(array, spacing, return_indices=True)
    np.testing.assert_allclose(distances, expected, rtol=5e-16)
    assert not array[tuple(indices)].any()


@given(grids(np.uint32, st.integers(0, 4)), st.booleans())
def test_label_distances_are_those_of_edt(case, black_border):
    labels, spacing = case
    ours = ferrovox.edt(labels, spacing, black_border)
    theirs = peer.edt(labels, spacing if labels.ndim > 1 else spacing[0], black_border)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@given(grids(np.int16, st.integers(-3, 3), min_dims=3, min_side=2))
def test_meshes_cover_those_of_scikit_image(case):
    volume, spacing = case
    # between two samples, where both have the same cells
    level = 0.5
    try:
        theirs = skimage_measure.marching_cubes(volume, level, spacing=spacing)
    except (ValueError, RuntimeError) as error:
        with pytest.raises(type(error)):
            ferrovox.marching_cubes(volume, level, spacing=spacing)
        return
    ours = ferrovox.marching_cubes(volume, level, spacing=spacing)
    on_edges = np.unique(np.round(theirs[0], 3), axis=0)
    found = {tuple(row) for row in np.round(ours.vertices, 3).tolist()}
    missing = [row for row in on_edges.tolist() if tuple(np.float32(row).tolist()) not in found]
    near = [np.abs(ours.vertices - row).max(axis=1).min() for row in missing]
    # vertices inside cells depend on the triangulation
    assert sum(distance > 2e-3 for distance in near) <= len(on_edges) // 10 + 1


@given(arrays.arrays(np.int64, st.integers(0, 300), elements=st.integers(-(2**40), 2**40)))
def test_scan_is_the_shifted_sum(array):
    sums, total = ferrovox.exclusive_scan(array, return_total=True)
    np.testing.assert_array_equal(np.r_[sums, total], np.r_[0, np.cumsum(array)])
