"""Distances between labels, compared with the package edt."""

import numpy as np
import pytest

import ferrovox

peer = pytest.importorskip("edt")

DTYPES = "?bBhHiIqQfd"


def blocks(shape, dtype, seed=0):
    """Return an array of blocks of a few labels."""
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 2 if dtype == "?" else 6, [-(-side // 4) for side in shape])
    for axis in range(len(shape)):
        coarse = np.repeat(coarse, 4, axis=axis)
    return np.ascontiguousarray(coarse[tuple(slice(side) for side in shape)]).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(37,), (19, 22), (13, 10, 15)])
@pytest.mark.parametrize("black_border", [False, True])
@pytest.mark.parametrize("order", "CF")
def test_maps_are_those_of_edt(dtype, shape, black_border, order):
    labels = np.asarray(blocks(shape, dtype), order=order)
    spacing = (1.5, 2.0, 0.5)[: len(shape)]
    for name in ("edt", "edtsq", "sdf", "sdfsq"):
        ours = getattr(ferrovox, name)(labels, spacing, black_border)
        their_spacing = spacing if len(shape) > 1 else spacing[0]
        theirs = getattr(peer, name)(labels, their_spacing, black_border)
        assert ours.dtype == np.float32 and ours.flags.f_contiguous == labels.flags.f_contiguous
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("offset", [2**24, 2**40, 2**62])
def test_labels_that_no_float_represents(offset):
    labels = blocks((9, 10, 11), "q")
    moved = np.where(labels == 0, 0, labels + offset)
    np.testing.assert_array_equal(ferrovox.edt(moved), ferrovox.edt(labels))


def test_each_yields_the_map_of_every_label():
    for order in "CF":
        labels = np.asarray(blocks((9, 10), "B"), order=order)
        distances = ferrovox.edt(labels)
        for in_place in (False, True):
            found = {}
            for label, image in ferrovox.each(labels, distances, in_place=in_place):
                assert image.flags.writeable != in_place
                found[label] = image.copy()
            assert sorted(found) == sorted(set(labels.ravel().tolist()) - {0})
            for label, image in found.items():
                np.testing.assert_array_equal(image, np.where(labels == label, distances, 0))


def test_voxel_graphs_are_refused_by_name():
    with pytest.raises(ferrovox.FerrovoxError, match="voxel_graph"):
        ferrovox.edt(np.zeros((2, 2)), voxel_graph=np.zeros((2, 2)))
