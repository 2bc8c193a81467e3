"""Arrays on a CUDA device: shared memory, order of streams, and results as on the CPU."""

import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

import ferrovox
from ferrovox import _ferrovox


def sphere(side=64, dtype=np.float32):
    """Return a volume with a ball above 0.5 and some noise."""
    x, y, z = np.ogrid[-1 : 1 : side * 1j, -1 : 1 : side * 1j, -1 : 1 : side * 1j]
    noise = np.random.default_rng(7).normal(0, 0.02, (side, side, side))
    values = 1.2 - np.sqrt(x**2 + y**2 + z**2) + noise
    if np.dtype(dtype).kind == "f":
        return values.astype(dtype)
    return np.clip(values * 100, 0, 120).astype(dtype)


def same_bits(arrays, found, expected):
    """Check that a result on the device has the bits of an array of the host."""
    assert isinstance(found, ferrovox.Array)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    shared = arrays.host(arrays.imported(found))
    np.testing.assert_array_equal(shared.view(np.uint8), expected.view(np.uint8))
    np.testing.assert_array_equal(found.numpy(), shared)


# --- memory ---------------------------------------------------------------------------------------


def test_input_is_used_in_place(arrays):
    array = arrays.array(sphere())
    imported = _ferrovox.import_array(array)
    assert imported.__cuda_array_interface__["data"][0] == arrays.pointer(array)
    assert imported.shape == tuple(array.shape) and imported.device.startswith("cuda:")


def test_result_is_used_in_place(arrays):
    result = ferrovox.distance_transform_edt(arrays.array(sphere() > 0.5))
    address = result.__cuda_array_interface__["data"][0]
    assert arrays.pointer(arrays.imported(result)) == address
    # twice, for instance by two libraries
    assert arrays.pointer(arrays.imported(result)) == address


def test_cupy_reads_the_cuda_array_interface(cupy):
    result = ferrovox.exclusive_scan(cupy.arange(1000, dtype=cupy.uint32))
    shared = cupy.asarray(result)
    assert shared.data.ptr == result.__cuda_array_interface__["data"][0]
    np.testing.assert_array_equal(shared.get(), np.cumsum(np.arange(1000)) - np.arange(1000))


def test_numba_arrays_are_read(device):
    cuda = pytest.importorskip("numba.cuda")
    host = np.arange(1000, dtype=np.uint32)
    found = ferrovox.exclusive_scan(cuda.to_device(host))
    np.testing.assert_array_equal(found.numpy(), np.cumsum(host, dtype=np.uint64) - host)


def test_memory_of_a_call_is_its_result(arrays):
    count = 1 << 28
    array = arrays.array(np.ones(count, np.uint32))
    small = arrays.array(np.ones(1000, np.uint32))
    ferrovox.exclusive_scan(small, dtype=np.uint32)
    ferrovox.release_cached_memory()
    before = arrays.free_bytes()
    result = ferrovox.exclusive_scan(array, dtype=np.uint32)
    # the pool retains what the call needed at a time: 1 GiB of sums, and no copy of the input
    needed = before - arrays.free_bytes()
    assert 4 * count <= needed < 4 * count + (64 << 20), needed
    del result
    gc.collect()
    ferrovox.release_cached_memory()
    kept = before - arrays.free_bytes()
    assert kept < 32 << 20, kept


def test_memory_of_shared_results_is_freed_after_the_last_user(arrays):
    count = 1 << 27
    array = arrays.array(np.ones(count, np.uint32))
    ferrovox.exclusive_scan(array, dtype=np.uint32)
    ferrovox.release_cached_memory()
    before = arrays.free_bytes()
    for _ in range(5):
        shared = arrays.imported(ferrovox.exclusive_scan(array, dtype=np.uint32))
        gc.collect()
        assert int(arrays.host(shared[-1:])[0]) == count - 1
        assert before - arrays.free_bytes() >= 4 * count
        del shared
        gc.collect()
    deadline = time.monotonic() + 10
    while before - arrays.free_bytes() > 32 << 20:
        ferrovox.release_cached_memory()
        assert time.monotonic() < deadline, before - arrays.free_bytes()
        time.sleep(0.05)


