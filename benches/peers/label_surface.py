"""Compares label surfaces with VTK's vtkSurfaceNets3D: numbers of vertices and triangles, times, and peak memory.

    python3 benches/peers/label_surface.py --ferrovox target/release/ferrovox [--atlas aal.nii.gz] [--large]

Prints a Markdown table with rows without smoothing, with as many passes of smoothing as VTK's default (20), and as by default (80), for
each volume. `--smooth taubin:N` has 2N passes within the cells and 2N beyond, in addition to those that adapt volumes. Requires NumPy and
VTK, for --atlas NiBabel. VTK receives a border of one voxel, which ferrovox assumes implicitly, and runs on two threads unless --threads
says otherwise. Times are the shortest of --runs runs, excluding reading and writing; those of VTK include the conversion to triangles, and
exclude the border. Peak memory is that of the process, without NumPy and VTK themselves.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy

# double steps of ferrovox, and passes of VTK
EFFORTS = [("raw", None, 0), ("20 passes", 5, 20), ("80 passes", 20, 80)]


def volumes(options):
    for n in (96, 192):
        z, y, x = numpy.ogrid[:n, :n, :n]
        half, random = n / 2, numpy.random.default_rng(n)
        from_middle = numpy.sqrt((x - half) ** 2 + (y - half) ** 2 + (z - half) ** 2)
        octants = 1 + (x > half) + 2 * (y > half) + 4 * (z > half)
        yield f"a ball in eight parts, {n}^3", numpy.where(from_middle < 0.4 * n, octants, 0)
        seeds = random.integers(0, n, (40, 3))
        cells = [(x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 for a, b, c in seeds]
        yield f"40 Voronoi cells that fill it, {n}^3", 1 + numpy.argmin(cells, axis=0)
    yield "noise of six labels, 48^3", numpy.random.default_rng(1).integers(0, 6, (48,) * 3)
    if options.atlas:
        import nibabel

        data = numpy.asarray(nibabel.load(options.atlas).dataobj)
        yield os.path.basename(options.atlas), numpy.ascontiguousarray(data.T)
    if options.large:
        n = 512
        z, y, x = numpy.ogrid[:n, :n, :n]
        half = n / 2
        from_middle = numpy.sqrt((x - half) ** 2 + (y - half) ** 2 + (z - half) ** 2)
        octants = 1 + (x > half) + 2 * (y > half) + 4 * (z > half)
        ball = numpy.where(from_middle < 0.3 * n, octants, 0)
        yield "a ball in eight parts inside a ninth label, 512^3", numpy.where((ball == 0) & (from_middle < 0.4 * n), 9, ball)


def vtk_child(path, iterations, threads, runs):
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkSMPTools
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkFiltersCore import vtkSurfaceNets3D

    vtkSMPTools.SetBackend("STDThread")
    vtkSMPTools.Initialize(threads)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    padded = numpy.pad(numpy.load(path), 1)
    present = [int(label) for label in numpy.unique(padded) if label]
    times = []
    for _ in range(runs):
        image = vtkImageData()
        image.SetDimensions(padded.shape[::-1])
        image.GetPointData().SetScalars(numpy_to_vtk(padded.ravel()))
        nets = vtkSurfaceNets3D()
        nets.SetInputData(image)
        nets.SetSmoothing(iterations > 0)
        nets.SetNumberOfIterations(iterations)
        nets.SetOutputMeshTypeToTriangles()
        nets.SetNumberOfLabels(len(present))
        for place, label in enumerate(present):
            nets.SetLabel(place, label)
        start = time.perf_counter()
        nets.Update()
        times.append(time.perf_counter() - start)
        counts = [nets.GetOutput().GetNumberOfPoints(), nets.GetOutput().GetNumberOfCells()]
        del nets, image
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"counts": counts, "ms": 1e3 * min(times), "peak": peak}))


# Runs a program and prints its peak memory in KiB to the standard error. The peak of a process includes that of the process that it was
# forked from, so programs must not be children of this one, which holds volumes.
SMALL_PARENT = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run_measured(command):
    """Runs a command, and returns its standard output and its peak memory in KiB."""
    small_parent = [sys.executable, "-c", SMALL_PARENT, *command]
    result = subprocess.run(small_parent, capture_output=True, check=True)
    return result.stdout, int(result.stderr.split()[-1])


def vtk(path, iterations, options):
    command = [sys.executable, __file__, "--vtk-child", path, str(iterations), str(options.threads), str(options.runs)]
    return json.loads(run_measured(command)[0])


def ferrovox(path, mesh, steps, options):
    command = [options.ferrovox, "mesh", path, "--labels", "all", "-o", mesh, "--device", options.device]
    command += ["--smooth", "none" if steps is None else f"taubin:{steps}"]
    # without the check that --json implies
    _, peak = run_measured(command)
    times = []
    for _ in range(options.runs):
        report = json.loads(subprocess.run([*command, "--json"], capture_output=True, check=True).stdout)
        timings = report["timings"]
        times.append(timings["labels"] + timings["extract"] + timings.get("download", 0))
    return {"counts": [report["vertices"], report["triangles"]], "ms": min(times), "peak": peak}


def main():
    if sys.argv[1:2] == ["--vtk-child"]:
        path, iterations, threads, runs = sys.argv[2:]
        return vtk_child(path, int(iterations), int(threads), int(runs))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ferrovox", required=True, help="path of the program ferrovox")
    parser.add_argument("--device", default="cpu", help="device of ferrovox (default: cpu)")
    parser.add_argument("--atlas", help="a NIfTI file of labels, such as aal.nii.gz of the Debian package mricron-data")
    parser.add_argument("--large", action="store_true", help="add a volume of 512^3 voxels with nine labels")
    parser.add_argument("--only", default="", help="only volumes whose name contains this text")
    parser.add_argument("--threads", type=int, default=2, help="threads of VTK (default: 2)")
    parser.add_argument("--runs", type=int, default=3, help="number of runs (default: 3)")
    options = parser.parse_args()
    from vtkmodules.vtkCommonCore import vtkVersion

    version = vtkVersion.GetVTKVersion()
    print(f"| labels | vertices | VTK {version} | triangles | VTK | ms | VTK | peak MB | VTK |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "labels.npy")
        mesh = os.path.join(folder, "walls.ply")
        for name, labels in volumes(options):
            if options.only not in name:
                continue
            numpy.save(path, labels.astype(numpy.uint8))
            del labels
            for effort, steps, iterations in EFFORTS:
                own, other = ferrovox(path, mesh, steps, options), vtk(path, iterations, options)
                row = [f"{name}, {effort}"]
                row += [str(it["counts"][k]) for k in (0, 1) for it in (own, other)]
                row += [f"{it['ms']:.0f}" for it in (own, other)] + [f"{it['peak'] / 1e3:.0f}" for it in (own, other)]
                print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
