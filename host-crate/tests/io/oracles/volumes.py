"""Reads the volumes of a folder with VTK, tifffile and zarr, and arrays of NumPy are written to it.
Prints one line per file: "read", name, npy file with the samples as float64, and the numbers of
samples, spacing and origin along x, y and z ("-" if the format has none); "written", name, npy
file, array name ("-" for the only one)."""

import os
import sys

import numpy
import tifffile
import vtk
import zarr
from vtk.util.numpy_support import vtk_to_numpy

folder, output = sys.argv[1:3]


def save(name, samples):
    path = os.path.join(output, name + ".npy")
    numpy.save(path, numpy.asarray(samples).astype("<f8").ravel())
    return path


def report(name, samples, spacing, origin):
    numbers = [*samples.shape[::-1], *spacing, *(origin if origin is not None else "---")]
    print("read", name, save(name, samples), *numbers, sep="\t")


for name in sorted(os.listdir(folder)):
    path = os.path.join(folder, name)
    if name.endswith(".vti"):
        reader = vtk.vtkXMLImageDataReader()
        reader.SetFileName(path)
        reader.Update()
        image = reader.GetOutput()
        samples = vtk_to_numpy(image.GetPointData().GetScalars())
        samples = samples.reshape(image.GetDimensions()[::-1])
        assert abs(numpy.linalg.det([[image.GetDirectionMatrix().GetElement(i, j) for j in range(3)]
                                     for i in range(3)])) > 0.999
        report(name, samples, image.GetSpacing(), image.GetOrigin())
    elif name.endswith(".tif"):
        with tifffile.TiffFile(path) as file:
            tags = file.pages[0].tags
            resolution = [numpy.divide(*tags[axis + "Resolution"].value) for axis in "XY"]
            if "64" in name and "f64" not in name:
                # OME-XML has no integers of 64 bits.
                assert file.is_imagej and not file.is_ome and file.series[0].axes in ["ZYX", "YX"]
                assert file.imagej_metadata["unit"] == "mm"
                spacing = [1 / resolution[0], 1 / resolution[1], file.imagej_metadata["spacing"]]
            else:
                assert file.is_ome and file.series[0].axes in ["ZYX", "YX"], file.series[0].axes
                pixels = tifffile.xml2dict(file.ome_metadata)["OME"]["Image"]["Pixels"]
                spacing = [pixels["PhysicalSize" + axis] for axis in "XYZ"]
                assert all(pixels["PhysicalSize%sUnit" % axis] == "mm" for axis in "XYZ")
                assert abs(resolution[0] * spacing[0] / 10 - 1) < 1e-9
            samples = file.asarray()
            report(name, samples.reshape(-1, *samples.shape[-2:]), spacing, None)
    else:
        group = zarr.open_group(zarr.storage.ZipStore(path, mode="r"), mode="r")
        scales = group.attrs["ome"]["multiscales"][0]
        assert [axis["name"] for axis in scales["axes"]] == ["z", "y", "x"]
        dataset = scales["datasets"][0]
        scale, translation = (it[it["type"]] for it in dataset["coordinateTransformations"])
        report(name, group[dataset["path"]][:], scale[::-1], translation[::-1])

random = numpy.random.default_rng(1)
arrays = {
    "a": random.integers(-100, 100, size=(5, 4, 3)).astype("<i2"),
    "b": numpy.asfortranarray(random.normal(size=(4, 3, 2)).astype(">f4")),
    "half": random.normal(size=(3, 4, 5)).astype("<f2"),
    "big": random.normal(size=(3, 4, 5)).astype(">f2"),
    "fortran": numpy.asfortranarray(random.normal(size=(3, 4, 5)).astype("<f2")),
}
for name, save_archive in [("stored.npz", numpy.savez), ("deflated.npz", numpy.savez_compressed)]:
    path = os.path.join(output, name)
    save_archive(path, **arrays)
    for array, samples in arrays.items():
        print("written", path, save(name + array, samples), array, sep="\t")
    path = os.path.join(output, "single-" + name)
    save_archive(path, one=arrays["half"])
    print("written", path, save("single-" + name, arrays["half"]), "-", sep="\t")
for name in ["half", "big", "fortran"]:
    path = os.path.join(output, name + "-array.npy")
    numpy.save(path, arrays[name])
    print("written", path, save(name, arrays[name]), "-", sep="\t")
