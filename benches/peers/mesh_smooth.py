"""Compares smoothing with VTK's vtkWindowedSincPolyDataFilter, vertex by vertex, on the isosurface of a volume.

    python3 benches/peers/mesh_smooth.py --ferrovox target/release/ferrovox cli/data/mni152_t1_1mm.nii.gz --iso otsu

Prints a Markdown table. Requires NumPy and VTK. Both smooth the same mesh, read from .obj files with all digits. VTK smooths boundaries at any
angle (EdgeAngle 180), as ferrovox does. ferrovox uses the Hamming window; newer versions of VTK also have other windows and default to Nuttall's.
With the Hamming window, the coefficients of VTK do not sum to 1, so it also scales the mesh about the origin by a few thousandths; the third
column excludes this scaling.
"""

import argparse
import os
import subprocess
import tempfile
import time

import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints, vtkVersion
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkWindowedSincPolyDataFilter


def run_command(options, path, more):
    command = [options.ferrovox, "mesh", options.volume, "--iso", options.iso, "-o", path]
    start = time.perf_counter()
    subprocess.run([*command, "--device", "cpu", "--quiet", *more], check=True)
    took = time.perf_counter() - start
    rows = {"v": [], "f": []}
    with open(path) as file:
        for line in file:
            kind, *numbers = line.split()
            if kind in rows:
                rows[kind].append([number.split("/")[0] for number in numbers])
    # Vertex indices start at 1.
    return numpy.array(rows["v"], float), numpy.array(rows["f"], numpy.int64) - 1, took


def vtk(vertices, faces, options, window):
    points = vtkPoints()
    points.SetDataTypeToDouble()
    points.SetData(numpy_to_vtk(vertices, deep=True))
    cells = vtkCellArray()
    cells.SetData(3, numpy_to_vtkIdTypeArray(faces.ravel(), deep=True))
    mesh = vtkPolyData()
    mesh.SetPoints(points)
    mesh.SetPolys(cells)
    smoothing = vtkWindowedSincPolyDataFilter()
    smoothing.SetInputData(mesh)
    smoothing.SetNumberOfIterations(options.terms)
    smoothing.SetPassBand(options.band)
    smoothing.SetEdgeAngle(180)
    if hasattr(smoothing, "SetWindowFunction"):
        getattr(smoothing, f"SetWindowFunctionTo{window}")()
    start = time.perf_counter()
    smoothing.Update()
    took = time.perf_counter() - start
    return vtk_to_numpy(smoothing.GetOutput().GetPoints().GetData()), took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("volume", help="volume file")
    parser.add_argument("--ferrovox", required=True, help="path of the program ferrovox")
    parser.add_argument("--iso", required=True, help="isovalue, or otsu")
    parser.add_argument("--terms", type=int, default=20, help="number of iterations (default: 20)")
    parser.add_argument("--band", type=float, default=0.1, help="pass band (default: 0.1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mesh.obj")
        vertices, faces, _ = run_command(options, path, [])
        smoothed, same, _ = run_command(options, path, ["--smooth", f"taubin:{options.terms},{options.band}"])
    assert (faces == same).all()
    moved = numpy.sqrt(((smoothed - vertices) ** 2).sum(1).mean())
    print(f"{len(vertices)} vertices, which ferrovox moves by {moved:.4f} (root mean square); VTK {vtkVersion.GetVTKVersion()}\n")
    print("| VTK's window | root mean square of the difference | without scale and shift | largest of these | VTK's time |")
    print("| --- | --- | --- | --- | --- |")
    for name, window in (
        ("Hamming", "Hamming"),
        ("Nuttall, its default", "Nuttall"),
    ):
        other, took = vtk(vertices, faces, options, window)
        away = numpy.linalg.norm(other - smoothed, axis=1)
        # Difference after the best scaling and translation of VTK's mesh.
        centred, target = other - other.mean(0), smoothed - smoothed.mean(0)
        away_centred = numpy.linalg.norm(centred * ((centred * target).sum() / (centred**2).sum()) - target, axis=1)
        mean, left = (numpy.sqrt((it**2).mean()) for it in (away, away_centred))
        print(f"| {name} | {mean:.2e} | {left:.2e} | {away_centred.max():.2e} | {took:.2f} s |")


if __name__ == "__main__":
    main()
