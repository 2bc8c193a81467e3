"""Meshes, compared with scikit-image and with closed forms."""

import numpy as np
import pytest

import ferrovox

skimage_measure = pytest.importorskip("skimage.measure")
spatial = pytest.importorskip("scipy.spatial")
ndimage = pytest.importorskip("scipy.ndimage")


def noise(shape, seed=0):
    """Return smooth noise, whose level 0.02 has a complicated surface."""
    samples = np.random.default_rng(seed).normal(size=shape)
    return ndimage.gaussian_filter(samples, 2).astype(np.float32)


def ball(dtype=float):
    """Return the distance from a centre, with a ball above the negative radius."""
    x, y, z = np.ogrid[:20, :22, :24]
    return -np.sqrt((x - 9.3) ** 2 + (y - 10.1) ** 2 + (z - 11.7) ** 2).astype(dtype)


def signed_volume(vertices, faces):
    """Return the enclosed volume, positive for triangles counter-clockwise from outside."""
    a, b, c = (vertices[faces[:, corner]].astype(float) for corner in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("direction", ["descent", "ascent"])
def test_mesh_is_that_of_scikit_image(order, direction):
    volume = np.asarray(noise((30, 26, 34)), order=order)
    theirs = skimage_measure.marching_cubes(volume, 0.02, gradient_direction=direction)
    ours = ferrovox.marching_cubes(volume, 0.02, gradient_direction=direction)
    assert [len(array) for array in ours] == [len(array) for array in theirs]
    distance, nearest = spatial.cKDTree(theirs[0]).query(ours.vertices)
    assert distance.max() < 1e-3
    assert np.mean((theirs[2][nearest] * ours.normals).sum(axis=1)) > 0.99
    np.testing.assert_allclose(ours.values, theirs[3][nearest], rtol=1e-6)


def test_values_with_a_mask_are_those_of_scikit_image():
    volume = noise((24, 22, 20))
    mask = np.random.default_rng(0).random(volume.shape) < 0.7
    theirs = skimage_measure.marching_cubes(volume, 0.02, mask=mask)
    ours = ferrovox.marching_cubes(volume, 0.02, mask=mask)
    distance, nearest = spatial.cKDTree(theirs[0]).query(ours.vertices)
    # without the vertices inside of ambiguous cells
    shared = distance < 1e-3
    assert shared.mean() > 0.99
    np.testing.assert_allclose(ours.values[shared], theirs[3][nearest][shared], rtol=1e-6)


@pytest.mark.parametrize("direction", ["descent", "ascent"])
def test_orientation_is_that_of_scikit_image(direction):
    theirs = skimage_measure.marching_cubes(ball(), -7.5, gradient_direction=direction)
    ours = ferrovox.marching_cubes(ball(), -7.5, gradient_direction=direction)
    expected = signed_volume(theirs[0], theirs[1])
    assert signed_volume(ours.vertices, ours.faces) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("order", "CF")
def test_mask_excludes_the_cells_that_scikit_image_excludes(order):
    volume = np.asarray(noise((30, 26, 34)), order=order)
    mask = np.random.default_rng(1).random(volume.shape) > 0.3
    theirs = skimage_measure.marching_cubes(volume, 0.02, mask=mask)
    ours = ferrovox.marching_cubes(volume, 0.02, mask=mask)
    assert [len(array) for array in ours] == [len(array) for array in theirs]
    distance, _ = spatial.cKDTree(theirs[0]).query(ours.vertices)
    assert distance.max() < 1e-3
    corners = ferrovox.marching_cubes(volume, 0.02, mask=mask, mask_rule="corners")
    assert 0 < len(corners.faces) < len(ours.faces)


def test_spacing_and_affine_place_the_vertices():
    volume, spacing = noise((20, 21, 22)), (0.5, 2.0, 3.0)
    unit = ferrovox.marching_cubes(volume, 0.02)
    spaced = ferrovox.marching_cubes(volume, 0.02, spacing=spacing)
    np.testing.assert_allclose(spaced.vertices, unit.vertices * spacing, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(spaced.faces, unit.faces)
    affine = np.diag([*spacing, 1.0])
    affine[:3, 3] = 1e7, -2e7, 3e7
    far = ferrovox.marching_cubes(volume, 0.02, affine=affine)
    assert far.vertices.dtype == np.float64
    moved = unit.vertices * np.array(spacing) + affine[:3, 3]
    np.testing.assert_allclose(far.vertices, moved, rtol=0, atol=1e-4)


def test_closed_surface_has_the_volume_of_the_solid():
    solid = np.ones((5, 6, 7), np.uint8)
    with pytest.raises(RuntimeError, match="No surface|outside"):
        ferrovox.marching_cubes(solid, 1)
    mesh = ferrovox.marching_cubes(solid, 0.5, close=True)
    assert -signed_volume(mesh.vertices, mesh.faces) == pytest.approx(4 * 5 * 6, rel=0.02)


def test_default_level_is_the_middle_of_the_range():
    volume = ball()
    level = 0.5 * (volume.min() + volume.max())
    ours, expected = ferrovox.marching_cubes(volume), ferrovox.marching_cubes(volume, level)
    np.testing.assert_array_equal(ours.vertices, expected.vertices)


@pytest.mark.parametrize("level", [-1e3, 1e3])
def test_level_outside_of_the_data_is_a_value_error(level):
    with pytest.raises(ValueError, match="outside of the data"):
        ferrovox.marching_cubes(ball(), level)


def test_nan_cells_are_counted():
    volume = ball()
    volume[9, 10, 4] = np.nan
    mesh = ferrovox.marching_cubes(volume, -7.5)
    assert mesh.report == {"non_finite_cells": 8}
    assert np.isfinite(mesh.vertices).all()


@pytest.mark.parametrize("width", ["int32", "int64"])
def test_faces_have_the_requested_type(width):
    assert ferrovox.marching_cubes(ball(), -7.5, faces_dtype=width).faces.dtype == width


@pytest.mark.parametrize(
    "arguments",
    [
        {"level": np.nan},
        {"spacing": (1, 1)},
        {"spacing": (1, 0, 1)},
        {"spacing": (1, -1, 1)},
        {"method": "other"},
        {"gradient_direction": "other"},
        {"step_size": 0},
        {"mask": np.ones((2, 2, 2), bool)},
        {"affine": np.zeros((4, 4))},
        {"affine": np.eye(3)},
    ],
)
def test_invalid_arguments_are_value_errors(arguments):
    with pytest.raises(ValueError):
        ferrovox.marching_cubes(ball(), **{"level": -7.5, **arguments})


@pytest.mark.parametrize("shape", [(3,), (3, 3), (3, 3, 3, 3)])
def test_other_dimensions_are_errors(shape):
    with pytest.raises(ferrovox.DimensionError):
        ferrovox.marching_cubes(np.zeros(shape), 0)


@pytest.mark.parametrize("shape", [(0, 3, 3), (3, 3, 1), (1, 1, 1)])
def test_thin_volumes_are_value_errors(shape):
    with pytest.raises(ValueError):
        ferrovox.marching_cubes(np.zeros(shape), 0)


def test_complex_samples_are_a_type_error():
    with pytest.raises(TypeError):
        ferrovox.marching_cubes(ball().astype(complex), 0)
