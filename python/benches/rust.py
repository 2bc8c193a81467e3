"""Compares calls from Python with the Rust benchmarks of the same computations, in one run.

Each benchmark is a program that prints the median time of its runs as JSON. The programs and the
calls from Python alternate; the table has the smallest medians, and their ratio. On a CUDA device,
arrays are in its memory, and results stay there; neither torch nor CuPy is needed.

    python python/benches/rust.py --mesh FILE --distance FILE --scan FILE [--size 256]
        [--device cpu] [--check 1.05]

``--check`` fails if a ratio exceeds the limit. ``cargo xtask bench python --rust`` builds the
programs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from support import DeviceArray

import ferrovox


class Job(NamedTuple):
    """A computation in Python, and the records of a benchmark that measure it."""

    name: str
    call: Callable[[], Any]
    program: str
    arguments: list[str]
    #: names of the measurements whose times are added
    measures: tuple[str, ...]


def gyroid(side: int) -> np.ndarray:
    """Return the gyroid of the benchmark, with six periods."""
    axis = np.linspace(0, 12 * np.pi, side, dtype=np.float32)
    x, y, z = np.ix_(axis, axis, axis)
    return np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)


def shell(side: int) -> np.ndarray:
    """Return an array that is 0 less than half a voxel from a sphere of radius 0.4 n."""
    axis = np.arange(side, dtype=np.float32) - (side - 1) / 2
    x, y, z = np.ix_(axis, axis, axis)
    distances = np.sqrt(x * x + y * y + z * z) - np.float32(0.4 * side)
    return (np.abs(distances) >= 0.5).astype(np.uint8)


def jobs(side: int, device: str) -> list[Job]:
    """Return the jobs on a device."""
    place = np.ascontiguousarray if device == "cpu" else DeviceArray
    options: dict[str, Any] = {"device": "cpu"} if device == "cpu" else {}
    volume, sites = place(gyroid(side)), place(shell(side))
    numbers = place(np.random.default_rng(0).integers(0, 9, side**3, np.uint32))
    size = f"{side}^3"
    mesh = [str(side), "--no-stages", "--no-download"]
    return [
        Job(
            f"`marching_cubes`, gyroid {size}",
            lambda: ferrovox.marching_cubes(
                volume, 0.0, method="lorensen", normals=False, values=False, **options
            ),
            "mesh",
            mesh,
            ("extract",),
        ),
        Job(
            "the same with normals",
            lambda: ferrovox.marching_cubes(
                volume, 0.0, method="lorensen", values=False, **options
            ),
            "mesh",
            [*mesh, "--normals"],
            ("extract+normals",),
        ),
        Job(
            f"`distance_transform_edt`, shell {size}, float32",
            lambda: ferrovox.distance_transform_edt(sites, float64_distances=False, **options),
            "distance",
            [str(side), "--fields", "shell"],
            ("pack", "map"),
        ),
        Job(
            f"`exclusive_scan`, {size} uint32",
            lambda: ferrovox.exclusive_scan(numbers, dtype=np.uint32, **options),
            "scan",
            [size, "--types", "u32", "--no-table"],
            ("scan",),
        ),
    ]


def in_python(job: Job, runs: int) -> float:
    """Return the median time of calls, in milliseconds."""
    times = []
    job.call()
    for _ in range(runs):
        start = time.perf_counter()
        result = job.call()
        times.append(1000 * (time.perf_counter() - start))
        del result
    return statistics.median(times)


def in_rust(job: Job, program: Path, device: str, runs: int) -> float:
    """Return the median time that the benchmark reports, in milliseconds."""
    command = [program, *job.arguments, "--json", "--device", device, "--runs", str(runs)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    records = [json.loads(line) for line in output.stdout.splitlines() if line.startswith(b"{")]
    times = {record["measure"]: record["median_ms"] for record in records if "median_ms" in record}
    if missing := [name for name in job.measures if name not in times]:
        raise SystemExit(f"{job.program} measured {sorted(times)}, without {missing}")
    return sum(times[name] for name in job.measures)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("mesh", "distance", "scan"):
        parser.add_argument(f"--{name}", type=Path, required=True, help="program of the benchmark")
    parser.add_argument("--size", type=int, default=256, help="elements along each axis")
    parser.add_argument("--device", default="cpu", help="cpu or cuda:0")
    parser.add_argument("--runs", type=int, default=25, help="runs per measurement")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each program")
    parser.add_argument("--check", type=float, help="maximum ratio")
    arguments = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    print(f"Device `{arguments.device}`; {cores} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| function | Python, ms | Rust, ms | ratio |\n| --- | --- | --- | --- |")
    is_over = False
    for job in jobs(arguments.size, arguments.device):
        python, rust = [], []
        for _ in range(arguments.rounds):
            program = vars(arguments)[job.program]
            rust.append(in_rust(job, program, arguments.device, arguments.runs))
            python.append(in_python(job, arguments.runs))
        ratio = min(python) / min(rust)
        print(f"| {job.name} | {min(python):.4g} | {min(rust):.4g} | {ratio:.3f} |", flush=True)
        is_over |= arguments.check is not None and ratio > arguments.check
    return int(is_over)


if __name__ == "__main__":
    sys.exit(main())
