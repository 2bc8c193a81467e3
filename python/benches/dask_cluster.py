"""Measures the functions for dask arrays on a local cluster, from Zarr to Zarr and to one file.

Prints the times, the peak memory of the workers, and the constants of the model in
``docs/design/distance.md``: CPU time per element, which is the time on one thread.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import ferrovox
import ferrovox.dask
from ferrovox import parts


def samples(block_info: Any = None) -> Any:
    """Return a block of a volume of gyroids, whose surface is in every block."""
    ranges = block_info[None]["array-location"]
    axes = [np.arange(*side, dtype=np.float32) / 20 for side in ranges]
    x, y, z = np.ix_(*axes)
    return np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)


def peak_memory() -> float:
    """Return the peak memory of a process in GB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1e6
    return 0.0


def use_gpu(index: int) -> None:
    """Let the process, which has not used CUDA yet, see one GPU only."""
    os.environ["CUDA_VISIBLE_DEVICES"] = str(index)


@contextmanager
def measured(name: str, elements: int) -> Iterator[None]:
    """Print the time of a block."""
    start = time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    print(f"| {name} | {seconds:.1f} | {elements / seconds / 1e6:.1f} |", flush=True)


def constants(depth: int, height: int, width: int) -> None:
    """Print the constants of the model, on one slab of these sides."""
    volume = samples({None: {"array-location": [(64, 64 + depth), (0, height), (0, width)]}})
    image = volume > 0
    elements = image.size
    columns = height * width
    others = [parts.envelope_part(image, first_plane=first) for first in (0, 64 + depth)]

    def report(name: str, count: int, call: Any) -> Any:
        # of all threads, so that other work on the machine matters little
        start = time.process_time()
        result = call()
        print(f"| {name} | {1e9 * (time.process_time() - start) / count:.1f} |")
        return result

    print("| step | CPU ns per element, or per column |\n| --- | --- |")
    part = report("`envelope_part`", elements, lambda: parts.envelope_part(image, first_plane=64))
    report("merge of two envelopes, per column", columns, lambda: part | others[0])
    report(
        "`distance_part`", elements, lambda: parts.distance_part(image, *others, first_plane=64)
    )
    (slab,) = parts.slabs(volume.shape, 1)
    shape = volume.shape
    counts = report("`count_part`", elements, lambda: parts.count_part(volume, slab, shape, 0.0))
    report(
        "`mesh_part`",
        elements,
        lambda: parts.mesh_part(volume, slab, shape, 0.0, before=(0, 0), total=counts),
    )
    print(f"| zeros per column and envelope | {len(part.sites) / columns:.2f} |")
    print(f"| bytes per column and envelope | {part.nbytes / columns:.1f} |")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", type=int, nargs=3, default=(1024, 512, 512))
    parser.add_argument("--chunks", type=int, nargs=3, default=(64, 256, 256))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="4GB", help="memory of a worker")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda for one GPU per worker")
    parser.add_argument("--constants", action="store_true", help="print the constants only")
    parser.add_argument("--folder", type=Path, help="folder for the arrays")
    arguments = parser.parse_args()
    constants(32, 512, 512)
    if arguments.constants:
        return
    folder = Path(tempfile.mkdtemp(dir=arguments.folder))
    elements = int(np.prod(arguments.shape))
    options = {"n_workers": arguments.workers, "threads_per_worker": 1}
    options |= {"memory_limit": arguments.memory, "dashboard_address": None}
    try:
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            for index, worker in enumerate(client.scheduler_info()["workers"]):
                client.run(use_gpu, index, workers=[worker])
            zeros = da.zeros(tuple(arguments.shape), chunks=tuple(arguments.chunks), dtype="f4")
            print("| from Zarr | s | 10^6 elements per s |\n| --- | --- | --- |")
            with measured("volume to Zarr", elements):
                volume = da.map_blocks(samples, chunks=zeros.chunks, dtype="f4", meta=zeros._meta)
                volume.to_zarr(str(folder / "volume.zarr"))
            volume = da.from_zarr(str(folder / "volume.zarr"))
            with measured("`save_mesh`, one PLY file", elements):
                counts = ferrovox.dask.save_mesh(
                    folder / "mesh.ply", volume, 0.0, device=arguments.device
                )
            with measured("`distance_transform_edt`, float32, to Zarr", elements):
                distances = ferrovox.dask.distance_transform_edt(
                    volume > 0, float64_distances=False, device=arguments.device
                )
                distances.to_zarr(str(folder / "distances.zarr"))
            peaks = sorted(client.run(peak_memory).values())
            print(f"\n{counts[1]} triangles; peak memory of the workers {peaks[-1]:.2f} GB")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
