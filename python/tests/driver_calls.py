"""Calls of the driver during repeated calls of functions, on a stand-in for a CUDA device.

The test `test_cuda_arrays.py` runs this program with the library of the stand-in as its argument;
``--print`` lists the calls instead.
"""

import collections
import contextlib
import ctypes
import gc
import pathlib
import sys
import threading
import time

import numpy as np

import ferrovox

driver = ctypes.CDLL(sys.argv[1])
driver.fake_called.restype = ctypes.c_char_p
PRINTS = "--print" in sys.argv


class InterfaceArray:
    """A copy of an array in the memory of the device."""

    def __init__(self, host):
        address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(host.nbytes)) == 0
        ctypes.memmove(address.value, host.ctypes.data, host.nbytes)
        self.__cuda_array_interface__ = {
            "data": (address.value, False),
            "shape": host.shape,
            "typestr": host.dtype.str,
            "strides": None,
            "version": 3,
        }


def calls_during(function):
    """Return the number of calls of each function of the driver."""
    driver.fake_forget_calls()
    function()
    counts, index, count = collections.Counter(), 0, ctypes.c_int()
    while (name := driver.fake_called(index, ctypes.byref(count))) is not None:
        if name.startswith(b"cu"):
            counts[name.decode()] = count.value
        index += 1
    return counts


context = ctypes.c_void_p()
assert driver.cuInit(0) == 0
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert driver.cuCtxSetCurrent(context) == 0
volume = np.zeros((32, 32, 32), np.float32)
numbers = np.arange(32**3, dtype=np.uint32)


def functions(samples, integers, options):
    """Return calls by the names of the functions."""

    def mesh():
        # the kernels of the stand-in do nothing, so that no surface is found
        with contextlib.suppress(ValueError, RuntimeError):
            ferrovox.marching_cubes(samples, 0.5, values=False, **options)

    single = {"float64_distances": False, **options}
    return {
        "marching_cubes": mesh,
        "distance_transform_edt": lambda: ferrovox.distance_transform_edt(samples, **single),
        "edt": lambda: ferrovox.edt(samples, **options),
        "exclusive_scan": lambda: ferrovox.exclusive_scan(integers, dtype=np.uint32, **options),
    }


#: Parts of the names of functions that take long, or that no repeated call needs.
EXPENSIVE = (
    "StreamCreate", "StreamDestroy", "Module", "Library", "MemGetInfo", "MemHost", "MemAllocHost",
    "MemFreeHost", "MemPool", "DevicePrimaryCtx", "CtxCreate", "CtxSynchronize", "DeviceGetAttribute",
    "FuncGetAttribute",
)  # fmt: skip
#: Maximum number of synchronisations: of the counts or totals, and of results; for meshes also of
#: the samples, whose range the error of an empty mesh states.
SYNCHRONISATIONS = {
    "marching_cubes": 3,
    "distance_transform_edt": 1,
    "edt": 1,
    "exclusive_scan": 2,
}
places = {
    "host": functions(volume, numbers, {"device": "cuda"}),
    "device": functions(InterfaceArray(volume), InterfaceArray(numbers), {}),
}


def check(context):
    """Check the calls of all functions, after the first calls."""
    for place, calls in places.items():
        for name, function in calls.items():
            for _ in range(3):
                function()
            gc.collect()
            counts = calls_during(function)
            if PRINTS:
                print(f"{context}, {place}, {name}: {sum(counts.values())} calls, {dict(counts)}")
                continue
            found = {it for it in counts if any(part in it for part in EXPENSIVE)}
            assert not found, (context, place, name, counts)
            allocations = sum(count for it, count in counts.items() if "Alloc" in it)
            assert allocations <= 1, (context, place, name, counts)
            waits = counts["cuStreamSynchronize"]
            assert waits <= SYNCHRONISATIONS[name], (context, place, name, counts)
            assert counts["cuLaunchKernel"] > 0, (context, place, name, counts)
            # only a thread without the context switches, once to it and back
            switches = counts["cuCtxSetCurrent"]
            limit = 0 if context == "with a context" else 2
            assert switches <= limit, (context, place, name, counts)


def run_in_thread(target, *arguments):
    """Run a function in a thread, and wait until the system has ended the thread.

    `join` returns earlier, before the thread has handed on its streams.
    """
    thread = threading.Thread(target=target, args=arguments)
    thread.start()
    task = pathlib.Path(f"/proc/self/task/{thread.native_id}")
    thread.join()
    while task.exists():
        time.sleep(0.001)


check("with a context")
run_in_thread(check, "without a context")
# a later thread takes over the stream of the thread that has ended
streams = driver.fake_live(1)
for _ in range(3):
    run_in_thread(places["host"]["exclusive_scan"])
assert driver.fake_live(1) == streams, (driver.fake_live(1), streams)
print("done")
