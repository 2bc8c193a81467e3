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
