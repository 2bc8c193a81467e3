"""Compares the functions of ferrovox with those that they replace, in one run.

Prints a table in Markdown with the shortest of alternating runs, on which other work of the machine
has the least influence, and their ratios. CuPy and cuCIM are included if they can be imported and
there is a device; with ``--write FILE`` the table replaces the text between the lines
``<!-- python -->`` and ``<!-- /python -->`` of a page.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ferrovox


class Job(NamedTuple):
    """A computation by ferrovox and by another package."""

    name: str
    ours: Callable[[], Any]
    peer: str
    theirs: Callable[[], Any]


def gyroid(side: int) -> Any:
    """Return a gyroid with four periods."""
    axis = np.linspace(0, 8 * np.pi, side, dtype=np.float32)
    x, y, z = np.ix_(axis, axis, axis)
    return np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)


def shell(side: int) -> Any:
    """Return an array that is false on a spherical shell."""
    axis = np.arange(side, dtype=np.float32) - side / 2
    x, y, z = np.ix_(axis, axis, axis)
    return np.abs(np.sqrt(x * x + y * y + z * z) - 0.35 * side) > 0.8


def blocks(side: int) -> Any:
    """Return cubes of random labels."""
    coarse = np.random.default_rng(0).integers(0, 200, 3 * [-(-side // 16)], np.uint32)
    for axis in range(3):
        coarse = np.repeat(coarse, 16, axis=axis)
    return np.ascontiguousarray(coarse[:side, :side, :side])


def tubes(side: int) -> Any:
    """Return the inside of the tubes of a gyroid as a label."""
    return (gyroid(side) > 0.9).astype(np.uint32)


def jobs(side: int, device: str) -> Iterator[Job]:
    """Yield the jobs whose packages can be imported."""

    def module(name: str) -> Any:
        try:
            return importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
            return None

    on = {"device": device}
    size = f"{side}^3"
    if measure := module("skimage.measure"):
        volume = gyroid(side)
        yield Job(
            f"`marching_cubes`, gyroid {size}, float32",
            lambda: ferrovox.marching_cubes(volume, 0.0, **on),
            "scikit-image",
            lambda: measure.marching_cubes(volume, 0.0),
        )
    sites = shell(side)
    if ndimage := module("scipy.ndimage"):
        yield Job(
            f"`distance_transform_edt`, shell {size}, float64",
            lambda: ferrovox.distance_transform_edt(sites, **on),
            "SciPy",
            lambda: ndimage.distance_transform_edt(sites),
        )
        yield Job(
            "the same with indices",
            lambda: ferrovox.distance_transform_edt(sites, return_indices=True, **on),
            "SciPy",
            lambda: ndimage.distance_transform_edt(sites, return_indices=True),
        )
    if edt := module("edt"):
        labels = blocks(side)
        threads = len(os.sched_getaffinity(0))
        for arguments in ((), ((16.0, 16.0, 40.0),)):
            spacing = ", spacing 16, 16, 40" if arguments else ""
            yield Job(
                f"`edt`, 200 labels, {size}, uint32{spacing}",
                lambda arguments=arguments: ferrovox.edt(labels, *arguments, **on),
                f"edt, {threads} threads",
                lambda arguments=arguments: edt.edt(labels, *arguments, parallel=threads),
            )
    if kimimaro := module("kimimaro"):
        half = side // 2
        network = tubes(half)
        options = {"dust_threshold": 100, "progress": False}
        params = {"scale": 1.5, "const": 4}
        yield Job(
            f"`skeletonize`, network of tubes, {half}^3",
            lambda: ferrovox.skeletonize(network, params, **options),
            "kimimaro",
            lambda: kimimaro.skeletonize(network, params, **options),
        )
    values = np.random.default_rng(0).integers(0, 9, side**3, np.int64)
    yield Job(
        f"`exclusive_scan`, {size} int64",
        lambda: ferrovox.exclusive_scan(values, **on),
        "NumPy `cumsum(a) - a`",
        lambda: np.cumsum(values) - values,
    )
    cupy = module("cupy")
    if cupy is None or not cupy.cuda.runtime.getDeviceCount():
        return
    resident, resident_values = cupy.asarray(sites), cupy.asarray(values)
    wait = cupy.cuda.Device().synchronize
    transforms = {
        "CuPy": "cupyx.scipy.ndimage",
        "cuCIM": "cucim.core.operations.morphology",
    }
    for package, name in transforms.items():
        if library := module(name):

            def theirs(transform: Any = library.distance_transform_edt) -> None:
                transform(resident)
                wait()

            def ours() -> None:
                ferrovox.distance_transform_edt(resident, float64_distances=False)
                wait()

            yield Job(
                f"`distance_transform_edt`, shell {size}, float32, on the device",
                ours,
                package,
                theirs,
            )
            yield Job(
                f"`distance_transform_edt`, shell {size}, float32, from and to the host",
                lambda: ferrovox.distance_transform_edt(
                    sites, float64_distances=False, device="cuda"
                ),
                f"{package}, on the device",
                theirs,
            )

    def our_scan() -> None:
        ferrovox.exclusive_scan(resident_values)
        wait()

    def their_scan() -> None:
        cupy.cumsum(resident_values)
        wait()

    yield Job(f"`exclusive_scan`, {size} int64, on the device", our_scan, "CuPy `cumsum`", their_scan)


def milliseconds(call: Callable[[], Any]) -> float:
    """Return the time of a call."""
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def rows(side: int, device: str, runs: int) -> Iterator[str]:
    """Yield the rows of the table."""
    for job in jobs(side, device):
        job.ours()
        times = [(milliseconds(job.ours), milliseconds(job.theirs)) for _ in range(runs)]
        ours, theirs = (min(column) for column in zip(*times, strict=True))
        row = f"| {job.name} | {ours:.4g} | {job.peer} {theirs:.4g} | {theirs / ours:.2g} |"
        print(row, flush=True)
        yield row


def machine(device: str) -> str:
    """Describe the machine, and what else it was doing."""
    model = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    state = f"other work shared it (load {load:.1f})" if load > 0.3 * cores else "otherwise idle"
    return (
        f"Device `{device}`; {cores} cores of {model}; {state}. ferrovox {ferrovox.__version__}, "
        f"{date.today()}."
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=256, help="elements along each axis")
    parser.add_argument("--runs", type=int, default=5, help="runs per function")
    parser.add_argument("--device", default="cpu", help="device of ferrovox")
    parser.add_argument("--write", type=Path, help="page that contains the table")
    arguments = parser.parse_args()
    introduction = machine(arguments.device)
    table = ["| function | ms | replaced function, ms | ratio |", "| --- | --- | --- | --- |"]
    print("\n".join([introduction, "", *table]))
    table += rows(arguments.size, arguments.device, arguments.runs)
    if arguments.write:
        page = arguments.write.read_text()
        before, _, rest = page.partition("<!-- python -->\n")
        _, end, after = rest.partition("<!-- /python -->")
        if not end:
            raise SystemExit(f"{arguments.write} has no lines <!-- python --> and <!-- /python -->")
        content = "\n".join([introduction, "", *table])
        page = f"{before}<!-- python -->\n{content}\n{end}{after}"
        arguments.write.write_text(page)


if __name__ == "__main__":
    main()
