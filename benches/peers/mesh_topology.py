"""Counts the meshes with the components and the Euler characteristic of the trilinear interpolant, for ferrovox and other systems.

    python3 benches/peers/mesh_topology.py --ferrovox target/release/ferrovox

Prints a Markdown table. Requires NumPy and SciPy; of the other systems (scikit-image, VTK, PyMCubes, Warp), those installed are tested.

interpolant.py computes the correct topology independently: each cell is refined by trilinear interpolation until two refinements agree.
Undecided fields are excluded for all systems. If samples equal the isovalue, a mesh is correct if it is correct for a slightly lower or
higher isovalue.
"""

import argparse
import contextlib
import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile

import numpy
import scipy
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

import interpolant


def with_border(inner):
    """Adds a border of -1, one sample wide, so that the surface is closed."""
    return numpy.pad(inner, 1, constant_values=-1.0).astype(numpy.float32)


def uniform(random):
    return with_border(random.uniform(-0.5, 0.5, (6, 6, 6)))


def integers(random):
    return with_border(random.integers(-2, 3, (6, 6, 6)))


def walls(random):
    """Returns two oblique walls, slightly thicker than the sample spacing, with noise."""
    place = numpy.indices((10, 10, 10)) - 4.5
    field = numpy.full((10, 10, 10), -numpy.inf)
    for _ in range(2):
        normal = random.normal(size=3)
        normal /= numpy.linalg.norm(normal)
        away = numpy.tensordot(normal, place, 1) - random.uniform(-3, 3)
        field = numpy.maximum(field, 1 - abs(away) / 0.6)
    return with_border(numpy.clip(field, -1, 1) + random.normal(scale=0.4, size=field.shape))


# The name, the generator of a field, and the offsets for values just below and above the isovalue.
SORTS = [
    ("uniform", uniform, [0.0]),
    ("integers", integers, [1e-3, -1e-3]),
    ("thin walls", walls, [0.0]),
]


def ferrovox(program, topology):
    def mesh(field):
        with tempfile.TemporaryDirectory() as folder:
            source, target = (os.path.join(folder, name) for name in ("field.npy", "mesh.obj"))
            numpy.save(source, field)
            options = ["--iso", "0", "--topology", topology, "--device", "cpu", "--quiet"]
            subprocess.run([program, "mesh", source, "-o", target, *options], check=True)
            rows = {"v": [], "f": []}
            with open(target) as file:
                for line in file:
                    kind, *numbers = line.split()
                    if kind in rows:
                        rows[kind].append([number.split("/")[0] for number in numbers])
        # Vertex indices start at 1.
        return numpy.array(rows["v"], float), numpy.array(rows["f"], int) - 1

    return mesh


def scikit_image(method):
    from skimage.measure import marching_cubes

    def mesh(field):
        vertices, faces, _, _ = marching_cubes(field, 0.0, method=method)
        return vertices, faces

    return mesh


def vtk(name):
    from vtkmodules import vtkFiltersCore
    from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    from vtkmodules.vtkCommonDataModel import vtkImageData

    def mesh(field):
        image = vtkImageData()
        image.SetDimensions(*reversed(field.shape))
        image.GetPointData().SetScalars(numpy_to_vtk(field.ravel()))
        contour = getattr(vtkFiltersCore, name)()
        contour.SetInputData(image)
        contour.SetValue(0, 0.0)
        contour.Update()
        surface = contour.GetOutput()
        vertices = vtk_to_numpy(surface.GetPoints().GetData())
        return vertices, vtk_to_numpy(surface.GetPolys().GetConnectivityArray()).reshape(-1, 3)

    return mesh


def pymcubes():
    import mcubes

    return lambda field: mcubes.marching_cubes(field.astype(float), 0.0)


def warp():
    import warp

    try:
        from warp.geometry import IsoSurfaceMarchingCubes as Extractor
    except ImportError:  # older versions
        from warp import MarchingCubes as Extractor
    warp.config.quiet = True
    warp.init()

    def mesh(field):
        with warp.ScopedDevice("cpu"):
            cubes = Extractor(*field.shape)
            cubes.surface(warp.array(field, dtype=warp.float32), 0.0)
            return cubes.verts.numpy(), cubes.indices.numpy().reshape(-1, 3)

    return mesh


