"""Distances and feature transforms, compared with SciPy and edt."""

import numpy as np
import pytest

import ferrovox

ndimage = pytest.importorskip("scipy.ndimage")


def sites(shape, seed=0, density=0.05):
    """Return an array with some zeros."""
    return np.random.default_rng(seed).random(shape) > density


SHAPES = [(50,), (1,), (30, 41), (1, 9), (12, 17, 23), (1, 20, 1), (33, 1, 7)]


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sampling", [None, 0.7, "each"])
def test_distances_are_those_of_scipy(shape, order, sampling):
    array = np.asarray(sites(shape), order=order)
    array.flat[0] = False
    if sampling == "each":
        sampling = [0.5, 1.3, 3.0][: len(shape)]
    expected = ndimage.distance_transform_edt(array, sampling)
    ours = ferrovox.distance_transform_edt(array, sampling)
    assert ours.dtype == np.float64
    if sampling is None:
        np.testing.assert_array_equal(ours, expected)
    # the squares of equally near zeros can be rounded differently
    np.testing.assert_allclose(ours, expected, rtol=5e-16)
    single = ferrovox.distance_transform_edt(array, sampling, float64_distances=False)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=3e-7)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("shape", SHAPES)
def test_indices_are_nearest_zeros(shape, order):
    array = np.asarray(sites(shape), order=order)
    array.flat[0] = False
    distances, indices = ferrovox.distance_transform_edt(array, return_indices=True)
    assert indices.dtype == np.int32 and indices.shape == (len(shape), *shape)
    assert not array[tuple(indices)].any()
    offsets = indices - np.indices(shape)
    np.testing.assert_array_equal(np.sqrt((offsets**2).sum(axis=0)), distances)
    only = ferrovox.distance_transform_edt(array, return_distances=False, return_indices=True)
    np.testing.assert_array_equal(only, indices)


def test_results_are_written_to_given_arrays():
    array = sites((9, 11))
    distances = np.empty(array.shape)
    indices = np.empty((2, *array.shape), np.int32)
    result = ferrovox.distance_transform_edt(
        array, return_indices=True, distances=distances, indices=indices
    )
    assert result is None
    expected = ferrovox.distance_transform_edt(array, return_indices=True)
    np.testing.assert_array_equal(distances, expected[0])
    np.testing.assert_array_equal(indices, expected[1])


@pytest.mark.parametrize("float64_distances", [False, True])
@pytest.mark.parametrize("return_indices", [False, True])
def test_maximum_distance_truncates(float64_distances, return_indices):
    array = sites((20, 30), density=0.01)
    expected = np.minimum(ndimage.distance_transform_edt(array), 3.5)
    ours = ferrovox.distance_transform_edt(
        array,
        max_distance=3.5,
        float64_distances=float64_distances,
        return_indices=return_indices,
    )
    np.testing.assert_allclose(ours[0] if return_indices else ours, expected, rtol=3e-7)


def test_without_zeros_distances_are_infinite():
    distances, indices = ferrovox.distance_transform_edt(np.ones((3, 4)), return_indices=True)
    assert np.isinf(distances).all() and (indices == -1).all()
    assert np.isinf(ferrovox.distance_transform_edt(np.ones((3, 4)))).all()


@pytest.mark.parametrize("dtype", "?bBhHiIqQefd")
def test_elements_of_every_type(dtype):
    array = sites((10, 12)).astype(dtype)
    expected = ndimage.distance_transform_edt(array)
    np.testing.assert_array_equal(ferrovox.distance_transform_edt(array), expected)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_lines_of_twenty_thousand_elements(axis):
    shape = [1, 1, 1]
    shape[axis] = 20_000
    array = np.ones(shape, bool)
    array.flat[[5, 17_000]] = False
    expected = ndimage.distance_transform_edt(array)
    np.testing.assert_array_equal(ferrovox.distance_transform_edt(array), expected)
    spacing = [2.5, 2.5, 2.5]
    expected = ndimage.distance_transform_edt(array, spacing)
    np.testing.assert_array_equal(ferrovox.distance_transform_edt(array, spacing), expected)
    labels = np.arange(20_000).reshape(shape) // 9_000
    line = labels.ravel()
    ends = np.flatnonzero(np.diff(line)) + 0.5
    to_other = np.abs(np.arange(20_000)[:, None] - ends).min(axis=1) + 0.5
    np.testing.assert_array_equal(ferrovox.edt(labels).ravel(), np.where(line == 0, 0, to_other))


def test_empty_arrays():
    assert ferrovox.distance_transform_edt(np.zeros((0, 3))).shape == (0, 3)
    assert ferrovox.edt(np.zeros((3, 0), int)).shape == (3, 0)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"return_distances": False}, RuntimeError),
        ({"distances": np.empty((2, 2))}, RuntimeError),
        ({"distances": np.empty((3, 3), np.float32)}, RuntimeError),
        ({"indices": np.empty((2, 3, 3), np.int32)}, RuntimeError),
        ({"return_indices": True, "indices": np.empty((2, 3, 3), np.int64)}, RuntimeError),
        ({"sampling": (1, 2, 3)}, ValueError),
        ({"sampling": 0}, ValueError),
        ({"sampling": (1, -1)}, ValueError),
        ({"sampling": (1, np.nan)}, ValueError),
        ({"max_distance": 0}, ValueError),
        ({"device": "cudda"}, ValueError),
    ],
)
def test_invalid_arguments(arguments, error):
    with pytest.raises(error):
        ferrovox.distance_transform_edt(np.eye(3), **arguments)


def test_four_dimensions_are_an_error():
    with pytest.raises(ferrovox.DimensionError):
        ferrovox.distance_transform_edt(np.zeros((2, 2, 2, 2)))
