"""Tests on a CUDA device, with arrays of torch and CuPy.

Without a device they are skipped; with ``FERROVOX_REQUIRE_CUDA=1`` they fail then, and if torch or
CuPy is missing.
"""

import importlib
import os

import pytest

import ferrovox

IS_REQUIRED = os.environ.get("FERROVOX_REQUIRE_CUDA") == "1"


def leave(reason):
    """Skip the test, or fail if a device is required."""
    if IS_REQUIRED:
        pytest.fail(f"FERROVOX_REQUIRE_CUDA is 1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session", autouse=True)
def device():
    """Return the name of the first CUDA device."""
    devices = ferrovox.devices()
    if not devices[0].startswith("cuda"):
        leave("there is no CUDA device")
    return devices[0]


def library(name):
    """Return a module with arrays on CUDA devices."""
    try:
        return importlib.import_module(name)
    except ImportError:
        leave(f"{name} is not installed")


@pytest.fixture
def torch(device):
    """Return the module torch."""
    module = library("torch")
    if not module.cuda.is_available():
        leave("torch finds no CUDA device")
    return module


@pytest.fixture
def cupy(device):
    """Return the module CuPy."""
    return library("cupy")


class Torch:
    """Arrays of torch."""

    name = "torch"

    def __init__(self, torch):
        self.module = torch

    def array(self, host):
        """Return a copy of an array on the device."""
        return self.module.from_numpy(host.copy()).cuda()

    def pointer(self, array):
        """Return the address of an array."""
        return array.data_ptr()

    def imported(self, array):
        """Return an array that shares the memory of a result."""
        return self.module.from_dlpack(array)

    def host(self, array):
        """Return a copy of an array on the host."""
        return array.cpu().numpy()

    def stream(self):
        """Return a stream that does not wait for the default stream."""
        return self.module.cuda.Stream()

    def within(self, stream):
        """Return a context in which the stream is the current one."""
        return self.module.cuda.stream(stream)

    def handle(self, stream):
        """Return the handle of a stream."""
        return stream.cuda_stream

    def sleep(self):
        """Enqueue work of about a second on the current stream."""
        self.module.cuda._sleep(1_500_000_000)

    def is_idle(self, stream):
        """Return ``True`` if all work of a stream is complete."""
        return stream.query()

    def copy(self, target, source):
        """Enqueue a copy of an array on the device."""
        target.copy_(source)

    def zeros_like(self, array):
        """Return an array of zeros."""
        return self.module.zeros_like(array)

    def synchronize(self):
        """Wait for the device."""
        self.module.cuda.synchronize()

    def free_bytes(self):
        """Return the number of free bytes of the device, without cached memory of the library."""
        self.module.cuda.synchronize()
        self.module.cuda.empty_cache()
        return self.module.cuda.mem_get_info()[0]


class Cupy:
    """Arrays of CuPy."""

    name = "cupy"

    def __init__(self, cupy):
        self.module = cupy
        self.spin = cupy.RawKernel(
            r"""extern "C" __global__ void spin(long long cycles) {
                long long start = clock64();
                while (clock64() - start < cycles) {}
            }""",
            "spin",
        )
        # compiled before the first measurement
        self.spin((1,), (1,), (1,))

    def array(self, host):
        """Return a copy of an array on the device."""
        return self.module.asarray(host)

    def pointer(self, array):
        """Return the address of an array."""
        return array.data.ptr

    def imported(self, array):
        """Return an array that shares the memory of a result."""
        return self.module.from_dlpack(array)

    def host(self, array):
        """Return a copy of an array on the host."""
        return array.get()

    def stream(self):
        """Return a stream that does not wait for the default stream."""
        return self.module.cuda.Stream(non_blocking=True)

    def within(self, stream):
        """Return a context in which the stream is the current one."""
        return stream

    def handle(self, stream):
        """Return the handle of a stream."""
        return stream.ptr

    def sleep(self):
        """Enqueue work of about a second on the current stream."""
        self.spin((1,), (1,), (1_500_000_000,))

    def is_idle(self, stream):
        """Return ``True`` if all work of a stream is complete."""
        return stream.done

    def copy(self, target, source):
        """Enqueue a copy of an array on the device."""
        target[...] = source

    def zeros_like(self, array):
        """Return an array of zeros."""
        return self.module.zeros_like(array)

    def synchronize(self):
        """Wait for the device."""
        self.module.cuda.Device().synchronize()

    def free_bytes(self):
        """Return the number of free bytes of the device, without cached memory of the library."""
        self.synchronize()
        self.module.get_default_memory_pool().free_all_blocks()
        return self.module.cuda.Device().mem_info[0]


@pytest.fixture(params=["torch", "cupy"])
def arrays(request):
    """Return the arrays of a library."""
    module = request.getfixturevalue(request.param)
    return Torch(module) if request.param == "torch" else Cupy(module)
