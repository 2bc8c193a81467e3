"""Measure the overhead of calls on small arrays, per function and device.

Prints, for an array of 32^3 elements, the time per call in microseconds, the part of it that the
library computes (on a CUDA device with its copies and synchronisations), and the difference: the
overhead of the package. Each is the median of the calls.

    python python/benches/overhead.py [--size 32] [--calls 2000] [--device cpu] [--check]

``--check`` fails if an overhead exceeds the limits, 50 µs on the CPU and 100 µs on a CUDA device.
CUDA devices are measured with arrays of the host, and with arrays in their memory if the driver
is installed; neither torch nor CuPy is needed.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from support import DeviceArray

import ferrovox
from ferrovox import _ferrovox

#: Maximum overhead in microseconds, by the kind of the device.
LIMITS = {"cpu": 50.0, "cuda": 100.0}


def measure(call, calls: int) -> tuple[float, float, float]:
    """Return the microseconds per call, of the library's computation, and of the rest."""
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        call()
        end = time.perf_counter()
        computed = _ferrovox.last_duration()
        times.append((end - start, computed, end - start - computed))
    total, computed, overhead = np.median(times, axis=0) * 1e6
    return total, computed, overhead


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=32, help="elements along each axis")
    parser.add_argument("--calls", type=int, default=2000, help="calls per function")
    parser.add_argument("--device", action="append", help="cpu, cuda; all by default")
    parser.add_argument("--check", action="store_true", help="fail above the limits")
    arguments = parser.parse_args()
    size = arguments.size
    axes = np.ogrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j, -1 : 1 : size * 1j]
    volume = np.sqrt(sum(axis**2 for axis in axes)).astype(np.float32)
    ball = (volume < 0.7).astype(np.uint8)
    ramp = np.arange(size**3, dtype=np.uint32)
    kinds = sorted({name.split(":")[0] for name in ferrovox.devices()})
    variants = [("cpu", "cpu", (volume, ball, ramp), {})]
    if "cuda" in kinds:
        variants.append(("cuda", "cuda, host arrays", (volume, ball, ramp), {"device": "cuda"}))
        on_device = tuple(DeviceArray(array) for array in (volume, ball, ramp))
        variants.append(("cuda", "cuda, device arrays", on_device, {}))
    print(f"{size}^3 elements, microseconds per call")
    print(f"{'device':22}{'function':26}{'total':>9}{'computed':>10}{'overhead':>10}")
    is_over = False
    for kind, label, (samples, labels, numbers), options in variants:
        if arguments.device and kind not in arguments.device:
            continue
        float32 = {"float64_distances": False}
        functions = {
            "marching_cubes": lambda: ferrovox.marching_cubes(
                samples, 0.7, values=False, **options
            ),
            "distance_transform_edt": lambda: ferrovox.distance_transform_edt(
                labels, **float32, **options
            ),
            "edt": lambda: ferrovox.edt(labels, **options),
            "exclusive_scan": lambda: ferrovox.exclusive_scan(numbers, dtype=np.uint32, **options),
        }
        for name, call in functions.items():
            measure(call, 50)
            total, computed, overhead = measure(call, arguments.calls)
            print(f"{label:22}{name:26}{total:9.1f}{computed:10.1f}{overhead:10.1f}", flush=True)
            is_over |= overhead > LIMITS[kind]
    return int(arguments.check and is_over)


if __name__ == "__main__":
    sys.exit(main())
