"""Plugin of pytest that replaces functions of other packages by those of ferrovox.

Tests that fail because of an intended difference, listed in ``docs/python.md``, are expected to
fail: a test of the list that passes is an error, so that the list stays complete and minimal.
"""

import types

import pytest

import ferrovox

#: Names of tests that fail because of an intended difference, with its reason.
INTENDED = {
    "test_voxel_connectivity_graph_2d": "voxel_graph is not supported",

}

def substitute(module: types.ModuleType, names: list[str]) -> None:
    """Replace functions of a module."""
    for name in names:
        assert hasattr(module, name), f"{module.__name__} has no function {name}"
        setattr(module, name, getattr(ferrovox, name))

def pytest_configure() -> None:
    """Replace the functions before tests import them."""
    import edt
    import skimage.measure

    substitute(skimage.measure, ["marching_cubes"])
    substitute(edt, ["edt", "edtsq", "sdf", "sdfsq", "each"])

def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that are expected to fail."""
    for item in items:
        reason = INTENDED.get(item.name.split("[")[0])
        if reason:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))

def pytest_collection_finish() -> None:
    """Replace the function of SciPy, whose tests look up its properties when they are collected."""
    import scipy.ndimage

    substitute(scipy.ndimage, ["distance_transform_edt"])
