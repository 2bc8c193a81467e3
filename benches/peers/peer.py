"""Shared functions of the scripts in this folder: options, fields, timing, and the printed records.

Each script times another system on the fields of our benchmarks and prints one line of JSON per measurement. If the system is not available,
the line contains the reason. The benchmarks run the scripts (`cargo xtask bench mesh -- --peers`); to run one directly:

    python3 benches/peers/vtk_mesh.py --sizes 64,128
"""

import argparse
import json
import os
import statistics
import sys
import time

# Records go to the standard output; output of the libraries is redirected to the standard error.
_records = os.fdopen(os.dup(1), "w")
sys.stdout.flush()
os.dup2(2, 1)


def arguments(description):
    """Parses the options of all scripts. Sizes are samples along each axis, or elements for scans."""
    parser = argparse.ArgumentParser(description=description)
    whole = lambda text: [int(part) for part in text.split(",") if part]
    parser.add_argument("--sizes", type=whole, default=[64], help="comma-separated sizes: samples along each axis, or elements for scans (default: 64)")
    parser.add_argument("--types", default="u32", help="comma-separated element types of scans (default: u32)")
    parser.add_argument("--operators", default="sum", help="comma-separated operators of scans; peers in Python only add (default: sum)")
    parser.add_argument("--host-sizes", type=whole, default=[], help="comma-separated sizes of host-to-host scans (default: none)")
    parser.add_argument("--field", choices=["gyroid", "sphere"], default="gyroid", help="field of meshes (default: gyroid)")
    parser.add_argument("--periods", type=float, default=6.0, help="periods of the gyroid along each axis (default: 6)")
    parser.add_argument("--volumes", default="64^3", help="comma-separated sizes of distance maps, such as 64^3 or 592x625x625 (default: 64^3)")
    parser.add_argument("--sites", default="shell", help="comma-separated sites of distance maps: shell, head, random:1%% (default: shell)")
    parser.add_argument("--objects", help="JSON file that lists the volumes of objects for skeletons")
    parser.add_argument("--results", help="folder for the computed skeletons")
    parser.add_argument("--runs", type=int, default=9, help="runs per measurement, after one warm-up run (default: 9)")
    parser.add_argument("--longest", type=float, default=20.0, help="skip sizes whose estimated time per run exceeds this many seconds (default: 20)")
    return parser.parse_args()


def field(numpy, name, n, periods):
    """Returns an f32 field equal to that of the benchmark up to rounding. The surface is at 0; values are positive inside."""
    if name == "sphere":
        axis = numpy.arange(n, dtype=numpy.float32) - numpy.float32((n - 1) / 2)
        square = axis * axis
        squares = square[:, None, None] + square[None, :, None] + square[None, None, :]
        return numpy.float32(0.4 * n) - numpy.sqrt(squares, dtype=numpy.float32)
    axis = numpy.linspace(0, 2 * numpy.pi * periods, n).astype(numpy.float32)
    sine, cosine = numpy.sin(axis), numpy.cos(axis)
    z, y, x = (slice(None), None, None), (None, slice(None), None), (None, None, slice(None))
    volume = sine[z] * cosine[y]
    volume = volume + sine[y] * cosine[x]
    return volume + sine[x] * cosine[z]


def field_name(name, periods):
    """Returns the name of the field in the benchmark."""
    return f"gyroid, {periods:g} periods" if name == "gyroid" else "sphere, radius 0.4 n"


def emit(**record):
    """Prints a record and flushes the output."""
    line = json.dumps({key: value for key, value in record.items() if value is not None})
    print(line, file=_records, flush=True)


def absent(subject, system, reason, **record):
    """Prints a record with the reason for a missing measurement."""
    emit(subject=subject, system=system, absent=str(reason), **record)


def spread(times):
    """Returns the record fields for the median, minimum and maximum of times in seconds."""
    ms = [1e3 * one for one in times]
    return {"median_ms": statistics.median(ms), "min_ms": min(ms), "max_ms": max(ms), "runs": len(ms)}