def test_other_libraries_keep_their_pool(cupy):
    """The default memory pool of the device returns its memory to the system as before."""
    runtime = cupy.cuda.runtime
    pool = runtime.deviceGetDefaultMemPool(0)
    threshold = runtime.memPoolGetAttribute(pool, runtime.cudaMemPoolAttrReleaseThreshold)
    ferrovox.exclusive_scan(cupy.arange(1 << 20, dtype=cupy.uint32))
    after = runtime.memPoolGetAttribute(pool, runtime.cudaMemPoolAttrReleaseThreshold)
    assert after == threshold


def test_array_is_freed_after_the_call(arrays):
    host = sphere() > 0.5
    result = ferrovox.distance_transform_edt(arrays.array(host))
    gc.collect()
    # reuses the memory of the input
    garbage = [arrays.array(np.full(host.shape, 255, np.uint8)) for _ in range(4)]
    expected = ferrovox.distance_transform_edt(host, float64_distances=False)
    same_bits(arrays, result, expected)
    del garbage


# --- order of streams -----------------------------------------------------------------------------


@pytest.mark.parametrize("explicit", [False, True])
def test_input_of_pending_work(arrays, explicit):
    """The array is filled on a side stream, after a kernel of about a second."""
    host = sphere()
    source, target = arrays.array(host), arrays.array(np.zeros_like(host))
    # the first call loads kernels
    ferrovox.marching_cubes(source, 0.5)
    arrays.synchronize()
    stream = arrays.stream()
    with arrays.within(stream):
        arrays.sleep()
        arrays.copy(target, source)
        assert not arrays.is_idle(stream), "the work ended too early to test the order"
        if not explicit:
            mesh = ferrovox.marching_cubes(target, 0.5)
    if explicit:
        assert not arrays.is_idle(stream), "the work ended too early to test the order"
        mesh = ferrovox.marching_cubes(target, 0.5, stream=arrays.handle(stream))
    expected = ferrovox.marching_cubes(host, 0.5, values=False)
    same_bits(arrays, mesh.vertices, expected.vertices)
    same_bits(arrays, mesh.faces, expected.faces)


@pytest.mark.parametrize("side", [32, 256])
def test_interruption_ends_a_call_that_waits_for_pending_work(arrays, side):
    """The array is filled after kernels of about three seconds."""
    array = arrays.array(sphere(side))
    ferrovox.distance_transform_edt(array)
    arrays.synchronize()
    stream = arrays.stream()
    sent = []

    def interrupt():
        time.sleep(0.2)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    # ignored if the tests run in the background of a shell
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with arrays.within(stream):
            for _ in range(3):
                arrays.sleep()
            thread.start()
            with pytest.raises(KeyboardInterrupt):
                ferrovox.distance_transform_edt(array)
        assert time.perf_counter() - sent[0] < 1
        assert not arrays.is_idle(stream), "the work ended too early to test the interruption"
    finally:
        thread.join()
        signal.signal(signal.SIGINT, previous)
    arrays.synchronize()
    assert ferrovox.distance_transform_edt(array).shape == (side,) * 3


def test_array_is_overwritten_after_the_call(arrays):
    """Work that the caller enqueues after a call does not change its result."""
    host = (sphere(96) > 0.5).astype(np.uint8)
    expected = ferrovox.distance_transform_edt(host, float64_distances=False)
    for _ in range(10):
        array = arrays.array(host)
        zeros = arrays.zeros_like(array)
        result = ferrovox.distance_transform_edt(array)
        arrays.copy(array, zeros)
        same_bits(arrays, result, expected)


def test_result_is_read_by_pending_work_when_it_is_freed(arrays):
    """The memory of a result is not reused before the work of its users."""
    count = 1 << 20
    ones = arrays.array(np.ones(count, np.uint32))
    first = arrays.imported(ferrovox.exclusive_scan(ones, dtype=np.uint32))
    target = arrays.zeros_like(first)
    arrays.synchronize()
    arrays.sleep()
    arrays.copy(target, first)
    del first
    gc.collect()
    # arrays of the host do not wait for the pending work; their buffers on the device have the same
    # size, and the same memory if it is reused too early
    twos = np.full(count, 2, np.uint32)
    later = [ferrovox.exclusive_scan(twos, dtype=np.uint32, device="cuda") for _ in range(3)]
    np.testing.assert_array_equal(arrays.host(target), np.arange(count, dtype=np.uint32))
    del later


