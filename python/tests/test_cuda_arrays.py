"""Arrays on a CUDA device, without a device."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import ferrovox

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SOURCES = REPOSITORY / "crates/cust/tests/fake_driver"


class InterfaceArray:
    """An array that states an address in the memory of a CUDA device."""

    __cuda_array_interface__ = {
        "data": (1 << 40, False),
        "shape": (4, 4, 4),
        "typestr": "<f4",
        "version": 3,
    }


class TensorArray:
    """An array that states to be in the memory of a CUDA device, through DLPack."""

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **options):
        raise AssertionError("no stream exists to pass")


def run_without_driver(program):
    """Run a program in a process that has no CUDA driver."""
    environment = {**os.environ, "FERROVOX_LIBCUDA": "/nonexistent/libcuda.so"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


@pytest.mark.parametrize("kind", ["InterfaceArray", "TensorArray"])
def test_array_of_a_device_without_a_driver(kind):
    program = f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import ferrovox, test_cuda_arrays
for function in (ferrovox.edt, ferrovox.distance_transform_edt, ferrovox.exclusive_scan,
                 lambda array: ferrovox.marching_cubes(array, 0.5), ferrovox.skeletonize):
    try:
        function(test_cuda_arrays.{kind}())
    except ferrovox.FerrovoxError as error:
        assert error.kind == "device" and "no NVIDIA driver" in str(error), error
    else:
        raise AssertionError("no exception")
"""
    run_without_driver(program)


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory):
    """Return the library of a driver whose kernels do nothing, and which counts its calls."""
    compiler = shutil.which("cc")
    assert compiler, "the test needs a C compiler (cc)"
    folder = tmp_path_factory.mktemp("driver")
    source, library = folder / "libcuda.c", folder / "libcuda.so"
    parts = (SOURCES / name for name in ("libcuda.c", "graphs.c"))
    source.write_text("".join(part.read_text() for part in parts))
    counter = pathlib.Path(__file__).with_name("count_calls.c")
    options = ["-shared", "-fPIC", "-O1", "-DANY_KERNEL", "-finstrument-functions"]
    subprocess.run([compiler, *options, "-o", library, source, counter, "-ldl"], check=True)
    return library


@pytest.mark.parametrize("program", ["stand_in_driver.py", "stand_in_order.py", "driver_calls.py"])
def test_stand_in_for_a_device(program, stand_in):
    environment = {**os.environ, "FERROVOX_LIBCUDA": str(stand_in)}
    command = [sys.executable, pathlib.Path(__file__).with_name(program), stand_in]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == "done\n", done.stdout + done.stderr


def test_results_of_the_host_are_arrays_of_numpy():
    assert type(ferrovox.edt(np.array([0, 1, 1]))) is np.ndarray
    ferrovox.release_cached_memory()
