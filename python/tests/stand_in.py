"""Stand-in for a CUDA device, whose memory is that of the host and whose kernels do nothing.

Programs that `test_cuda_arrays.py` runs import this; their argument is the library of the stand-in.
"""

import collections
import ctypes
import sys

driver = ctypes.CDLL(sys.argv[1])
driver.fake_called.restype = ctypes.c_char_p


def call(name, *arguments):
    """Call a function of the driver."""
    status = getattr(driver, name)(*arguments)
    assert status == 0, (name, status)


def make_context_current():
    """Initialise the driver, and make the context of the first device that of the thread."""
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)


def allocate(array):
    """Return the address of a copy of an array in the memory of the device."""
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
    ctypes.memmove(address.value, array.ctypes.data, array.nbytes)
    return address.value


class InterfaceArray:
    """An array with the CUDA array interface only, as numba has."""

    def __init__(self, host, address=None, strides=None, stream=None, read_only=False):
        self.address = allocate(host) if address is None else address
        self.__cuda_array_interface__ = {
            "data": (self.address, read_only),
            "shape": host.shape,
            "typestr": host.dtype.str,
            "strides": strides,
            "stream": stream,
            "version": 3,
        }


class Producer:
    """An array that hands on the capsules of another."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


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


def raises(kind, text, function, *arguments, **options):
    """Check that a call raises an exception with this text."""
    try:
        function(*arguments, **options)
    except kind as error:
        assert text in str(error), str(error)
        return error
    raise AssertionError(f"no {kind.__name__} with {text!r}")