def test_result_with_pending_writes_is_read_in_order(arrays):
    """Another library changes a result after a kernel of about a second."""
    result = ferrovox.distance_transform_edt(arrays.array(sphere() > 0.5))
    distances = result.numpy()
    targets = [arrays.array(factor * distances) for factor in (2, 3)]
    shared = arrays.imported(result)
    arrays.synchronize()
    arrays.sleep()
    arrays.copy(shared, targets[0])
    np.testing.assert_array_equal(result.numpy(), 2 * distances)
    stream = arrays.stream()
    with arrays.within(stream):
        shared = arrays.imported(result)
        arrays.sleep()
        arrays.copy(shared, targets[1])
        assert not arrays.is_idle(stream), "the work ended too early to test the order"
    np.testing.assert_array_equal(np.array(result), 3 * distances)
    # work on the result of other functions waits too
    with arrays.within(stream):
        arrays.sleep()
        arrays.copy(shared, targets[0])
        assert not arrays.is_idle(stream), "the work ended too early to test the order"
    found = ferrovox.exclusive_scan(result.ravel(), op="max")
    expected = ferrovox.exclusive_scan(2 * distances.ravel(), op="max")
    np.testing.assert_array_equal(found.numpy(), expected)


# --- results --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int8", "int16", "uint16"])
def test_meshes_have_the_bits_of_the_cpu(arrays, dtype):
    host = sphere(dtype=np.dtype(dtype).type)
    level = 0.5 if dtype == "float32" else 50.0
    if arrays.name == "torch" and dtype == "uint16":
        array = arrays.module.from_numpy(host.view(np.int16)).cuda().view(arrays.module.uint16)
    else:
        array = arrays.array(host)
    expected = ferrovox.marching_cubes(host, level)
    mesh = ferrovox.marching_cubes(array, level)
    same_bits(arrays, mesh.vertices, expected.vertices)
    same_bits(arrays, mesh.faces, expected.faces)
    same_bits(arrays, mesh.normals, expected.normals)
    assert mesh.values is None
    mesh = ferrovox.marching_cubes(array, level, values=True)
    same_bits(arrays, mesh.values, expected.values)


def test_options_of_meshes(arrays):
    host = sphere()
    mask = np.ones(host.shape, bool)
    mask[:, :, 40:] = False
    options = {"close": True, "mask_rule": "corners", "spacing": (1, 2, 3), "normals": "trilinear"}
    expected = ferrovox.marching_cubes(host, mask=mask, **options)
    for given in (mask, arrays.array(mask)):
        mesh = ferrovox.marching_cubes(arrays.array(host), mask=given, **options)
        same_bits(arrays, mesh.vertices, expected.vertices)
        same_bits(arrays, mesh.faces, expected.faces)
        same_bits(arrays, mesh.normals, expected.normals)
    with pytest.raises(ValueError, match="outside of the data"):
        ferrovox.marching_cubes(arrays.array(host), 1e6)


@pytest.mark.parametrize("shape", [(100,), (40, 50), (33, 34, 35)])
def test_distances_have_the_bits_of_the_cpu(arrays, shape):
    host = np.random.default_rng(3).random(shape) > 0.05
    array = arrays.array(host)
    expected = ferrovox.distance_transform_edt(host, float64_distances=False)
    same_bits(arrays, ferrovox.distance_transform_edt(array), expected)
    options = {"sampling": 1.5, "return_indices": True, "float64_distances": True}
    found = ferrovox.distance_transform_edt(array, **options)
    for one, other in zip(found, ferrovox.distance_transform_edt(host, **options), strict=True):
        same_bits(arrays, one, other)
    double = ferrovox.distance_transform_edt(array, float64_distances=True)
    same_bits(arrays, double, ferrovox.distance_transform_edt(host))
    near = ferrovox.distance_transform_edt(array, max_distance=1.2)
    expected = ferrovox.distance_transform_edt(host, max_distance=1.2, float64_distances=False)
    same_bits(arrays, near, expected)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32", "int32", "int64"])
@pytest.mark.parametrize("black_border", [False, True])
def test_label_distances_have_the_bits_of_the_cpu(arrays, dtype, black_border):
    host = np.random.default_rng(5).integers(0, 3, (8, 9, 10)).repeat(4, 0).repeat(4, 1).repeat(4, 2)
    host = host.astype(dtype)
    array = arrays.array(host)
    for function in (ferrovox.edt, ferrovox.edtsq, ferrovox.sdf, ferrovox.sdfsq):
        options = {"anisotropy": (1, 2, 3), "black_border": black_border}
        same_bits(arrays, function(array, **options), function(host, **options))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32", "float64"])
