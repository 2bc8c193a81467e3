"""Arrays on a stand-in for a CUDA device, whose memory is that of the host.

This program checks how memory is shared, not results. The test `test_cuda_arrays.py` runs it with
the library of the stand-in as its argument.
"""

import ctypes
import gc
import pickle
import time

import numpy as np
from stand_in import InterfaceArray, Producer, allocate, driver, make_context_current, raises

import ferrovox
from ferrovox import _ferrovox


class Managed(ctypes.Structure):
    """`DLManagedTensor`."""


Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(Managed))
Managed._fields_ = [
    ("data", ctypes.c_void_p),
    ("kind", ctypes.c_int),
    ("index", ctypes.c_int),
    ("axes", ctypes.c_int),
    ("code", ctypes.c_uint8),
    ("bits", ctypes.c_uint8),
    ("lanes", ctypes.c_uint16),
    ("shape", ctypes.POINTER(ctypes.c_int64)),
    ("strides", ctypes.POINTER(ctypes.c_int64)),
    ("byte_offset", ctypes.c_uint64),
    ("context", ctypes.c_void_p),
    ("deleter", Deleter),
]


class TensorArray:
    """An array with DLPack before version 1, as old releases of torch have."""

    def __init__(self, host):
        self.host, self.address = host, allocate(host)
        self.deletions, self.streams = 0, []

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        shape = (ctypes.c_int64 * self.host.ndim)(*self.host.shape)

        def delete(_tensor):
            self.deletions += 1

        self.keep = (shape, Deleter(delete))
        self.tensor = Managed(
            self.address - 8, 2, 0, self.host.ndim, 2, 32, 1, shape, None, 8, None, self.keep[1]
        )
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


make_context_current()
numbers = np.arange(1 << 16, dtype=np.uint32)

# an address of the host is not one of a device
wrong = InterfaceArray(numbers, address=numbers.ctypes.data)
error = raises(ferrovox.FerrovoxError, "not in the memory of a CUDA device", ferrovox.exclusive_scan, wrong)
assert error.kind == "device"

# memory is used in place, and belongs to its library
array = InterfaceArray(numbers)
imported = _ferrovox.import_array(array)
assert imported.__cuda_array_interface__["data"][0] == array.address
assert (imported.shape, imported.dtype, imported.device) == ((1 << 16,), np.uint32, "cuda:0")
assert (imported.numpy() == numbers).all()
assert (imported.ndim, imported.size, imported.nbytes, len(imported)) == (1, 1 << 16, 1 << 18, 1 << 16)
del imported
ferrovox.exclusive_scan(numbers, device="cuda")
gc.collect()
ferrovox.release_cached_memory()
blocks, streams = driver.fake_blocks(), driver.fake_live(1)
sums = ferrovox.exclusive_scan(array, dtype=np.uint32)
assert isinstance(sums, ferrovox.Array), sums
assert sums.device == "cuda:0" and sums.shape == (1 << 16,) and sums.dtype == np.uint32
# a result keeps its own memory only; the stream keeps a little for the next call
ferrovox.release_cached_memory()
assert driver.fake_blocks() == blocks + 1, (driver.fake_blocks(), blocks)

# results are shared without a copy, and freed after the last user
interface = sums.__cuda_array_interface__
assert interface["version"] == 3 and interface["stream"] is None
assert interface["strides"] is None and interface["typestr"] == "<u4"
assert not hasattr(sums, "__array_interface__")
again = _ferrovox.import_array(sums)
assert again.__cuda_array_interface__["data"] == interface["data"]
assert pickle.loads(pickle.dumps(sums)).shape == sums.shape
for version in (None, (1, 0)):
    capsule = sums.__dlpack__(stream=1, max_version=version)
    assert ("versioned" in repr(capsule)) == (version is not None), capsule
    del capsule

consumer = _ferrovox.import_array(Producer(sums))
assert consumer.__cuda_array_interface__["data"] == interface["data"]
del sums, again
gc.collect()
assert consumer.numpy().shape == (1 << 16,)
assert driver.fake_blocks() >= blocks + 1
del consumer
gc.collect()
deadline = time.monotonic() + 10
while (driver.fake_blocks(), driver.fake_live(1)) != (blocks, streams):
    ferrovox.release_cached_memory()
    assert time.monotonic() < deadline, (driver.fake_blocks(), blocks, driver.fake_live(1), streams)
    time.sleep(0.01)

# DLPack: the producer gets a stream, and its tensor back
volume = np.zeros((8, 9, 10), np.float32)
tensor = TensorArray(volume)
distances = ferrovox.distance_transform_edt(tensor)
assert distances.dtype == np.float32 and distances.shape == volume.shape
assert tensor.deletions == 1 and tensor.streams[0] > 2, (tensor.deletions, tensor.streams)
assert ferrovox.edt(tensor).shape == volume.shape
imported = _ferrovox.import_array(tensor)
assert imported.__cuda_array_interface__["data"][0] == tensor.address
assert imported.T.shape == (10, 9, 8)
del imported, distances

# Fortran order is the other order of the axes, and other strides need a copy
fortran = InterfaceArray(volume, strides=(4, 32, 288))
assert ferrovox.distance_transform_edt(fortran).strides == (4, 32, 288)
strided = InterfaceArray(volume, strides=(360, 80, 4))
raises(ValueError, "not contiguous, on cuda:0", ferrovox.distance_transform_edt, strided)
raises(TypeError, "float64, on cuda:0", ferrovox.marching_cubes, InterfaceArray(volume.astype(float)), 0.5)
raises(TypeError, "int32, on cuda:0", ferrovox.distance_transform_edt, InterfaceArray(volume.astype(np.int32)))
raises(TypeError, ">f4", ferrovox.marching_cubes, InterfaceArray(volume.astype(">f4")), 0.5)
raises(ValueError, "is on cuda:0, and device is cpu", ferrovox.edt, fortran, device="cpu")
raises(ValueError, "is on cuda:0, and device is cuda:1", ferrovox.edt, fortran, device=1)
raises(ValueError, "step_size", ferrovox.marching_cubes, fortran, 0.5, step_size=2)
read_only = InterfaceArray(volume, read_only=True)
assert ferrovox.edt(read_only).shape == volume.shape
# an address that is not a multiple of 16
unaligned = InterfaceArray(volume[:, :, :9], address=tensor.address + 4, stream=1)
assert ferrovox.edt(unaligned).shape == (8, 9, 9)
# labels of 64 bits
assert ferrovox.edt(InterfaceArray(volume.astype(np.int64))).shape == volume.shape
print("done")
