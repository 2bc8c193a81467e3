"""Layouts of arrays, and memory that is not copied."""

import copy
import pickle

import numpy as np
import pytest

import ferrovox
from ferrovox import _arrays


def volume():
    """Return a volume with a ball above the level 0."""
    x, y, z = np.ogrid[:12, :13, :14]
    return (5 - np.sqrt((x - 6) ** 2 + (y - 6) ** 2 + (z - 7) ** 2)).astype(np.float32)


def unaligned(array):
    """Return a copy of the array whose elements are not aligned."""
    memory = bytearray(array.nbytes + 1)
    result = np.frombuffer(memory, array.dtype, array.size, 1).reshape(array.shape)
    result[...] = array
    assert not result.flags.aligned
    return result


def read_only(array):
    """Return a copy of the array that cannot be written."""
    array = array.copy()
    array.flags.writeable = False
    return array


class DLPackOnly:
    """An array that can only be read through DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


LAYOUTS = {
    "big-endian": lambda array: array.astype(">f4"),
    "strided": lambda array: np.repeat(array, 2, axis=1)[:, ::2],
    "negative strides": lambda array: array[::-1, :, ::-1].copy()[::-1, :, ::-1],
    "transposed": lambda array: array.transpose(1, 2, 0).copy().transpose(2, 0, 1),
    "Fortran": np.asfortranarray,
    "unaligned": unaligned,
    "read-only": read_only,
    "float64": lambda array: array.astype(float),
    "list": lambda array: array.tolist(),
    "memoryview": memoryview,
    "dlpack": DLPackOnly,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_give_the_same_results(layout):
    array = LAYOUTS[layout](volume())
    mesh, expected = (ferrovox.marching_cubes(it, 0.0) for it in (array, volume()))
    np.testing.assert_array_equal(
        np.unique(mesh.vertices, axis=0), np.unique(expected.vertices, axis=0)
    )
    inside = LAYOUTS[layout](np.maximum(volume(), 0))
    expected = ferrovox.distance_transform_edt(np.maximum(volume(), 0))
    np.testing.assert_array_equal(ferrovox.distance_transform_edt(inside), expected)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", "?bBhHf")
def test_contiguous_arrays_are_read_in_place(order, dtype):
    array = np.zeros((4, 5, 6), dtype, order)
    read, is_reversed = _arrays.contiguous(_arrays.kernel_array(_arrays.as_array(array, "array"), "array"), "array")
    assert read.__array_interface__["data"] == array.__array_interface__["data"]
    assert is_reversed == (order == "F")


def test_results_share_the_memory_of_the_computation():
    mesh = ferrovox.marching_cubes(volume(), 0.0)
    for array in mesh:
        owner = array
        while isinstance(owner, np.ndarray):
            assert not owner.flags.owndata
            owner = owner.base
        address, _ = array.__array_interface__["data"]
        assert owner.__array_interface__["data"][0] == address


def test_results_outlive_other_computations():
    meshes = [ferrovox.marching_cubes(volume() + shift, 0.0) for shift in (0.0, 1.0)]
    first = [array.copy() for array in meshes[0]]
    for _ in range(20):
        ferrovox.marching_cubes(volume() + 2, 0.0)
    for array, expected in zip(meshes[0], first, strict=True):
        np.testing.assert_array_equal(array, expected)


def test_inputs_are_not_changed():
    array = volume()
    expected = array.copy()
    ferrovox.marching_cubes(array, 0.0)
    ferrovox.distance_transform_edt(array)
    ferrovox.edt(array)
    np.testing.assert_array_equal(array, expected)


def pickled(value):
    """Return the value after pickling."""
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickled])
def test_meshes_and_errors_are_copied(duplicate):
    mesh = ferrovox.marching_cubes(volume(), 0.0)
    other = duplicate(mesh)
    assert type(other) is ferrovox.Mesh and other.report == mesh.report
    for a, b in zip(mesh, other, strict=True):
        np.testing.assert_array_equal(a, b)
    error = duplicate(ferrovox.DeviceMemoryError("full", 3, 2, 1))
    assert (str(error), error.requested, error.free, error.total) == ("full", 3, 2, 1)
    assert isinstance(error, MemoryError) and error.kind == "memory"
    assert duplicate(ferrovox.FerrovoxError("no", "device")).kind == "device"


def test_arrays_of_jax_are_shared_through_dlpack():
    """Needs jax for the CPU, which is not among the required packages because of its size."""
    pytest.importorskip("jax.numpy")
    import jax

    host = np.random.default_rng(0).random((12, 13, 14), np.float32)
    volume = jax.numpy.asarray(host)
    mesh = ferrovox.marching_cubes(volume, 0.5)
    expected = ferrovox.marching_cubes(host, 0.5)
    for found, other in zip(mesh, expected, strict=True):
        np.testing.assert_array_equal(found, other)
    distances = ferrovox.distance_transform_edt(volume > 0.5)
    np.testing.assert_array_equal(distances, ferrovox.distance_transform_edt(host > 0.5))
    # results of the host are arrays of NumPy, which jax reads
    shared = jax.dlpack.from_dlpack(mesh.vertices)
    np.testing.assert_array_equal(np.asarray(shared), expected.vertices)
    total = ferrovox.exclusive_scan(jax.numpy.arange(5), return_total=True)[1]
    assert total == 10