def test_scans_have_the_bits_of_the_cpu(arrays, dtype):
    host = np.random.default_rng(9).integers(0, 100, 100_003).astype(dtype)
    array = arrays.array(host)
    result_type = "uint64" if dtype == "uint8" else dtype
    found = ferrovox.exclusive_scan(array, dtype=result_type, return_total=True)
    expected = ferrovox.exclusive_scan(host, dtype=result_type, return_total=True)
    same_bits(arrays, found[0], expected[0])
    assert found[1] == expected[1]
    if dtype != "uint8":
        for op in ("min", "max"):
            same_bits(
                arrays,
                ferrovox.exclusive_scan(array, op=op),
                ferrovox.exclusive_scan(host, op=op),
            )


def test_arrays_in_fortran_order(cupy):
    host = np.asfortranarray(sphere() > 0.5)
    found = ferrovox.distance_transform_edt(cupy.asarray(host))
    expected = ferrovox.distance_transform_edt(host, float64_distances=False)
    shared = cupy.from_dlpack(found)
    assert shared.flags.f_contiguous
    np.testing.assert_array_equal(shared.get(), expected)
    np.testing.assert_array_equal(cupy.asarray(found).get(), expected)
    mesh = ferrovox.marching_cubes(cupy.asarray(np.asfortranarray(sphere())), 0.5)
    expected = ferrovox.marching_cubes(np.asfortranarray(sphere()), 0.5)
    np.testing.assert_array_equal(mesh.vertices.numpy(), expected.vertices)


def test_slices_and_other_types_are_errors(arrays):
    array = arrays.array(sphere())
    with pytest.raises(ValueError, match="not contiguous, on cuda:"):
        ferrovox.marching_cubes(array[:, :, ::2], 0.5)
    with pytest.raises(TypeError, match="float64, on cuda:"):
        ferrovox.marching_cubes(arrays.array(sphere(dtype=np.float64)), 0.5)
    # planes of a larger array, at an address that is not a multiple of 16
    host = sphere(33, np.uint8)
    found = ferrovox.marching_cubes(arrays.array(host)[1:], 50)
    expected = ferrovox.marching_cubes(host[1:], 50)
    same_bits(arrays, found.vertices, expected.vertices)


def test_slices_are_copied_to_the_host(arrays):
    host = sphere(40)
    array = arrays.array(host)
    for slices in (np.s_[:, :, 3], np.s_[..., 1:30:2], np.s_[5:, ::3, 7:8], np.s_[:, 40:]):
        copy = _ferrovox.import_array(array[slices]).numpy()
        np.testing.assert_array_equal(copy, host[slices])
    if arrays.name == "cupy":
        copy = _ferrovox.import_array(array[::-1, :, ::-2]).numpy()
        np.testing.assert_array_equal(copy, host[::-1, :, ::-2])
    mesh = ferrovox.marching_cubes(host, 0.5)
    rows = np.zeros((len(mesh.vertices), 4), np.float32)
    rows[:, :3] = mesh.vertices
    vertices = arrays.array(rows)[:, :3]
    found = ferrovox.voxelize(vertices, mesh.faces, spacing=1, shape=host.shape)
    expected = ferrovox.voxelize(mesh.vertices, mesh.faces, spacing=1, shape=host.shape)
    np.testing.assert_array_equal(found.mask, expected.mask)


def test_meshes_of_a_device_are_converted(arrays):
    mesh = ferrovox.marching_cubes(arrays.array(sphere()), 0.5)
    expected = ferrovox.marching_cubes(sphere(), 0.5)
    assert repr(mesh) == repr(expected)
    np.testing.assert_array_equal(np.asarray(mesh.faces), expected.faces)


def test_arrays_of_the_host_on_the_device(device):
    host = sphere()
    mesh, expected = (ferrovox.marching_cubes(host, 0.5, device=it) for it in (device, "cpu"))
    for found, other in zip(mesh, expected, strict=True):
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found, other)


def test_overhead_of_a_small_volume(arrays):
    array = arrays.array(sphere(32))
    call = lambda: ferrovox.marching_cubes(array, 0.5, normals=False)  # noqa: E731
    scan = arrays.array(np.ones(1000, np.uint32))
    for name, function in (("marching_cubes", call), ("scan", lambda: ferrovox.exclusive_scan(scan))):
        times = []
        for _ in range(200):
            start = time.perf_counter()
            function()
            times.append(time.perf_counter() - start)
        print(f"{arrays.name} {name}: median {np.median(times) * 1e6:.0f} us")