def by_clock(runs, work):
    """Returns the times of `runs` calls in seconds, after a warm-up call. `work` must be synchronous."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


class Patience:
    """Estimates the time of a run from the time per sample of the previous size."""

    def __init__(self, longest):
        self.longest = longest
        self.per_element = 0.0

    def learn(self, elements, seconds):
        self.per_element = seconds / elements

    def refusal(self, elements):
        """Returns the reason to skip a size, or None."""
        seconds = self.per_element * elements
        if seconds > self.longest:
            return f"left out: a run would take about {seconds:.0f} s, and --longest is {self.longest:g} s"
        return None


def site_mask(numpy, name, dims):
    """Returns a Boolean site mask in the order z, y, x, equal to that of the benchmark up to rounding; random sites differ but have the same density."""
    along = [numpy.arange(n, dtype=numpy.float32) - numpy.float32((n - 1) / 2) for n in dims]
    x, y, z = along[0][None, None, :], along[1][None, :, None], along[2][:, None, None]
    if name == "shell":
        return abs(numpy.sqrt(x * x + y * y + z * z) - numpy.float32(0.4 * min(dims))) < 0.5
    if name == "head":
        x, y, z = x / dims[0], y / dims[1], z / dims[2]
        bumps = 0.1 * numpy.sin(21 * x + 1) * numpy.sin(17 * y) * numpy.sin(19 * z + 2)
        bumps = bumps + 0.04 * numpy.sin(47 * x) * numpy.sin(53 * y + 1) * numpy.sin(43 * z)
        solid = numpy.sqrt((x / 0.40) ** 2 + (y / 0.46) ** 2 + (z / 0.45) ** 2) < 1.03 + bumps
        inner = solid.copy()
        for axis in range(3):
            first, last = [slice(None)] * 3, [slice(None)] * 3
            first[axis], last[axis] = slice(1, None), slice(None, -1)
            inner[tuple(first)] &= solid[tuple(last)]
            inner[tuple(last)] &= solid[tuple(first)]
        return solid & ~inner
    share = float(name.removeprefix("random:").removesuffix("%")) / 100
    return numpy.random.default_rng(1).random(tuple(reversed(dims)), dtype=numpy.float32) < share


def volume_dims(text):
    """Parses sizes such as `64^3` or `592x625x625` into numbers of voxels along x, y and z."""
    if text.endswith("^3"):
        return [int(text[:-2])] * 3
    return [int(part) for part in text.split("x")]


def time_maps(options, system, numpy, prepare, device, method, note, clock=by_clock):
    """Times distance maps for all sizes and sites.

    `prepare(sites)` receives the Boolean site mask and returns a function that computes the map once. `clock(runs, work)` returns times in
    seconds.
    """
    patience = Patience(options.longest)
    for size in options.volumes.split(","):
        dims = volume_dims(size)
        voxels = dims[0] * dims[1] * dims[2]
        for sites in options.sites.split(","):
            about = {
                "device": device,
                "measure": "map",
                "method": method,
                "type": "f32",
                "field": sites,
                "size": size,
                "elements": voxels,
            }
            refusal = patience.refusal(voxels)
            if refusal:
                absent("distance", system, refusal, **about)
                continue
            try:
                work = prepare(site_mask(numpy, sites, dims))
                start = time.perf_counter()
                work()
                patience.learn(voxels, time.perf_counter() - start)
                times = clock(options.runs, work)
            except Exception as error:  # the limits of a system are results too
                absent("distance", system, f"{type(error).__name__}: {error}", **about)
                continue
            patience.learn(voxels, statistics.median(times))
            # Input: one byte per voxel; output: f32.
            emit(subject="distance", system=system, **about, **spread(times), bytes=5 * voxels, note=f"{sites}, {note}")


def time_meshes(options, system, numpy, prepare, device, note):
    """Times meshes for all sizes.

    `prepare(volume)` receives the samples as a NumPy array and returns a function that extracts the mesh once and returns its numbers of
    vertices and triangles; None instead of the number of vertices if triangles do not share vertices.
    """
    patience = Patience(options.longest)
    for n in options.sizes:
        about = {
            "device": device,
            "measure": "extract",
            "type": "f32",
            "field": field_name(options.field, options.periods),
            "size": f"{n}^3",
            "elements": n**3,
        }
        refusal = patience.refusal(n**3)
        if refusal:
            absent("mesh", system, refusal, **about)
            continue
        try:
            volume = field(numpy, options.field, n, options.periods)
            work = prepare(volume)
            vertices, triangles = work()
            times = by_clock(options.runs, work)
        except Exception as error:  # the limits of a system are results too
            absent("mesh", system, f"{type(error).__name__}: {error}", **about)
            continue
        patience.learn(n**3, statistics.median(times))
        mesh = 12 * ((vertices or 0) + triangles)
        emit(
            subject="mesh",
            system=system,
            **about,
            **spread(times),
            bytes=4 * n**3 + mesh if vertices else None,
            vertices=vertices,
            triangles=triangles,
            note=note,
        )


def time_skeletons(options, system, numpy, work, method, note):
    """Times skeletons of all objects, and writes the skeletons.

    The file of objects is a list of dictionaries: name, volume (NumPy file of bytes in the order z, y, x, labels from 1), spacing along x, y
    and z, size. `work(labels, spacing)` receives the labels in the order x, y, z, and returns for each label the points in voxel coordinates
    and the links between them, or None instead of the links if adjacent points are linked.
    """
    with open(options.objects) as file:
        objects = json.load(file)
    for number, one in enumerate(objects):
        labels = numpy.load(one["volume"]).T
        about = {
            "device": "cpu",
            "measure": "skeleton",
            "method": method,
            "type": "u8",
            "field": one["name"],
            "size": one["size"],
            "elements": labels.size,
        }
        try:
            start = time.perf_counter()
            skeletons = work(labels, one["spacing"])
            times = [time.perf_counter() - start]
            if times[0] < 3:
                times = by_clock(options.runs, lambda: work(labels, one["spacing"]))
        except Exception as error:  # the limits of a system are results too
            absent("skeleton", system, f"{type(error).__name__}: {error}", **about)
            continue
        with open(os.path.join(options.results, f"{number}.{system}.json"), "w") as file:
            whole = lambda array: None if array is None else numpy.asarray(array).tolist()
            json.dump([{"label": int(label), "points": whole(points), "links": whole(links)} for label, (points, links) in skeletons.items()], file)
        emit(subject="skeleton", system=system, **about, **spread(times), note=note)