def systems(program):
    """Returns names and mesh functions of the available systems, and the reasons why others are absent."""
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    found, absent = [], []
    for rule in ("trilinear", "separated"):
        found.append((f"ferrovox {version}, `{rule}`", ferrovox(program, rule)))
    others = [
        ("scikit-image", "scikit-image", "`lewiner`", lambda: scikit_image("lewiner")),
        ("scikit-image", "scikit-image", "`lorensen`", lambda: scikit_image("lorensen")),
        ("VTK", "vtk", "`vtkFlyingEdges3D`", lambda: vtk("vtkFlyingEdges3D")),
        ("VTK", "vtk", "`vtkMarchingCubes`", lambda: vtk("vtkMarchingCubes")),
        ("PyMCubes", "PyMCubes", "`marching_cubes`", pymcubes),
        ("Warp", "warp-lang", "`IsoSurfaceMarchingCubes`", warp),
    ]
    for name, package, what, make in others:
        try:
            mesh = make()
            found.append((f"{name} {importlib.metadata.version(package)}, {what}", mesh))
        except ImportError as error:
            absent.append(f"{name}, {what}: {error}")
    return found, absent


def judged(faces):
    """Returns the components and the Euler characteristic of a mesh, and whether it is closed: each edge belongs to two triangles."""
    faces = numpy.asarray(faces, dtype=numpy.int64)
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    used, faces = numpy.unique(faces, return_inverse=True)
    faces = faces.reshape(-1, 3)
    sides = numpy.sort(numpy.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    sides, times = numpy.unique(sides, axis=0, return_counts=True)
    graph = coo_matrix((numpy.ones(len(sides)), sides.T), shape=(len(used), len(used)))
    pieces, _ = connected_components(graph, directed=False)
    return (pieces, len(used) - len(sides) + len(faces)), bool((times == 2).all())


def counted(found, count, seed):
    """Returns per type of field the number of decided fields, and per system the numbers of correct and closed meshes."""
    table = []
    for number, (name, draw, shifts) in enumerate(SORTS):
        random = numpy.random.default_rng([seed, number])
        right, closed, judgeable = [0] * len(found), [0] * len(found), 0
        for _ in range(count):
            field = draw(random)
            answers = [interpolant.topology(field.astype(float) + shift) for shift in shifts]
            if None in answers:
                continue
            judgeable += 1
            for at, (_, mesh) in enumerate(found):
                topology, is_closed = judged(mesh(field)[1])
                right[at] += topology in answers
                closed[at] += is_closed
        print(f"{name}: {judgeable} of {count} fields decided", file=sys.stderr, flush=True)
        table.append((name, judgeable, right, closed))
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ferrovox", default="target/release/ferrovox", help="path of the program ferrovox (default: target/release/ferrovox)")
    parser.add_argument("--fields", type=int, default=200, help="number of fields per type (default: 200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random fields (default: 1)")
    options = parser.parse_args()
    # Output of the libraries must not mix with the table.
    with contextlib.redirect_stdout(sys.stderr):
        found, absent = systems(options.ferrovox)
        table = counted(found, options.fields, options.seed)
    titles = [f"{name}, of {fields}" for name, fields, _, _ in table]
    titles += [f"closed: {name}" for name, _, _, _ in table]
    print(f"| right | {' | '.join(titles)} |")
    print("| --- " * (len(titles) + 1) + "|")
    for at, (name, _) in enumerate(found):
        cells = [right[at] for _, _, right, _ in table] + [closed[at] for _, _, _, closed in table]
        print(f"| {name} | {' | '.join(map(str, cells))} |")
    for line in absent:
        print(f"absent: {line}")
    print(f"\nPython {platform.python_version()}, NumPy {numpy.__version__}, SciPy {scipy.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
