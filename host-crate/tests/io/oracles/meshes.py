"""Reads the meshes of a folder with trimesh and VTK, and writes meshes with both to it. Prints one
line per mesh read: name, numbers of vertices and triangles, bounds, area, signed volume; and one
line per mesh written, which starts with "written"."""

import os
import sys

import lib3mf
import numpy
import trimesh
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder = sys.argv[1]


def load(path):
    if path.endswith(".vtp"):
        reader = vtk.vtkXMLPolyDataReader()
        reader.SetFileName(path)
        reader.Update()
        data = reader.GetOutput()
        vertices = vtk_to_numpy(data.GetPoints().GetData()).astype(float)
        faces = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
        return trimesh.Trimesh(vertices, faces, process=False)
    mesh = trimesh.load(path, process=False)
    if isinstance(mesh, trimesh.Scene):
        mesh = mesh.to_geometry()
    return mesh


def report(prefix, name, mesh):
    numbers = [len(mesh.vertices), len(mesh.faces), *mesh.bounds.ravel(), mesh.area, mesh.volume]
    print(prefix, name, *[repr(float(number)) for number in numbers], sep="\t")


for name in sorted(os.listdir(folder)):
    if name.endswith(".3mf"):
        # The reference implementation accepts it without a warning.
        model = lib3mf.get_wrapper().CreateModel()
        reader = model.QueryReader("3mf")
        reader.SetStrictModeActive(True)
        reader.ReadFromFile(os.path.join(folder, name))
        assert reader.GetWarningCount() == 0 and model.GetUnit() == lib3mf.ModelUnit.MilliMeter
    report("read", name, load(os.path.join(folder, name)))

shape = trimesh.creation.icosphere(subdivisions=2, radius=30)
shape.apply_scale([1, 2, 0.5])
shape.apply_translation([10, -20, 33])
for extension in ["off", "3mf"]:
    path = os.path.join(folder, "trimesh." + extension)
    shape.export(path)
    report("written", path, shape)
# Metres and y up become millimetres and z up.
scene = trimesh.Scene()
turn = trimesh.transformations.rotation_matrix(0.5, [1, 2, 3], [4, 5, 6])
scene.add_geometry(shape, transform=turn)
scene.add_geometry(shape)
path = os.path.join(folder, "scene.glb")
scene.export(path)
both = scene.to_geometry()
both.apply_transform([[1000, 0, 0, 0], [0, 0, -1000, 0], [0, 1000, 0, 0], [0, 0, 0, 1]])
report("written", path, both)
path = os.path.join(folder, "scene.3mf")
scene.export(path)
report("written", path, scene.to_geometry())

source = vtk.vtkSphereSource()
source.SetThetaResolution(17)
stripper = vtk.vtkStripper()
stripper.SetInputConnection(source.GetOutputPort())
for strips in [False, True]:
    for mode in ["Ascii", "Binary", "Appended"]:
        for compressor in ["None", "ZLib", "LZ4"]:
            if mode == "Ascii" and compressor != "None":
                continue
            name = "%s-%s-%s.vtp" % ("strips" if strips else "polygons", mode, compressor)
            path = os.path.join(folder, name)
            writer = vtk.vtkXMLPolyDataWriter()
            writer.SetInputConnection((stripper if strips else source).GetOutputPort())
            getattr(writer, "SetDataModeTo" + mode)()
            getattr(writer, "SetCompressorTypeTo" + compressor)()
            writer.SetBlockSize(4096)
            writer.SetFileName(path)
            assert writer.Write() == 1
            source.Update()
            data = source.GetOutput()
            vertices = vtk_to_numpy(data.GetPoints().GetData()).astype(float)
            faces = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
            report("written", path, trimesh.Trimesh(vertices, faces, process=False))
