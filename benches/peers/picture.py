"""Compares pictures of meshes with VTK's offscreen rendering: whole processes, wall and CPU time.

    python3 benches/peers/picture.py --ferrovox target/release/ferrovox [--size 800x600] [--runs 5] [--skeleton]

Prints a Markdown table for the brain of `cli/data` and for a gyroid of 256^3 samples: `ferrovox render` of the mesh (PLY with normals) and
of the volume, which includes the extraction, and `vtk_render.py` of the same mesh. With --skeleton also `ferrovox skeleton` with and without
`--png`, of the brain and of a thick object of 256^3 voxels, compared with `ferrovox render`. The processes alternate; times are medians, CPU
time is user and system time of the process and its threads. Requires NumPy and VTK.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))


def measure(command):
    """Returns the wall time and the CPU time of a process, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def medians(commands, runs):
    """Runs the commands in turn, and returns the median wall and CPU time of each."""
    times = {name: [] for name in commands}
    for run in range(runs + 1):
        for name, command in commands.items():
            taken = measure(command)
            if run > 0:  # the first run fills the caches
                times[name].append(taken)
    return {name: [statistics.median(column) for column in zip(*taken)] for name, taken in times.items()}


def write_npy(folder, name, volume):
    path = os.path.join(folder, name)
    numpy.save(path, volume)
    return path


def volumes(folder):
    """Yields names, paths and isovalues of volumes."""
    yield "brain", os.path.join(HERE, "../../cli/data/mni152_t1_1mm.nii.gz"), 120
    axis = numpy.linspace(0, 8 * numpy.pi, 256, dtype=numpy.float32)
    sine, cosine = numpy.sin(axis), numpy.cos(axis)
    z, y, x = (slice(None), None, None), (None, slice(None), None), (None, None, slice(None))
    gyroid = sine[z] * cosine[y] + sine[y] * cosine[x] + sine[x] * cosine[z]
    yield "gyroid 256^3", write_npy(folder, "gyroid.npy", gyroid.astype(numpy.float32)), 0


def objects(folder):
    """Yields names, paths and isovalues of objects with skeletons."""
    yield "brain", os.path.join(HERE, "../../cli/data/mni152_t1_1mm.nii.gz"), 120
    z, y, x = numpy.ogrid[:256, :256, :256]
    in_ball = lambda center, radius: sum((axis - at) ** 2 for axis, at in zip((z, y, x), center)) < radius**2
    thick = in_ball((128, 128, 128), 90) | in_ball((60, 60, 60), 50) | in_ball((190, 70, 190), 45)
    yield "thick object 256^3", write_npy(folder, "thick.npy", thick.astype(numpy.uint8)), 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ferrovox", required=True)
    parser.add_argument("--size", default="800x600")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--skeleton", action="store_true")
    options = parser.parse_args()
    program = os.path.abspath(options.ferrovox)
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "out.png")
        print(f"| {options.size} pixels, whole process | wall time in s | CPU time in s |\n| --- | --- | --- |")
        for name, volume, iso in volumes(folder):
            mesh = os.path.join(folder, "mesh.ply")
            extract = [program, "mesh", volume, f"--iso={iso}", "--normals", "-o", mesh, "--device", "cpu"]
            subprocess.run(extract, check=True, stdout=subprocess.DEVNULL)
            draw = ["--device", "cpu", "--size", options.size, "-o", picture]
            commands = {
                "`ferrovox render` of the mesh": [program, "render", mesh, *draw],
                "`ferrovox render` of the volume": [program, "render", volume, f"--iso={iso}", *draw],
                "VTK, of the mesh": [sys.executable, os.path.join(HERE, "vtk_render.py"), mesh, picture, options.size],
            }
            for command, (wall, cpu) in medians(commands, options.runs).items():
                print(f"| {name}: {command} | {wall:.2f} | {cpu:.2f} |", flush=True)
        for name, volume, iso in objects(folder) if options.skeleton else []:
            curves = os.path.join(folder, "out.swc")
            skeleton = [program, "skeleton", volume, f"--iso={iso}", "-o", curves, "--device", "cpu"]
            draw = ["--size", options.size]
            commands = {
                "`ferrovox skeleton`": skeleton,
                "`ferrovox skeleton --png`": [*skeleton, "--png", picture, *draw],
                "`ferrovox render`": [program, "render", volume, f"--iso={iso}", "--device", "cpu", "-o", picture, *draw],
            }
            for command, (wall, cpu) in medians(commands, options.runs).items():
                print(f"| {name}: {command} | {wall:.2f} | {cpu:.2f} |", flush=True)


if __name__ == "__main__":
    main()
