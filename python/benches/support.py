"""Arrays for benchmarks."""

from __future__ import annotations

import ctypes

import numpy as np


class DeviceArray:
    """A copy of an array in the memory of the first CUDA device, which is never freed."""

    def __init__(self, host: np.ndarray) -> None:
        driver = ctypes.CDLL("libcuda.so.1")
        context, address = ctypes.c_void_p(), ctypes.c_uint64()
        size = ctypes.c_size_t(host.nbytes)
        for status in (
            driver.cuInit(0),
            driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
            driver.cuCtxSetCurrent(context),
            driver.cuMemAlloc_v2(ctypes.byref(address), size),
            driver.cuMemcpyHtoD_v2(address, ctypes.c_void_p(host.ctypes.data), size),
        ):
            if status != 0:
                raise OSError(f"the CUDA driver returned the error {status}")
        self.__cuda_array_interface__ = {
            "data": (address.value, False),
            "shape": host.shape,
            "typestr": host.dtype.str,
            "strides": None,
            "version": 3,
        }
