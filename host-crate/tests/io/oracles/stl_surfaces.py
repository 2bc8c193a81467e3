"""Reads all STL files of a folder with trimesh, which merges vertices at equal positions, and prints a line for each: name, 1 if it is
watertight, 1 if its winding is consistent, 1 if each of its edges has two triangles, volume.

    python3 stl_surfaces.py FOLDER
"""

import glob
import os
import sys

import numpy
import trimesh

for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.stl"))):
    mesh = trimesh.load(path)
    name = os.path.splitext(os.path.basename(path))[0]
    edges = numpy.sort(mesh.edges, axis=1)
    _, uses = numpy.unique(edges, axis=0, return_counts=True)
    print(name, int(mesh.is_watertight), int(mesh.is_winding_consistent), int((uses == 2).all()), mesh.volume)
