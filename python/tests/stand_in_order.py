"""Strides, order and lifetime of arrays on a stand-in for a CUDA device.

The test `test_cuda_arrays.py` runs this program with the library of the stand-in as its argument.
"""

import ctypes
import gc
import os
import pathlib
import pickle
import signal
import threading
import time

import numpy as np
from stand_in import (
    InterfaceArray,
    Producer,
    allocate,
    call,
    calls_during,
    driver,
    make_context_current,
    raises,
)

import ferrovox
from ferrovox import _ferrovox


def run_in_child(function):
    """Call a function in a child made by `fork`, and check that it raises no exception."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def on_device(view):
    """Return a copy of a view of an array on the device, with its strides."""
    base = view
    while base.base is not None:
        base = base.base
    offset = view.ctypes.data - base.ctypes.data
    return InterfaceArray(view, address=allocate(base) + offset, strides=view.strides)


def scan(array):
    """Return the sums of an array on the device, which are there too."""
    return ferrovox.exclusive_scan(array, dtype=np.uint32, device="cuda")


# a list of the devices initialises CUDA, which a child cannot use then
assert ferrovox.devices() == ["cuda:0", "cuda:1", "cpu"]
ones = np.ones(1 << 10, np.uint32)
run_in_child(lambda: raises(ferrovox.FerrovoxError, "after fork", scan, ones))
make_context_current()

# arrays with any strides are copied to the host
numbers = np.zeros((4, 5, 12), np.uint16)
numbers.flat = range(numbers.size)
views = {
    "column": numbers[:, :, 3],
    "columns": numbers[..., 1:5],
    "every other plane": numbers[1::2],
    "reversed": numbers[::-1, :, ::-3],
    "permuted": numbers.transpose(1, 2, 0)[:, 2:],
    "repeated": np.broadcast_to(numbers[1, 2], (3, 12))[:, ::2],
    "one element": numbers[3:, 4:, 11:],
    "no element": numbers[:, 5:],
}
for name, view in views.items():
    copy = _ferrovox.import_array(on_device(view)).numpy()
    assert copy.shape == view.shape and (copy == view).all(), (name, copy)
large = InterfaceArray(ones[:3], strides=(1 << 62,))
raises(ValueError, "too large", _ferrovox.import_array(large).numpy)
solid = np.zeros((9, 9, 9), bool)
solid[2:7, 3:6, 1:8] = True
mesh = ferrovox.marching_cubes(solid, 0.5)
positions = np.zeros((len(mesh.vertices), 4), np.float32)
positions[:, :3] = mesh.vertices
voxels = ferrovox.voxelize(on_device(positions[:, :3]), mesh.faces, spacing=1, shape=solid.shape)
assert (voxels.mask == solid).all()
sparse = np.repeat(solid, 2, axis=2)[:, :, ::2]
distances = ferrovox.each(on_device(sparse.view(np.uint8)), ferrovox.edt(sparse))
assert [label for label, _ in distances] == [1]

# a copy waits for the other libraries that got the array
sums = scan(InterfaceArray(ones))
assert isinstance(sums, ferrovox.Array)
counts = calls_during(sums.numpy)
assert not counts["cuStreamWaitEvent"] and not counts["cuCtxSynchronize"], counts
sums.__dlpack__(stream=1)
for function in (sums.numpy, lambda: np.array(sums), lambda: pickle.dumps(sums), lambda: scan(sums)):
    counts = calls_during(function)
    assert counts["cuStreamWaitEvent"] == 1 and not counts["cuCtxSynchronize"], counts
sums.__cuda_array_interface__  # noqa: B018
for function in (sums.numpy, lambda: np.array(sums), lambda: pickle.dumps(sums), lambda: scan(sums)):
    counts = calls_during(function)
    assert counts["cuCtxSynchronize"] == 1, counts
# stream 0 can be either default stream
others = scan(InterfaceArray(ones))
others.__dlpack__(stream=0)
assert calls_during(others.numpy)["cuCtxSynchronize"] == 1



def interrupted(function):
    """Return the seconds from an interruption to the end of a call while the device is busy."""
    sent = []

    def interrupt():
        time.sleep(0.3)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    driver.fake_set_pending(1)
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        function()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    finally:
        thread.join()
        driver.fake_set_pending(0)
        signal.signal(signal.SIGINT, previous)
    raise AssertionError("no KeyboardInterrupt")


# an interruption ends a call that waits for other libraries, and later calls work
for size in (1 << 10, 1 << 20):
    waiting = InterfaceArray(np.ones(size, np.uint32))
    sums = scan(waiting)
    assert interrupted(lambda waiting=waiting: scan(waiting)) < 1
    assert interrupted(sums.numpy) < 1
    assert scan(waiting).shape == (size,)
# a call waits until the work of other libraries is complete
driver.fake_set_pending(1)
timer = threading.Timer(0.3, driver.fake_set_pending, (0,))
start = time.perf_counter()
timer.start()
scan(waiting)
assert time.perf_counter() - start > 0.2
timer.join()

# memory that another library pinned is read before a function returns
pinned = ctypes.c_void_p()
call("cuMemHostAlloc", ctypes.byref(pinned), ctypes.c_size_t(ones.nbytes), 0)
ctypes.memmove(pinned.value, ones.ctypes.data, ones.nbytes)
locked = np.ctypeslib.as_array((ctypes.c_uint32 * ones.size).from_address(pinned.value))
waits = {}
for name, array in {"pageable": ones, "pinned": locked}.items():
    scan(array)
    waits[name] = calls_during(lambda array=array: scan(array))["cuStreamSynchronize"]
assert waits["pinned"] == waits["pageable"] + 1, waits

# a read-only array stays one
imported = _ferrovox.import_array(InterfaceArray(ones, read_only=True))
again = _ferrovox.import_array(Producer(imported))
for array in (imported, imported.T, imported.ravel(), again):
    assert array.__cuda_array_interface__["data"][1] is True
raises(BufferError, "read-only", imported.__dlpack__)
assert imported.numpy().flags.writeable
assert _ferrovox.import_array(InterfaceArray(ones)).__cuda_array_interface__["data"][1] is False
del imported, again, array

# a child does not call the driver of its parent
exported = [scan(InterfaceArray(ones)) for _ in range(3)]
exported[1].__dlpack__(stream=1)
exported[2].__cuda_array_interface__  # noqa: B018


def drop_arrays():
    """Check that the driver is not called when arrays are freed."""
    counts = calls_during(lambda: (exported.clear(), gc.collect()))
    assert not counts, counts


run_in_child(drop_arrays)
exported.clear()


def release_threads():
    """Return the number of threads that release memory."""
    names = (task / "comm" for task in pathlib.Path("/proc/self/task").iterdir())
    return sum(name.read_text().startswith("ferrovox-releas") for name in names)


# one thread frees all exported results
gc.collect()
ferrovox.release_cached_memory()
ones_on_device = InterfaceArray(ones)
scan(ones_on_device)
blocks = driver.fake_blocks()
results = [scan(ones_on_device) for _ in range(100)]
for result in results:
    result.__cuda_array_interface__  # noqa: B018
del result
while results:
    results.pop()
    assert release_threads() <= 1
deadline = time.monotonic() + 10
while driver.fake_blocks() > blocks:
    ferrovox.release_cached_memory()
    assert time.monotonic() < deadline, (driver.fake_blocks(), blocks)
    time.sleep(0.01)
print("done")
