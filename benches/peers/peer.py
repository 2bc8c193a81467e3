"""What the scripts in this folder share: their options, the fields, the clock, and the records that they print.

Each script times another system on the same fields as ours, and prints one line of JSON for each measurement. Where the system is not
there, the line says why. The benches start them (`cargo xtask bench mesh -- --peers`), and so can anyone:

    python3 benches/peers/vtk_mesh.py --sizes 64,128
"""

import argparse
import json
import os
import statistics
import sys
import time

# Records go to the standard output; whatever a library prints there, to the standard error.
_records = os.fdopen(os.dup(1), "w")
sys.stdout.flush()
os.dup2(2, 1)


def arguments(description):
    """Options that all scripts have. Sizes are samples along each axis, or for a scan elements."""
    parser = argparse.ArgumentParser(description=description)
    whole = lambda text: [int(part) for part in text.split(",") if part]
    parser.add_argument("--sizes", type=whole, default=[64], help="sizes, separated by commas")
    parser.add_argument("--types", default="u32", help="element types of a scan, separated by commas")
    parser.add_argument("--host-sizes", type=whole, default=[], help="sizes of scans from host to host")
    parser.add_argument("--field", choices=["gyroid", "sphere"], default="gyroid")
    parser.add_argument("--periods", type=float, default=6.0, help="periods of the gyroid along each axis")
    parser.add_argument("--volumes", default="64^3", help="sizes of distance maps, such as 64^3 or 592x625x625, separated by commas")
    parser.add_argument("--sites", default="shell", help="what the sites of distance maps are: shell, head, random:1%%, separated by commas")
    parser.add_argument("--objects", help="objects for skeletons: a file of JSON that names volumes")
    parser.add_argument("--results", help="where skeletons are written")
    parser.add_argument("--runs", type=int, default=9, help="runs of each measurement, after one to warm up")
    parser.add_argument("--longest", type=float, default=20.0, help="leave out sizes whose single run would take more seconds")
    return parser.parse_args()


def field(numpy, name, n, periods):
    """A field as f32: what the bench makes on the device, up to rounding. The surface is at 0, inside is above."""
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
    """The field as the bench calls it."""
    return f"gyroid, {periods:g} periods" if name == "gyroid" else "sphere, radius 0.4 n"


def emit(**record):
    """Prints a record, at once."""
    line = json.dumps({key: value for key, value in record.items() if value is not None})
    print(line, file=_records, flush=True)


def absent(subject, system, reason, **record):
    """Prints why there is no figure."""
    emit(subject=subject, system=system, absent=str(reason), **record)


def spread(times):
    """Median, least and most of times in seconds, as a record has them."""
    ms = [1e3 * one for one in times]
    return {"median_ms": statistics.median(ms), "min_ms": min(ms), "max_ms": max(ms), "runs": len(ms)}


def by_clock(runs, work):
    """The times of `runs` calls in seconds, after one to warm up. `work` returns when everything is done."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


class Patience:
    """Foresees from the last size how long a run of the next will take, if it takes as long per sample."""

    def __init__(self, longest):
        self.longest = longest
        self.per_element = 0.0

    def learn(self, elements, seconds):
        self.per_element = seconds / elements

    def refusal(self, elements):
        """Why a size is left out, or None."""
        seconds = self.per_element * elements
        if seconds > self.longest:
            return f"left out: a run would take about {seconds:.0f} s, and --longest is {self.longest:g} s"
        return None


def site_mask(numpy, name, dims):
    """Sites as booleans in the order z, y, x: what the bench makes, up to rounding, and other random voxels of the same share."""
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
    """Voxels along x, y and z of `64^3` or `592x625x625`."""
    if text.endswith("^3"):
        return [int(text[:-2])] * 3
    return [int(part) for part in text.split("x")]


def time_maps(options, system, numpy, prepare, device, method, note, clock=by_clock):
    """Times a system on all sizes and sites.

    `prepare(sites)` is given the sites as booleans and returns a function that makes a map once and returns it. `clock(runs, work)` gives
    times in seconds.
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
            except Exception as error:  # a system's limits are a result too
                absent("distance", system, f"{type(error).__name__}: {error}", **about)
                continue
            patience.learn(voxels, statistics.median(times))
            # a mask of bytes in, f32 out
            emit(subject="distance", system=system, **about, **spread(times), bytes=5 * voxels, note=f"{sites}, {note}")


def time_meshes(options, system, numpy, prepare, device, note):
    """Times a system on all sizes.

    `prepare(volume)` is given the samples as a NumPy array and returns a function that makes a mesh once and gives its numbers of
    vertices and triangles. It returns None in the place of the number of vertices if the system does not share them.
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
        except Exception as error:  # a system's limits are a result too
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
    """Times a system on all objects, and writes what it made.

    The file of objects is a list of dictionaries: name, volume (a file of NumPy, bytes in the order z, y, x, labels from 1), spacing along
    x, y and z, size. `work(labels, spacing)` is given the labels in the order x, y, z. It returns, for each label, points in voxels and links
    between them (or None, where points that touch are linked).
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
            made = work(labels, one["spacing"])
            times = [time.perf_counter() - start]
            if times[0] < 3:
                times = by_clock(options.runs, lambda: work(labels, one["spacing"]))
        except Exception as error:  # a system's limits are a result too
            absent("skeleton", system, f"{type(error).__name__}: {error}", **about)
            continue
        with open(os.path.join(options.results, f"{number}.{system}.json"), "w") as file:
            whole = lambda array: None if array is None else numpy.asarray(array).tolist()
            json.dump([{"label": int(label), "points": whole(points), "links": whole(links)} for label, (points, links) in made.items()], file)
        emit(subject="skeleton", system=system, **about, **spread(times), note=note)
