"""Compares label surfaces with VTK's vtkSurfaceNets3D: numbers of vertices and triangles, and times.

    python3 benches/peers/label_surface.py --ferrovox target/release/ferrovox

Prints a Markdown table with a row without and a row with smoothing (20 steps, the default of both) per volume. Requires NumPy and VTK. VTK
receives a border of one voxel, which ferrovox assumes implicitly. Times exclude reading and writing; those of VTK include the conversion to
triangles.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkFiltersCore import vtkSurfaceNets3D


def volumes():
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


def vtk(labels, smooth):
    padded = numpy.pad(labels, 1)
    image = vtkImageData()
    image.SetDimensions(padded.shape[::-1])
    image.GetPointData().SetScalars(numpy_to_vtk(padded.ravel(), deep=True))
    nets = vtkSurfaceNets3D()
    nets.SetInputData(image)
    nets.SetSmoothing(smooth)
    nets.SetNumberOfIterations(20)
    nets.SetOutputMeshTypeToTriangles()
    present = [int(label) for label in numpy.unique(labels) if label]
    nets.SetNumberOfLabels(len(present))
    for place, label in enumerate(present):
        nets.SetLabel(place, label)
    start = time.perf_counter()
    nets.Update()
    took = time.perf_counter() - start
    return nets.GetOutput(), took * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ferrovox", required=True, help="path of the program ferrovox")
    parser.add_argument("--device", default="cpu", help="device of ferrovox (default: cpu)")
    options = parser.parse_args()
    print(f"| labels | vertices | VTK {vtkVersion.GetVTKVersion()} | triangles | VTK | ms | VTK |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "labels.npy")
        mesh = os.path.join(folder, "walls.ply")
        for name, labels in volumes():
            labels = labels.astype(numpy.uint8)
            numpy.save(path, labels)
            for smooth in (False, True):
                command = [options.ferrovox, "mesh", path, "--labels", "all", "-o", mesh, "--json", "--device", options.device]
                command += [] if smooth else ["--smooth", "none"]
                report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
                timings = report["timings"]
                took = timings["labels"] + timings["extract"] + timings["download"]
                other, of_other = vtk(labels, smooth)
                counts = [report["vertices"], other.GetNumberOfPoints(), report["triangles"], other.GetNumberOfCells()]
                row = [name + (", smooth" if smooth else ", raw"), *map(str, counts), f"{took:.0f}", f"{of_other:.0f}"]
                print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main()
