"""Meshes in parts, which are those of the whole volume."""

import numpy as np
import pytest

import ferrovox
from ferrovox import parts


def volume(dtype=np.float32):
    """Return noise with a NaN, if the type has one."""
    samples = 100 * np.random.default_rng(0).random((23, 13, 17))
    if np.issubdtype(dtype, np.floating):
        samples[9, 4, 4] = np.nan
    return samples.astype(dtype)


def assert_equal(mesh, expected):
    assert mesh.report == expected.report
    for ours, theirs in zip(mesh, expected, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)


OPTIONS = [
    {},
    {"close": True},
    {"spacing": (0.3, 1.0, 2.0)},
    {"vertices": "root", "normals": "trilinear"},
    {"gradient_direction": "ascent", "topology": "separated", "normals": False},
    {"faces_dtype": "int64", "values": False},
]


def extract_in_parts(samples, count, mask=None, **options):
    """Return the joined parts of a volume, computed in reverse order."""
    slabs = parts.slabs(samples.shape, count, close=options.get("close", False))
    arguments = []
    for slab in slabs:
        planes = slice(*slab.planes)
        masked = {} if mask is None else {"mask": mask[planes]}
        arguments.append(((samples[planes], slab, samples.shape, 50.0), {**masked, **options}))
    counts = [parts.count_part(*args, **named) for args, named in arguments]
    before = np.cumsum([(0, 0), *counts], axis=0).tolist()
    meshes = [
        parts.mesh_part(*args, before=tuple(start), total=tuple(before[-1]), **named)
        for (args, named), start in list(zip(arguments, before[:-1], strict=True))[::-1]
    ]
    return parts.join(meshes[::-1])


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 4, 100])
def test_joined_parts_are_the_whole_mesh(options, dtype, count):
    samples = volume(dtype)
    expected = ferrovox.marching_cubes(samples, 50.0, **options)
    assert_equal(extract_in_parts(samples, count, **options), expected)


@pytest.mark.parametrize("rule", ["skimage", "corners"])
def test_masks_are_applied_in_parts(rule):
    samples = volume()
    mask = np.random.default_rng(1).random(samples.shape) > 0.2
    expected = ferrovox.marching_cubes(samples, 50.0, mask=mask, mask_rule=rule)
    assert_equal(extract_in_parts(samples, 5, mask, mask_rule=rule), expected)


@pytest.mark.parametrize("chunks", [(5, 13, 17), (7, 4, 6), (23, 1, 17), (1, 13, 17)])
@pytest.mark.parametrize("options", OPTIONS[:3])
def test_dask_arrays_have_the_same_mesh(chunks, options):
    array = pytest.importorskip("dask.array")
    import ferrovox.dask

    samples = volume()
    mask = np.random.default_rng(1).random(samples.shape) > 0.2
    mesh = ferrovox.dask.marching_cubes(
        array.from_array(samples, chunks=chunks),
        50.0,
        mask=array.from_array(mask, chunks=chunks),
        **options,
    )
    assert_equal(mesh, ferrovox.marching_cubes(samples, 50.0, mask=mask, **options))


def test_slabs_that_do_not_fit_are_value_errors():
    samples = volume()
    first, second = parts.slabs(samples.shape, 2)
    too_few = samples[slice(*first.planes)][:-1]
    with pytest.raises(ValueError, match="planes"):
        parts.count_part(too_few, first, samples.shape, 50.0)
    beyond = parts.Slab((second.cells[0], 99), second.planes)
    with pytest.raises(ValueError, match="planes"):
        parts.count_part(samples[slice(*second.planes)], beyond, samples.shape, 50.0)
    with pytest.raises(ValueError):
        parts.count_part(samples[:, :5], first, samples.shape, 50.0)
