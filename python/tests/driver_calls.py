"""Calls of the driver during repeated calls of functions, on a stand-in for a CUDA device.

The test `test_cuda_arrays.py` runs this program with the library of the stand-in as its argument;
``--print`` lists the calls instead.
"""

import contextlib
import gc
import pathlib
import sys
import threading
import time

import numpy as np
from stand_in import InterfaceArray, calls_during, driver, make_context_current

import ferrovox

PRINTS = "--print" in sys.argv

make_context_current()
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
        "exclusive_scan with total": lambda: ferrovox.exclusive_scan(
            integers, dtype=np.uint32, return_total=True, **options
        ),
    }


#: Parts of the names of functions that take long, or that no repeated call needs.
EXPENSIVE = (
    "StreamCreate", "StreamDestroy", "Module", "Library", "MemGetInfo", "MemHost", "MemAllocHost",
    "MemFreeHost", "MemPool", "DevicePrimaryCtx", "CtxCreate", "CtxSynchronize", "DeviceGetAttribute",
    "FuncGetAttribute",
)  # fmt: skip
#: Maximum number of synchronisations: of the counts or totals, and of results; for meshes also those
#: of a second computation, of the range of the samples, which the error of an empty mesh states.
SYNCHRONISATIONS = {
    "marching_cubes": 4,
    "distance_transform_edt": 1,
    "edt": 1,
    "exclusive_scan": 1,
    "exclusive_scan with total": 2,
}
#: Calls of a scan on the device, except for those that ask for the current context.
SCAN_CALLS = {
    "cuPointerGetAttribute": 1,
    "cuEventRecord": 1,
    "cuStreamWaitEvent": 1,
    "cuStreamQuery": 1,
    "cuMemsetD8Async": 1,
    "cuLaunchKernel": 1,
    "cuStreamSynchronize": 1,
}
TOTAL_CALLS = {"cuMemcpyDtoHAsync_v2": 1, "cuStreamSynchronize": 2}
DEVICE_CALLS = {
    "exclusive_scan": SCAN_CALLS,
    "exclusive_scan with total": {**SCAN_CALLS, **TOTAL_CALLS},
}
#: Calls that the asynchronous functions of the stand-in make.
NESTED = {"cuMemsetD8_v2": "cuMemsetD8Async", "cuMemcpyDtoH_v2": "cuMemcpyDtoHAsync_v2"}
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
            # only a thread without the context switches, once per computation to it and back
            switches = counts["cuCtxSetCurrent"]
            computations = 2 if name == "marching_cubes" else 1
            limit = 0 if context == "with a context" else 2 * computations
            assert switches <= limit, (context, place, name, counts)
            if place == "device" and name in DEVICE_CALLS:
                ignored = {"cuCtxGetCurrent", *NESTED}
                found = {it: count for it, count in counts.items() if it not in ignored}
                assert found == DEVICE_CALLS[name], (context, counts)
                assert all(counts[it] == counts[outer] for it, outer in NESTED.items()), counts


def run_in_thread(target, *arguments):
    """Run a function in a thread, and wait until the system has ended the thread.

    `join` returns earlier, before the thread has handed on its streams. Exceptions of the function
    are raised here.
    """
    errors = []

    def run():
        try:
            target(*arguments)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    task = pathlib.Path(f"/proc/self/task/{thread.native_id}")
    thread.join()
    while task.exists():
        time.sleep(0.001)
    for error in errors:
        raise error


check("with a context")
run_in_thread(check, "without a context")
# a later thread takes over the stream of the thread that has ended
streams = driver.fake_live(1)
for _ in range(3):
    run_in_thread(places["host"]["exclusive_scan"])
assert driver.fake_live(1) == streams, (driver.fake_live(1), streams)
print("done")
